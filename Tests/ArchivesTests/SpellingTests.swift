import Archives
import Digests
import HTTPSemantics
import Testing

@Suite("The digests of archives")
struct SpellingTests {
  @Test(
    "A digest is read with its name in any of three encodings",
    arguments: [
      // The digests of no bytes, in base 32, 16 and 64.
      ("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", DigestAlgorithm.sha1),
      ("SHA-1:da39a3ee5e6b4b0d3255bfef95601890afd80709", .sha1),
      ("sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", .sha1),
      ("sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====", .sha256),
      ("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", .sha256),
      ("sha-512:z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==", .sha512),
    ])
  func digests(text: String, algorithm: DigestAlgorithm) throws {
    let read = try #require(LabelledDigest(Array(text.utf8)))
    #expect(read == LabelledDigest(algorithm, digest(of: [], algorithm)))
    #expect(LabelledDigest(Array(read.text.utf8)) == read)
  }

  @Test(
    "A malformed digest is refused",
    arguments: [
      "", "sha1", "sha1:", "md5:1B2M2Y8AsgTpgAmY7PhCfg==", "sha1:3I42", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY1",
      "sha1:zz39a3ee5e6b4b0d3255bfef95601890afd80709",
    ])
  func noDigests(text: String) {
    #expect(LabelledDigest(Array(text.utf8)) == nil)
  }
}
