import TestSupport
import Testing

/// What users of NSURLCache, URLRequest and AFNetworking expect, by the names that Apple and AFNetworking use; see
/// docs/from-urlcache.md.
@Suite struct AppleTests {
  /// An origin whose answers are fresh for a minute, numbered, and validated by an entity tag that never changes.
  private static func tagged(_ fields: [(String, String)] = []) throws -> Scenario {
    try Scenario { request in
      validated(request, etag: "\"e\"", fields: [("Cache-Control", "max-age=60")] + fields, text: "\(request.number)")
    }
  }

  /// A scenario with a stored response, fresh or stale.
  private static func stored(isStale: Bool) throws -> Scenario {
    let scenario = try tagged()
    try scenario.run(scenario.url())
    if isStale { scenario.clock.advance(bySeconds: 61) }
    return scenario
  }

  /// A short description of each request after the first.
  private static func sent(_ scenario: Scenario) -> [String] {
    scenario.origin.requests.dropFirst().map { request in
      let condition = request.has("If-None-Match") ? " conditional" : ""
      return request.method + condition + (request.value("Cache-Control").map { " \($0)" } ?? "")
    }
  }

  // MARK: URLRequest.CachePolicy

  @Test func `useProtocolCachePolicy serves a fresh response, and validates a stale one by GET, never by HEAD`() throws
  {
    let fresh = try Self.stored(isStale: false)
    #expect(try fresh.run("--cache-policy", "useProtocolCachePolicy", fresh.url()).text == "1")
    #expect(Self.sent(fresh) == [])
    let stale = try Self.stored(isStale: true)
    #expect(try stale.run("--cache-policy", "NSURLRequestUseProtocolCachePolicy", stale.url()).text == "1")
    #expect(Self.sent(stale) == ["GET conditional"])
  }

  @Test(arguments: ["reloadIgnoringLocalCacheData", "reloadIgnoringCacheData", "NSURLRequestReloadIgnoringCacheData"])
  func `reloadIgnoringLocalCacheData asks the origin without a directive, and replaces the stored response`(
    _ name: String
  ) throws {
    let scenario = try Self.stored(isStale: false)
    let run = try scenario.run("-i", "--cache-policy", name, scenario.url())
    #expect(run.text.hasSuffix("2") && run.field("Cache-Status")?.contains("fwd=request") == true)
    #expect(Self.sent(scenario) == ["GET"])
    #expect(try scenario.run("--offline", scenario.url()).text == "2")
  }

  @Test func `reloadIgnoringLocalCacheData removes the stored response when the answer may not be stored`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", request.number == 1 ? "max-age=60" : "no-store")], text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("--cache-policy", "reloadIgnoringLocalCacheData", scenario.url()).text == "2")
    #expect(try scenario.run("--cache-policy", "returnCacheDataDontLoad", scenario.url()).status == 110)
  }

  @Test func `reloadIgnoringLocalAndRemoteCacheData is implemented, and sends no-cache to the caches on the way`()
    throws
  {
    let scenario = try Self.stored(isStale: false)
    let run = try scenario.run("--cache-policy", "reloadIgnoringLocalAndRemoteCacheData", scenario.url())
    #expect(run.text == "2" && Self.sent(scenario) == ["GET no-cache"])
    #expect(scenario.origin.requests.last?.value("Pragma") == "no-cache")
  }

  @Test(arguments: [false, true])
  func `reloadRevalidatingCacheData is implemented: it validates, and delivers the stored body`(_ isStale: Bool) throws
  {
    let scenario = try Self.stored(isStale: isStale)
    let run = try scenario.run("--cache-policy", "reloadRevalidatingCacheData", scenario.url())
    #expect(run.text == "1" && Self.sent(scenario) == ["GET conditional max-age=0"])
  }

  @Test(arguments: [false, true])
  func `returnCacheDataElseLoad serves a stored response of any age, and else loads`(_ isStale: Bool) throws {
    let scenario = try Self.stored(isStale: isStale)
    let policy = ["--cache-policy", "returnCacheDataElseLoad"]
    #expect(try scenario.run(policy + [scenario.url()]).text == "1")
    #expect(try scenario.run(policy + [scenario.url("/absent")]).text == "2")
    #expect(scenario.asked == ["/", "/absent"])
  }

  @Test(arguments: [false, true])
  func `returnCacheDataDontLoad serves a stored response of any age, and else sends nothing, for status 110`(
    _ isStale: Bool
  ) throws {
    let scenario = try Self.stored(isStale: isStale)
    let policy = ["--cache-policy", "returnCacheDataDontLoad"]
    #expect(try scenario.run(policy + [scenario.url()]).text == "1")
    let absent = try scenario.run(policy + ["-i", scenario.url("/absent")])
    #expect(absent.status == 110 && absent.text.hasPrefix("HTTP/1.1 504 "))
    #expect(scenario.origin.connectionCount == 1)
  }

  @Test(arguments: ["protocol", "default", "useprotocolcachepolicy", "NSURLREQUESTUSEPROTOCOLCACHEPOLICY"])
  func `a policy is named in any of three vocabularies, without regard to case`(_ name: String) throws {
    let scenario = try Self.stored(isStale: false)
    #expect(try scenario.run("--cache-policy", name, scenario.url()).text == "1" && Self.sent(scenario) == [])
  }

  @Test func `the request's policy has precedence over the session's, and that over the manager's`() throws {
    let scenario = try Self.stored(isStale: false)
    let site = "[site \"\(scenario.url("/*"))\"]\ncache-policy = reloadIgnoringLocalCacheData\n"
    try scenario.directory.write("cache-policy = reloadIgnoringLocalAndRemoteCacheData\n" + site, to: "session")
    try scenario.directory.write("cache-policy = reloadIgnoringLocalAndRemoteCacheData\n", to: "manager")
    try scenario.run("--config", scenario.directory.path("manager"), scenario.url())
    try scenario.run("--config", scenario.directory.path("session"), scenario.url())
    try scenario.run(
      "--config", scenario.directory.path("session"), "--cache-policy", "reloadRevalidatingCacheData", scenario.url())
    #expect(Self.sent(scenario) == ["GET no-cache", "GET", "GET conditional max-age=0"])
  }

  // MARK: The Fetch standard's cache modes

  @Test(arguments: [
    ("default", "1", []), ("reload", "2", ["GET"]), ("no-cache", "1", ["GET conditional max-age=0"]),
    ("force-cache", "1", []), ("only-if-cached", "1", []), ("no-store", "2", ["GET"]),
  ])
  func `a cache mode of fetch() treats a fresh response as the Fetch standard says`(
    _ mode: String, _ body: String, _ sent: [String]
  ) throws {
    let scenario = try Self.stored(isStale: false)
    #expect(try scenario.run("--cache-policy", mode, scenario.url()).text == body)
    #expect(Self.sent(scenario) == sent)
  }

  // MARK: NSURLCache

  @Test func `storeCachedResponse: reading and writing are separate, and a no-cache request still stores`() throws {
    let scenario = try Self.tagged()
    #expect(try scenario.run("-H", "Cache-Control: no-cache", scenario.url()).text == "1")
    #expect(try scenario.run("--offline", scenario.url()).text == "1")
    #expect(try scenario.run("--reload", scenario.url("/b")).text == "2")
    #expect(try scenario.run("--offline", scenario.url("/b")).text == "2")
  }

  @Test func `storeCachedResponse: any status that RFC 9111 allows is stored, not only 200 to 299`() throws {
    for status in [204, 301, 404, 410] {
      let scenario = try Scenario(.response(status, fields: [("Cache-Control", "max-age=60")], text: ""))
      try scenario.run(scenario.url())
      #expect(try scenario.run("--offline", "--no-fail", "-w", "%{http_code}", scenario.url()).text == "\(status)")
    }
  }

  @Test func `cachedResponse(for:): cache show and cat print the stored response, and are 110 without one`() throws {
    let scenario = try Self.stored(isStale: false)
    #expect(try scenario.run("cache", "cat", scenario.url()).text == "1")
    #expect(try scenario.run("cache", "show", "--headers", scenario.url()).text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(try scenario.run("cache", "show", scenario.url("/absent")).status == 110)
    #expect(try scenario.run("cache", "cat", scenario.url("/absent")).status == 110)
  }

  @Test func `removeCachedResponse(for:) is cache rm URL, and removeAllCachedResponses() is cache rm --all`() throws {
    let scenario = try Self.tagged()
    for path in ["/a", "/b", "/c"] { try scenario.run(scenario.url(path)) }
    try scenario.run("cache", "rm", scenario.url("/a"))
    #expect(try scenario.run("--offline", scenario.url("/a")).status == 110)
    #expect(try scenario.run("--offline", scenario.url("/b")).status == 0)
    try scenario.run("cache", "rm", "--all")
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `cache stats prints currentDiskUsage and diskCapacity`() throws {
    let scenario = try Self.stored(isStale: false)
    let told = try scenario.run("cache", "stats", "--disk-capacity", "1M").text
    #expect(told.contains("entries\t1\n") && told.contains("capacity\t1048576\n"))
  }

  @Test func `a response larger than 5 % of diskCapacity is delivered, and not stored`() throws {
    let scenario = try Scenario { request in
      let count = request.target == "/large" ? 501 : 500
      return .fresh(text: String(repeating: "x", count: count))
    }
    let large = try scenario.run("--disk-capacity", "10000", "-i", scenario.url("/large"))
    #expect(large.status == 0 && large.text.hasSuffix("xxx"))
    #expect(large.field("Cache-Status")?.contains("detail=too-large") == true)
    #expect(try scenario.run("--offline", scenario.url("/large")).status == 110)
    try scenario.run("--disk-capacity", "10000", scenario.url("/small"))
    #expect(try scenario.run("--offline", scenario.url("/small")).status == 0)
  }

  @Test func `diskCapacity 0 and memoryCapacity 0 turn their tier off`() throws {
    let scenario = try Self.tagged()
    try scenario.run("--disk-capacity", "0", scenario.url())
    #expect(filesBelow(scenario.cachePath).isEmpty)
    let memory = try scenario.run("--memory-only", "--memory-capacity", "0", scenario.url(), scenario.url())
    #expect(memory.text == "23")
  }

  @Test func `URLCache.StoragePolicy.allowed: a response is stored on the disk, for later runs`() throws {
    let scenario = try Self.stored(isStale: false)
    #expect(try scenario.run(scenario.url()).text == "1" && Self.sent(scenario) == [])
  }

  @Test func `URLCache.StoragePolicy.allowedInMemoryOnly: no byte reaches the disk, and the disk is still read`() throws
  {
    let scenario = try Self.tagged()
    #expect(try scenario.run("--memory-only", scenario.url(), scenario.url()).text == "11")
    #expect(filesBelow(scenario.cachePath).isEmpty)
    try scenario.run(scenario.url())
    #expect(try scenario.run("--memory-only", scenario.url()).text == "2")
  }

  @Test func `URLCache.StoragePolicy.notAllowed: nothing is stored`() throws {
    let scenario = try Self.tagged()
    for number in 1...2 { #expect(try scenario.run("--no-store", scenario.url()).text == "\(number)") }
    #expect(filesBelow(scenario.cachePath).isEmpty)
  }

  @Test func `NSURLCache keys by URL alone: here a POST with other parameters never gets the wrong body`() throws {
    let scenario = try Scenario { request in
      .response(
        fields: [("Cache-Control", "max-age=600"), ("Content-Location", request.target)],
        text: String(decoding: request.content, as: UTF8.self))
    }
    for declared in [[], ["--cache-post"]] {
      for parameters in ["a=1", "a=2", "a=1", "b=1&a=1"] {
        for policy in ["useProtocolCachePolicy", "returnCacheDataElseLoad"] {
          let post = declared + ["--cache-policy", policy, "-d", parameters, scenario.url()]
          #expect(try scenario.run(post).text == parameters)
          let dontLoad = [
            "--cache-policy", "returnCacheDataDontLoad", "-d", parameters + "&never=sent", scenario.url(),
          ]
          let never = try scenario.run(declared + dontLoad)
          #expect(never.status == 110 && never.text == "")
        }
      }
    }
    #expect(!scenario.origin.requests.contains { String(decoding: $0.content, as: UTF8.self).hasSuffix("never=sent") })
  }

  @Test func `NSURLCache keys by URL alone: here Vary and credentials are part of the selection`() throws {
    let scenario = try Self.tagged([("Vary", "Accept-Language")])
    #expect(try scenario.run("-H", "Accept-Language: de", scenario.url()).text == "1")
    #expect(try scenario.run("-H", "Accept-Language: en", scenario.url()).text == "2")
    #expect(try scenario.run("-u", "me:a", "-H", "Accept-Language: de", scenario.url()).text == "3")
    #expect(try scenario.run("-H", "Accept-Language: de", scenario.url()).text == "1")
  }

  // MARK: URLSessionDataDelegate

  @Test(arguments: [["--store-header", "Cache-Control: max-age=1000"], ["--ttl", "1000s"]])
  func `willCacheResponse: a lifetime of one's own is in the stored response, not in the delivered one`(
    _ options: [String]
  ) throws {
    let scenario = try Self.tagged()
    let first = try scenario.run(options + ["-i", scenario.url()])
    #expect(first.field("Cache-Control") == "max-age=60")
    scenario.clock.advance(bySeconds: 999)
    #expect(try scenario.run(scenario.url()).text == "1" && Self.sent(scenario) == [])
    scenario.clock.advance(bySeconds: 2)
    #expect(try scenario.run(scenario.url()).text == "1" && Self.sent(scenario) == ["GET conditional"])
  }

  @Test func `willCacheResponse: a field is stripped before the response is stored`() throws {
    let scenario = try Scenario(
      .response(fields: [("Cache-Control", "max-age=60"), ("Set-Cookie", "s=1"), ("Pragma", "no-cache")], text: "x"))
    let options = ["--strip-header", "Set-Cookie", "--strip-header", "Pragma", "-i", scenario.url()]
    #expect(try scenario.run(options).field("Set-Cookie") == "s=1")
    let stored = try scenario.run("--offline", "-i", scenario.url())
    #expect(stored.text.hasSuffix("x") && stored.field("Set-Cookie") == nil && stored.field("Pragma") == nil)
  }

  @Test func `willCacheResponse: with --store-status, only the given status codes are stored`() throws {
    let scenario = try Scenario { request in
      .response(request.target == "/gone" ? 404 : 200, fields: [("Cache-Control", "max-age=60")], text: "x")
    }
    for path in ["/", "/gone"] { try scenario.run("--store-status", "200", scenario.url(path)) }
    #expect(try scenario.run("--offline", scenario.url()).status == 0)
    #expect(try scenario.run("--offline", scenario.url("/gone")).status == 110)
  }

  @Test func `NSCachedURLResponse.userInfo: a date stamp of one's own is kept with the response`() throws {
    let scenario = try Self.tagged()
    try scenario.run("--tag", "stamp=2026-11-21", scenario.url())
    #expect(try scenario.run("cache", "show", scenario.url()).text.contains("tag       stamp=2026-11-21\n"))
  }

  @Test func `didCompleteWithError: the stored response stays, unless --forget-on-error removes it`() throws {
    let scenario = try Scenario { request in
      let fields = [("Cache-Control", "max-age=60, must-revalidate")]
      return request.number == 1 ? .response(fields: fields, text: "x") : .disconnect
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    #expect(try scenario.run(scenario.url()).status != 0)
    #expect(try scenario.run("--offline", scenario.url()).text == "x")
    #expect(try scenario.run("--forget-on-error", scenario.url()).status != 0)
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  // MARK: AFNetworking

  static let reachability: [(String, String, Int32)] = [
    ("AFNetworkReachabilityStatusNotReachable", "not-reachable", 110),
    ("AFNetworkReachabilityStatusUnknown", "unknown", 0), ("AFNetworkReachabilityStatusReachableViaWWAN", "wwan", 0),
    ("AFNetworkReachabilityStatusReachableViaWiFi", "wifi", 0),
  ]

  @Test(arguments: reachability)
  func `AFNetworkReachabilityManager: each state selects a policy`(
    _ name: String, _ state: String, _ status: Int32
  ) throws {
    let scenario = try Self.stored(isStale: true)
    let run = try scenario.run("--reachability", state, scenario.url())
    #expect(run.status == 0 && run.text == "1", "\(name)")
    let asks = state == "unknown" || state == "wifi"
    #expect(Self.sent(scenario) == (asks ? ["GET conditional"] : []), "\(name)")
    #expect(try scenario.run("--reachability", state, scenario.url("/absent")).status == status, "\(name)")
  }

  @Test func `AFNetworkReachabilityManager: the user chooses a state's policy, and --cache-policy overrides it`()
    throws
  {
    let scenario = try Self.stored(isStale: true)
    let offline = ["--reachability", "not-reachable", "--reachability-policy", "not-reachable=returnCacheDataElseLoad"]
    #expect(try scenario.run(offline + [scenario.url("/absent")]).text == "2")
    let named = ["--reachability", "not-reachable", "--cache-policy", "reloadIgnoringLocalCacheData", scenario.url()]
    #expect(try scenario.run(named).text == "3")
  }
}
