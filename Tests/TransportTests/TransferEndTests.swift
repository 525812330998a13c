import CTransport
import Testing

@testable import Transport

@Suite("The end of a transfer, as garner-transport reports it")
struct TransferEndTests {
  /// CURLE_SSL_PINNEDPUBKEYNOTMATCH
  private static let otherKey: Int32 = 90

  @Test("A server whose public key is not the pinned one is reported as that, and not as a file that cannot be used")
  func otherPublicKey() throws {
    var numbers = transport_report()
    numbers.code = Self.otherKey
    // libcurl's reason, and three empty texts.
    let texts = Array("SSL: public key does not match pinned public key\0\0\0\0".utf8)
    let payload = withUnsafeBytes(of: numbers) { Array($0) } + texts
    let parsed = payload.withUnsafeBytes { TransferEnd($0) }
    let end = try #require(parsed)
    let failure = end.failure(of: try message("https://127.0.0.1/"), hasHead: false, isWithinHead: false)
    #expect(failure?.reason == "the server's public key is not the pinned one")
    #expect(failure?.curlCode == Self.otherKey)
    #expect(failure?.isDisconnection == false)
  }
}
