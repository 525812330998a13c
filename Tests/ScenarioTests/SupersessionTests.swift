import TestSupport
import Testing

/// The head of an answer removes the stored response that it supersedes, whatever happens to the answer's content.
@Suite struct SupersessionTests {
  /// Heads of answers that supersede the stored response, and are not stored themselves.
  static let heads: [(status: Int, fields: [(String, String)])] = [
    (200, [("Cache-Control", "no-store"), ("ETag", "\"q\"")]), (404, [("Cache-Control", "no-store")]),
    (410, [("Cache-Control", "no-store")]),
  ]

  private static func broken(_ status: Int, _ fields: [(String, String)]) -> OriginAnswer {
    .raw(OriginAnswer.head(status, nil, fields: fields + [("Content-Length", "9")]) + Array("new".utf8))
  }

  @Test(arguments: heads)
  func `an answer that may not be stored removes the stored response even if it breaks off`(
    _ status: Int, _ fields: [(String, String)]
  ) throws {
    let scenario = try Scenario { request in
      request.number == 1 ? .fresh([("ETag", "\"p\"")], text: "old") : Self.broken(status, fields)
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("-s", "--no-fail", "--reload", scenario.url()).status == 18)
    #expect(try scenario.run("-s", "--offline", scenario.url()).status == 110)
  }

  /// Answers that remove the stored response, which has the entity tag "p", and the options of their requests.
  static let removals: [(status: Int, fields: [(String, String)], options: [String])] = [
    (404, [("Cache-Control", "no-store")], []), (200, [("Cache-Control", "no-store")], []),
    (200, [fresh, ("ETag", "\"q\"")], ["--max-object-size", "2"]),
    (206, [fresh, ("ETag", "\"q\""), ("Content-Range", "bytes 0-2/9")], ["-r", "0-2"]),
  ]

  @Test(arguments: removals)
  func `the answer to an earlier request is not stored after a later one has removed the stored response`(
    _ status: Int, _ fields: [(String, String)], _ options: [String]
  ) throws {
    let gate = Gate()
    defer { gate.open() }
    let old = OriginAnswer.fresh([("ETag", "\"p\"")], text: "old")
    let scenario = try Scenario { request in
      switch request.number {
      case 1, 4: old
      case 2: .late(gate, old)
      default: .response(status, fields: fields, text: "new")
      }
    }
    try scenario.run(scenario.url())
    let early = scenario.start("-v", "--reload", "-w", " %{cache_stored}", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 2))
    scenario.clock.advance(bySeconds: 1)
    let later = try scenario.run(["-s", "--no-fail", "--reload"] + options + [scenario.url()])
    #expect(later.text == "new", "\(later)")
    gate.open()
    let run = try early.finish()
    let reason = "not stored: it was requested before its URL was invalidated, or removed from the cache"
    #expect(run.text == "old 0" && run.diagnostics.contains(reason), "\(run)")
    #expect(try scenario.run("-s", "--offline", scenario.url()).status == 110)
    // A request that is sent after the removal is not concerned.
    #expect(try scenario.run("-w", " %{cache_stored}", scenario.url()).text == "old 1")
  }

  @Test func `a run that has removed the stored response stores the answer to its next request`() throws {
    let scenario = try Scenario { request in
      request.number == 2
        ? .response(404, fields: [("Cache-Control", "no-store")]) : .fresh(text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    let run = try scenario.run("-s", "--no-fail", "--reload", scenario.url(), scenario.url())
    #expect(run.text == "3" && scenario.origin.requests.count == 3, "\(run)")
    #expect(try scenario.run("--offline", scenario.url()).text == "3")
  }

  /// Ways in which a run stops reading an answer.
  static let endings: [(options: [String], coding: String, status: Int32)] = [
    (["--max-filesize", "4"], "identity", 63), (["-o", "/dev/full"], "identity", 23), (["--compressed"], "gzip", 61),
    (["--sha256", String(repeating: "0", count: 64)], "identity", 111),
  ]

  @Test(arguments: endings)
  func `an answer that may not be stored removes the stored response even if the run stops reading`(
    _ options: [String], _ coding: String, _ status: Int32
  ) throws {
    let scenario = try Scenario { request in
      if request.number == 1 { return .fresh(text: "old") }
      let fields = [("Cache-Control", "no-store"), ("Content-Encoding", coding)]
      return .response(fields: fields, text: String(repeating: "no data of any coding", count: 10_000))
    }
    try scenario.run(scenario.url())
    let run = try scenario.run(["-s", "--reload"] + options + [scenario.url()])
    #expect(run.status == status, "\(run.diagnostics)")
    #expect(try scenario.run("-s", "--offline", scenario.url()).status == 110)
  }

  @Test func `an answer that may not be stored removes the stored response even if the time runs out`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      if request.number == 1 { return .fresh(text: "old") }
      let head = OriginAnswer.head(200, nil, fields: [("Cache-Control", "no-store"), ("Content-Length", "9")])
      return OriginAnswer([.bytes(head), .content(Array("new".utf8)), .wait(gate)])
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("-s", "--reload", "-m", "0.3", scenario.url()).status == 28)
    gate.open()
    #expect(try scenario.run("-s", "--offline", scenario.url()).status == 110)
  }

  @Test func `an answer that may be stored and breaks off leaves the stored whole`() throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .fresh([("ETag", "\"p\"")], text: "old") : Self.broken(200, [fresh, ("ETag", "\"q\"")])
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("-s", "--reload", scenario.url()).status == 18)
    #expect(try scenario.run("--offline", scenario.url()).text == "old")
  }

  // MARK: Parts

  /// An origin whose first answer breaks off, and whose content changes after it.
  private static func changed(to tag: String) throws -> Scenario {
    let part = OriginAnswer.head(200, nil, fields: [fresh, ("ETag", "\"p\""), ("Content-Length", "200000")])
    return try Scenario { request in
      if request.number == 1 { return .raw(part + Pattern.bytes(count: 100_000)) }
      return .fresh([("ETag", tag)], content: Array(repeating: UInt8(ascii: "x"), count: 200_000))
    }
  }

  private static func servesPart(_ scenario: Scenario) throws -> Bool {
    try scenario.run("-s", "--offline", "-r", "0-9", scenario.url()).status == 0
  }

  @Test func `a part is not served any more when its continuation has shown another representation`() throws {
    let scenario = try Self.changed(to: "\"q\"")
    let run = try scenario.run("--retry", "1", "--retry-all-errors", "--retry-delay", "0", scenario.url())
    #expect(run.status == 18 && run.diagnostics.contains("it has changed since"), "\(run.diagnostics)")
    #expect(scenario.origin.requests.count == 2)
    #expect(try !Self.servesPart(scenario))
  }

  @Test(arguments: ["--max-filesize", "--sha256"])
  func `a part is not served any more even if the answer in its place is not kept`(_ option: String) throws {
    let scenario = try Self.changed(to: "\"q\"")
    try scenario.run("-s", scenario.url())
    #expect(try Self.servesPart(scenario))
    let value = option == "--sha256" ? String(repeating: "0", count: 64) : "1000"
    #expect(try scenario.run("-s", option, value, scenario.url()).status != 0)
    #expect(try !Self.servesPart(scenario))
  }

  @Test func `a part stays when the answer in its place has the same entity tag`() throws {
    let scenario = try Self.changed(to: "\"p\"")
    try scenario.run("-s", scenario.url())
    #expect(try scenario.run("-s", "--max-filesize", "1000", scenario.url()).status == 63)
    #expect(try Self.servesPart(scenario))
  }
}
