import Platform
import TestSupport
import Testing

@testable import Client

@Suite struct DiagnosticsTests {
  @Test func `a failure and its hint stand together, although other threads report at the same time`() throws {
    let directory = try TemporaryDirectory("diagnostics")
    let file = try Descriptor.workingDirectory.open(
      try #require(Path(directory.path("said"))), [.readWrite, .create])
    let diagnostics = Diagnostics(file.borrowed)
    let (threads, reports) = (4, 2_000)
    let ended = Monitor(0)
    for thread in 0..<threads {
      startThread {
        for number in 0..<reports {
          diagnostics.report(.contradiction("\(thread) \(number)"), hint: "\(thread) \(number)")
        }
        ended.withLock { $0 += 1 }
      }
    }
    ended.wait { $0 == threads ? () : nil }
    let lines = String(decoding: try directory.read("said"), as: UTF8.self).split(separator: "\n")
    try #require(lines.count == 2 * threads * reports)
    for index in stride(from: 0, to: lines.count, by: 2) {
      let number = lines[index].dropFirst("garner: ".count)
      try #require(lines[index + 1] == "hint: \(number)")
    }
  }

  @Test func `a message shows only the beginning of a very long URL`() throws {
    let scenario = try Scenario(.response(404, text: ""))
    let end = String(repeating: "x", count: 5_000)
    for (url, front) in [
      (scenario.url("/" + end), "garner: the server answered 404 Not Found for \(scenario.url("/xxx"))"),
      ("http://h:x/" + end, "garner: the URL http://h:x/xxx"), ("foo://h/" + end, "garner: the URL foo://h/xxx"),
    ] {
      let line = try #require(try scenario.run(url).diagnostics.split(separator: "\n").first)
      #expect(line.hasPrefix(front) && line.contains("xxx...") && line.utf8.count < 1_200, "\(line)")
    }
    let unmatched = try scenario.run("cache", "rm", scenario.url("/z" + end)).diagnostics
    let front = "garner: no stored response matches \(scenario.url("/zxxx"))"
    #expect(unmatched.hasPrefix(front) && unmatched.contains("xxx...\n"), "\(unmatched)")
    let long = scenario.url("/" + end.prefix(900))
    #expect(try scenario.run(long).diagnostics == "garner: the server answered 404 Not Found for \(long)\n")
  }

  @Test(arguments: [["-D", "HEADS"], ["-s", "-Z", "-D", "HEADS"], ["-i"]])
  func `the heads that are written are those of the delivered response, whatever is stored`(_ options: [String]) throws
  {
    let fields = [("ETag", "\"1\""), ("Cache-Control", "max-age=0, stale-if-error=60"), ("Link", "</2>; rel=next")]
    let scenario = try Scenario { request in
      switch request.number {
      case 1: .response(fields: fields, text: "body")
      case 2: .response(304, fields: fields)
      default: .response(503)
      }
    }
    let heads = scenario.directory.path("heads")
    let arguments = options.map { $0 == "HEADS" ? heads : $0 } + [scenario.url()]
    for number in 1...3 {
      let run = try scenario.run(arguments)
      let text = options == ["-i"] ? run.text : String(decoding: try readFile(heads), as: UTF8.self)
      #expect(run.status == 0 && scenario.origin.requests.count == number, "\(run)")
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(text)")
      #expect(text.split(separator: "\r\n").count { $0.hasPrefix("HTTP/") || $0.hasPrefix("Link: ") } == 2)
    }
    #expect(try scenario.run(["-v"] + arguments).diagnostics.contains("\n< HTTP/1.1 503 Service Unavailable\n"))
  }

  @Test func `a setting that forbids to send is named in a hint, if it was not typed`() throws {
    let scenario = try Scenario { _ in .response(text: "") }
    let file = try scenario.directory.write(
      "offline\n[site \"*.invalid\"]\noffline = no\ncache-policy = cache-only\n", to: "config")
    scenario.environment["GARNER_CONFIG"] = file
    func hint(_ arguments: String...) throws -> Substring? {
      let run = try scenario.run(arguments)
      #expect(run.status == 110)
      return run.diagnostics.split(separator: "\n").last
    }
    #expect(try hint(scenario.url()) == "hint: offline is set in \(file), line 1")
    #expect(
      try hint("http://a.invalid/") == "hint: cache-policy is set in \(file), line 4, [site \"*.invalid\"]")
    #expect(try hint("--offline", scenario.url()) == "hint: 'garner cache ls' lists the stored responses")
    scenario.environment["GARNER_OFFLINE"] = "1"
    #expect(try hint(scenario.url()) == "hint: offline is set by GARNER_OFFLINE")
  }

  @Test(arguments: [
    (["-d", "x"], "is not answered from the cache"), (["-X", "DELETE"], "is not answered from the cache"),
    (["-H", "If-Match: \"a\""], "the request forbids using it"), (["-u", "me:secret"], "only for other requests"),
    (["--cache-dir", "/dev/null/none"], "nothing may be sent for"),
  ])
  func `whatever keeps the cache from answering, the hint names the setting that forbids to send`(
    _ options: [String], _ reason: String
  ) throws {
    let scenario = try Scenario(.fresh(text: "stored"))
    try scenario.run(scenario.url())
    scenario.environment["GARNER_OFFLINE"] = "1"
    let run = try scenario.run(options + [scenario.url()])
    #expect(run.status == 110 && run.diagnostics.contains(reason), "\(run)")
    #expect(run.diagnostics.hasSuffix("\nhint: offline is set by GARNER_OFFLINE\n"), "\(run)")
    scenario.environment["GARNER_OFFLINE"] = nil
    #expect(try !scenario.run(["--offline"] + options + [scenario.url()]).diagnostics.contains("hint: offline is set"))
  }

  private static let otherDigest = String(repeating: "0", count: 64)

  @Test(
    arguments: [
      ([], true), (["--sha256", otherDigest], false), (["-H", "If-Match: \"a\""], false), (["-r", "10-"], false),
      (["-r", "1-2"], true), (["-H", "Cache-Control: no-store"], false),
    ] as [([String], Bool)])
  func `a hint promises that --offline serves a stored response only if it does`(
    _ options: [String], _ isServed: Bool
  ) throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=0, must-revalidate")], text: "body"))
    try scenario.run(scenario.url())
    scenario.origin.stop()
    let run = try scenario.run(options + [scenario.url()])
    #expect(run.status == 7 && run.diagnostics.contains("--offline serves it") == isServed, "\(run)")
    #expect(try (scenario.run(["--offline"] + options + [scenario.url()]).status == 0) == isServed)
  }

  @Test(arguments: [(["--sha256", otherDigest], 111), (["--max-filesize", "1"], 63)] as [([String], Int32)])
  func `a stale response is said to be served only if it is`(_ options: [String], _ status: Int32) throws {
    let scenario = try Scenario(.fresh(text: "body"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    let run = try scenario.run(["--offline"] + options + [scenario.url()])
    #expect(run.status == status && run.text == "" && !run.diagnostics.contains("is served"), "\(run)")
    #expect(try scenario.run("--offline", scenario.url()).diagnostics.hasSuffix(" is served, stale for 40 s\n"))
  }

  @Test func `-v shows a head as it is, and escapes it on a terminal`() throws {
    let scenario = try Scenario(.response(fields: [("X-Odd", "a\u{1b}[31mb")], text: ""))
    #expect(try scenario.run("-v", scenario.url()).diagnostics.contains("< X-Odd: a\u{1b}[31mb\n"))
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    try scenario.run("-v", scenario.url())
    let printed = terminal.printed()
    #expect(printed.contains(#"< X-Odd: a\x1b[31mb"#) && !printed.contains("\u{1b}"), "\(printed)")
  }
}
