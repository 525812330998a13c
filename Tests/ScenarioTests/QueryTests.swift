import TestSupport
import Testing

/// The QUERY method (RFC 10008).
@Suite struct QueryTests {
  /// An origin that answers with the method and the content of the request. Answers are fresh for a minute.
  private func echo(_ fields: [(String, String)] = []) throws -> Scenario {
    try Scenario { request in
      let text = "\(request.method) \(String(decoding: request.content, as: UTF8.self))"
      return .response(fields: [("Cache-Control", "max-age=60")] + fields, text: text)
    }
  }

  @Test func `the same query is a hit, offline too`() throws {
    let scenario = try echo()
    for _ in 1...2 { #expect(try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url()).text == "QUERY a=1") }
    #expect(scenario.asked == ["QUERY /"])
    scenario.origin.stop()
    #expect(try scenario.run("--offline", "-X", "QUERY", "-d", "a=1", scenario.url()).text == "QUERY a=1")
    let other = try scenario.run("--offline", "-X", "QUERY", "-d", "a=2", scenario.url())
    #expect(other.status == 110 && other.text == "")
  }

  @Test(arguments: [
    ["-X", "QUERY", "-d", "a=2"], ["-X", "QUERY"], ["-X", "QUERY", "--json", "a=1"],
    ["-X", "QUERY", "-d", "a=1", "-u", "me:secret"], [],
  ])
  func `a query with another content, type, user or method is a miss, and each is stored apart`(_ arguments: [String])
    throws
  {
    let scenario = try echo()
    try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url())
    let first = try scenario.run(arguments + [scenario.url()])
    #expect(scenario.origin.requests.count == 2)
    #expect(try scenario.run(arguments + [scenario.url()]).text == first.text)
    #expect(try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url()).text == "QUERY a=1")
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `a stale answer to a query is validated with the same content`() throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"1\"", fields: [("Cache-Control", "max-age=60")], text: "body")
    }
    try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url())
    scenario.clock.advance(bySeconds: 61)
    #expect(try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url()).text == "body")
    let asked = scenario.origin.requests
    #expect(asked.map(\.method) == ["QUERY", "QUERY"] && asked[1].has("If-None-Match"))
    #expect(asked[1].content == Array("a=1".utf8))
  }

  @Test func `a query whose validation fails with 412 is sent again without a condition`() throws {
    let scenario = try Scenario { request in
      request.has("If-None-Match")
        ? .response(412) : .response(fields: [("ETag", "\"1\""), ("Cache-Control", "no-cache")], text: "body")
    }
    for _ in 1...2 {
      let run = try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url())
      #expect(run.status == 0 && run.text == "body", "\(run.diagnostics)")
    }
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true, false])
    // The failure of the user's own precondition is reported.
    let own = ["-H", "If-Match: \"2\"", "-H", "If-None-Match: \"1\""]
    #expect(try scenario.run(["-X", "QUERY", "-d", "a=1"] + own + [scenario.url()]).status == 22)
  }

  @Test func `a query that breaks off is continued with the same content`() throws {
    let scenario = try Scenario { request in
      let shared = "ETag: \"1\"\r\nCache-Control: max-age=60\r\n"
      if !request.has("Range") { return .raw("HTTP/1.1 200 OK\r\n\(shared)Content-Length: 4\r\n\r\nbo") }
      let own = "Content-Range: bytes 2-3/4\r\nContent-Length: 2\r\n"
      return .raw("HTTP/1.1 206 Partial Content\r\n\(shared)\(own)\r\ndy")
    }
    #expect(try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url()).status == 18)
    #expect(try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url()).text == "body")
    #expect(scenario.origin.requests.map { String(decoding: $0.content, as: UTF8.self) } == ["a=1", "a=1"])
    #expect(scenario.origin.requests[1].value("If-Range") == "\"1\"")
    #expect(try scenario.run("--offline", "-X", "QUERY", "-d", "a=1", scenario.url()).text == "body")
  }

  @Test func `a query invalidates nothing, and is invalidated with its URL`() throws {
    let scenario = try echo()
    try scenario.run(scenario.url())
    try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).status == 0)
    try scenario.run("-X", "DELETE", scenario.url())
    #expect(try scenario.run("--offline", "-X", "QUERY", "-d", "a=1", scenario.url()).status == 110)
  }

  @Test(arguments: [301, 302, 307, 308])
  func `a redirected query keeps its method and content`(_ status: Int) throws {
    let scenario = try Scenario { request in
      request.target == "/"
        ? .response(status, fields: [("Location", "/there")], text: "") : .response(text: "there")
    }
    #expect(try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url()).text == "there")
    #expect(scenario.asked == ["QUERY /", "QUERY /there"])
    #expect(scenario.origin.requests[1].content == Array("a=1".utf8))
  }

  @Test func `a query that a 303 redirects becomes a GET without content`() throws {
    let scenario = try Scenario { request in
      request.target == "/" ? .response(303, fields: [("Location", "/there")], text: "") : .response(text: "there")
    }
    #expect(try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url()).text == "there")
    #expect(scenario.asked == ["QUERY /", "/there"])
    #expect(scenario.origin.requests[1].content.isEmpty && !scenario.origin.requests[1].has("Content-Type"))
  }

  @Test func `ls, show and explain name the method, and cat prefers the answer to GET`() throws {
    let scenario = try echo()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 1)
    try scenario.run("-X", "QUERY", "-d", "a=1", scenario.url())
    let listed = try scenario.run(onTerminalOf: 80, "cache", "ls").text
    #expect(listed.contains("  \(scenario.url())\n") && listed.contains("  QUERY \(scenario.url())\n"), "\(listed)")
    #expect(try scenario.run("cache", "ls", "--jsonl").text.contains(#""method":"QUERY""#))
    #expect(try scenario.run("cache", "show", scenario.url()).text.contains("method    QUERY\n"))
    #expect(try scenario.run("cache", "cat", scenario.url()).text == "GET ")
    let explained = try scenario.run("cache", "explain", "-X", "QUERY", "-d", "a=1", scenario.url()).text
    #expect(explained.hasPrefix("QUERY \(scenario.url())\n"))
    let answered = "QUERY may be answered from a stored response to the same query [RFC 10008 section 2.7]"
    #expect(explained.contains(answered))
    #expect(explained.contains("serve: it is fresh"))
    let other = try scenario.run("cache", "explain", "-X", "QUERY", "-d", "a=2", scenario.url()).text
    #expect(other.contains("no response is stored for this request"))
  }

  @Test func `a query with --no-store is sent each time`() throws {
    let scenario = try echo()
    for _ in 1...2 {
      #expect(try scenario.run("--no-store", "-X", "QUERY", "-d", "a=1", scenario.url()).text == "QUERY a=1")
    }
    #expect(scenario.origin.requests.count == 2)
  }
}
