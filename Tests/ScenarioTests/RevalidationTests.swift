import CTestSupport
import Glibc
import TestSupport
import Testing

/// stale-while-revalidate: RFC 5861 section 3.
@Suite struct RevalidationTests {
  private func scenario() throws -> Scenario {
    try Scenario { request in
      .response(
        fields: [("Cache-Control", "max-age=10, stale-while-revalidate=50"), ("ETag", "\"\(request.number)\"")],
        text: "\(request.number)")
    }
  }

  @Test func `within stale-while-revalidate, a stale body is served at once, and updated afterwards`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    let stale = try scenario.run("-w", " %{cache_result} %{cache_status}", scenario.url())
    #expect(stale.status == 0 && stale.text.hasPrefix("1 stale garner; hit; ttl=-10; "), "\(stale.text)")
    #expect(stale.text.contains("detail=stale-while-revalidate") && stale.diagnostics == "")
    #expect(scenario.detachedCount == 1 && scenario.origin.requests.count == 2)
    #expect(scenario.origin.requests.last?.value("If-None-Match") == "\"1\"")

    let fresh = try scenario.run(scenario.url())
    #expect(fresh.text == "2" && scenario.origin.requests.count == 2 && scenario.detachedCount == 1)
  }

  @Test func `with a cookie jar, a stale-while-revalidate response is validated before it is served`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    let jar = ["-c", scenario.directory.path("jar")]
    #expect(try scenario.run(["cache", "explain"] + jar + [scenario.url()]).text.contains("validate"))
    #expect(try scenario.run(jar + [scenario.url()]).text == "2" && scenario.detachedCount == 0)
    scenario.clock.advance(bySeconds: 20)
    #expect(try scenario.run(["-b", ""] + [scenario.url()]).text == "2" && scenario.detachedCount == 1)
  }

  @Test func `behind its stale-while-revalidate window, a response is validated before it is served`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    #expect(try scenario.run(scenario.url()).text == "2")
    #expect(scenario.detachedCount == 0)
  }

  @Test func `a response that has been updated meanwhile is not revalidated again`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url("/a"))
    scenario.clock.advance(bySeconds: 20)
    // Both URLs are served stale before the revalidation of either.
    #expect(try scenario.run(scenario.url("/a"), scenario.url("/a")).text == "11")
    #expect(scenario.asked == ["/a", "/a"])
  }

  @Test func `a response that was served stale to -I is revalidated as a whole`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=10, stale-while-revalidate=50")], text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    try scenario.run("-I", scenario.url())
    #expect(scenario.asked == ["/", "/"])
    #expect(try scenario.run("--offline", scenario.url()).text == "2")
  }

  @Test(arguments: ["Range: bytes=0-1", "If-None-Match: \"1\""])
  func `a response that was served stale to a range or a condition is revalidated as a whole`(_ field: String) throws {
    let scenario = try Scenario { request in
      validated(
        request, etag: request.number == 1 ? "\"1\"" : "\"2\"",
        fields: [("Cache-Control", "max-age=10, stale-while-revalidate=50")], text: "body \(request.number)")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    #expect(try scenario.run("-H", field, scenario.url()).text == (field.hasPrefix("R") ? "bo" : ""))
    let sent = try #require(scenario.origin.requests.last)
    #expect(!sent.has("Range") && sent.value("If-None-Match") == "\"1\"")
    #expect(try scenario.run("--offline", scenario.url()).text == "body 2")
  }

  @Test func `a stored part is revalidated as a part`() throws {
    let scenario = try Scenario { request in
      .response(
        206,
        fields: [
          ("Cache-Control", "max-age=10, stale-while-revalidate=50"), ("ETag", "\"\(request.number)\""),
          ("Content-Range", "bytes 0-1/9"),
        ], text: "\(request.number)\(request.number)")
    }
    try scenario.run("-r", "0-1", scenario.url())
    scenario.clock.advance(bySeconds: 20)
    #expect(try scenario.run("-r", "0-1", scenario.url()).text == "11")
    #expect(scenario.origin.requests.last?.value("Range") == "bytes=0-1")
    #expect(try scenario.run("-r", "0-1", scenario.url()).text == "22")
  }

  @Test func `a response that was served stale several times is revalidated once`() throws {
    let scenario = try Scenario(
      .response(fields: [("Cache-Control", "max-age=0, stale-while-revalidate=50")], text: "x"))
    try scenario.run(scenario.url())
    #expect(try scenario.run("-Z", scenario.url(), scenario.url(), scenario.url()).text == "xxx")
    #expect(scenario.origin.requests.count == 2)
    try scenario.run(scenario.url(), "-r", "0-0", scenario.url())
    #expect(scenario.origin.requests.count == 3)
  }

  @Test func `a background revalidation that fails leaves the stored response`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    scenario.origin.stop()
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.text == "1" && run.diagnostics == "")
    #expect(try scenario.run("--offline", "-s", scenario.url()).text == "1")
  }

  @Test func `--offline and --prefer-offline revalidate nothing in the background`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    try scenario.run("--offline", scenario.url())
    try scenario.run("--prefer-offline", scenario.url())
    #expect(scenario.detachedCount == 0)
  }

  @Test(.enabled(if: Machine.isRoot, "Only root may be others."))
  func `a stale response in a store that cannot be written is validated before it is served`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    let shard = try scenario.onlyEntry().split(separator: "/").dropLast().last ?? ""
    let directories = ["/..", "", "/v1", "/v1/tmp", "/v1/\(shard)"].map { scenario.cachePath + $0 }
    for place in directories + filesBelow(scenario.cachePath) + [scenario.directory.path] { chmod(place, 0o755) }
    testSupportBeUser(65_534)
    defer { testSupportBeUser(0) }
    for number in 2...3 {
      let run = try scenario.run(scenario.url())
      #expect(run.status == 0 && run.text == "\(number)" && run.diagnostics == "", "\(run)")
      #expect(scenario.origin.requests.last?.value("If-None-Match") == "\"1\"")
    }
    #expect(scenario.detachedCount == 0 && scenario.origin.requests.count == 3)
    let explained = try scenario.run("cache", "explain", scenario.url()).text
    #expect(explained.contains("validate: it is stale") && !explained.contains("background"), "\(explained)")
  }

  @Test func `with --memory-only, a stale-while-revalidate response is validated before it is served`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    let dryRun = try scenario.run("--memory-only", "--dry-run", scenario.url()).text
    #expect(dryRun.contains("validate: it is stale") && !dryRun.contains("background"), "\(dryRun)")
    #expect(try scenario.run("--memory-only", scenario.url()).text == "2")
    #expect(scenario.detachedCount == 0)
    let stale = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=0, stale-while-revalidate=50")], text: "\(request.number)")
    }
    #expect(try stale.run("--memory-only", stale.url(), stale.url()).text == "12")
  }

  @Test func `a HEAD that shows a newer representation removes the older one, though it may not be stored`() throws {
    let scenario = try Scenario { request in
      request.method == "HEAD"
        ? .response(fields: [("ETag", "\"b\""), ("Cache-Control", "no-store")])
        : .fresh([("ETag", "\"a\"")], text: "hello")
    }
    try scenario.run(scenario.url())
    try scenario.run("-I", "--reload", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `Cache-Control and Age count although Connection names them`() throws {
    let scenario = try Scenario(
      .response(
        fields: [("Connection", "close, Cache-Control, Age"), ("Cache-Control", "max-age=100"), ("Age", "90")],
        text: "hello"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    try scenario.run(scenario.url())
    #expect(scenario.origin.requests.count == 2)
  }
}
