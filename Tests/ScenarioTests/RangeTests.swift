import TestSupport
import Testing

/// Ranges that the user requests, and the parts that are stored for them (RFC 9110 sections 14 and 15.3.7).
@Suite struct RangeTests {
  private static let body = Array("0123456789".utf8)

  /// An origin that supports ranges of the form `bytes=A-B`.
  private static func origin(
    fields: [(String, String)] = [("Cache-Control", "max-age=60"), ("ETag", "\"one\"")]
  ) throws -> Scenario {
    try Scenario { request in
      guard let range = request.value("Range")?.dropFirst("bytes=".count) else {
        return .response(fields: fields, content: body)
      }
      let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      let (first, last) = (ends[0] ?? body.count - (ends[1] ?? 0), ends[0] == nil ? 9 : ends[1] ?? 9)
      return .response(
        206, fields: fields + [("Content-Range", "bytes \(first)-\(last)/10")], content: Array(body[first...last]))
    }
  }

  @Test(arguments: [("2-6", "23456"), ("2-2", "2"), ("3-5", "345"), ("6-6", "6")])
  func `a stored part answers its range and the ranges within it`(_ range: String, _ text: String) throws {
    let scenario = try Self.origin()
    #expect(try scenario.run("-H", "Range: bytes=2-6", scenario.url()).text == "23456")
    let run = try scenario.run("-i", "-H", "Range: bytes=\(range)", scenario.url())
    #expect(run.text.hasSuffix("\r\n\r\n\(text)"))
    #expect(run.text.hasPrefix("HTTP/1.1 206 Partial Content\r\n"))
    #expect(run.field("Content-Range") == "bytes \(range)/10" && run.field("Content-Length") == "\(text.count)")
    #expect(run.field("Cache-Status")?.contains("hit") == true)
    #expect(scenario.origin.requests.count == 1)
  }

  @Test(arguments: ["0-3", "5-8", "7-9", "2-", "-1", "0-9"])
  func `a range that is not within a stored part goes to the origin as it is`(_ range: String) throws {
    let scenario = try Self.origin()
    try scenario.run("-H", "Range: bytes=2-6", scenario.url())
    #expect(try scenario.run("--offline", "-H", "Range: bytes=\(range)", scenario.url()).status == 110)
    let run = try scenario.run("-H", "Range: bytes=\(range)", scenario.url())
    #expect(run.status == 0)
    let asked = try #require(scenario.origin.requests.last)
    #expect(scenario.origin.requests.count == 2 && asked.value("Range") == "bytes=\(range)" && !asked.has("If-Range"))
  }

  @Test func `a request with two Range lines goes to the origin, although the whole is stored`() throws {
    let scenario = try Scenario(.fresh([("ETag", "\"one\"")], text: "0123456789"))
    try scenario.run(scenario.url())
    let run = try scenario.run("-H", "Range: bytes=0-1", "-H", "Range: bytes=4-5", scenario.url())
    #expect(run.status == 0 && run.text == "0123456789")
    #expect(scenario.origin.requests.map { $0.value("Range") } == [nil, "bytes=0-1, bytes=4-5"])
  }

  @Test func `a part to the end answers ranges that are stated from the end`() throws {
    let scenario = try Self.origin()
    try scenario.run("-H", "Range: bytes=5-9", scenario.url())
    #expect(try scenario.run("-H", "Range: bytes=-2", scenario.url()).text == "89")
    #expect(try scenario.run("-H", "Range: bytes=7-", scenario.url()).text == "789")
    #expect(scenario.origin.requests.count == 1)
  }

  @Test(arguments: [true, false])
  func `a stored whole that a part shows to be out of date is removed`(_ isReloaded: Bool) throws {
    let scenario = try Scenario { request in
      let fields = [("Cache-Control", "max-age=60")]
      guard request.has("Range") else { return .response(fields: fields + [("ETag", "\"old\"")], text: "old content") }
      let new = fields + [("ETag", "\"new\""), ("Content-Range", "bytes 0-2/11")]
      return .response(206, fields: new, text: "new")
    }
    try scenario.run(scenario.url())
    if !isReloaded { scenario.clock.advance(bySeconds: 61) }
    let run = try scenario.run(
      (isReloaded ? ["--reload"] : []) + ["-r", "0-2", "-w", " %{cache_result} %{cache_stored}", scenario.url()])
    #expect(run.text == "new updated 0")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
    // The next part is kept.
    for _ in 1...2 { #expect(try scenario.run("-r", "0-2", scenario.url()).text == "new") }
    #expect(scenario.asked.count == 3)
  }

  @Test(arguments: [[], ["--retry", "1"]])
  func `an outdated whole is removed even if the new part breaks off, and if the rest of it is fetched`(
    _ options: [String]
  )
    throws
  {
    let part = [fresh, ("ETag", "\"new\"")]
    let scenario = try Scenario { request in
      switch request.number {
      case 1: .fresh([("ETag", "\"old\"")], text: "old content")
      case 2:
        .raw(
          OriginAnswer.head(206, nil, fields: part + [("Content-Range", "bytes 0-2/11"), ("Content-Length", "3")])
            + Array("ne".utf8))
      default: .response(206, fields: part + [("Content-Range", "bytes 2-2/11")], text: "w")
      }
    }
    try scenario.run(scenario.url())
    let run = try scenario.run(["--reload", "-r", "0-2"] + options + [scenario.url()])
    #expect(run.status == (options.isEmpty ? 18 : 0) && run.text == (options.isEmpty ? "ne" : "new"), "\(run)")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test(
    arguments: [OriginAnswer.response(503), .raw("", ending: .reset)],
    [["--reload"], ["--reload", "-o", "FILE"], ["--cache-policy", "network-first"]])
  func `an outdated whole is removed even if the rest of the new part does not come`(
    _ last: OriginAnswer, _ options: [String]
  ) throws {
    let fields = [fresh, ("ETag", "\"new\""), ("Content-Range", "bytes 0-2/11"), ("Content-Length", "3")]
    let scenario = try Scenario { request in
      switch request.number {
      case 1: .fresh([("ETag", "\"old\"")], text: "old content")
      case 2: .raw(OriginAnswer.head(206, nil, fields: fields) + Array("ne".utf8))
      default: last
      }
    }
    try scenario.run(scenario.url())
    let places = options.map { $0 == "FILE" ? scenario.directory.path("f") : $0 }
    #expect(try scenario.run(places + ["-r", "0-2", "--retry", "1", scenario.url()]).status != 0)
    #expect(scenario.origin.requests.count >= 3)
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test(
    arguments: [
      ([], "bytes 2-5/10", 8), ([], "bytes 0-3/*", 8), ([], "", 8), ([], "bytes 0-3/4", 0),
      (["-r", "2-5"], "bytes 2-5/10", 0), (["-r", "2-9"], "bytes 2-5/6", 0), (["-r", "2-5"], "bytes 0-3/10", 8),
      (["-r", "2-"], "bytes 6-9/10", 8), (["-r", "-4"], "bytes 6-9/10", 0), (["-r", "1-2,4-5"], "bytes 2-5/10", 0),
      (["-r", "-4"], "bytes 0-3/10", 8), (["-r", "-40"], "bytes 0-3/4", 0), (["-r", "-4"], "bytes 0-3/*", 0),
    ] as [([String], String, Int32)])
  func `a 206 for a range that nobody has asked for is an error, and touches no file`(
    _ options: [String], _ range: String, _ status: Int32
  ) throws {
    let fields = (range.isEmpty ? [] : [("Content-Range", range)]) + [("Cache-Control", "max-age=60")]
    let scenario = try Scenario(.response(206, fields: fields, text: "part"))
    let file = try scenario.directory.write("old", to: "file")
    let run = try scenario.run(options + ["-o", file, scenario.url()])
    #expect(run.status == status, "\(run.diagnostics)")
    #expect(String(decoding: try readFile(file), as: UTF8.self) == (status == 0 ? "part" : "old"))
    if status == 0 { return }
    #expect(run.diagnostics.contains("a part of \(scenario.url()) that was not requested"))
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `a 206 that carries all bytes is stored, and served as a 200`() throws {
    let scenario = try Self.origin()
    #expect(try scenario.run("-H", "Range: bytes=0-9", scenario.url()).text == "0123456789")
    let run = try scenario.run("--offline", "-i", scenario.url())
    #expect(run.text.hasPrefix("HTTP/1.1 200 OK\r\n") && run.text.hasSuffix("\r\n\r\n0123456789"))
    #expect(run.field("Content-Range") == nil && run.field("Content-Length") == "10")
  }

  @Test func `a stored part from the front is made whole by a plain request`() throws {
    let scenario = try Self.origin()
    try scenario.run("-H", "Range: bytes=0-3", scenario.url())
    #expect(try scenario.run(scenario.url()).text == "0123456789")
    #expect(scenario.origin.requests[1].value("Range") == "bytes=4-")
    #expect(try scenario.run("--offline", scenario.url()).text == "0123456789")
  }

  @Test(arguments: [("bytes=3-6", [("ETag", "\"one\"")]), ("bytes=0-3", []), ("bytes=0-3", [("ETag", "W/\"one\"")])])
  func `a part that is not from the front, or has no strong validator, is not continued`(
    _ range: String, _ fields: [(String, String)]
  ) throws {
    let scenario = try Self.origin(fields: fields + [("Cache-Control", "max-age=60")])
    let first = try scenario.run("-H", "Range: \(range)", scenario.url())
    #expect(try scenario.run("-H", "Range: \(range)", scenario.url()).output == first.output)
    #expect(scenario.origin.requests.count == 1)
    #expect(try scenario.run(scenario.url()).text == "0123456789")
    #expect(!scenario.origin.requests[1].has("Range"))
  }

  @Test func `a stale part is asked for anew`() throws {
    let scenario = try Self.origin()
    try scenario.run("-H", "Range: bytes=0-3", scenario.url())
    scenario.clock.advance(bySeconds: 100)
    #expect(try scenario.run("-H", "Range: bytes=0-3", scenario.url()).text == "0123")
    #expect(scenario.origin.requests.count == 2)
    #expect(try scenario.run("-H", "Range: bytes=0-3", scenario.url()).text == "0123")
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `a stored part answers an If-Range with its own entity tag alone`() throws {
    let scenario = try Self.origin()
    try scenario.run("-H", "Range: bytes=0-3", scenario.url())
    let same = ["-H", "Range: bytes=1-2", "-H", "If-Range: \"one\"", scenario.url()]
    #expect(try scenario.run(same).text == "12")
    #expect(scenario.origin.requests.count == 1)
    try scenario.run("-H", "Range: bytes=1-2", "-H", "If-Range: \"two\"", scenario.url())
    #expect(scenario.origin.requests.count == 2)
  }

  @Test(arguments: [
    [("Content-Range", "bytes 0-3/10"), ("Content-Type", "multipart/byteranges; boundary=x")],
    [("Content-Range", "bytes 0-4/10")], [("Content-Range", "bytes 0-2/10")], [("Content-Range", "bytes 3-0/10")],
    [("Content-Range", "bytes 0-3/3")], [("Content-Range", "bytes */10")], [],
    [("Content-Range", "bytes 0-3/10"), ("Content-Range", "bytes 4-7/10")],
    [("Content-Range", "bytes 0-18446744073709551615/*")],
  ])
  func `a 206 that is not one range of the length that it says is delivered and not stored`(
    _ fields: [(String, String)]
  ) throws {
    let scenario = try Scenario(
      .response(206, fields: fields + [("Cache-Control", "max-age=60")], content: Array("0123".utf8)))
    for _ in 1...2 {
      let run = try scenario.run("-H", "Range: bytes=0-3", scenario.url())
      #expect(run.status == 0 && run.text == "0123", "\(fields)")
    }
    #expect(scenario.origin.requests.count == 2, "\(fields)")
    #expect(try scenario.run("cache", "ls").text == "", "\(fields)")
  }

  @Test(arguments: [2, 5])
  func `a chunked 206 that is shorter or longer than its range is not stored`(_ count: Int) throws {
    let scenario = try Scenario(
      .chunked(
        206, fields: [("Content-Range", "bytes 0-3/10"), ("Cache-Control", "max-age=60")],
        chunks: [Array(Self.body.prefix(count))]))
    let run = try scenario.run("-i", "-H", "Range: bytes=0-3", scenario.url())
    #expect(run.status == (count < 4 ? 18 : 0) && run.text.hasSuffix(String("0123456789".prefix(count))))
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `a part confirms a stale whole that has its strong validator`() throws {
    let scenario = try Self.origin()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    #expect(try scenario.run("-H", "Range: bytes=0-3", scenario.url()).text == "0123")
    #expect(scenario.origin.requests.count == 2)
    #expect(try scenario.run(scenario.url()).text == "0123456789")
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `a short part does not take the place of a longer one of the same representation`() throws {
    let scenario = try Self.origin()
    try scenario.run("-H", "Range: bytes=0-7", scenario.url())
    try scenario.run("-H", "Range: bytes=8-9", scenario.url())
    #expect(try scenario.run("--offline", "-H", "Range: bytes=1-7", scenario.url()).text == "1234567")
  }

  // MARK: A 206 with the whole content

  private static func partial(_ range: String, _ text: String) -> OriginAnswer {
    .chunked(206, fields: [("Content-Range", range), fresh, ("ETag", "\"one\"")], chunks: [Array(text.utf8)])
  }

  @Test func `a 206 that says it is the whole, and is longer, is not stored`() throws {
    let scenario = try Scenario(Self.partial("bytes 0-9/10", "0123456789ab"))
    let first = try scenario.run("-i", "-r", "0-", scenario.url())
    #expect(first.field("Cache-Status")?.contains("fwd-status=206") == true)
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `a 206 that is shorter than its range is kept as a part, and continued`() throws {
    let scenario = try Scenario { request in
      request.number == 1 ? Self.partial("bytes 0-9/10", "012") : Self.partial("bytes 3-9/10", "3456789")
    }
    #expect(try scenario.run("-r", "0-", scenario.url()).status == 18)
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
    #expect(try scenario.run(scenario.url()).text == "0123456789")
    #expect(scenario.origin.requests.last?.value("Range") == "bytes=3-")
  }

  @Test func `a chunked 206 with every byte is stored as the whole`() throws {
    let scenario = try Scenario(Self.partial("bytes 0-9/10", "0123456789"))
    try scenario.run("-r", "0-", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).text == "0123456789")
  }

  @Test func `a range beyond the stored content is reported as such, not as a stored error`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    try scenario.run(scenario.url())
    let run = try scenario.run("-r", "4-", scenario.url())
    let told = "the stored response for \(scenario.url()) has none of the requested bytes (416)"
    #expect(run.status == 22 && run.diagnostics == "garner: \(told)\n")
  }

  @Test(arguments: [("23456", Int32(0)), ("234", 18), ("2345678", 0)])
  func `a 206 without a length is whole if it has at least the bytes of its range`(_ content: String, _ status: Int32)
    throws
  {
    let range = ("Content-Range", "bytes 2-6/10")
    let head = OriginAnswer.head(206, nil, fields: [range])
    let answers = [
      .chunked(206, fields: [range], chunks: [Array(content.utf8)]),
      OriginAnswer.raw(head + Array(content.utf8), ending: .close),
    ]
    for answer in answers {
      let scenario = try Scenario(answer)
      let file = try scenario.directory.write("old", to: "file")
      let run = try scenario.run("-r", "2-6", "-o", file, scenario.url())
      #expect(run.status == status, "\(run.diagnostics)")
      #expect(try readFile(file) == Array((status == 0 ? content : "old").utf8))
      #expect(try scenario.run("-I", "-r", "2-6", scenario.url()).status == 0)
    }
  }

  @Test func `a range up to the largest number does not end the program`() throws {
    let scenario = try Scenario(Self.partial("bytes 0-18446744073709551613/*", "012"))
    #expect(try scenario.run("-r", "0-", scenario.url()).text == "012")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }
}
