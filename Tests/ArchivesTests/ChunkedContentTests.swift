import Archives
import Testing

@Suite("Decoding archived content that is chunked")
struct ChunkedContentTests {
  private func decoded(_ text: String, pieceLength: Int) -> (content: String, isComplete: Bool) {
    var content: [UInt8] = []
    var chunked = ChunkedContent()
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieceLength) {
      bytes[start..<min(bytes.count, start + pieceLength)].withUnsafeBytes { piece in
        chunked.feed(piece) { content.append(contentsOf: $0) }
      }
    }
    chunked.finish { content.append(contentsOf: $0) }
    return (String(decoding: content, as: UTF8.self), chunked.isComplete)
  }

  @Test(
    "Complete chunks are decoded, and content that is not chunked is kept as it is",
    arguments: [
      ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
      ("5;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", "hello"),
      ("A\n0123456789\n0\n\n", "0123456789"), ("0\r\n\r\n", ""), ("", ""),
      // Leading zeros do not change a size, in the first chunk and in later ones.
      ("0000000000000003\r\nabc\r\n\(String(repeating: "0", count: 300))2;x\r\nde\r\n000000000000000000\r\n", "abcde"),
      // The field says chunked, but the content is not.
      ("<html>\r\n<p>\r\n", "<html>\r\n<p>\r\n"), ("no line end", "no line end"),
      (String(repeating: "x", count: 10_000), String(repeating: "x", count: 10_000)),
      // A digest is not a size.
      ("da39a3ee5e6b4b0d3255bfef95601890afd80709\n", "da39a3ee5e6b4b0d3255bfef95601890afd80709\n"),
      (String(repeating: "0", count: 5_000), String(repeating: "0", count: 5_000)),
      ("a{b:c}" + String(repeating: "0", count: 10_000), "a{b:c}" + String(repeating: "0", count: 10_000)),
    ], [1, 3, 100_000])
  func whole(row: (text: String, content: String), pieceLength: Int) {
    let decoded = decoded(row.text, pieceLength: pieceLength)
    #expect(decoded.content == row.content)
    #expect(decoded.isComplete)
  }

  @Test(
    "Incomplete or malformed chunks are not complete",
    arguments: [
      "5\r\nhello\r\n", "5\r\nhel", "5\r\nhello\r\n6", "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello\r\nzz\r\n\r\n",
      "5\r\nhello\r\n-1\r\n",
    ])
  func broken(text: String) {
    #expect(!decoded(text, pieceLength: 2).isComplete)
    #expect(!decoded(text, pieceLength: 100).isComplete)
  }

  @Test(
    "Content that may have been cut off before its first chunk is recognised",
    arguments: [
      ("", true), ("100", true), ("100\r", true), ("1000;ext=1", true), ("10 ", true), ("no line end", false),
      ("\r\n", false), ("da39a3ee5e6b4b0d3255bfef95601890afd80709", false), ("0\r\n\r\n", false), ("x", false),
    ])
  func cut(text: String, mayBeCut: Bool) {
    var chunked = ChunkedContent()
    Array(text.utf8).withUnsafeBytes { bytes in chunked.feed(bytes) { _ in } }
    chunked.finish { _ in }
    #expect(chunked.isComplete && chunked.mayBeCut == mayBeCut)
  }

  @Test(
    "Content that begins with an unreadable chunk size is refused",
    arguments: [
      "3;\(String(repeating: "x", count: 5_000))\r\nabc\r\n0\r\n\r\n", "a;\(String(repeating: "x", count: 5_000))",
    ])
  func unreadable(text: String) {
    for pieceLength in [3, 100_000] {
      let decoded = decoded(text, pieceLength: pieceLength)
      #expect(!decoded.isComplete && decoded.content.isEmpty)
    }
  }
}
