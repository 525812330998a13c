import Digests
import Testing

struct DigestsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let algorithm: DigestAlgorithm
    let message: String
    let digest: String
  }

  // Examples from FIPS 180-4 and the NIST cryptographic toolkit.
  static let rows: [Row] = [
    Row(
      testDescription: "SHA-1 of abc", algorithm: .sha1, message: "abc",
      digest: "a9993e364706816aba3e25717850c26c9cd0d89d"),
    Row(
      testDescription: "SHA-256 of no bytes", algorithm: .sha256, message: "",
      digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Row(
      testDescription: "SHA-256 of abc", algorithm: .sha256, message: "abc",
      digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Row(
      testDescription: "SHA-512 of abc", algorithm: .sha512, message: "abc",
      digest: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
  ]

  @Test("A digest has the value of the standard's example", arguments: rows)
  func matchesTheStandard(row: Row) {
    #expect(hexadecimal(digest(of: Array(row.message.utf8), row.algorithm)) == row.digest)
  }

  @Test("A digest of pieces equals the digest of the whole", arguments: DigestAlgorithm.allCases)
  func piecesAreTheWhole(algorithm: DigestAlgorithm) {
    let whole = (0..<1000).map { UInt8($0 & 0xff) }
    var digester = Digester(algorithm)
    for start in stride(from: 0, to: whole.count, by: 7) {
      digester.update(Array(whole[start..<min(start + 7, whole.count)]))
    }
    let pieces = digester.finish()
    #expect(pieces.count == algorithm.byteCount)
    #expect(pieces == digest(of: whole, algorithm))
  }

  @Test("A keyed digest has the value of RFC 4231, test case 2")
  func keyedDigestMatchesTheStandard() {
    let digest = keyedDigest(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))
    #expect(hexadecimal(digest) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test("A key longer than a block is digested first: RFC 4231, test case 6")
  func longKey() {
    let digest = keyedDigest(
      key: [UInt8](repeating: 0xaa, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
    #expect(hexadecimal(digest) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test("An empty key is a valid key")
  func emptyKey() {
    let digest = keyedDigest(key: [], message: [])
    #expect(hexadecimal(digest) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
