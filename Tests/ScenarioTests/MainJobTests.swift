import Glibc
import TestSupport
import Testing

/// The main job of the cache: a response is fetched once, served from the store, validated, and served offline.
@Suite struct MainJobTests {
  @Test func `a fresh response is served from the store without a request`() throws {
    let scenario = try Scenario(.fresh(text: "hello"))
    let first = try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 59)
    let second = try scenario.run(scenario.url())
    #expect(first.status == 0 && first.text == "hello" && first.diagnostics == "")
    #expect(second.status == 0 && second.text == "hello" && second.diagnostics == "")
    #expect(scenario.asked == ["/"])
  }

  @Test func `a 304 yields the stored body and updates the stored fields`() throws {
    let scenario = try Scenario { request in
      let note = request.has("If-None-Match") ? "second" : "first"
      return validated(request, etag: "\"1\"", fields: [("Cache-Control", "max-age=60"), ("Note", note)], text: "body")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    let second = try scenario.run("-i", scenario.url())
    #expect(second.status == 0)
    #expect(second.text.hasPrefix("HTTP/1.1 200 OK\r\n") && second.text.hasSuffix("\r\n\r\nbody"))
    #expect(second.field("Note") == "second")
    #expect(second.field("Cache-Status")?.contains("garner; fwd=stale; fwd-status=304; stored; ttl=60") == true)

    scenario.clock.advance(bySeconds: 30)
    let hit = try scenario.run("-i", scenario.url())
    #expect(hit.field("Note") == "second" && hit.field("Age") == "30")
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `a changed response replaces the stored one`() throws {
    let scenario = try Scenario { request in
      .response(
        fields: [("ETag", "\"\(request.number)\""), ("Cache-Control", "max-age=10")], text: "\(request.number)")
    }
    #expect(try scenario.run(scenario.url()).text == "1")
    scenario.clock.advance(bySeconds: 11)
    #expect(try scenario.run(scenario.url()).text == "2")
    #expect(try scenario.run(scenario.url()).text == "2")
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `no-store is respected`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "no-store, max-age=60")], text: "secret"))
    try scenario.run(scenario.url())
    try scenario.run(scenario.url())
    #expect(scenario.asked == ["/", "/"])
    let files = filesBelow(scenario.cachePath).filter { $0.contains("/v1/") }
    #expect(files.allSatisfy { $0.hasSuffix("/v1/lock") || $0.hasSuffix("/v1/tallies") }, "\(files)")
    for file in files { #expect(try !String(decoding: readFile(file), as: UTF8.self).contains("secret"), "\(file)") }
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "FROBNICATE"])
  func `an unsafe method invalidates the stored response for its URL`(_ method: String) throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run(scenario.url("/a"))
    try scenario.run("-X", method, scenario.url("/a"))
    try scenario.run(scenario.url("/a"))
    #expect(scenario.asked == ["/a", "\(method) /a", "/a"])
  }

  @Test func `an unsafe method that fails invalidates nothing`() throws {
    let scenario = try Scenario { request in
      request.method == "POST" ? .response(500) : .fresh(text: "x")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("-d", "x", scenario.url()).status == 22)
    try scenario.run(scenario.url())
    #expect(scenario.asked == ["/", "POST /"])
  }

  @Test func `an unsafe method invalidates by the head of its answer, whatever becomes of the content`() throws {
    let scenario = try Scenario { request in
      request.method == "POST"
        ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        : .fresh(text: "x")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("-d", "x", scenario.url()).status == 18)
    try scenario.run(scenario.url())
    #expect(scenario.asked == ["/", "POST /", "/"])
  }

  @Test func `an unsafe method invalidates at the head of its answer, and again behind its content`() throws {
    let isOver = Gate()
    let scenario = try Scenario { request in
      if request.method == "GET" { return .fresh(text: "\(request.number)") }
      let head = OriginAnswer.head(200, nil, fields: [("Content-Length", "2")])
      return OriginAnswer([.bytes(head + Array("a".utf8)), .wait(isOver), .bytes(Array("b".utf8))])
    }
    try scenario.run(scenario.url())
    let post = scenario.start("-N", "-d", "x", "-o", "/dev/null", scenario.url())
    // Waits until the stored response is gone.
    while try scenario.run("--offline", scenario.url()).status == 0 {}
    // The origin's answer in the meantime may be out of date.
    #expect(try scenario.run(scenario.url()).text == "3")
    isOver.open()
    #expect(try post.finish().status == 0)
    #expect(try scenario.run(scenario.url()).text == "4")
  }

  @Test(arguments: [[], ["--reload"], ["--store-hook", "true"], ["--collapse-timeout", "0"]])
  func `a response requested before an unsafe method invalidates its URL is delivered and not stored`(
    _ options: [String]
  ) throws {
    let isOver = Gate()
    let scenario = try Scenario { request in
      switch request.method {
      case "GET" where request.number == 2:
        let head = OriginAnswer.head(200, nil, fields: [("Content-Length", "2"), OriginAnswer.freshForAMinute])
        return OriginAnswer([.bytes(head + Array("1".utf8)), .wait(isOver), .bytes(Array("\n".utf8))])
      case "GET": return .fresh(text: "\(request.number)")
      default: return .response(204)
      }
    }
    try scenario.run(scenario.url("/other"))
    let early = scenario.start(["-v", scenario.url()] + options)
    #expect(scenario.origin.hasSeen(requests: 2))
    try scenario.run("-X", "PUT", "-d", "x", scenario.url())
    isOver.open()
    let run = try early.finish()
    #expect(run.status == 0 && run.text == "1\n")
    #expect(run.diagnostics.contains("it was requested before its URL was invalidated"), "\(run)")
    for _ in 0..<2 { #expect(try scenario.run(scenario.url()).text == "4") }
  }

  @Test func `a response that comes while the cache is removed is delivered and not stored`() throws {
    let isOver = Gate()
    let scenario = try Scenario { request in
      guard request.target == "/" else { return .fresh(text: "other") }
      let head = OriginAnswer.head(200, nil, fields: [("Content-Length", "2"), OriginAnswer.freshForAMinute])
      return OriginAnswer([.bytes(head + Array("1".utf8)), .wait(isOver), .bytes(Array("\n".utf8))])
    }
    try scenario.run("-X", "PUT", "-d", "x", scenario.url("/other"))
    let run = scenario.start(["-v", scenario.url()])
    #expect(scenario.origin.hasSeen(requests: 2))
    #expect(unlink(scenario.cachePath + "/v1/lock") == 0)
    isOver.open()
    let result = try run.finish()
    #expect(result.status == 0 && result.text == "1\n")
    let words = "the cache has changed while it came: its lock file is not the same any more"
    #expect(result.diagnostics.contains(words), "\(result)")
    #expect(scenario.entryFiles == [])
  }

  @Test func `an unsafe method whose answer cannot be read invalidates, because it may have succeeded`() throws {
    let scenario = try Scenario { request in
      request.method == "GET" ? .fresh(text: "x") : .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("-X", "PUT", "-d", "x", scenario.url()).status == 61)
    try scenario.run(scenario.url())
    #expect(scenario.asked == ["/", "PUT /", "/"])
  }

  @Test func `a stored response is served offline, with a warning if it is stale`() throws {
    let scenario = try Scenario(.fresh(text: "kept"))
    try scenario.run(scenario.url())
    scenario.origin.stop()
    let fresh = try scenario.run("--offline", scenario.url())
    #expect(fresh.status == 0 && fresh.text == "kept" && fresh.diagnostics == "")
    scenario.clock.advance(bySeconds: 100)
    let stale = try scenario.run("--offline", scenario.url())
    #expect(stale.status == 0 && stale.text == "kept")
    #expect(stale.diagnostics == "garner: warning: \(scenario.url()) is served, stale for 40 s\n")
  }

  @Test func `an absent response is status 110 offline, a 504 with -i, and nothing is sent`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("--offline", "-i", scenario.url("/absent"))
    #expect(run.status == 110)
    #expect(run.text.hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
    #expect(run.field("Cache-Status")?.hasPrefix("garner; key=") == true)
    #expect(run.diagnostics.hasPrefix("garner: \(scenario.url("/absent")) is not in the cache"))
    #expect(scenario.origin.connectionCount == 0)
  }

  @Test func `offline, an unsafe method is status 110 and not sent`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("--offline", "-d", "x", scenario.url())
    #expect(run.status == 110 && run.diagnostics.contains("POST \(scenario.url()) is not answered from the cache"))
    #expect(scenario.origin.connectionCount == 0)
  }

  @Test func `GARNER_OFFLINE=1 means offline, a typed policy overrides it, and 0 turns it off`() throws {
    let scenario = try Scenario(.response(text: "x"))
    scenario.environment["GARNER_OFFLINE"] = "1"
    #expect(try scenario.run(scenario.url()).status == 110)
    #expect(try scenario.run("--reload", scenario.url()).status == 0)
    scenario.environment["GARNER_OFFLINE"] = "0"
    #expect(try scenario.run(scenario.url()).status == 0)
  }

  @Test func `a clock that was put back makes a response stale, never of negative age`() throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"1\"", fields: [("Cache-Control", "max-age=60")], text: "x")
    }
    try scenario.run(scenario.url())
    scenario.clock.set(seconds: scenario.clock.seconds - 1000)
    #expect(try scenario.run(scenario.url()).text == "x")
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `a body that breaks off is status 18 and not stored`() throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .raw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nhalf")
        : .fresh(text: "0123456789")
    }
    let broken = try scenario.run(scenario.url())
    #expect(broken.status == 18 && broken.text == "half")
    #expect(broken.diagnostics.contains("4 of 10 bytes"))
    #expect(try scenario.run(scenario.url()).text == "0123456789")
  }

  @Test(.enabled(if: canListenOnIPv6())) func `IPv6 origins are reached and stored`() throws {
    let scenario = try Scenario(.ipv6) { _ in .fresh(text: "six") }
    #expect(try scenario.run(scenario.url()).text == "six")
    #expect(try scenario.run(scenario.url()).text == "six")
    #expect(scenario.origin.requests.count == 1)
  }
}
