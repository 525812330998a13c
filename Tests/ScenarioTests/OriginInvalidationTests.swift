import HTTPSemantics
import TestSupport
import Testing
import Transport

/// Clear-Site-Data, and cache groups (RFC 9875).
@Suite struct OriginInvalidationTests {
  /// A transport that answers for every origin, also https, without a connection.
  private final class CannedTransport: Transport {
    func send(
      _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
    ) throws(TransportError) {
      let target = message.request.target
      var fields: Fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
      if target.pathAndQuery.hasPrefix("/vary") { fields.append("Vary", "Accept") }
      if let query = target.query {
        fields.append("Clear-Site-Data", FieldValue(query == "cache" ? #""cache""# : "\(query)"))
      }
      if message.request.fields.contains("If-None-Match") {
        _ = receiver.receive(head: Response(304, fields: fields), framing: .storable)
        return
      }
      fields.append("Content-Length", "4")
      guard receiver.receive(head: Response(200, reason: "OK", fields: fields), framing: .storable) == .proceed else {
        return
      }
      _ = Array("body".utf8).withUnsafeBytes { receiver.receive(content: $0) }
    }
  }

  @Test func `Clear-Site-Data drops responses on the disk, even if the disk is turned off`() throws {
    let scenario = try Scenario(.response(text: "x"))
    scenario.transport = CannedTransport()
    for url in ["https://site.test/a", "https://other.test/"] { try scenario.run(url) }
    #expect(try scenario.run("--disk-capacity", "0", "https://site.test/b?cache").status == 0)
    #expect(try scenario.run("cache", "ls", "-0").text == "https://other.test/\0")
  }

  @Test func `Clear-Site-Data drops every entry of its origin, and its own answer may be stored`() throws {
    let scenario = try Scenario(.response(text: "x"))
    scenario.transport = CannedTransport()
    let others = ["https://other.test/", "http://site.test/", "https://site.test:8443/"]
    let own = ["https://site.test/a", "https://site.test/b"]
    for url in others + own { try scenario.run(url) }
    for type in ["a/a", "b/b"] { try scenario.run("-H", "Accept: \(type)", "https://site.test/vary") }
    try scenario.run("-u", "me:secret", "https://site.test/a")
    #expect(scenario.entryFiles.count == others.count + own.count + 3 + 1)

    let run = try scenario.run("-v", "https://site.test/?cache")
    #expect(run.status == 0 && run.text == "body")
    #expect(run.diagnostics.contains("* cache: Clear-Site-Data of https://site.test: responses removed: 5\n"))
    #expect(scenario.entryFiles.count == others.count + 1)
    for url in own { #expect(try scenario.run("--offline", url).status == 110) }
    for url in others + ["https://site.test/?cache"] { #expect(try scenario.run("--offline", url).text == "body") }
  }

  @Test(arguments: [
    ["http://site.test/?cache"], ["--insecure", "https://site.test/?cache"], ["https://site.test/?*"],
  ])
  func `Clear-Site-Data over http, without verification, or without quotes drops nothing`(_ arguments: [String]) throws
  {
    let scenario = try Scenario(.response(text: "x"))
    scenario.transport = CannedTransport()
    for scheme in ["http", "https"] { try scenario.run("\(scheme)://site.test/") }
    #expect(try scenario.run(arguments).status == 0)
    for scheme in ["http", "https"] { #expect(try scenario.run("--offline", "\(scheme)://site.test/").status == 0) }
  }

  @Test func `a response whose 304 has Clear-Site-Data is served once more, and removed`() throws {
    let scenario = try Scenario(.response(text: "x"))
    scenario.transport = CannedTransport()
    try scenario.run("https://site.test/?cache")
    scenario.clock.advance(bySeconds: 61)
    #expect(try scenario.run("https://site.test/?cache").text == "body")
    #expect(scenario.entryFiles.isEmpty)
  }

  private static let targets = ["/1", "/2", "/3"]

  /// /1 is in the groups "a" and "b", /2 in "b", /3 in none. The answers of /do?GROUP and /fail?GROUP name the group as
  /// one to invalidate; the latter is an error.
  private func grouped() throws -> Scenario {
    let groups = ["/1": #""a", "b""#, "/2": #""b""#]
    let scenario = try Scenario { request in
      if ["/do", "/fail"].contains(request.path) {
        let fields = [("Cache-Group-Invalidation", "\"\(request.query)\"")]
        return .response(request.path == "/fail" ? 500 : 200, fields: fields, text: "done")
      }
      return .fresh([("Cache-Groups", groups[request.path] ?? "")], text: "body")
    }
    for target in Self.targets { try scenario.run(scenario.url(target)) }
    return scenario
  }

  private func stored(in scenario: Scenario) throws -> [String] {
    try Self.targets.filter { try scenario.run("--offline", scenario.url($0)).status == 0 }
  }

  @Test(arguments: [("a", ["/2", "/3"]), ("b", ["/3"]), ("c", ["/1", "/2", "/3"])])
  func `the answer to an unsafe request invalidates the cache groups that it names`(_ group: String, _ left: [String])
    throws
  {
    let scenario = try grouped()
    let run = try scenario.run("-v", "-d", "x", scenario.url("/do?\(group)"))
    #expect(run.status == 0 && run.diagnostics.contains("responses removed: \(3 - left.count)\n"))
    #expect(try stored(in: scenario) == left)
    let before = scenario.asked.count
    for target in Self.targets { #expect(try scenario.run(scenario.url(target)).text == "body") }
    #expect(Array(scenario.asked.dropFirst(before)) == Self.targets.filter { !left.contains($0) })
  }

  @Test(arguments: [[], ["-I"]])
  func `the answer to a GET or a HEAD invalidates no cache group`(_ options: [String]) throws {
    let scenario = try grouped()
    #expect(try scenario.run(options + [scenario.url("/do?b")]).status == 0)
    #expect(try stored(in: scenario) == Self.targets)
  }

  @Test func `the invalidation of a cache group also removes the list of variants`() throws {
    let scenario = try Scenario { request in
      if request.method == "POST" {
        return .response(fields: [("Cache-Group-Invalidation", #""a""#)], text: "done")
      }
      return .fresh([("Cache-Groups", #""a""#), ("Vary", "Accept")], text: "body")
    }
    for type in ["text/a", "text/b"] { try scenario.run("-H", "Accept: \(type)", scenario.url("/?token=x")) }
    #expect(scenario.entryFiles.count == 3)
    try scenario.run("-d", "x", scenario.url("/do"))
    #expect(scenario.entryFiles == [])
  }

  @Test func `an error in answer to an unsafe request invalidates no cache group`() throws {
    let scenario = try grouped()
    #expect(try scenario.run("-d", "x", scenario.url("/fail?b")).status == 22)
    #expect(try stored(in: scenario) == Self.targets)
  }

  @Test func `cache groups are invalidated under --no-store, too`() throws {
    let scenario = try grouped()
    try scenario.run("--no-store", "-d", "x", scenario.url("/do?b"))
    #expect(try stored(in: scenario) == ["/3"])
  }
}
