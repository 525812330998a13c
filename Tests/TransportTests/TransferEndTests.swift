import CTransport
import Testing

@testable import Transport

@Suite("The end of a transfer, as garner-transport reports it")
struct TransferEndTests {
  /// CURLE_SSL_PINNEDPUBKEYNOTMATCH
  private static let otherKey: Int32 = 90

  /// CURLE_OUT_OF_MEMORY
  private static let outOfMemory: Int32 = 27

  private func end(_ code: Int32, _ reason: String) throws -> TransferEnd {
    var numbers = transport_report()
    numbers.code = code
    // libcurl's reason, and three empty texts.
    let texts = Array("\(reason)\0\0\0\0".utf8)
    let payload = withUnsafeBytes(of: numbers) { Array($0) } + texts
    let parsed = payload.withUnsafeBytes { TransferEnd($0) }
    return try #require(parsed)
  }

  @Test("A name for which DNS over HTTPS has no address of the wanted family is one that cannot be resolved")
  func noAddressOfFamily() throws {
    let end = try end(Self.outOfMemory, "Out of memory")
    var message = try message("http://a.test/")
    #expect(end.failure(of: message, hasHead: false, isWithinHead: false)?.curlCode == Self.outOfMemory)
    message.options.dohURL = Array("https://127.0.0.1/".utf8)
    #expect(end.failure(of: message, hasHead: false, isWithinHead: false) == .couldNotResolve(host: "a.test"))
  }

  @Test("A server whose public key is not the pinned one is reported as that, and not as a file that cannot be used")
  func otherPublicKey() throws {
    let end = try end(Self.otherKey, "SSL: public key does not match pinned public key")
    let failure = end.failure(of: try message("https://127.0.0.1/"), hasHead: false, isWithinHead: false)
    #expect(failure?.reason == "the server's public key is not the pinned one")
    #expect(failure?.curlCode == Self.otherKey)
    #expect(failure?.isDisconnection == false)
  }
}
