import HTTPSemantics
import TestSupport
import Testing
import Transport

/// Feeds lines to a parser until it returns a head.
private func parse(
  _ lines: [String], method: Method = .get, isLengthKnown: Bool = false, isFramed: Bool = false
) throws(HeadError) -> HeadParser.Head? {
  var parser = HeadParser(method: method, isLengthKnown: isLengthKnown)
  parser.isFramed = isFramed
  for line in lines {
    if let head = try parser.consume(fieldBytes(line)) { return head }
  }
  return nil
}

struct FramingTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var status = "HTTP/1.1 200 OK"
    var method = Method.get
    var isLengthKnown = false
    var isFramed = false
    let fields: [String]
    let framing: FramingVerdict
  }

  static let storable: [Row] = [
    Row(testDescription: "one length", fields: ["Content-Length: 5"], framing: .storable),
    Row(
      testDescription: "the same length twice", fields: ["Content-Length: 5", "content-length: 5"],
      framing: .storable),
    Row(testDescription: "the same length as a list", fields: ["Content-Length: 5, 5"], framing: .storable),
    Row(testDescription: "chunked", fields: ["Transfer-Encoding: Chunked"], framing: .storable),
    Row(
      testDescription: "a record of an archive, whose length is known", isLengthKnown: true, fields: [],
      framing: .storable),
    Row(
      testDescription: "HTTP/2, in which a frame marks the end", status: "HTTP/2 200 ", isFramed: true, fields: [],
      framing: .storable),
    Row(testDescription: "204 without a length", status: "HTTP/1.1 204 No Content", fields: [], framing: .storable),
    Row(testDescription: "304 without a length", status: "HTTP/1.1 304", fields: [], framing: .storable),
    Row(testDescription: "an answer to HEAD without a length", method: .head, fields: [], framing: .storable),
    // What a code means does not matter for the end of the content.
    Row(
      testDescription: "a status code of 999", status: "HTTP/1.1 999 No", fields: ["Content-Length: 0"],
      framing: .storable),
  ]

  static let deliverOnly: [Row] = [
    Row(testDescription: "content that ends with the connection", fields: [], framing: .deliverOnly(.delimitedByClose)),
    Row(
      testDescription: "a folded line", fields: ["A: b", "  c", "Content-Length: 0"],
      framing: .deliverOnly(.obsoleteLineFolding)),
    Row(
      testDescription: "a fold before any field", fields: ["\tc", "Content-Length: 0"],
      framing: .deliverOnly(.obsoleteLineFolding)),
    Row(
      testDescription: "a folded list of names", fields: ["A: ETag,", " Content-Length", "Content-Length: 0"],
      framing: .deliverOnly(.obsoleteLineFolding)),
    Row(
      testDescription: "a space behind a longer name", fields: ["X-Content-Length : 9", "Content-Length: 0"],
      framing: .deliverOnly(.whitespaceBeforeColon)),
    Row(
      testDescription: "a bare carriage return", fields: ["A: b\rc", "Content-Length: 0"],
      framing: .deliverOnly(.bareCarriageReturn)),
    Row(
      testDescription: "two carriage returns at the end", fields: ["A: b\r", "Content-Length: 0"],
      framing: .deliverOnly(.bareCarriageReturn)),
    Row(testDescription: "a NUL", fields: ["A: b\0c", "Content-Length: 0"], framing: .deliverOnly(.nul)),
    Row(
      testDescription: "a NUL in the reason phrase", status: "HTTP/1.1 200 O\0K", fields: ["Content-Length: 0"],
      framing: .deliverOnly(.nul)),
    Row(
      testDescription: "a space before the colon", fields: ["A : b", "Content-Length: 0"],
      framing: .deliverOnly(.whitespaceBeforeColon)),
    Row(
      testDescription: "a name that is no token", fields: ["A(b): c", "Content-Length: 0"],
      framing: .deliverOnly(.invalidFieldName)),
    Row(
      testDescription: "an empty name", fields: [": c", "Content-Length: 0"], framing: .deliverOnly(.invalidFieldName)),
    Row(
      testDescription: "a line without a colon", fields: ["what", "Content-Length: 0"],
      framing: .deliverOnly(.lineWithoutColon)),
    Row(
      testDescription: "HTTP/2 whose frames are not seen", status: "HTTP/2 200 ", fields: [],
      framing: .deliverOnly(.delimitedByClose)),
    Row(
      testDescription: "a malformed line with a length in an answer to HEAD", method: .head,
      fields: ["Content-Length : 5"], framing: .deliverOnly(.whitespaceBeforeColon)),
    Row(
      testDescription: "two carriage returns behind a length", fields: ["Content-Length: 5\r"],
      framing: .deliverOnly(.bareCarriageReturn)),
    Row(
      testDescription: "carriage returns behind chunked", fields: ["Transfer-Encoding: chunked\r \r"],
      framing: .deliverOnly(.bareCarriageReturn)),
    Row(
      testDescription: "HTTP/1.1 after an interim response in frames", isFramed: true, fields: [],
      framing: .deliverOnly(.delimitedByClose)),
    Row(
      testDescription: "a malformed length in an answer to HEAD", method: .head, fields: ["Content-Length: x"],
      framing: .deliverOnly(.malformedContentLength)),
    Row(
      testDescription: "length beside chunked", fields: ["Content-Length: 5", "Transfer-Encoding: chunked"],
      framing: .deliverOnly(.lengthBesideTransferCoding)),
    Row(
      testDescription: "conflicting lengths beside chunked",
      fields: ["Content-Length: 5, 6", "Transfer-Encoding: chunked"],
      framing: .deliverOnly(.lengthBesideTransferCoding)),
    Row(testDescription: "an unknown coding", fields: ["Transfer-Encoding: frobnicate"], framing: .storable),
    Row(
      testDescription: "an unknown coding beside a length",
      fields: ["Transfer-Encoding: frobnicate", "Content-Length: 5"],
      framing: .deliverOnly(.lengthBesideTransferCoding)),
    Row(
      testDescription: "a known coding alone", fields: ["Transfer-Encoding: identity"],
      framing: .deliverOnly(.unexpectedTransferCoding)),
    Row(
      testDescription: "an unknown coding besides chunked", fields: ["Transfer-Encoding: frobnicate, chunked"],
      framing: .deliverOnly(.severalTransferCodings)),
    Row(
      testDescription: "chunked twice", fields: ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      framing: .deliverOnly(.severalTransferCodings)),
    Row(
      testDescription: "chunked in HTTP/1.0", status: "HTTP/1.0 200 OK", fields: ["Transfer-Encoding: chunked"],
      framing: .deliverOnly(.transferCodingOfOtherVersion)),
    Row(
      testDescription: "conflicting lengths in an answer to HEAD", method: .head,
      fields: ["Content-Length: 5", "Content-Length: 6"], framing: .deliverOnly(.conflictingContentLength)),
  ]

  @Test("The framing of a response whose content has a certain end allows storing it", arguments: storable)
  func isStorable(row: Row) throws { try check(row) }

  @Test("A response of doubtful framing is delivered but not stored", arguments: deliverOnly)
  func isDeliverOnly(row: Row) throws { try check(row) }

  @Test(
    "Content with another transfer coding than chunked, or one that resembles it, is refused",
    arguments: [
      ["Transfer-Encoding: chunked;q=1"], ["Transfer-Encoding: \u{b}chunked"], ["Transfer-Encoding: xChunked"],
      ["Transfer-Encoding: \"chunked\""], ["Transfer-Encoding: chunkedx"], ["Transfer-Encoding: chunk"],
      ["Transfer-Encoding: chunk ed"], ["Transfer-Encoding: ch\u{fc}nked"], ["Transfer-Encoding: Chuncked"],
      ["Transfer-Encoding: foo bar"], ["Transfer-Encoding: foo, @"],
      ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: GZIP"], ["Transfer-Encoding: deflate;q=1"],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: br"], ["Transfer-Encoding: zstd", "Content-Length: 5"],
    ])
  func foreignCoding(fields: [String]) {
    let lines = (["HTTP/1.1 200 OK"] + fields + [""]).map { $0 + "\r\n" }
    #expect(throws: HeadError.foreignTransferCoding) { try parse(lines) }
  }

  @Test(
    "A malformed line that names a field of the framing is refused",
    arguments: [
      ["Transfer-Encoding : chunked"], ["Transfer-Encoding:", " chunked"], ["X: a\rTransfer-Encoding: chunked"],
      ["Content-Length : 500"], ["content-length\t: 5"], ["Content-Length: 5", " 0"], ["\u{b}Content-Length: 5"],
      ["Transfer-Encoding chunked"], ["A: b", " Transfer-Encoding: chunked"], ["X: a\0CONTENT-LENGTH: 5"],
      ["Transfer-Encoding: \rchunked"], ["Transfer-Encoding:\rchunked"], ["transfer-encoding: \r chunked"],
      ["Transfer-Encoding: identity,\rchunked"], ["Transfer-Encoding: \0chunked"], ["Content-Length: \r5"],
      ["Transfer-Encoding: chunked\r, identity"],
    ])
  func malformedFraming(fields: [String]) {
    let lines = (["HTTP/1.1 200 OK"] + fields + [""]).map { $0 + "\r\n" }
    #expect(throws: HeadError.malformedFraming) { try parse(lines) }
  }

  private func check(_ row: Row) throws {
    let lines = ([row.status] + row.fields + [""]).map { $0 + "\r\n" }
    let head = try parse(lines, method: row.method, isLengthKnown: row.isLengthKnown, isFramed: row.isFramed)
    guard case .final(_, let framing) = head else {
      Issue.record("no final head")
      return
    }
    #expect(framing == row.framing)
  }

  @Test(
    "A malformed Content-Length is refused",
    arguments: ["-1", "+1", "", "x", "12abc", "0x10", "9223372036854775808", "99999999999999999999"])
  func malformedLength(length: String) {
    let lines = ["HTTP/1.1 200 OK", "Content-Length: \(length)", ""].map { $0 + "\r\n" }
    #expect(throws: HeadError.malformedContentLength) { try parse(lines) }
  }

  @Test(
    "Conflicting lengths are refused",
    arguments: [
      ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 5, 6"], ["Content-Length: 5", "Content-Length: x"],
      ["Content-Length: 5, 5, 05, 6"],
    ])
  func conflictingLengths(fields: [String]) {
    let lines = (["HTTP/1.1 200 OK"] + fields + [""]).map { $0 + "\r\n" }
    #expect(throws: HeadError.conflictingContentLength) { try parse(lines) }
  }

  @Test(
    "A malformed status line is refused",
    arguments: [
      "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2x0 OK", "HTTP/1.1 2000 OK", "HTTP/4 200 OK", "ICY 200 OK",
      "HTTP/1. 200 OK", "HTTP/1.10 200 OK", "HTTP/1.x 200 OK", "HTTP/01.1 200 OK",
      "HTTP/1.1  200 OK", " HTTP/1.1 200 OK", "Content-Length: 5",
    ])
  func malformedStatusLine(line: String) {
    #expect(throws: HeadError.malformedStatusLine) { try parse([line + "\r\n"]) }
  }

  @Test(
    "A status code below 100 is refused before the end of the head",
    arguments: ["HTTP/2 099 ", "HTTP/2 050", "HTTP/2 000 ", "HTTP/1.1 000 Zero", "HTTP/3 099 "])
  func statusBelowRange(line: String) {
    #expect(throws: HeadError.invalidStatus) { try parse([line + "\r\n"]) }
  }
}

struct HeadParserTests {
  @Test("A head keeps version, status and reason, and its fields in order, with duplicates and any bytes")
  func wholeHead() throws {
    let head = try parse([
      "HTTP/1.0 404 Not  Here\r\n", "B: 1 \t\r\n", "a:2\r\n", "B:\r\n", "Latin: caf\u{e9}\r\n",
      "Content-Length: 0\r\n", "\r\n",
    ])
    let response = Response(
      404, reason: "Not  Here", version: .http10,
      fields: ["B": "1", "a": "2", "B": "", "Latin": FieldValue([0x63, 0x61, 0x66, 0xe9]), "Content-Length": "0"])
    #expect(head == .final(response, .storable))
  }

  @Test(
    "The version is read from the status line",
    arguments: [
      ("HTTP/1.0 200", HTTPVersion.http10), ("HTTP/1.1 200", .http11), ("HTTP/1.2 200", .http11),
      ("HTTP/1.9 200", .http11), ("HTTP/2 200 ", .http2), ("HTTP/3 200 ", .http3),
    ])
  func version(line: String, version: HTTPVersion) throws {
    let head = try parse([line + "\r\n", "\r\n"], method: .head)
    #expect(head == .final(Response(200, version: version), .storable))
  }

  @Test("A folded value, a bare carriage return and a NUL become spaces")
  func cleanedValue() throws {
    let head = try parse(["HTTP/1.1 204\r\n", "A: b\r\n", "\t c\r\n", "D: e\rf\0g\r\n", "\r\n"])
    let response = Response(204, fields: ["A": "b c", "D": "e f g"])
    #expect(head == .final(response, .deliverOnly(.obsoleteLineFolding)))
  }

  @Test("A line may end in a line feed alone")
  func bareLineFeed() throws {
    let head = try parse(["HTTP/1.1 204 Gone\n", "A: b\n", "\n"])
    #expect(head == .final(Response(204, reason: "Gone", fields: ["A": "b"]), .storable))
  }

  @Test("Interim heads precede the final one, and trailers are not among its fields")
  func interimAndTrailers() throws {
    var parser = HeadParser(method: .get)
    let lines = [
      "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK",
      "Transfer-Encoding: chunked", "", "Checksum: abc", "",
    ]
    var heads: [HeadParser.Head] = []
    for line in lines {
      if let head = try parser.consume(Array((line + "\r\n").utf8)) { heads.append(head) }
    }
    #expect(
      heads == [
        .interim(Response(100, reason: "Continue")),
        .interim(Response(103, reason: "Early Hints", fields: ["Link": "</a>"])),
        .final(Response(200, reason: "OK", fields: ["Transfer-Encoding": "chunked"]), .storable),
      ])
    #expect(parser.isComplete)
  }

  @Test("A second head after the final one is refused")
  func secondHead() throws {
    var parser = HeadParser(method: .get)
    for line in ["HTTP/2 200 \r\n", "\r\n", "Checksum: abc\r\n"] { _ = try parser.consume(Array(line.utf8)) }
    #expect(throws: HeadError.repeated) { try parser.consume(Array("HTTP/1.1 200 OK\r\n".utf8)) }
  }

  @Test("A second head replaces a final one that may be replaced, once")
  func replacedHead() throws {
    var parser = HeadParser(method: .post)
    for line in ["HTTP/1.1 417 \r\n", "A: b\r\n", "Content-Length: 0\r\n", "\r\n"] {
      _ = try parser.consume(Array(line.utf8))
    }
    parser.mayBeReplaced = true
    var heads: [HeadParser.Head] = []
    for line in ["HTTP/1.1 100 \r\n", "\r\n", "HTTP/1.1 200 \r\n", "Content-Length: 1\r\n", "\r\n"] {
      if let head = try parser.consume(Array(line.utf8)) { heads.append(head) }
    }
    #expect(heads == [.interim(Response(100)), .final(Response(200, fields: ["Content-Length": "1"]), .storable)])
    #expect(throws: HeadError.repeated) { try parser.consume(Array("HTTP/1.1 200 OK\r\n".utf8)) }
  }

  @Test("A head of 2,000 fields is accepted, and one field more is refused", arguments: [true, false])
  func fieldLimit(isWithin: Bool) throws {
    let count = HeadBounds.maximumFields + (isWithin ? 0 : 1)
    let lines = ["HTTP/1.1 204\r\n"] + Array(repeating: "A: b\r\n", count: count) + ["\r\n"]
    if isWithin {
      #expect(try parse(lines) != nil)
    } else {
      #expect(throws: HeadError.tooManyFields) { try parse(lines) }
    }
  }

  @Test("A head of 256 KiB is accepted, and one byte more is refused", arguments: [true, false])
  func sizeLimit(isWithin: Bool) throws {
    let start = ["HTTP/1.1 204\r\n", "A: "]
    let used = start.reduce(2 + 2) { $0 + $1.utf8.count }
    let padding = String(repeating: "x", count: HeadBounds.maximumBytes - used + (isWithin ? 0 : 1))
    let lines = [start[0], start[1] + padding + "\r\n", "\r\n"]
    if isWithin {
      #expect(try parse(lines) != nil)
    } else {
      #expect(throws: HeadError.tooLarge) { try parse(lines) }
    }
  }

  @Test("A 101 to a requested upgrade is the final head, and any other 101 is interim")
  func switching() throws {
    let response = Response(101, reason: "Switching Protocols", fields: ["Upgrade": "websocket"])
    for (mayUpgrade, expected) in [(true, HeadParser.Head.final(response, .storable)), (false, .interim(response))] {
      var parser = HeadParser(method: .get, mayUpgrade: mayUpgrade)
      var head: HeadParser.Head?
      for line in ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", ""] {
        head = try parser.consume(Array("\(line)\r\n".utf8))
      }
      #expect(head == expected)
    }
  }

  @Test("An interim head does not count towards the size of the next head")
  func interimSize() throws {
    var parser = HeadParser(method: .get)
    let line = Array("A: \(String(repeating: "x", count: HeadBounds.maximumBytes * 2 / 3))\r\n".utf8)
    for status in ["103", "103", "204"] {
      _ = try parser.consume(Array("HTTP/1.1 \(status)\r\n".utf8))
      _ = try parser.consume(line)
      #expect(try parser.consume(Array("\r\n".utf8)) != nil)
    }
    #expect(parser.isComplete)
  }

  @Test("Trailers above the size limit are refused")
  func trailerLimit() throws {
    var parser = HeadParser(method: .get)
    for line in ["HTTP/1.1 200\r\n", "\r\n"] { _ = try parser.consume(Array(line.utf8)) }
    let line = Array("A: \(String(repeating: "x", count: 1000))\r\n".utf8)
    #expect(throws: HeadError.trailersTooLarge) {
      for _ in 0...(HeadBounds.maximumBytes / line.count) { _ = try parser.consume(line) }
    }
  }

  @Test("Too many interim responses are refused")
  func interimLimit() throws {
    var parser = HeadParser(method: .get)
    #expect(throws: HeadError.tooManyInterimResponses) {
      for _ in 0...HeadParser.maximumInterimCount {
        for line in ["HTTP/1.1 100\r\n", "\r\n"] { _ = try parser.consume(Array(line.utf8)) }
      }
    }
  }

  @Test("Arbitrary bytes never trap the parser")
  func arbitraryBytes() {
    var generator = SeededNumbers(seed: 1)
    let alphabet = Array("HTP/1.0 2:,\r\n\t\0\u{7f}Content-Length".utf8) + [0xff]
    for _ in 0..<2_000 {
      var parser = HeadParser(method: .get)
      _ = try? parser.consume(Array("HTTP/1.1 200 OK\r\n".utf8))
      for _ in 0..<8 {
        let count = Int.random(in: 0..<24, using: &generator)
        let line = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        _ = try? parser.consume(line)
      }
    }
  }
}
