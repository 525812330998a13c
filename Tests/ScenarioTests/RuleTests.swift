import TestSupport
import Testing

/// Rules about storing responses and learning from them, in whole runs.
@Suite struct RuleTests {
  private static func form(_ fields: [(String, String)] = []) throws -> Scenario {
    try Scenario { request in
      request.method == "POST"
        ? .response(fields: [("Cache-Control", "max-age=60")] + fields, text: "posted")
        : .fresh(text: "got")
    }
  }

  @Test func `an answer to POST that stands for the resource answers a later GET, and no POST`() throws {
    let scenario = try Self.form([("Content-Location", "/")])
    #expect(try scenario.run(scenario.url()).text == "got")
    #expect(try scenario.run("-d", "x", scenario.url()).text == "posted")
    #expect(try scenario.run(scenario.url()).text == "posted")
    #expect(try scenario.run("-d", "x", scenario.url()).text == "posted")
    #expect(scenario.asked == ["/", "POST /", "POST /"])
  }

  @Test func `an answer to POST with another Content-Location is not stored, and removes the stored response`() throws {
    let scenario = try Self.form([("Content-Location", "/other")])
    try scenario.run(scenario.url())
    try scenario.run("-d", "x", scenario.url())
    for target in ["/", "/other"] { #expect(try scenario.run(scenario.url(target)).text == "got") }
    #expect(scenario.asked == ["/", "POST /", "/", "/other"])
  }

  @Test func `an answer to POST is stored for the credentials of its request`() throws {
    let scenario = try Self.form([("Content-Location", "/")])
    try scenario.run("-u", "a:b", "-d", "x", scenario.url())
    #expect(try scenario.run("-u", "a:c", scenario.url()).text == "got")
    #expect(try scenario.run(scenario.url()).text == "got")
    #expect(try scenario.run("-u", "a:b", scenario.url()).text == "posted")
  }

  @Test(
    arguments: [
      ("200 OK", "A: b\r\n c", "its head has a folded line"),
      ("200 OK", "A : b", "its head has white space before a colon"),
      ("200 OK", "A: b\rc", "its head has a carriage return within a line"),
    ])
  func `a response with a fault in its framing is not stored, and the reason names the fault`(
    _ status: String, _ line: String, _ reason: String
  ) throws {
    let head = "HTTP/1.1 \(status)\r\nCache-Control: max-age=60\r\n\(line)\r\nContent-Length: 2\r\n\r\n"
    let scenario = try Scenario(.raw(head + "ok"))
    let run = try scenario.run("-v", "--no-fail", "-w", "|%{cache_stored} %{cache_reason}", scenario.url())
    #expect(run.text.hasPrefix("ok|0 ") && run.text.hasSuffix("; not stored: \(reason)"))
    #expect(run.diagnostics.ranges(of: reason).count == 1)
  }

  @Test func `a response whose status code is none of HTTP's is not stored, and the detail says so`() throws {
    let head = "HTTP/1.1 600 X\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\n"
    let scenario = try Scenario(.raw(head + "ok"))
    let run = try scenario.run("-i", "--no-fail", "-w", "|%{cache_reason}", scenario.url())
    #expect(run.text.contains("\r\n\r\nok|") && run.text.hasSuffix(": its status code is not an HTTP status code"))
    #expect(run.field("Cache-Status")?.contains("; detail=status-out-of-range") == true)
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `a request with no-store bypasses the stored response, and leaves it`() throws {
    let scenario = try Scenario { request in
      .fresh(text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("-H", "Cache-Control: no-store", scenario.url()).text == "2")
    #expect(try scenario.run(scenario.url()).text == "1")
  }

  @Test func `a response without a Date is stored with the time at which it came`() throws {
    let scenario = try Scenario(.raw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 1\r\n\r\nx"))
    let arrival = Int(scenario.clock.seconds)
    #expect(try scenario.run("-i", scenario.url()).field("Date") == nil)
    scenario.clock.advance(bySeconds: 30)
    let second = try scenario.run("-i", scenario.url())
    #expect(second.field("Date") == httpDate(arrival) && second.field("Age") == "30")
    #expect(scenario.asked.count == 1)
  }

  @Test func `a HEAD's answer of the same length freshens a response without validators`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=60"), ("X", "\(request.number)")], text: "body")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    try scenario.run("-I", scenario.url())
    let run = try scenario.run("-i", scenario.url())
    #expect(run.text.hasSuffix("body") && run.text.contains("X: 2"))
    #expect(scenario.asked == ["/", "HEAD /"])
  }

  @Test func `network-first with only-if-cached serves the stored response, and sends nothing`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=10")], text: "stored"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 60)
    let only = ["--cache-policy", "network-first", "-H", "Cache-Control: only-if-cached"]
    #expect(try scenario.run(only + [scenario.url()]).text == "stored")
    #expect(try scenario.run(only + [scenario.url("/absent")]).status == 110)
    #expect(scenario.asked == ["/"])
  }

  @Test(arguments: [["--offline"], ["-H", "Cache-Control: only-if-cached"]])
  func `the Cache-Status of a request that nothing answers, and that is not sent, has neither hit nor fwd`(
    _ options: [String]
  ) throws {
    let scenario = try Scenario(.response(text: "never"))
    let run = try scenario.run(["-s", "-w", "%{cache_result} %{cache_status}"] + options + [scenario.url()])
    let words = "miss garner; key=\"\(scenario.url())\"; detail=only-if-cached"
    #expect(run.status == 110 && run.text == words, "\(run)")
    #expect(scenario.asked == [])
  }

  @Test func `the hint at --offline=strict is printed only for a run that has it`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=10, must-revalidate")], text: "stored"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 60)
    for (options, hint) in [(["--offline=strict"], true), (["-H", "Cache-Control: only-if-cached"], false)] {
      let run = try scenario.run(options + [scenario.url()])
      #expect(run.status == 110 && run.diagnostics.contains("may not be used without asking the server"), "\(run)")
      #expect(run.diagnostics.contains("hint: ") == hint, "\(run)")
    }
  }
}
