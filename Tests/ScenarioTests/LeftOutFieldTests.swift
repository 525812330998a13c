import TestSupport
import Testing

/// Fields that `-H 'Name:'` leaves out: garner adds them neither for the cache, nor for cookies, nor for another try.
@Suite struct LeftOutFieldTests {
  private static let date = "Wed, 01 Jan 2020 00:00:00 GMT"
  private static let fields = [fresh, ("ETag", "\"e\""), ("Last-Modified", date)]

  /// The fields that are left out, and the values of If-None-Match and If-Modified-Since that are sent.
  static let conditions: [(leftOut: [String], sent: [String?])] = [
    (["If-None-Match"], [nil, date]), (["if-modified-since"], ["\"e\"", nil]),
    (["If-None-Match", "If-Modified-Since"], [nil, nil]),
  ]

  @Test(arguments: conditions)
  func `a condition that is left out is not added to validate a stored response`(
    leftOut: [String], sent: [String?]
  ) throws {
    let names = ["If-None-Match", "If-Modified-Since"]
    let scenario = try Scenario { request in
      names.contains(where: request.has)
        ? .response(304, fields: Self.fields) : .response(fields: Self.fields, text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    let arguments = leftOut.flatMap { ["-H", "\($0):"] } + [scenario.url()]
    let dryRun = try scenario.run(["--dry-run"] + arguments)
    let run = try scenario.run(arguments)
    let request = try #require(scenario.origin.requests.last)
    #expect(scenario.origin.requests.count == 2 && names.map { request.value($0) } == sent)
    for (name, value) in zip(names, sent) { #expect(dryRun.text.contains("> \(name): ") == (value != nil)) }
    #expect(run.status == 0 && run.text == (sent == [nil, nil] ? "2" : "1"))
    #expect(try scenario.run("--offline", scenario.url()).text == run.text)
  }

  @Test func `a 304 to a request whose conditions are left out is an error`() throws {
    let scenario = try Scenario { request in
      request.number == 1 ? .response(fields: Self.fields, text: "1") : .response(304, fields: Self.fields)
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    let run = try scenario.run("-s", "-H", "If-None-Match:", "-H", "If-Modified-Since:", scenario.url())
    #expect(run.status == 8 && run.text == "", "\(run)")
    #expect(try scenario.run("cache", "explain", scenario.url()).text.contains("stale for 40 s"))
  }

  /// Options that add Cache-Control or Pragma, the fields that are left out, and those that are sent.
  static let directives: [(options: [String], leftOut: [String], sent: [String?])] = [
    (["--refresh"], ["Cache-Control"], [nil, nil]),
    (["--cache-policy", "reload-all"], ["Cache-Control"], [nil, "no-cache"]),
    (["--cache-policy", "reload-all"], ["Pragma"], ["no-cache", nil]),
    (["--cache-policy", "reload-all"], ["Cache-Control", "Pragma"], [nil, nil]),
    (["--max-age", "5"], ["Cache-Control"], [nil, nil]), (["--min-fresh", "55"], ["Cache-Control"], [nil, nil]),
  ]

  @Test(arguments: directives)
  func `Cache-Control and Pragma that are left out are sent by no policy and no option`(
    options: [String], leftOut: [String], sent: [String?]
  ) throws {
    let scenario = try Scenario(.response(fields: Self.fields, text: "text"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    try scenario.run(options + leftOut.flatMap { ["-H", "\($0):"] } + [scenario.url()])
    let request = try #require(scenario.origin.requests.last)
    #expect(scenario.origin.requests.count == 2)
    #expect(["Cache-Control", "Pragma"].map { request.value($0) } == sent)
  }

  @Test func `--max-age counts for the cache although Cache-Control is left out`() throws {
    let scenario = try Scenario(.response(fields: Self.fields, text: "text"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    let leavingOut = ["-H", "Cache-Control:", scenario.url()]
    #expect(try scenario.run(["--max-age", "10"] + leavingOut).text == "text" && scenario.asked.count == 1)
    let explained = try scenario.run(["cache", "explain", "--max-age", "9"] + leavingOut).text
    #expect(explained.contains("max-age=9: an older response is not accepted") && !explained.contains("sending Cache"))
  }

  /// An origin whose first answer breaks off.
  private static func breakingOff() throws -> Scenario {
    try Scenario { request in
      if request.number > 1 { return .response(fields: fields, text: "12345678") }
      let head = OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "8")])
      return OriginAnswer([.bytes(head), .content(Array("1234".utf8))], ending: .close)
    }
  }

  @Test(arguments: ["Range", "If-Range"])
  func `without Range or If-Range, the whole is requested and not the rest`(name: String) throws {
    let scenario = try Self.breakingOff()
    #expect(try scenario.run("-s", scenario.url()).status == 18)
    #expect(try scenario.run("-H", "\(name):", scenario.url()).text == "12345678")
    let other = try Self.breakingOff()
    let file = other.directory.path("file")
    #expect(try other.run("-s", "--retry", "1", "-H", "\(name):", "-o", file, other.url()).status == 0)
    #expect(try readFile(file) == Array("12345678".utf8))
    for requests in [scenario.origin.requests, other.origin.requests] {
      #expect(requests.count == 2 && !requests.contains { $0.has("Range") || $0.has("If-Range") })
    }
  }

  @Test func `--continue-at needs Range`() throws {
    let scenario = try Scenario(.response())
    let run = try scenario.run("-C", "5", "-H", "range:", scenario.url())
    #expect(run.status == 2 && scenario.asked == [])
    #expect(run.diagnostics == "garner: --continue-at requests a range, and --header leaves Range out\n")
  }

  @Test func `a Cookie that is left out is not made of a jar either`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("Set-Cookie", "n=v; Max-Age=60")], text: request.value("Cookie") ?? "none")
    }
    let jar = scenario.directory.path("jar")
    #expect(try scenario.run("-c", jar, scenario.url(), scenario.url()).text == "nonen=v")
    #expect(try scenario.run("-b", jar, "-H", "Cookie:", scenario.url(), scenario.url()).text == "nonenone")
    #expect(try scenario.run("-b", jar, "-H", "Cookie:", "-H", "Cookie: a=1", scenario.url()).text == "n=v; a=1")
  }
}
