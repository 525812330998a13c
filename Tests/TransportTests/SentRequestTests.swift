import Glibc
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import Transport

struct SentRequestTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var target = "/"
    var method = Method.get
    var fields = Fields()
    var content = OutgoingMessage.Content.none
    /// The expected lines after the request line; `HOST` stands for the origin's authority.
    let lines: [String]
  }

  static let rows: [Row] = [
    Row(testDescription: "nothing is added but Host", lines: ["Host: HOST"]),
    Row(
      testDescription: "fields are sent in order, with duplicates and empty values",
      fields: ["B": "1", "A": "2", "B": "", "User-Agent": "garner"],
      lines: ["Host: HOST", "B: 1", "A: 2", "B:", "User-Agent: garner"]),
    Row(
      testDescription: "a value is bytes", fields: ["A": FieldValue([0x63, 0xe9])],
      lines: ["Host: HOST", "A: c\u{e9}"]),
    Row(testDescription: "a Host that was given is sent", fields: [.host: "other"], lines: ["Host: other"]),
    Row(testDescription: "the target is sent as it is", target: "/%7e/%2e%2E/a?b=c/../d&e", lines: ["Host: HOST"]),
    Row(
      testDescription: "POST has its content's length, and no Content-Type of libcurl", method: .post,
      content: .bytes(Array("a\0b".utf8)), lines: ["Host: HOST", "Content-Length: 3"]),
    Row(
      testDescription: "GET may have content", content: .bytes(Array("q".utf8)),
      lines: ["Host: HOST", "Content-Length: 1"]),
    Row(
      testDescription: "POST without content has a length of 0", method: .post,
      lines: ["Host: HOST", "Content-Length: 0"]),
    Row(
      testDescription: "empty content has a length of 0", method: .put, content: .bytes([]),
      lines: ["Host: HOST", "Content-Length: 0"]),
    Row(testDescription: "DELETE has no content", method: .delete, lines: ["Host: HOST"]),
    Row(
      testDescription: "content above libcurl's limit for Expect is sent at once", method: .put,
      content: .bytes(Array(repeating: 7, count: 2_000_000)), lines: ["Host: HOST", "Content-Length: 2000000"]),
  ]

  @Test("A request is sent as it is given", arguments: rows)
  func request(row: Row) throws {
    try withOrigin { _ in
      .response(text: "")
    } run: { origin in
      let outcome = send(
        try message(origin.url(row.target), method: row.method, fields: row.fields, content: row.content))
      #expect(outcome.error == nil)
      let request = try #require(origin.requests.first)
      let lines = row.lines.map { $0.replacing("HOST", with: origin.authority) }
      let target = try URIReference(typed: Array("http://h\(row.target)".utf8)).target.pathAndQuery
      let expected = ["\(row.method) \(target) HTTP/1.1"] + lines + ["", ""]
      let sent = fieldText(request.head).split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
      #expect(sent == expected)
      guard case .bytes(let bytes) = row.content else { return }
      #expect(request.content == bytes)
    }
  }

  @Test("Streamed content is read while it is sent, one part after the other")
  func streamed() throws {
    let directory = try TemporaryDirectory()
    let bytes = Pattern.bytes(count: 300_000)
    let path = try #require(Path(try directory.write(bytes, to: "file")))
    let short = try #require(Path(try directory.write("short", to: "short")))
    let content = StreamedContent([
      .bytes(Array("before".utf8)), .file(path, count: 300_000), .bytes([0]), .file(short, count: 5),
      .file(path, count: 100_000),
    ])
    try withOrigin { _ in
      .response(text: "")
    } run: { origin in
      let outcome = send(try message(origin.url("/"), method: .put, content: .streamed(content)))
      #expect(outcome.error == nil)
      let request = try #require(origin.requests.first)
      #expect(request.value("Content-Length") == "400012")
      #expect(request.content == Array("before".utf8) + bytes + [0] + Array("short".utf8) + bytes.prefix(100_000))
    }
  }

  @Test("A section of an open file is sent without changing the file's position")
  func section() throws {
    let directory = try TemporaryDirectory()
    let bytes = Pattern.bytes(count: 300_000)
    let path = try #require(Path(try directory.write(bytes, to: "file")))
    let file = try Descriptor.workingDirectory.open(path, .readOnly)
    try file.borrowed.seek(to: 300_000)
    let content = StreamedContent([
      .bytes([1]), .section(of: .descriptor(file.borrowed), from: 7, count: 299_993), .bytes([2]),
    ])
    try expectSentTwice(content, as: [1] + bytes.dropFirst(7) + [2], leaving: file.borrowed, at: 300_000)
  }

  /// Sends content twice, and checks the offset in bytes at which a file of it stands afterwards.
  private func expectSentTwice(
    _ content: StreamedContent, as bytes: [UInt8], leaving file: Descriptor, at offset: Int64
  ) throws {
    try withOrigin { _ in
      .response(text: "")
    } run: { origin in
      for _ in 1...2 {
        let outcome = send(try message(origin.url("/"), method: .put, content: .streamed(content)))
        #expect(outcome.error == nil)
        #expect(try file.position() == offset)
      }
      #expect(origin.requests.map(\.content) == [bytes, bytes])
    }
  }

  @Test("Content of unknown length is sent in chunks", arguments: [0, 5, 500_000])
  func openEnded(count: Int) throws {
    let directory = try TemporaryDirectory()
    let bytes = Pattern.bytes(count: count)
    let path = try #require(Path(try directory.write(bytes, to: "file")))
    try withOrigin { _ in
      .response(text: "")
    } run: { origin in
      let content = StreamedContent([.bytes(Array("first".utf8)), .rest(of: .init(.file(path)))])
      let outcome = send(try message(origin.url("/"), method: .put, content: .streamed(content)))
      #expect(outcome.error == nil)
      let request = try #require(origin.requests.first)
      #expect(request.value("Transfer-Encoding") == "chunked" && !request.has("Content-Length"))
      #expect(request.content == Array("first".utf8) + bytes)
    }
  }

  @Test(
    "Input from a file is sent from its current position, can be sent again, and counts as read",
    arguments: [nil, 399_990])
  func repeatable(length: Int64?) throws {
    let directory = try TemporaryDirectory()
    let bytes = Pattern.bytes(count: 400_000)
    let path = try #require(Path(try directory.write(bytes, to: "file")))
    let file = try Descriptor.workingDirectory.open(path, [.readOnly])
    try file.borrowed.seek(to: 10)
    let content = StreamedContent([.rest(of: .init(.descriptor(file.borrowed), length: length))])
    try expectSentTwice(content, as: Array(bytes.dropFirst(10)), leaving: file.borrowed, at: 400_000)
  }

  @Test("A file that is replaced or removed while it is sent is sent as it was", arguments: [true, false])
  func replaced(_ isReplaced: Bool) throws {
    let directory = try TemporaryDirectory()
    let bytes = Pattern.bytes(count: 600_000)
    let path = try #require(Path(try directory.write(bytes, to: "file")))
    var reader = ContentReader(.streamed(StreamedContent([.file(path, count: 600_000)])))
    var read: [UInt8] = []
    while let piece = try reader.piece(at: Int64(read.count), count: 32_768, longestPart: 262_144), piece.count > 0 {
      guard case .part(let place, let status, let offset, let count) = piece else {
        Issue.record("bytes, where a part was to be had")
        return
      }
      let file = try Descriptor.workingDirectory.open(place, [.readOnly])
      #expect(try file.status().isSameFile(as: status))
      read += try file.readBytes(limit: count, at: offset)
      unlink(directory.path("file"))
      if isReplaced { try directory.write("another", to: "file") }
    }
    #expect(read == bytes)
    // The same holds when bytes are requested and not parts.
    guard case .bytes(let last)? = try reader.piece(at: 599_990, count: 32_768, longestPart: nil) else {
      Issue.record("a part, where bytes were asked for")
      return
    }
    #expect(Array(last) == bytes.suffix(10))
  }

  @Test("A file that is missing, or shorter than announced, ends the transfer")
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    let path = try #require(Path(try directory.write("short", to: "file")))
    let missing = try #require(Path(directory.path("missing")))
    try withOrigin { _ in
      .response(text: "")
    } run: { origin in
      for (path, reason) in [(path, "it has become shorter"), (missing, "No such file or directory")] {
        let content = StreamedContent([.file(path, count: 100)])
        let outcome = send(try message(origin.url("/"), method: .put, content: .streamed(content)))
        #expect(outcome.error == .unreadableContent(name: path.description, reason: reason))
        #expect(outcome.error?.curlCode == 26)
      }
    }
  }

  @Test("A field with a line break or a NUL is not sent", arguments: ["a\r\nB: c", "a\nb", "a\0b"])
  func lineBreak(value: String) throws {
    let outcome = send(try message("http://127.0.0.1:1/", fields: ["A": FieldValue(value)]))
    #expect(outcome.error?.curlCode == 55)
  }
}
