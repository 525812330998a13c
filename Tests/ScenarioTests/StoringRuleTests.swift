import TestSupport
import Testing

/// Options that change what is stored, or how stale a response may be.
@Suite struct StoringRuleTests {
  @Test func `--store-header and --strip-header change the stored response, not the delivered one`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "no-store"), ("X-Secret", "s")], text: "x"))
    let options = ["--store-header", "Cache-Control: max-age=1000", "--strip-header", "x-secret", "-i"]
    let first = try scenario.run(options + [scenario.url()])
    #expect(first.field("Cache-Control") == "no-store" && first.field("X-Secret") == "s")
    #expect(first.field("Cache-Status")?.contains("stored; ttl=1000") == true, "\(first.text)")
    let second = try scenario.run("-i", scenario.url())
    #expect(second.field("Cache-Control") == "max-age=1000" && second.field("X-Secret") == nil)
    #expect(scenario.origin.requests.count == 1)
    #expect(try !storeHolds(scenario, "X-Secret"))
  }

  private func storeHolds(_ scenario: Scenario, _ text: String) throws -> Bool {
    try filesBelow(scenario.cachePath).contains { file in
      String(decoding: try readFile(file), as: UTF8.self).contains(text)
    }
  }

  @Test func `--ttl keeps a response fresh for as long as it says`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "no-cache, max-age=5"), ("Age", "3")], text: "\(request.number)")
    }
    try scenario.run("--ttl", "1m", scenario.url())
    scenario.clock.advance(bySeconds: 59)
    #expect(try scenario.run(scenario.url()).text == "1")
    scenario.clock.advance(bySeconds: 1)
    #expect(try scenario.run(scenario.url()).text == "2")
  }

  @Test func `no-store overrides --ttl, unless Cache-Control is stripped`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "no-store")], text: "x"))
    let refused = try scenario.run("-i", "--ttl", "1m", scenario.url())
    #expect(refused.field("Cache-Status")?.contains("detail=no-store") == true)
    try scenario.run("--ttl", "1m", "--strip-header", "Cache-Control", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).text == "x")
  }

  @Test func `--store-status says why a response is not stored, and removes the one that it supersedes`() throws {
    let scenario = try Scenario { request in
      request.number == 1 ? .fresh(text: "x") : .response(404)
    }
    let options = ["--store-status", "2xx", scenario.url()]
    try scenario.run(options)
    #expect(try scenario.run(["--offline"] + options).text == "x")
    let gone = try scenario.run(["-v", "--reload"] + options)
    #expect(gone.status == 22)
    #expect(gone.diagnostics.contains("not stored: its status is not among those to be stored"))
    #expect(try scenario.run(["--offline"] + options).status == 110)
  }

  @Test(arguments: [0, 1])
  func `--forget-on-error removes the part that the fetch itself has kept`(_ partCount: Int) throws {
    let scenario = try Scenario { request in
      guard request.has("Range") else { return RetryTests.broken() }
      let head = OriginAnswer.head(
        206, nil, fields: [RetryTests.tag, ("Content-Range", "bytes 4-9/10"), ("Content-Length", "6")])
      return .raw(head + Array("45".utf8))
    }
    for _ in 0..<partCount { try scenario.run(scenario.url()) }
    scenario.clock.advance(bySeconds: 2)
    #expect(try scenario.run("--forget-on-error", scenario.url()).status == 18)
    #expect(try scenario.run("cache", "ls").text.isEmpty)
  }

  @Test(arguments: ["500", "disconnect", "broken", "digest", "coding"])
  func `--forget-on-error removes the stored response when the fetch fails`(_ failure: String) throws {
    let scenario = try Scenario { request in
      let fields = [("Cache-Control", "max-age=1, must-revalidate"), ("ETag", "\"a\"")]
      guard request.number > 1 else { return .response(fields: fields, text: "x") }
      switch failure {
      case "disconnect": return .disconnect
      case "broken": return .raw("HTTP/1.1 200 OK\r\nETag: \"b\"\r\nContent-Length: 10\r\n\r\nabc")
      case "coding": return .response(fields: fields + [("Content-Encoding", "gzip")], text: "no gzip")
      case "digest": return .response(fields: fields + [("Repr-Digest", "sha-256=:AAAA:")], text: "y")
      default: return .response(500)
      }
    }
    try scenario.run("--compressed", scenario.url())
    scenario.clock.advance(bySeconds: 2)
    #expect(try scenario.run("--compressed", scenario.url()).status != 0)
    #expect(try scenario.run("--offline", scenario.url()).text == "x")
    #expect(try scenario.run("--compressed", "--forget-on-error", scenario.url()).status != 0)
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test(arguments: [false, true])
  func `--forget-on-error keeps a response that could not have answered the request`(_ isBroken: Bool) throws {
    let scenario = try Scenario { request in
      if request.method == "GET" { return .fresh(text: "x") }
      return isBroken ? .disconnect : .response(500)
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("--forget-on-error", "-d", "y", scenario.url()).status != 0)
    #expect(try scenario.run("--offline", scenario.url()).text == "x")
  }

  @Test(arguments: [["--no-store"], ["--no-store", "-u", "me:secret"], ["--no-store", "--cache-key", "a"]])
  func `--forget-on-error removes nothing when the fetch is kept out of the cache`(_ options: [String]) throws {
    let scenario = try Scenario { $0.number == 1 ? .fresh(text: "x") : .disconnect }
    try scenario.run(scenario.url())
    #expect(try scenario.run(["--forget-on-error"] + options + [scenario.url()]).status != 0)
    #expect(try scenario.run("--offline", scenario.url()).text == "x")
  }

  @Test func `--forget-on-error keeps a response that is served in the place of the failed one`() throws {
    let scenario = try Scenario { request in
      request.number == 1 ? .response(fields: [("Cache-Control", "max-age=1")], text: "x") : .disconnect
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 2)
    #expect(try scenario.run("--forget-on-error", scenario.url()).text == "x")
    #expect(try scenario.run("--offline", scenario.url()).text == "x")
  }

  // MARK: Age and staleness

  @Test func `request directives are sent, behind a Cache-Control of the user's own`() throws {
    let scenario = try Scenario(.response())
    try scenario.run("--max-age", "10", "--max-stale=1m", "--min-fresh", "5", scenario.url())
    try scenario.run("-H", "Cache-Control: no-transform", "--max-stale", scenario.url("/other"))
    #expect(
      scenario.origin.requests.map { $0.value("Cache-Control") } == [
        "max-age=10, max-stale=60, min-fresh=5", "no-transform, max-stale",
      ])
  }

  struct Row: CustomTestStringConvertible {
    let testDescription: String
    let options: [String]
    /// The age of the stored response in seconds; its lifetime is 100 s.
    let age: Int
    /// Whether the stored response is served without a request before it.
    let isServed: Bool
  }

  static let rows: [Row] = [
    Row(testDescription: "Not older than --max-age", options: ["--max-age", "50"], age: 50, isServed: true),
    Row(testDescription: "Older than --max-age", options: ["--max-age", "50"], age: 51, isServed: false),
    Row(testDescription: "Fresh for as long as --min-fresh", options: ["--min-fresh", "50"], age: 50, isServed: true),
    Row(testDescription: "Fresh for less than --min-fresh", options: ["--min-fresh", "50"], age: 51, isServed: false),
    Row(testDescription: "Stale by no more than --max-stale", options: ["--max-stale=50"], age: 150, isServed: true),
    Row(testDescription: "Stale by more than --max-stale", options: ["--max-stale=50"], age: 151, isServed: false),
    Row(testDescription: "Stale, with --max-stale alone", options: ["--max-stale"], age: 100_000, isServed: true),
    Row(
      testDescription: "Stale, but within the limit", options: ["--stale-while-revalidate=50"], age: 149,
      isServed: true),
    Row(
      testDescription: "Stale beyond the limit", options: ["--stale-while-revalidate=50"], age: 150, isServed: false),
  ]

  @Test(arguments: rows)
  func `an option for age or staleness decides what is served without a request`(_ row: Row) throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=100")], text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: UInt32(row.age))
    #expect(try scenario.run(row.options + [scenario.url()]).text == (row.isServed ? "1" : "2"))
    let isRevalidated = row.options.first?.contains("revalidate") == true
    #expect(scenario.detachedCount == (row.isServed && isRevalidated ? 1 : 0))
  }

  @Test(arguments: ["stale-while-revalidate", "max-stale"])
  func `a must-revalidate response is revalidated, whatever staleness the user allows`(_ option: String) throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=1, must-revalidate")], text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 2)
    #expect(try scenario.run("--\(option)", scenario.url()).text == "2")
  }

  struct ErrorRow: CustomTestStringConvertible {
    let options: [String]
    let lifetime: String
    let isServed: Bool

    var testDescription: String { "\(options) \(lifetime)" }
  }

  static let errorRows: [ErrorRow] = [
    ErrorRow(options: [], lifetime: "max-age=10", isServed: false),
    ErrorRow(options: ["--stale-if-error=91"], lifetime: "max-age=10", isServed: true),
    ErrorRow(options: ["--stale-if-error=90"], lifetime: "max-age=10", isServed: false),
    ErrorRow(options: ["--stale-if-error"], lifetime: "max-age=10", isServed: true),
    ErrorRow(options: ["--stale-if-error"], lifetime: "max-age=10, must-revalidate", isServed: false),
    ErrorRow(options: ["--stale-if-error"], lifetime: "max-age=1000, no-cache", isServed: false),
    ErrorRow(options: ["--cache-policy=network-first"], lifetime: "max-age=10, must-revalidate", isServed: true),
    ErrorRow(
      options: ["--cache-policy=network-first", "--stale-if-error=90"], lifetime: "max-age=10", isServed: false),
    ErrorRow(
      options: ["--cache-policy=network-first", "--stale-if-error=91"], lifetime: "max-age=10", isServed: true),
  ]

  @Test(arguments: errorRows)
  func `--stale-if-error decides what is served when the origin answers 503`(_ row: ErrorRow) throws {
    let scenario = try Scenario { request in
      request.number == 1 ? .response(fields: [("Cache-Control", row.lifetime)], text: "x") : .response(503)
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    let run = try scenario.run(row.options + [scenario.url()])
    #expect(run.status == (row.isServed ? 0 : 22) && run.text == (row.isServed ? "x" : ""))
  }

  @Test(arguments: [["--strip-header", "Vary"], ["--store-header", "Vary:"]])
  func `a Vary that is stripped is not seen on a 304 either`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      let fields = [("ETag", "\"a\""), ("Vary", "X-A"), ("Cache-Control", "max-age=0")]
      return request.has("If-None-Match") ? .response(304, fields: fields) : .response(fields: fields, text: "hello")
    }
    for _ in 0..<2 { #expect(try scenario.run(options + [scenario.url()]).text == "hello") }
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true])
  }
}
