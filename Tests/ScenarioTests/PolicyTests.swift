import TestSupport
import Testing

/// Every cache policy, with a fresh response, a stale one and none in the store.
@Suite struct PolicyTests {
  enum Stored: String, CaseIterable {
    case absent, fresh, stale
  }

  struct Row: CustomTestStringConvertible {
    let policy: String
    let stored: Stored
    /// The printed body; `nil` for status 110.
    let body: String?
    /// The kind of request that the second run sends, such as "conditional" or "plain"; "" for none.
    let sent: String

    var testDescription: String { "\(policy), \(stored.rawValue)" }
  }

  static let rows: [Row] = [
    Row(policy: "protocol", stored: .absent, body: "1", sent: "plain"),
    Row(policy: "protocol", stored: .fresh, body: "1", sent: ""),
    Row(policy: "protocol", stored: .stale, body: "1", sent: "conditional"),
    Row(policy: "reload", stored: .absent, body: "1", sent: "plain"),
    Row(policy: "reload", stored: .fresh, body: "2", sent: "plain"),
    Row(policy: "reload", stored: .stale, body: "2", sent: "plain"),
    Row(policy: "reload-all", stored: .fresh, body: "2", sent: "no-cache"),
    Row(policy: "revalidate", stored: .absent, body: "1", sent: "plain"),
    Row(policy: "revalidate", stored: .fresh, body: "1", sent: "conditional"),
    Row(policy: "revalidate", stored: .stale, body: "1", sent: "conditional"),
    Row(policy: "cache-else-load", stored: .absent, body: "1", sent: "plain"),
    Row(policy: "cache-else-load", stored: .fresh, body: "1", sent: ""),
    Row(policy: "cache-else-load", stored: .stale, body: "1", sent: ""),
    Row(policy: "cache-only", stored: .absent, body: nil, sent: ""),
    Row(policy: "cache-only", stored: .fresh, body: "1", sent: ""),
    Row(policy: "cache-only", stored: .stale, body: "1", sent: ""),
    Row(policy: "cache-only-strict", stored: .absent, body: nil, sent: ""),
    Row(policy: "cache-only-strict", stored: .fresh, body: "1", sent: ""),
    Row(policy: "cache-only-strict", stored: .stale, body: "1", sent: ""),
    Row(policy: "network-first", stored: .absent, body: "1", sent: "plain"),
    Row(policy: "network-first", stored: .fresh, body: "1", sent: "conditional"),
    Row(policy: "network-first", stored: .stale, body: "1", sent: "conditional"),
    Row(policy: "no-store", stored: .absent, body: "1", sent: "plain"),
    Row(policy: "no-store", stored: .fresh, body: "2", sent: "plain"),
    Row(policy: "no-store", stored: .stale, body: "2", sent: "plain"),
    // Apple's and the Fetch standard's names for the same policies.
    Row(policy: "NSURLRequestReturnCacheDataDontLoad", stored: .stale, body: "1", sent: ""),
    Row(policy: "returncachedataelseload", stored: .stale, body: "1", sent: ""),
    Row(policy: "reloadIgnoringLocalAndRemoteCacheData", stored: .fresh, body: "2", sent: "no-cache"),
    Row(policy: "reloadRevalidatingCacheData", stored: .fresh, body: "1", sent: "conditional"),
    Row(policy: "useProtocolCachePolicy", stored: .fresh, body: "1", sent: ""),
    Row(policy: "force-cache", stored: .stale, body: "1", sent: ""),
    Row(policy: "no-cache", stored: .fresh, body: "1", sent: "conditional"),
    Row(policy: "only-if-cached", stored: .absent, body: nil, sent: ""),
    Row(policy: "default", stored: .fresh, body: "1", sent: ""),
  ]

  @Test(arguments: [["--cache-policy", "reload-all"], ["--refresh"]])
  func `the fields that a policy adds to a request also select the stored response`(_ policy: [String]) throws {
    let scenario = try Scenario { request in
      .response(
        fields: [fresh, ("Vary", "Cache-Control, Pragma")], text: request.value("Cache-Control") ?? "nothing")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 5)
    let added = try scenario.run(policy + [scenario.url()]).text
    #expect(added != "nothing")
    #expect(try scenario.run(scenario.url()).text == "nothing")
    #expect(try scenario.run(scenario.url(), scenario.url()).text == "nothingnothing")
  }

  @Test(arguments: rows)
  func `a policy serves, asks the origin or fails, depending on what is stored`(_ row: Row) throws {
    let scenario = try Scenario { request in
      validated(
        request, etag: "\"e\"", fields: [("Cache-Control", "max-age=60")], text: "\(request.number)")
    }
    let before = row.stored == .absent ? 0 : 1
    if before == 1 { try scenario.run(scenario.url()) }
    if row.stored == .stale { scenario.clock.advance(bySeconds: 61) }

    let run = try scenario.run("--cache-policy", row.policy, scenario.url())

    #expect(run.status == (row.body == nil ? 110 : 0))
    #expect(run.text == row.body ?? "")
    let sent = scenario.origin.requests.dropFirst(before).map { request -> String in
      if request.has("If-None-Match") { return "conditional" }
      return request.value("Cache-Control") ?? "plain"
    }
    #expect(Array(sent) == (row.sent.isEmpty ? [] : [row.sent]))
  }

  @Test func `--offline=strict serves a stale response with a warning`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    let run = try scenario.run("--offline=strict", scenario.url())
    #expect(run.text == "body" && run.diagnostics.contains("is served, stale for 40 s\n"))
  }

  @Test func `--offline warns of a response that went stale this second, and of one whose age is unknown`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=0")], text: "body"))
    try scenario.run(scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).diagnostics.hasSuffix(" is served, stale for 0 s\n"))
    let other = try Scenario(.fresh(text: "body"))
    try other.run(other.url())
    other.clock.set(seconds: other.clock.seconds - 100)
    #expect(try other.run("--offline", other.url()).diagnostics.hasSuffix(" is served, of unknown age\n"))
    // It is listed as it is treated: it expires now, which is before the time at which it was stored.
    let listed = try other.run("cache", "ls", "--format", "{state} {ttl} {expires_at} {stored_at}\n").text
    let words = listed.split(whereSeparator: \.isWhitespace)
    #expect(words.count == 4 && words[0] == "stale" && words[1] == "0" && words[2] < words[3], "\(listed)")
    other.origin.stop()
    let failed = try other.run("--cache-policy", "network-first", other.url())
    #expect(failed.diagnostics.hasSuffix("; the stored response is served, of unknown age\n"), "\(failed.diagnostics)")
  }

  @Test func `the hint about several absent URLs is printed once`() throws {
    let scenario = try Scenario(.response(text: ""))
    let run = try scenario.run("--offline", scenario.url("/a"), scenario.url("/b"), scenario.url("/c"))
    #expect(run.status == 110)
    let lines = run.diagnostics.split(separator: "\n")
    #expect(lines.filter { $0.hasSuffix(" is not in the cache, and nothing may be sent") }.count == 3)
    #expect(lines.indices.filter { lines[$0].hasPrefix("hint: ") } == [1])
  }

  @Test func `--offline=strict does not serve a stale response that must be revalidated`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=60, must-revalidate")], text: "x"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    #expect(try scenario.run("--offline", scenario.url()).text == "x")
    let strict = try scenario.run("--offline=strict", scenario.url())
    #expect(strict.status == 110 && strict.text == "")
    #expect(strict.diagnostics.contains("may not be used without asking the server"))
  }

  @Test(arguments: ["disconnect", "500", "502", "503", "504", "broken"])
  func `network-first serves the stored response when the network or the server fails`(_ failure: String) throws {
    let scenario = try Scenario { request in
      guard request.number > 1 else {
        return .fresh(text: "stored")
      }
      switch failure {
      case "disconnect": return .disconnect
      case "broken": return .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
      default: return .response(Int(failure) ?? 500, text: "error")
      }
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10_000)
    let run = try scenario.run("--cache-policy", "network-first", "-w", "|%{cache_result}", scenario.url())
    #expect(run.status == 0 && run.text == "stored|stale")
  }

  @Test(arguments: ["503", "disconnect"], [true, false])
  func `a response served in place of a failure is called a hit or stale, with a warning`(
    _ failure: String, _ isFresh: Bool
  ) throws {
    let scenario = try Scenario { request in
      if request.number == 1 { return .fresh(text: "stored") }
      return failure == "503" ? .response(503) : .disconnect
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: isFresh ? 10 : 100)
    for options in [["--cache-policy", "network-first"], ["--refresh", "--stale-if-error=1h"]] {
      let run = try scenario.run(options + ["-w", "|%{cache_result}", scenario.url()])
      #expect(run.status == 0 && run.text == "stored|\(isFresh ? "hit" : "stale")")
      #expect(run.diagnostics.hasPrefix("garner: warning: \(failure == "503" ? "the server answered 503" : "cannot")"))
      #expect(run.diagnostics.hasSuffix("; the stored response is served\(isFresh ? "" : ", stale for 40 s")\n"))
    }
  }

  @Test(arguments: ["Cache-Control: no-store", "If-Match: \"a\""])
  func `offline, a message says that the request forbids to use the stored response`(_ field: String) throws {
    let scenario = try Scenario(.fresh(text: "stored"))
    try scenario.run(scenario.url())
    let run = try scenario.run("--offline", "-H", field, scenario.url())
    #expect(run.status == 110 && !run.diagnostics.contains("hint"))
    #expect(run.diagnostics.contains("is in the cache, but the request forbids using it"))
  }

  @Test func `an error that replaces no stored response is a miss, and updates nothing`() throws {
    let scenario = try Scenario { request in
      switch request.number {
      case 1: .response(fields: [("ETag", "\"1\""), ("Cache-Control", "max-age=0")], text: "body")
      case 2: .response(429, text: "")
      default: .response(500, text: "")
      }
    }
    let options = ["--no-fail", "-w", "%{http_code} %{cache_result} %{cache_stored}", scenario.url()]
    #expect(try scenario.run(options).text == "body200 miss 1")
    #expect(try scenario.run(options).text == "429 miss 0")
    #expect(try scenario.run(["--reload"] + options).text == "500 miss 0")
    #expect(try scenario.run("cache", "stats", "--json").text.contains(#""updated":0,"misses":3"#))
    #expect(try scenario.run("--offline", scenario.url()).text == "body")
  }

  @Test func `a fetch is called updated only if a new response has come whole`() throws {
    let scenario = try Scenario { request in
      let fields = [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")]
      if request.number == 1 { return .response(fields: fields, text: "stored") }
      if let tag = request.value("If-None-Match"), request.target == "/" {
        return .response(304, fields: [("ETag", tag)])
      }
      return .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    }
    try scenario.run(scenario.url())
    for (tag, result) in [("1", "validated"), ("2", "miss")] {
      let run = try scenario.run("-H", "If-None-Match: \"\(tag)\"", "-w", "%{cache_result}", scenario.url())
      #expect(run.text == result)
    }
    let broken = try scenario.run("--reload", "-w", "|%{cache_result}", scenario.url())
    #expect(broken.status == 18 && broken.text == "abc|miss")
  }

  @Test(arguments: [(["--reload"], 0), (["-I"], 61), (["-r", "0-0", "--refresh"], 0)] as [([String], UInt32)])
  func `a 304 that was not asked for is a miss, and updates nothing`(_ options: [String], _ seconds: UInt32) throws {
    let scenario = try Scenario { request in
      let fields = [("ETag", "\"1\""), ("Cache-Control", request.number == 1 ? "max-age=60" : "max-age=600")]
      return request.number == 1 ? .response(fields: fields, text: "x") : .response(304, fields: fields)
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: seconds)
    let file = scenario.directory.path("file")
    let format = "%{cache_result} %{cache_stored} %{cache_reason}"
    let run = try scenario.run(options + ["-s", "-o", file, "-w", format, scenario.url()])
    #expect(run.status == 8)
    #expect(run.text.hasPrefix("miss 0 ") && run.text.hasSuffix("not stored: it is a 304"), "\(run.text)")
  }

  @Test(arguments: [
    (["--no-store"], true, "bypass"), (["-d", "x"], true, "bypass"), (["--reload"], true, "miss"),
    (["--reload"], false, "miss"), (["--refresh"], true, "miss"), ([], false, "miss"),
  ])
  func `a fetch that fails is a bypass if its answer would have been one`(
    _ options: [String], _ isStored: Bool, _ result: String
  ) throws {
    let scenario = try Scenario(.fresh(text: "text"))
    if isStored { try scenario.run(scenario.url()) }
    scenario.origin.stop()
    let run = try scenario.run(options + ["-s", "-w", "%{cache_result}", scenario.url()])
    #expect(run.status == 7 && run.text == result, "\(run.text)")
  }

  @Test func `a stored response replaces a body that breaks off on its way to a file, not a printed one`() throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .response(fields: [("Cache-Control", "max-age=0")], text: "stored")
        : .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
    }
    try scenario.run(scenario.url())
    let path = scenario.directory.path("f")
    for options in [["--cache-policy", "network-first"], ["--stale-if-error=1h"], []] {
      let run = try scenario.run(options + ["-o", path, scenario.url()])
      #expect(run.status == (options.isEmpty ? 18 : 0), "\(options): \(run.diagnostics)")
      #expect(try readFile(path) == Array("stored".utf8))
      #expect(try scenario.run(options + [scenario.url()]).status == 18)
    }
  }

  @Test(arguments: [200, 401, 404, 410])
  func `a fetch whose content breaks off behind a head does not count as disconnected`(_ status: Int) throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .response(fields: [("Cache-Control", "max-age=0"), ("ETag", "\"a\"")], text: "stored")
        : .raw("HTTP/1.1 \(status) Answer\r\nContent-Length: 10\r\n\r\n")
    }
    try scenario.run(scenario.url())
    let path = scenario.directory.path("f")
    let allowed = try scenario.run("--stale-if-error=1h", "-w", "|%{cache_status}", scenario.url())
    #expect(allowed.text.hasPrefix("stored|") && allowed.text.contains("fwd-status=\(status)"), "\(allowed.text)")
    for options in [[], ["-o", path]] {
      let run = try scenario.run(options + ["-w", "%{cache_status}", scenario.url()])
      // The content of an error never goes to the file.
      #expect(run.status == (options.isEmpty || status == 200 ? 18 : 22) && (try? readFile(path)) == nil)
      #expect(run.text.contains("fwd-status=\(status)") && !run.text.contains("disconnected"), "\(run.text)")
    }
  }

  @Test(arguments: ["tag", "vary"], ["disconnect", "503", "broken"])
  func `a stored response is served when a 304 does not fit it and the repeated request fails`(
    _ misfit: String, _ failure: String
  ) throws {
    let scenario = try Scenario { request in
      let tag = ("ETag", "\"a\"")
      if request.number == 1 { return .response(fields: [("Cache-Control", "max-age=0"), tag], text: "stored") }
      if request.has("If-None-Match") {
        return .response(304, fields: misfit == "tag" ? [("ETag", "\"b\"")] : [tag, ("Vary", "X-Z")])
      }
      switch failure {
      case "disconnect": return .disconnect
      case "broken": return .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
      default: return .response(503)
      }
    }
    try scenario.run(scenario.url())
    for options in [["--stale-if-error=1h"], ["--cache-policy", "network-first"], []] {
      let run = try scenario.run(options + [scenario.url()])
      let isServed = failure == "disconnect" || !options.isEmpty
      let status: UInt8 = failure == "503" ? 22 : 18
      #expect(run.status == (isServed ? 0 : status) && run.text == (isServed ? "stored" : ""), "\(options)")
      #expect(scenario.origin.requests.last?.has("If-None-Match") == false)
    }
    try scenario.run("--refresh", scenario.url())
    let repeated = try #require(scenario.origin.requests.last)
    #expect(!repeated.has("If-None-Match") && repeated.value("Cache-Control") == "max-age=0")
    let lines = ["-H", "Cache-Control: no-transform", "-H", "Cache-Control: min-fresh=3"]
    try scenario.run(lines + [scenario.url()])
    #expect(scenario.origin.requests.last?.value("Cache-Control") == "no-transform, min-fresh=3")
  }

  @Test func `stale-if-error serves the stored response within its window only`() throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .response(fields: [("Cache-Control", "max-age=10, stale-if-error=100")], text: "stored") : .response(503)
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 50)
    let within = try scenario.run("-i", scenario.url())
    #expect(within.status == 0 && within.text.hasSuffix("stored"))
    #expect(within.field("Cache-Status")?.contains("detail=stale-if-error") == true)
    scenario.clock.advance(bySeconds: 100)
    #expect(try scenario.run(scenario.url()).status == 22)
  }

  @Test(arguments: ["refused", "disconnect", "headless"])
  func `a stored response is served with a warning when the origin cannot be reached`(_ failure: String) throws {
    let scenario = try Scenario { request in
      if request.number == 1 { return .response(fields: [("Cache-Control", "max-age=10")], text: "stored") }
      return failure == "headless" ? .raw("HTTP/1.1 200 OK\r\nContent-") : .disconnect
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 50)
    if failure == "refused" { scenario.origin.stop() }
    let run = try scenario.run("-w", "|%{cache_result} %{cache_status}", scenario.url())
    #expect(run.status == 0 && run.text.hasPrefix("stored|stale garner; fwd=stale; "), "\(run.text)")
    #expect(run.text.contains("detail=disconnected"))
    #expect(run.diagnostics.hasPrefix("garner: warning: cannot fetch \(scenario.url()): "))
    #expect(run.diagnostics.hasSuffix("; the stored response is served, stale for 40 s\n"))
    #expect(try scenario.run("-s", scenario.url()).diagnostics == "")
    #expect(try scenario.run("-sS", scenario.url()).diagnostics == run.diagnostics)
    // An explicit request for validation fails.
    #expect(try scenario.run("--refresh", scenario.url()).status != 0)
    #expect(try scenario.run("-H", "Cache-Control: no-cache", scenario.url()).status != 0)
  }

  @Test func `a must-revalidate response is not served stale when the origin cannot be reached`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=10, must-revalidate")], text: "stored"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 50)
    scenario.origin.stop()
    let run = try scenario.run(scenario.url())
    #expect(run.status == 7 && run.text == "")
  }

  @Test func `--reload removes the stored response when the answer may not be stored`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", request.number == 1 ? "max-age=60" : "no-store")], text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("--reload", scenario.url()).text == "2")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `--offline and another policy contradict each other`() throws {
    let scenario = try Scenario(.response())
    let run = try scenario.run("--offline", "--reload", scenario.url())
    #expect(run.status == 2 && run.diagnostics == "garner: --offline and --reload contradict each other\n")
  }
}
