import Archives
import HTTPSemantics
import Platform
import Testing

@Suite("Reading and writing HAR files")
struct HARTests {
  private func read(_ text: String, pieceLength: Int = .max) throws(ArchiveError) -> [HAREntry] {
    let reader = try HARReader(try input(text, pieceLength: pieceLength))
    var entries: [HAREntry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries
  }

  /// A HAR file of a browser, with members that the reader does not need.
  static let browsers = #"""
    {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [{"entries": [1]}],
    "entries": [{
      "_initiator": {"type": "script", "stack": {"callFrames": [{"url": "http://x/"}]}}, "_priority": "High",
      "cache": {}, "connection": "1", "pageref": "page_1",
      "request": {"method": "GET", "url": "https://example.com/a?b=c", "httpVersion": "http/2.0",
        "headers": [{"name": ":method", "value": "GET"}, {"name": "accept", "value": "*/*"}],
        "queryString": [{"name": "b", "value": "c"}], "cookies": [], "headersSize": -1, "bodySize": 0},
      "response": {"status": 200, "statusText": "", "httpVersion": "http/2.0",
        "headers": [{"name": "content-type", "value": "text/html"}, {"name": "set-cookie", "value": "a=1\nb=2"}],
        "cookies": [{"name": "text", "value": "no"}],
        "content": {"size": 7, "mimeType": "text/html", "text": "<p>\u00e9\n"}, "redirectURL": "", "bodySize": -1},
      "serverIPAddress": "[::1]", "startedDateTime": "2026-11-21T06:45:47.123Z", "time": 12.75,
      "timings": {"send": 0.1, "wait": 2, "receive": 3}
    }, {"request": {"method": "POST", "url": "https://example.com/b"}, "response": {"status": 0}}]}}
    """#

  @Test("A browser's HAR file is read, in pieces of any size", arguments: [1, 5, 64, 100_000])
  func browser(pieceLength: Int) throws {
    let entries = try read(Self.browsers, pieceLength: pieceLength)
    try #require(entries.count == 2)
    var expected = HAREntry()
    expected.startedAt = Array("2026-11-21T06:45:47.123Z".utf8)
    expected.milliseconds = 12
    expected.method = Array("GET".utf8)
    expected.url = Array("https://example.com/a?b=c".utf8)
    expected.requestFields = ["accept": "*/*"]
    expected.status = 200
    expected.version = Array("http/2.0".utf8)
    expected.responseFields = ["content-type": "text/html", "set-cookie": "a=1", "set-cookie": "b=2"]
    expected.text = Array("<p>é\n".utf8)
    expected.contentSize = 7
    var first = entries[0]
    first.offset = 0
    #expect(first == expected)
    for entry in entries { #expect(Array(Self.browsers.utf8)[Int(entry.offset) - 1] == UInt8(ascii: "}")) }
    #expect(entries[1].method == Array("POST".utf8) && entries[1].status == 0 && entries[1].text == nil)
  }

  @Test(
    "Half a surrogate pair becomes U+FFFD, and the text around it is kept",
    arguments: [
      (#"a\ud800\u0041b"#, "a\u{fffd}Ab"), (#"\ud800\u0000"#, "\u{fffd}\0"), (#"\uD800"#, "\u{fffd}"),
      (#"\ud800\ud83d\ude00"#, "\u{fffd}\u{1f600}"), (#"\udc00x"#, "\u{fffd}x"), (#"\ud83d\nx"#, "\u{fffd}\nx"),
      (#"\ud83d\uDE00\udfff"#, "\u{1f600}\u{fffd}"), (#"\\ud800\\\ud800"#, #"\ud800\\#u{fffd}"#),
      (#"\ud7ff\ue000\ufffd"#, "\u{d7ff}\u{e000}\u{fffd}"), (#"\udbff\udfff\ud83d\\"#, "\u{10ffff}\u{fffd}\\"),
    ])
  func loneSurrogates(spelling: String, text: String) throws {
    let archive = #"{"log": {"entries": [{"response": {"content": {"text": "\#(spelling)"}}}]}}"#
    for pieceLength in [.max, 1, 3, 7] {
      #expect(try read(archive, pieceLength: pieceLength).map(\.text) == [Array(text.utf8)])
    }
  }

  @Test("Control characters that a field value must not contain become spaces, and the others stay")
  func controlCharacters() throws {
    let field = #"{"name": "a", "value": "b\u001b\u0000\rc\u007f\td\r\ne"}"#
    let entries = try read(#"{"log": {"entries": [{"response": {"headers": [\#(field)]}}]}}"#)
    #expect(entries.map(\.responseFields) == [["a": "b\u{1b}  c\u{7f}\td", "a": "e"]])
  }

  @Test("Each of many lone surrogates becomes one character")
  func manyLoneSurrogates() throws {
    let text = String(repeating: #"\ud800"#, count: 400_000)
    let archive = #"{"log": {"entries": [{"response": {"content": {"text": "\#(text)"}}}]}}"#
    // The bytes of "\u{fffd}" in UTF-8.
    #expect(try read(archive, pieceLength: .max).map { $0.text?.count } == [3 * 400_000])
  }

  @Test("A URL with invalid Unicode is marked as broken, whether it is escaped or in bytes")
  func brokenURL() throws {
    let front = Array(#"{"log": {"entries": [{"request": {"url": "http://x/"#.utf8)
    let back = Array(#""}}]}}"#.utf8)
    for (spelling, isBroken) in [
      (Array(#"\ud83dx"#.utf8), true), ([0xed, 0xa0, 0x80], true), ([0xed, 0x9f, 0xbf], false),
      (Array(#"\ud83d\ude00"#.utf8), false), (Array("\u{fffd}".utf8), false),
    ] {
      let entry = try #require(try HARReader(try input(front + spelling + back)).next())
      #expect(entry.isURLBroken == isBroken)
      #expect(!entry.url.contains(0xed) || !isBroken)
    }
  }

  @Test("Long texts and what follows them are read, in pieces of any size", arguments: [1_000, 70_000, .max])
  func longText(pieceLength: Int) throws {
    let lengths = [3_000_000, 5, 700_000, 100_000, 2]
    let text = lengths.map { #"{"response": {"content": {"text": "\#(String(repeating: "\\n", count: $0 / 2))"}}}"# }
    let archive = #"{"log": {"entries": [\#(text.joined(separator: ","))]}}"#
    let entries = try read(archive, pieceLength: pieceLength)
    #expect(entries.map { $0.text?.count } == lengths.map { $0 / 2 })
    let bytes = Array(archive.utf8)
    for entry in entries { #expect(bytes[Int(entry.offset) - 1] == UInt8(ascii: "}")) }
    // The complete entries are returned first, and then the error with its place.
    let broken = try HARReader(try input(archive.dropLast(3) + "!", pieceLength: pieceLength))
    for _ in lengths { #expect(try broken.next() != nil) }
    #expect(throws: ArchiveError.malformed(at: UInt64(bytes.count - 2), .malformedJSON)) { try broken.next() }
  }

  @Test("Content that is too long to be read back as a text is recognised")
  func contentThatIsRead() {
    #expect(HARReader.takesContent(ofBytes: 48 << 20) && !HARReader.takesContent(ofBytes: 48 << 20 + 1))
  }

  /// A reader of an archive in which a text is repeated until it is too long.
  private func reader(
    _ front: String, _ repeated: String, _ back: String, pieceLength: Int = .max
  ) throws(ArchiveError) -> HARReader {
    let (front, back) = (Array(front.utf8), Array(back.utf8))
    let limit = 100_000
    let middle = Array(String(repeating: repeated, count: 2 * limit / repeated.utf8.count).utf8)
    let archive = try input(front + middle + back, pieceLength: pieceLength)
    return try HARReader(archive, longestText: UInt64(limit))
  }

  @Test(
    "The rest of a text that is too long is skipped, wherever the pieces end",
    arguments: [
      "A", #"\n"#, #"\\"#, #"\""#, #"\u00e9"#, #"x\u00e9"#, "é", "€x", "\u{1f600}",
      #"\ud83d\ude00"#, #"ab\\\""#, #"\ud83d"#, #"\ud83d\u0041"#,
    ])
  func tooLong(repeated: String) throws {
    for (front, pieceLength) in [("", Int.max), ("x", 60_000), ("xy", 3), ("xyz", 1), ("", 1)] {
      let reader = try reader(
        #"{"log": {"entries": [{"response": {"status": 200}}, {"response": {"content": {"text": ""# + front, repeated,
        #""}, "status": 201}}, {"response": {"status": 202, "content": {"text": "\"z"}}}]}}"#,
        pieceLength: pieceLength)
      #expect(try reader.next()?.status == 200)
      let long = try #require(try reader.next())
      #expect(long.isContentTooLong && long.text == nil && long.status == 201)
      let last = try reader.next()
      #expect(last?.status == 202 && last?.text == Array("\"z".utf8) && last?.isContentTooLong == false)
      #expect(try reader.next() == nil)
    }
  }

  @Test("A token that is too long and not a content text, or that never ends, ends the reading")
  func noText() throws {
    for repeated in [" ", "1"] {
      let reader = try reader(#"{"log": {"entries": [{"response": {"status": 200}}, "#, repeated, "]}}")
      #expect(try reader.next()?.status == 200)
      #expect {
        try reader.next()
      } throws: { error in
        if case .malformed(at: _, .stringTooLong) = error as? ArchiveError { true } else { false }
      }
    }
    let unknown = try reader(#"{"log": {"comment": ""#, "A", #""}}"#)
    #expect {
      try unknown.next()
    } throws: { error in
      if case .malformed(at: 100_000..., .stringTooLong) = error as? ArchiveError { true } else { false }
    }
    let endless = try reader(#"{"log": {"entries": [{"response": {"content": {"text": ""#, "A", "")
    #expect(throws: ArchiveError.truncated) { try endless.next() }
  }

  @Test("A written HAR file is read back unchanged")
  func roundTrip() throws {
    let target = try URIReference(typed: "http://example.com/ü?a=b&c".utf8).target
    let response = Response(
      404, reason: "Not \"there\"", version: .http2,
      fields: ["X": FieldValue([0x61, 0xe9, 0x09, 0x62]), "Location": "/x"])
    let exchange = HARWriter.Exchange(
      Request(.get, target, fields: ["Accept": "a\\b"]), response, startedAt: Timestamp(secondsSinceEpoch: 5),
      milliseconds: 7, receivedBytes: 10, selectingNames: ["Accept", "Cookie"], isRestricted: true)
    let content = (0..<1_000).map { UInt8($0 & 0xff) }
    let bytes = try Collected.archive { (output) throws(Errno) in
      var writer = HARWriter(output)
      try writer.begin(creator: "garner", version: "1")
      for _ in 0..<2 {
        try writer.begin(exchange)
        for start in stride(from: 0, to: content.count, by: 7) {
          try content[start..<min(start + 7, content.count)].span.bytes.withUnsafeBytes { (piece) throws(Errno) in
            try writer.append(piece)
          }
        }
        try writer.end(exchange)
      }
      try writer.end()
    }
    let entries = try read(String(decoding: bytes, as: UTF8.self), pieceLength: 100)
    try #require(entries.count == 2)
    for entry in entries {
      #expect(entry.startedAt == Array("1970-01-01T00:00:05Z".utf8) && entry.milliseconds == 7)
      #expect(entry.url == Array(target.description.utf8))
      #expect(entry.requestFields == ["Accept": "a\\b"])
      #expect(entry.status == 404 && entry.reason == Array("Not \"there\"".utf8))
      #expect(entry.version == Array("HTTP/2".utf8))
      #expect(entry.responseFields == ["X": "aé\tb", "Location": "/x"])
      #expect(entry.selectingNames == Array("Accept, Cookie".utf8) && entry.isRestricted)
      #expect(entry.isBase64 && entry.contentSize == 1_000 && entry.receivedSize == 10)
      #expect(Base64.decode(try #require(entry.text)[...]) == content)
    }
  }

  @Test(
    "Lengths and failures that a file states are read, and unknown lengths are 0",
    arguments: [
      (#""content": {"size": 12}, "bodySize": 9, "_error": "net::ERR_ABORTED""#, 12, 9, true),
      (#""content": {"size": -1}, "bodySize": -1, "_error": null"#, 0, 0, false),
      (#""_error": """#, 0, 0, false),
    ] as [(String, UInt64, UInt64, Bool)])
  func lengths(members: String, contentSize: UInt64, receivedSize: UInt64, hasFailed: Bool) throws {
    let entry = try #require(try read(#"{"log": {"entries": [{"response": {\#(members)}}]}}"#).first)
    #expect(entry.contentSize == contentSize && entry.receivedSize == receivedSize && entry.hasFailed == hasFailed)
  }

  @Test("A byte order mark is skipped")
  func byteOrderMark() throws {
    let input = try input([0xef, 0xbb, 0xbf] + Array(Self.browsers.utf8))
    #expect(try ArchiveFormat(of: input) == .har)
    #expect(try HARReader(input).next()?.status == 200)
  }

  @Test(
    "A file that is not a HAR file is refused",
    arguments: [
      (#"{"log": {"entries": ["#, ArchiveError.truncated), (#"{"log": {"entries": [{"request"#, .truncated),
      (#"{"log": {}}"#, .notAnArchive), ("{}", .notAnArchive), ("[]", .notAnArchive),
      (#"{"log": {"entries": [}]}}"#, .malformed(at: 22, .malformedJSON)), ("{x", .malformed(at: 2, .malformedJSON)),
      (String(repeating: "[", count: 600), .malformed(at: 513, .tooDeep)),
    ])
  func refused(text: String, error: ArchiveError) {
    #expect(throws: error) { try read(text) }
  }

  @Test("An entry whose head is too large is marked, and its head is left out")
  func oversized() throws {
    let field = #"{"name": "x", "value": "\#(String(repeating: "v", count: 1_000))"}"#
    let fields = Array(repeating: field, count: 300).joined(separator: ",")
    let entries = try read(#"{"log": {"entries": [{"response": {"headers": [\#(fields)]}}]}}"#)
    #expect(entries.map(\.isOversized) == [true])
  }

  @Test(
    "The format of an archive is recognised by its beginning",
    arguments: [("WARC/1.1\r\n", ArchiveFormat.warc), ("  {\"log\":", .har)])
  func format(text: String, format: ArchiveFormat) throws {
    #expect(try ArchiveFormat(of: input(text)) == format)
    #expect(try ArchiveFormat(of: input(text, pieceLength: 1)) == format)
  }

  @Test("A file that begins like neither format is not an archive", arguments: ["", "PK\u{3}\u{4}", "<html>", "WARC"])
  func noFormat(text: String) {
    #expect(throws: ArchiveError.notAnArchive) { try ArchiveFormat(of: input(text)) }
  }
}
