import Foundation
import TestSupport
import Testing

/// `garner cache explain`: its output, and that a fetch does what it says.
@Suite struct ExplainTests {
  /// The rows behind a name, with the rows below them that have no name.
  private func rows(_ name: String, in text: String) -> [String] {
    var found: [String] = []
    var isIn = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let label = line.prefix(19).trimmingCharacters(in: .whitespaces)
      let isContinued = label.isEmpty && !line.isEmpty && isIn
      isIn = isContinued || label == name
      if isIn { found.append(String(line.dropFirst(19))) }
    }
    return found
  }

  private func object(_ run: Scenario.Run) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output)) as? [String: Any])
  }

  private func policy(_ name: String, in object: [String: Any]) throws -> [String: Any] {
    let policies = try #require(object["policies"] as? [[String: Any]])
    return try #require(policies.first { $0["policy"] as? String == name })
  }

  @Test func `cache explain does not select a response stored without credentials for a request with some`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    try scenario.run(scenario.url())
    for _ in 0..<2 {
      let run = try scenario.run("cache", "explain", "--json", "-H", "Authorization: Bearer x", scenario.url())
      let explained = try object(run)
      #expect(explained["stored_for_others"] as? Int == 1 && (explained["variants"] as? [Any])?.isEmpty == true)
      // This fetch stores a variant.
      try scenario.run("-H", "Authorization: Bearer y", scenario.url("/other"))
    }
  }

  // MARK: Agreement with a fetch

  enum Situation: String, CaseIterable {
    case absent, fresh, stale
    case noCache = "no-cache"
    case mustRevalidate = "must-revalidate"
    case varyMiss = "vary-miss"
    case staleWhileRevalidate = "stale-while-revalidate"
    case credentials
    case method
    case contentLeft = "content-left"
    case contentLeftOfUnsafe = "content-left, unsafe"

    var fields: [(String, String)] {
      switch self {
      case .noCache: [("Cache-Control", "max-age=60, no-cache")]
      case .mustRevalidate: [("Cache-Control", "max-age=60, must-revalidate")]
      case .staleWhileRevalidate: [("Cache-Control", "max-age=60, stale-while-revalidate=60")]
      case .varyMiss: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")]
      default: [("Cache-Control", "max-age=60")]
      }
    }

    var isStale: Bool { [.stale, .mustRevalidate, .staleWhileRevalidate].contains(self) }

    /// The options of the run that is explained.
    var options: [String] {
      switch self {
      case .varyMiss: ["-H", "Accept-Language: de"]
      case .credentials: ["-u", "user:password"]
      case .method: ["-X", "DELETE"]
      case .contentLeft: ["-I", "-X", "GET"]
      case .contentLeftOfUnsafe: ["-I", "-X", "DELETE"]
      default: []
      }
    }
  }

  static let policies = [
    "protocol", "reload", "reload-all", "revalidate", "cache-else-load", "cache-only", "cache-only-strict",
    "network-first", "no-store",
  ]

  @Test(arguments: policies, Situation.allCases)
  func `a fetch under each policy does what cache explain says`(_ name: String, _ situation: Situation) throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"e\"", fields: situation.fields, text: "\(request.number)")
    }
    if situation != .absent { try scenario.run(scenario.url()) }
    if situation.isStale { scenario.clock.advance(bySeconds: 90) }
    let before = scenario.origin.requests.count

    let object = try object(scenario.run(["cache", "explain", "--json"] + situation.options + [scenario.url()]))
    let explained = try policy(name, in: object)
    #expect(scenario.origin.requests.count == before)

    let format = "|%{cache_status}"
    let run = try scenario.run(["--cache-policy", name, "-w", format] + situation.options + [scenario.url()])
    let status = try #require(run.text.split(separator: "|").last)
    // The requests of a detached validation come after the answer.
    let sent = scenario.origin.requests.dropFirst(before).dropLast(scenario.detachedCount)
    #expect(run.status == explained["exit_status"] as? Int32 ?? 0)

    switch explained["action"] as? String {
    case "serve":
      #expect(sent.isEmpty && run.status == 0 && status.hasPrefix("garner; hit"))
      let grant = explained["grant"] as? String
      #expect(grant.map { status.hasSuffix("detail=\($0)") } ?? !status.contains("detail="))
    case "fail":
      #expect(sent.isEmpty && run.status == 110 && status.hasPrefix("garner; key="))
    case let action:
      #expect(sent.count == 1 && run.status == 0)
      if let reason = explained["fwd"] as? String { #expect(status.hasPrefix("garner; fwd=\(reason)")) }
      let request = try #require(sent.first)
      #expect(request.has("If-None-Match") == (action == "validate"))
      let added = try #require(explained["added_fields"] as? [[String]])
      for field in added { #expect(request.value(field[0]) == field[1]) }
      #expect(request.has("Cache-Control") == added.contains { $0[0] == "Cache-Control" })
    }
  }

  @Test(arguments: policies, ["disconnect", "503"])
  func `a fetch from a failing origin does what cache explain says`(_ name: String, _ failure: String) throws {
    let scenario = try Scenario { request in
      guard request.number > 1 else {
        return .response(fields: [("Cache-Control", "max-age=60, stale-if-error=3")], text: "stored")
      }
      return failure == "disconnect" ? .disconnect : .response(503, text: "error")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 70)
    let explained = try policy(name, in: object(scenario.run("cache", "explain", "--json", scenario.url())))
    let grant = explained["on_error"] as? String
    let holds = grant == "disconnected" ? failure == "disconnect" : grant != nil
    let run = try scenario.run("--cache-policy", name, scenario.url())
    #expect((run.text == "stored" && run.status == 0) == (holds || explained["action"] as? String == "serve"))
  }

  // MARK: Output

  @Test func `a stored response is explained with its figures, and nothing is changed`() throws {
    let fields = [("Cache-Control", "max-age=60, stale-if-error=30"), ("ETag", "\"e\""), ("Age", "5")]
    let scenario = try Scenario(.response(fields: fields, text: "stored"))
    try scenario.run(scenario.url("/a"))
    scenario.clock.advance(bySeconds: 7_200)
    let entry = try scenario.onlyEntry()
    let content = try readFile(entry)
    let attributes = try FileManager.default.attributesOfItem(atPath: entry)

    let run = try scenario.run("cache", "explain", scenario.url("/a"))
    #expect(run.status == 0 && run.diagnostics == "")
    #expect(run.text.hasPrefix("GET \(scenario.url("/a"))\n\nstatus             200\n"))
    #expect(rows("size", in: run.text) == ["6 bytes"])
    #expect(rows("stored at", in: run.text) == ["2025-01-01T00:00:00Z"])
    #expect(rows("file", in: run.text) == ["\(entry) (\(content.count) bytes)"])
    #expect(
      rows("age", in: run.text) == [
        "7205 s: 5 s when it was received (0 s by its Date; 5 s by its Age field and 0 s of delay), and 7200 s since "
          + "[RFC 9111 section 4.2.3]"
      ])
    #expect(rows("lifetime", in: run.text) == ["60 s, from max-age [RFC 9111 section 4.2.1]"])
    #expect(rows("freshness", in: run.text) == ["stale for 7145 s [RFC 9111 section 4.2]"])
    #expect(
      rows("protocol", in: run.text) == [
        "validate: it is stale [RFC 9111 section 4.3]", "sending If-None-Match: \"e\"",
        "if the origin cannot be reached, served stale (disconnected)",
      ])
    #expect(
      rows("cache-only", in: run.text) == ["serve (user-policy): the policy says so, stale for 7145 s"])
    #expect(try readFile(entry) == content)
    let modified = try FileManager.default.attributesOfItem(atPath: entry)[.modificationDate] as? Date
    #expect(modified == attributes[.modificationDate] as? Date)
    #expect(
      try scenario.run("cache", "explain", "--color", "always", scenario.url("/a")).text.contains("\u{1b}[36mval"))
    #expect(scenario.asked == ["/a"])
  }

  @Test func `cache explain of an absent response is status 0, and with --require 110`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("cache", "explain", "-u", "a:b", scenario.url())
    #expect(run.status == 0 && run.diagnostics == "")
    #expect(
      rows("stored", in: run.text) == [
        "no response is stored for this request: only the origin can answer [RFC 9111 section 2]"
      ])
    #expect(rows("protocol", in: run.text) == ["forward: no response is stored for this request [RFC 9111 section 2]"])
    #expect(
      rows("cache-only", in: run.text) == [
        "fail with 110: no response is stored for this request, and nothing is sent [RFC 9111 section 2]"
      ])
    let required = try scenario.run("cache", "explain", "--require", "--json", scenario.url())
    #expect(required.status == 110 && required.diagnostics.contains("is not in the cache"))
    let object = try object(required)
    #expect(object["stored"] as? Bool == false && object["entry"] is NSNull)
    #expect(scenario.asked == [] && filesBelow(scenario.cachePath).isEmpty)
  }

  @Test func `cache explain tells variants apart by the fields that select them`() throws {
    let scenario = try Scenario(
      .fresh([("Vary", "Accept-Language, X-Kind")], text: "x"))
    try scenario.run("-H", "Accept-Language: de", scenario.url())
    scenario.clock.advance(bySeconds: 1)
    try scenario.run("-H", "Accept-Language: en", "-H", "X-Kind: secret", scenario.url())

    let hit = try scenario.run("cache", "explain", "-H", "Accept-Language: DE", scenario.url())
    #expect(
      rows("variant, selected", in: hit.text) == [
        "accept-language: de, as in the request; x-kind: (absent), as in the request [RFC 9111 section 4.1]"
      ])
    #expect(
      rows("variant", in: hit.text) == [
        "accept-language: en, but in the request de; x-kind: (not shown), but in the request (absent)"
          + " [RFC 9111 section 4.1]"
      ])
    let miss = try scenario.run("cache", "explain", "--json", "-H", "Accept-Language: fr", scenario.url())
    #expect(!miss.text.contains("secret"))
    let object = try object(miss)
    let variants = try #require(object["variants"] as? [[String: Any]])
    #expect(variants.count == 2 && variants.allSatisfy { $0["selected"] as? Bool == false })
    #expect(try policy("protocol", in: object)["rule"] as? String == "vary-miss")
    #expect(try scenario.run("cache", "explain", "--require", scenario.url()).status == 110)
  }

  @Test func `the request's options choose the key, the audience and the answer that cache explain shows`() throws {
    let scenario = try Scenario(.fresh(text: "0123456789"))
    try scenario.run("-u", "a:b", scenario.url())
    let other = try scenario.run("cache", "explain", scenario.url())
    let others = "1 response is stored for the URL under other keys"
    #expect(rows("others", in: other.text) == [others])
    #expect(try scenario.run("cache", "explain", "--require", "-u", "a:c", scenario.url()).status == 110)
    let own = try scenario.run("cache", "explain", "--require", "-u", "a:b", scenario.url())
    #expect(own.status == 0 && rows("for", in: own.text) == ["requests with these credentials, trust or partition"])
    let part = try scenario.run("cache", "explain", "-u", "a:b", "-H", "Range: bytes=2-3", scenario.url())
    #expect(rows("protocol", in: part.text) == ["serve as 206: it is fresh [RFC 9111 section 4.2]"])
    let post = try scenario.run("cache", "explain", "-u", "a:b", "-d", "x", scenario.url())
    #expect(post.text.hasPrefix("POST ") && rows("stored", in: post.text).isEmpty)
    let only = try scenario.run("cache", "explain", "-H", "Cache-Control: only-if-cached", scenario.url())
    #expect(
      rows("protocol", in: only.text) == [
        "fail with 110: no response is stored for this request, and only-if-cached forbids sending [RFC 9111 section 2]"
      ])
    #expect(scenario.origin.requests.count == 1)
  }

  @Test func `cache explain says why a request bypasses the cache`() throws {
    let scenario = try Scenario(.fresh([("ETag", "\"e\"")], text: "x"))
    try scenario.run(scenario.url())
    let arguments = ["-I", "-X", "GET", scenario.url()]
    let reason = "the response is not stored: its content is not read"
    let run = try scenario.run(["cache", "explain"] + arguments)
    for name in ["protocol", "reload-all", "revalidate", "cache-else-load", "network-first"] {
      #expect(rows(name, in: run.text) == ["forward: \(reason)"])
    }
    #expect(rows("cache-only", in: run.text) == ["serve: it is fresh [RFC 9111 section 4.2]"])
    let explained = try policy("revalidate", in: object(scenario.run(["cache", "explain", "--json"] + arguments)))
    #expect(explained["rule"] as? String == "not-stored" && explained["finding"] as? String == reason)
    #expect(explained["fwd"] as? String == "bypass" && scenario.asked == ["/"])
  }

  @Test func `cache explain shows where a stored redirection leads`() throws {
    let scenario = try Scenario { request in
      request.path == "/a"
        ? .response(301, fields: [("Location", "/b"), ("Cache-Control", "max-age=60")], text: "")
        : .response(text: "b")
    }
    try scenario.run(scenario.url("/a"))
    let run = try scenario.run("cache", "explain", scenario.url("/a"))
    #expect(rows("leads to", in: run.text) == ["\(scenario.url("/b")), which is a separate request"])
    let object = try object(scenario.run("cache", "explain", "--json", scenario.url("/a")))
    #expect(object["redirect_url"] as? String == scenario.url("/b"))
  }

  @Test func `cache explain reports a damaged entry, and is status 112 when the store cannot be one`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run(scenario.url())
    let entry = try scenario.onlyEntry()
    try writeFile(entry, Array("nonsense".utf8))
    let run = try scenario.run("cache", "explain", scenario.url())
    #expect(run.status == 0 && run.diagnostics.contains("is not used"))
    #expect(rows("damaged", in: run.text).first?.hasPrefix("\(entry): ") == true)
    try scenario.directory.write("x", to: "file")
    #expect(
      try scenario.run("--cache-dir", scenario.directory.path("file"), "cache", "explain", scenario.url()).status
        == 112)
    #expect(try scenario.run("cache", "explain", "http://[").status == 3)
    #expect(try scenario.run("cache", "explain").status == 2)
  }

  @Test func `cache explain wraps its lines on a terminal, and leaves them whole in a pipe`()
    throws
  {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run(scenario.url())
    let explain = ["cache", "explain", scenario.url()]
    let shown = try scenario.run(onTerminalOf: 60, arguments: explain).text.split(separator: "\n")
    let plain = shown.map { line in
      line.split(separator: "\u{1b}").map { $0.first == "[" ? $0.drop { $0 != "m" }.dropFirst() : $0 }.joined()
    }
    // A path is a single word, however long it is.
    #expect(plain.allSatisfy { $0.count <= 60 || $0.split(separator: " ").count < 3 }, "\(plain)")
    #expect(plain.contains { $0.hasPrefix(String(repeating: " ", count: 19)) })
    let piped = try scenario.run(explain).text
    #expect(rows("protocol", in: piped).count == 1)
    let words = plain.filter { !$0.hasPrefix("file") }.joined(separator: " ").split(separator: " ")
    let same = piped.split(separator: "\n").filter { !$0.hasPrefix("file") }.joined(separator: " ").split(
      separator: " ")
    #expect(words.suffix(20) == same.suffix(20))
  }
}
