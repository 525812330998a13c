import TestSupport
import Testing

/// Transfers that break off and are continued, and parts that are kept (RFC 9111 sections 3.3 and 3.4).
@Suite struct PartialContentTests {
  private static let body = Pattern.bytes(count: 200_000)
  private static let kept = 150_000
  private static let tag = "\"one\""

  /// The head of the whole response, and the content up to where the connection breaks.
  private static func broken(
    _ fields: [(String, String)] = [("ETag", tag)], after count: Int = kept, of body: [UInt8] = body
  ) -> OriginAnswer {
    let fields = fields + [("Cache-Control", "max-age=60"), ("Content-Length", "\(body.count)")]
    return .raw(OriginAnswer.head(200, nil, fields: fields) + body.prefix(count))
  }

  private static func whole(_ body: [UInt8] = body, tag: String = tag) -> OriginAnswer {
    .response(fields: [("ETag", tag), ("Cache-Control", "max-age=60")], content: body)
  }

  /// A right answer to the request for the rest.
  private static func rest(
    from start: Int = kept, range: String? = nil, fields: [(String, String)] = [("ETag", tag)], content: [UInt8]? = nil
  ) -> OriginAnswer {
    let fields = fields + [("Content-Range", range ?? "bytes \(start)-\(body.count - 1)/\(body.count)")]
    return .response(206, fields: fields, content: content ?? Array(body[start...]))
  }

  /// An origin whose first answer breaks off. Then it gives the second answer to a range, and the third to any other
  /// request.
  private static func scenario(
    _ first: OriginAnswer = broken(), _ second: OriginAnswer = rest(), otherwise third: OriginAnswer = whole()
  ) throws -> Scenario {
    try Scenario { request in
      request.number == 1 ? first : request.has("Range") ? second : third
    }
  }

  @Test func `a transfer that broke off is continued by the next run, and the whole is stored`() throws {
    let scenario = try Self.scenario()
    let first = try scenario.run(scenario.url())
    #expect(first.status == 18 && first.output == Array(Self.body.prefix(Self.kept)))
    let second = try scenario.run("-w", "%{http_code} %{stderr}%{cache_result}", scenario.url())
    #expect(second.status == 0 && second.output == Self.body + Array("200 ".utf8))
    #expect(second.diagnostics == "updated")
    let asked = scenario.origin.requests[1]
    #expect(asked.value("Range") == "bytes=\(Self.kept)-" && asked.value("If-Range") == Self.tag)
    let hit = try scenario.run("--offline", "-i", scenario.url())
    #expect(hit.status == 0 && hit.output.suffix(Self.body.count) == Self.body[...])
    #expect(hit.field("Content-Length") == "\(Self.body.count)" && hit.field("Content-Range") == nil)
    #expect(hit.text.hasPrefix("HTTP/1.1 200 "))
    #expect(scenario.origin.requests.count == 2)
  }

  @Test(arguments: [true, false])
  func `no part of a response too large to be stored is kept, and a hint says so`(_ isContinuable: Bool) throws {
    let fields = isContinuable ? [("ETag", Self.tag)] : []
    let scenario = try Self.scenario(Self.broken(fields))
    let run = try scenario.run("--max-object-size", "160K", "-o", scenario.directory.path("f"), scenario.url())
    #expect(run.status == 18)
    let hint = "hint: no part of it is kept: it is larger than --max-object-size; "
    #expect(run.diagnostics.contains(hint) == isContinuable, "\(run.diagnostics)")
    #expect(try scenario.run("--max-object-size", "160K", scenario.url()).status == 0)
    #expect(!scenario.origin.requests[1].has("Range"))
  }

  @Test func `a continued response has the head of the whole, and says how it came`() throws {
    let scenario = try Self.scenario()
    try scenario.run(scenario.url())
    let run = try scenario.run("-i", scenario.url())
    #expect(run.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(run.field("Content-Length") == "\(Self.body.count)" && run.field("Content-Range") == nil)
    let status = try #require(run.field("Cache-Status"))
    #expect(status.contains("fwd=partial") && status.contains("fwd-status=206") && status.contains("stored"))
  }

  @Test func `a transfer that breaks off again is continued from where it was`() throws {
    let scenario = try Scenario { request in
      switch request.number {
      case 1: Self.broken(after: 70_000)
      case 2:
        .raw(
          OriginAnswer.head(
            206, nil,
            fields: [("ETag", Self.tag), ("Content-Range", "bytes 70000-199999/200000"), ("Content-Length", "130000")])
            + Self.body[70_000..<Self.kept])
      default: Self.rest()
      }
    }
    #expect(try scenario.run(scenario.url()).output == Array(Self.body.prefix(70_000)))
    let second = try scenario.run(scenario.url())
    #expect(second.status == 18 && second.output == Array(Self.body.prefix(Self.kept)))
    #expect(try scenario.run(scenario.url()).output == Self.body)
    #expect(scenario.origin.requests.map { $0.value("Range") } == [nil, "bytes=70000-", "bytes=\(Self.kept)-"])
  }

  @Test func `a file that a broken transfer left alone is written whole by the next run`() throws {
    let scenario = try Self.scenario()
    let file = scenario.directory.path("file")
    #expect(try scenario.run("-o", file, scenario.url()).status == 18)
    #expect(try scenario.run("-o", file, scenario.url()).status == 0)
    #expect(try readFile(file) == Self.body)
  }

  @Test func `chunked content of unknown length is continued too`() throws {
    let head = OriginAnswer.head(200, nil, fields: [("ETag", Self.tag), ("Transfer-Encoding", "chunked")])
    let chunk = Array("\(String(Self.kept, radix: 16))\r\n".utf8) + Self.body.prefix(Self.kept) + Array("\r\n".utf8)
    let scenario = try Self.scenario(.raw(head + chunk))
    #expect(try scenario.run(scenario.url()).status == 18)
    #expect(try scenario.run("cache", "ls").text.contains("\t\(Self.kept)/?\t"))
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == Self.body)
    #expect(try scenario.run("--offline", scenario.url()).output == Self.body)
  }

  @Test func `a part without an entity tag is continued by its strong Last-Modified`() throws {
    let scenario = try Self.scenario(
      Self.broken([("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"), ("Date", "Thu, 01 Jan 2026 00:01:00 GMT")]),
      Self.rest(fields: [("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")]))
    try scenario.run(scenario.url())
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == Self.body)
    #expect(scenario.origin.requests[1].value("If-Range") == "Thu, 01 Jan 2026 00:00:00 GMT")
  }

  @Test(arguments: [
    [], [("ETag", "W/\"one\"")], [("ETag", "one")], [("ETag", "\"one\""), ("ETag", "\"two\"")],
    [("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"), ("Date", "Thu, 01 Jan 2026 00:00:00 GMT")],
    [("ETag", "W/\"one\""), ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")],
    [("ETag", "\"one\""), ("Cache-Control", "no-store")],
  ])
  func `no part is kept of a response that cannot be continued or stored`(_ fields: [(String, String)]) throws {
    let scenario = try Self.scenario(Self.broken(fields))
    #expect(try scenario.run(scenario.url()).status == 18)
    #expect(try scenario.run("cache", "ls").text == "")
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == Self.body)
    #expect(!scenario.origin.requests[1].has("Range"))
  }

  @Test func `a 200 to the continuation starts anew, and replaces the part`() throws {
    let other = Array(Self.body.reversed())
    let scenario = try Self.scenario(Self.broken(), Self.whole(other, tag: "\"two\""))
    try scenario.run(scenario.url())
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == other)
    #expect(try scenario.run("--offline", scenario.url()).output == other)
    #expect(try scenario.run("cache", "ls").text.split(separator: "\n").count == 1)
  }

  /// Answers to the request for the rest that do not fit the stored part.
  static let wrongAnswers: [(String, OriginAnswer)] = {
    let tail = Array(body[kept...])
    return [
      ("another start", rest(from: kept - 1)), ("a later start", rest(from: kept + 1)),
      ("another total", rest(range: "bytes 150000-199999/200001")),
      ("an unknown total", rest(range: "bytes 150000-199999/*")),
      ("less than the rest", rest(range: "bytes 150000-199998/200000", content: tail.dropLast())),
      ("more than its length", rest(range: "bytes 150000-199999/200000", content: tail + [0])),
      ("another entity tag", rest(fields: [("ETag", "\"two\"")])),
      ("the entity tag, but weak", rest(fields: [("ETag", "W/\"one\"")])), ("no entity tag", rest(fields: [])),
      ("two entity tags", rest(fields: [("ETag", tag), ("ETag", "\"two\"")])),
      ("another coding", rest(fields: [("ETag", tag), ("Content-Encoding", "gzip")])),
      ("several parts", rest(fields: [("ETag", tag), ("Content-Type", "multipart/byteranges; boundary=x")])),
      ("no Content-Range", .response(206, fields: [("ETag", tag)], content: tail)),
      ("a malformed Content-Range", rest(range: "bytes 150000-99999999999999999999/200000")),
      ("two ranges", rest(fields: [("ETag", tag), ("Content-Range", "bytes 0-9/200000")])),
      ("another unit", rest(range: "lines 150000-199999/200000")),
      ("a further selecting field", rest(fields: [("ETag", tag), ("Vary", "X-Kind")])),
      ("a 304 without a condition", .response(304, fields: [("ETag", tag)])),
      ("an unsatisfiable range", .response(416, fields: [("Content-Range", "bytes */150000")])),
    ]
  }()

  @Test(arguments: wrongAnswers.indices)
  func `a 206 that does not fit is never joined, and the request is made again without Range`(_ index: Int) throws {
    let (name, wrong) = Self.wrongAnswers[index]
    let scenario = try Self.scenario(Self.broken(), wrong)
    try scenario.run(scenario.url())
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == Self.body, "\(name): \(run.diagnostics)")
    #expect(scenario.origin.requests.map { $0.has("Range") } == [false, true, false], "\(name)")
    #expect(try scenario.run("--offline", scenario.url()).output == Self.body, "\(name)")
  }

  @Test(arguments: [-1, 1])
  func `a chunked rest that is not what its Content-Range says ends with a failure, and is not stored`(
    _ difference: Int
  ) throws {
    let tail = difference < 0 ? Array(Self.body[Self.kept...].dropLast()) : Self.body[Self.kept...] + [0]
    let lying = OriginAnswer.chunked(
      206, fields: [("ETag", Self.tag), ("Content-Range", "bytes 150000-199999/200000")], chunks: [tail])
    let scenario = try Self.scenario(Self.broken(), lying)
    try scenario.run(scenario.url())
    let run = try scenario.run(scenario.url())
    #expect(run.status == (difference < 0 ? 18 : 8) && Self.body.starts(with: run.output))
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `an error in answer to the continuation is delivered, and the part stays`() throws {
    let scenario = try Self.scenario(Self.broken(), .response(503, text: "busy"))
    try scenario.run(scenario.url())
    let run = try scenario.run(scenario.url())
    #expect(run.status == 22 && run.text == "busy")
    #expect(try scenario.run("cache", "ls").text.hasPrefix("partial\t"))
  }

  @Test func `a content coding is kept across the join, and decoded as one`() throws {
    // `hello, hello, world` in gzip.
    let coded: [UInt8] = [
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0xc8,
      0x80, 0x50, 0xe5, 0xf9, 0x45, 0x39, 0x29, 0x00, 0x5a, 0x16, 0xad, 0x05, 0x13, 0x00, 0x00, 0x00,
    ]
    let fields = [("ETag", Self.tag), ("Content-Encoding", "gzip")]
    let scenario = try Scenario { request in
      request.number == 1
        ? Self.broken(fields, after: 18, of: coded)
        : .response(
          206, fields: fields + [("Content-Range", "bytes 18-\(coded.count - 1)/\(coded.count)")],
          content: Array(coded[18...]))
    }
    try scenario.run("--compressed", scenario.url())
    let run = try scenario.run("--compressed", scenario.url())
    #expect(scenario.origin.requests.count == 2 && scenario.origin.requests[1].has("If-Range"))
    #expect(run.status == 0 && run.text == "hello, hello, world")
    #expect(try scenario.run("cache", "cat", scenario.url()).output == coded)
  }

  @Test func `a part is never taken for the whole`() throws {
    let scenario = try Self.scenario()
    try scenario.run(scenario.url())
    for policy in [["--offline"], ["--offline=strict"], ["-H", "Cache-Control: only-if-cached"]] {
      let run = try scenario.run(policy + [scenario.url()])
      #expect(run.status == 110 && run.text == "", "\(policy)")
      #expect(run.diagnostics.contains("only a part"))
    }
    let cat = try scenario.run("cache", "cat", scenario.url())
    #expect(cat.status == 110 && cat.text == "" && cat.diagnostics.contains("only a part"))
    #expect(try scenario.run("--offline", "-I", scenario.url()).status == 110)
    #expect(scenario.origin.requests.count == 1)
  }

  @Test func `a listing shows a part with its size and the size of the whole, and rm removes the part`() throws {
    let scenario = try Self.scenario()
    try scenario.run(scenario.url())
    #expect(try scenario.run("cache", "ls").text.hasPrefix("partial\t200\t150000/200000\t"))
    let json = try scenario.run("cache", "ls", "--json").text
    #expect(json.contains("\"size\":150000,\"total\":200000") && json.contains("\"state\":\"partial\""))
    #expect(try scenario.run("cache", "show", scenario.url()).text.contains("150000/200000 bytes"))
    #expect(try scenario.run("cache", "rm", scenario.url()).status == 0)
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `explain says which bytes of a part are stored, and what each policy would do with the part`() throws {
    let scenario = try Self.scenario()
    try scenario.run(scenario.url())
    let text = try scenario.run("cache", "explain", scenario.url()).text
    #expect(text.contains("a part is stored: bytes 0 to 149999 of 200000 [RFC 9111 section 3.3]"))
    #expect(text.contains("protocol           complete: only a part is stored"))
    #expect(text.contains("sending Range: bytes=150000-, If-Range: \"one\""))
    #expect(text.contains("cache-only         fail with 110: only a part is stored"))
    #expect(scenario.origin.requests.count == 1)
  }

  @Test func `--reload requests the whole, and --no-store leaves the stored part alone`() throws {
    let scenario = try Self.scenario()
    try scenario.run(scenario.url())
    #expect(try scenario.run("--no-store", scenario.url()).output == Self.body)
    #expect(try scenario.run("cache", "ls").text.hasPrefix("partial\t"))
    #expect(try scenario.run("--reload", scenario.url()).output == Self.body)
    #expect(scenario.origin.requests.allSatisfy { !$0.has("Range") })
    #expect(try scenario.run("cache", "ls").text.hasPrefix("fresh\t"))
  }

  @Test func `an unsafe method removes the stored part`() throws {
    let scenario = try Self.scenario()
    try scenario.run(scenario.url())
    try scenario.run("-X", "DELETE", scenario.url())
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test(arguments: [70_000, 10])
  func `a damaged part is dropped, and the origin is asked for the whole`(_ place: Int) throws {
    let scenario = try Self.scenario()
    try scenario.run(scenario.url())
    try scenario.damageOnlyEntry(at: 64 + place)
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == Self.body, "\(run.diagnostics)")
    #expect(run.diagnostics.contains("warning: the stored response"))
    #expect(try scenario.run("--offline", scenario.url()).output == Self.body)
  }

  /// The damage is in the third window of a large part. Two windows have been printed by then.
  @Test(arguments: [true, false])
  func `damage found half-way in a part is made good if the origin's answer begins with the printed bytes`(
    _ isSame: Bool
  ) throws {
    let large = Pattern.bytes(count: 1_000_000)
    let scenario = try Self.scenario(
      Self.broken(after: 800_000, of: large),
      .response(
        206, fields: [("ETag", Self.tag), ("Content-Range", "bytes 800000-999999/1000000")],
        content: Array(large[800_000...])),
      otherwise: Self.whole(isSame ? large : large.reversed()))
    try scenario.run(scenario.url())
    try scenario.damageOnlyEntry(at: 600_000)
    let run = try scenario.run(scenario.url())
    #expect(run.status == (isSame ? 0 : 18))
    #expect(isSame ? run.output == large : !run.output.isEmpty && large.starts(with: run.output))
    #expect(scenario.origin.requests.map { $0.has("Range") } == [false, true, false])
  }

  @Test(arguments: [203, 302, 404])
  func `damage found half-way is made good by a 200 alone, whatever another answer begins with`(_ status: Int) throws {
    let large = Pattern.bytes(count: 1_000_000)
    let fields = [("ETag", Self.tag), ("Location", "/elsewhere")]
    let scenario = try Scenario { request in
      request.number == 1 ? Self.whole(large) : .response(status, fields: fields, content: large)
    }
    try scenario.run(scenario.url())
    try scenario.damageOnlyEntry(at: 600_000)
    let run = try scenario.run("--no-fail", scenario.url())
    #expect(run.status == 18 && !run.output.isEmpty && run.output.count < 600_000 && large.starts(with: run.output))
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `a transfer that reached its time limit is continued`() throws {
    let gate = Gate()
    var stalled = Self.broken()
    stalled.parts.append(.wait(gate))
    let scenario = try Self.scenario(stalled)
    let first = try scenario.run("-m", "0.3", scenario.url())
    gate.open()
    #expect(first.status == 28 && Self.body.starts(with: first.output))
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == Self.body)
    #expect(scenario.origin.requests[1].has("If-Range"))
  }

  @Test func `one token's part is never continued for another`() throws {
    let scenario = try Self.scenario()
    try scenario.run("-H", "Authorization: Bearer a", scenario.url())
    #expect(try scenario.run("-H", "Authorization: Bearer b", scenario.url()).output == Self.body)
    #expect(!scenario.origin.requests[1].has("Range"))
    #expect(try scenario.run("-H", "Authorization: Bearer a", scenario.url()).output == Self.body)
    #expect(scenario.origin.requests[2].has("Range"))
  }

  @Test func `a part of one variant is not continued for another`() throws {
    let scenario = try Self.scenario(Self.broken([("ETag", Self.tag), ("Vary", "Accept-Language")]))
    try scenario.run("-H", "Accept-Language: de", scenario.url())
    #expect(try scenario.run("-H", "Accept-Language: en", scenario.url()).output == Self.body)
    #expect(!scenario.origin.requests[1].has("Range"))
  }
}
