import Foundation
import TestSupport
import Testing

/// The store hook: a command of the user's that decides about each response before it is stored.
@Suite struct StoreHookTests {
  private func origin(_ fields: [(String, String)] = [fresh], text: String = "content") throws -> Scenario {
    try Scenario { request in validated(request, etag: "\"\(request.path)\"", fields: fields, text: text) }
  }

  @discardableResult
  private func fetch(_ scenario: Scenario, hook: String, _ options: String...) throws -> Scenario.Run {
    try scenario.run(["--store-hook", hook] + options + [scenario.url()])
  }

  private func isStored(_ scenario: Scenario) throws -> Bool {
    try scenario.run("--offline", scenario.url()).status == 0
  }

  /// The fields of the stored response.
  private func stored(_ scenario: Scenario) throws -> Scenario.Run {
    try scenario.run("cache", "show", "--headers", scenario.url())
  }

  private func leftovers(_ scenario: Scenario) -> [String] { filesBelow(scenario.cachePath + "/v1/tmp") }

  // MARK: Input of the hook

  @Test func `the store hook reads a description and the content, and has the run's environment`() throws {
    let scenario = try origin([fresh, ("X-A", "1"), ("x-a", "2")])
    scenario.environment["NOTES"] = scenario.directory.path
    let hook = #"cat > "$NOTES/head"; cat "$GARNER_CONTENT" > "$NOTES/content""#
    #expect(try fetch(scenario, hook: hook, "--tag", "a=b").text == "content")
    #expect(try scenario.directory.read("content") == Array("content".utf8))
    let lines = String(decoding: try scenario.directory.read("head"), as: UTF8.self).split(separator: "\n")
    #expect(
      lines.prefix(6) == [
        ":method: GET", ":url: \(scenario.url())", ":status: 200", ":size: 7", ":storage: allowed", ":tag: a=b",
      ])
    #expect(lines.filter { $0.lowercased().hasPrefix("x-a") } == ["X-A: 1", "x-a: 2"])
    #expect(lines.contains("Cache-Control: max-age=60"))
  }

  @Test func `with a store hook, a 304 that has another Vary leaves the marks of the stored response`() throws {
    let scenario = try Scenario { request in
      let fields = [("ETag", "\"a\""), ("Cache-Control", "max-age=0")]
      return request.has("If-None-Match")
        ? .response(304, fields: fields + [("Vary", "X-Z")]) : .response(fields: fields, text: "content")
    }
    #expect(try scenario.run("--pin", "--tag", "k=v", "--store-hook", "true", scenario.url()).text == "content")
    #expect(try scenario.run("--store-hook", "true", scenario.url()).text == "content")
    #expect(try scenario.run("cache", "ls", "--pinned", "--tag", "k=v").text.contains(scenario.url()))
  }

  @Test func `a stored response whose Vary the store hook has taken out is validated by one request`() throws {
    let scenario = try origin([("Cache-Control", "max-age=0"), ("Vary", "User-Agent")])
    for agent in ["a", "b", "c"] {
      #expect(try fetch(scenario, hook: "echo Vary:", "-A", agent).text == "content")
    }
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true, true])
    // Once the hook leaves Vary in the response, the request's fields select it again.
    for _ in 1...2 { #expect(try fetch(scenario, hook: "true").text == "content") }
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true, true, true, false])
    #expect(try stored(scenario).text.contains("Vary: User-Agent"))
  }

  @Test func `the store hook is asked about responses that would be stored, and about nothing else`() throws {
    let scenario = try Scenario { request in
      switch request.path {
      case "/moved": .response(301, fields: [fresh, ("Location", "/de")])
      case "/secret": .response(fields: [("Cache-Control", "no-store")], text: "x")
      case "/absent": .response(404, fields: [fresh])
      default: .fresh([("Vary", "Accept-Language")], text: "x")
      }
    }
    scenario.environment["NOTES"] = scenario.directory.path("asked")
    let hook = ["--store-hook", #"sed -n 's/^:url: .*\(\/[a-z]*\)$/\1/p' >> "$NOTES""#]
    try scenario.run(hook + [scenario.url("/moved")])
    // Another variant, a hit, a response that may not be stored, and an error that may.
    try scenario.run(hook + ["-H", "Accept-Language: de", scenario.url("/de")])
    try scenario.run(hook + [scenario.url("/de")])
    try scenario.run(hook + [scenario.url("/secret")])
    try scenario.run(hook + [scenario.url("/absent")])
    try scenario.run(hook + ["--no-store", scenario.url("/de")])
    let asked = String(decoding: try scenario.directory.read("asked"), as: UTF8.self)
    #expect(asked == "/moved\n/de\n/de\n/absent\n")
  }

  // MARK: Output of the hook

  @Test func `the output of the store hook changes the stored response, not the delivered one`() throws {
    let scenario = try origin([fresh, ("X-A", "1"), ("X-B", "1")])
    let hook = #"printf 'Cache-Control: max-age=10\nX-A:\r\n\nX-B: 2\nX-B: 3\n:tag: by=hook\n'"#
    let first = try fetch(scenario, hook: hook, "-i", "-w", "|%{cache_status}|%{cache_reason}")
    #expect(first.field("Cache-Control") == "max-age=60" && first.field("X-A") == "1")
    #expect(first.text.contains("|garner; fwd=uri-miss; fwd-status=200; stored; ttl=10;"), "\(first.text)")
    #expect(first.text.hasSuffix("stored, fresh for 10 s by max-age"), "\(first.text)")
    let kept = try stored(scenario)
    #expect(kept.field("Cache-Control") == "max-age=10" && kept.field("X-A") == nil)
    #expect(kept.text.contains("X-B: 2\r\nX-B: 3\r\n") && !kept.text.contains("X-B: 1"))
    #expect(try scenario.run("cache", "show", scenario.url()).text.contains("tag       by=hook\n"))
    scenario.clock.advance(bySeconds: 11)
    #expect(try scenario.run("cache", "ls", scenario.url()).text.hasPrefix("stale"))
  }

  @Test(arguments: ["true", "cat", "exit 0", "echo", "cat; echo ':storage: allowed'"])
  func `a store hook that changes nothing leaves the response as it was to be stored`(_ hook: String) throws {
    let scenario = try origin([fresh, ("Content-Type", "text/plain")])
    try scenario.run(scenario.url())
    let expected = try stored(scenario).text
    try scenario.run("cache", "rm", "--all")
    let run = try fetch(scenario, hook: hook)
    #expect(run.text == "content" && run.diagnostics == "")
    #expect(try stored(scenario).text == expected)
  }

  @Test(arguments: ["exit 10", "echo ':storage: not-allowed'", "echo 'Cache-Control: no-store'", "echo 'Vary: *'"])
  func `the store hook keeps a response out of the cache, and only -v says so`(_ hook: String) throws {
    let scenario = try origin()
    let run = try fetch(scenario, hook: hook, "-w", "|%{cache_stored}")
    #expect(run.status == 0 && run.text == "content|0" && run.diagnostics == "")
    #expect(try !isStored(scenario))
    let told = try fetch(scenario, hook: hook, "-v", "-w", "%{cache_reason}")
    #expect(told.diagnostics.contains("; to be stored, fresh for 60 s by max-age\n"))
    #expect(told.diagnostics.contains("\n* cache: the store hook "))
    #expect(told.text.contains("; to be stored, fresh for 60 s by max-age; in the end not stored: "), "\(told.text)")
    #expect(try filesBelow(scenario.cachePath).allSatisfy { try !holds($0, "content") })
  }

  private func holds(_ file: String, _ text: String) throws -> Bool {
    String(decoding: try readFile(file), as: UTF8.self).contains(text)
  }

  static let failures = [
    ("exit 3", "ended with status 3"), ("no-such-command", "ended with status 127"),
    ("kill -KILL $$", "was ended by signal 9"), ("echo no line", "line 1 of its output is neither"),
    ("echo; echo ': a'", "line 2 of its output is neither"), ("echo ':storage: disk'", "an unknown key or value"),
    ("echo ':color: red'", "an unknown key or value"), ("echo ':status: 500'", "changes a fixed value"),
    ("echo ':url: http://other/'", "changes a fixed value"), ("echo ':tag: x'", "is not a tag"),
    ("echo 'Content-Length: 1'", "changes a fixed value"),
    ("echo 'Content-Encoding: gzip'", "changes a fixed value"), ("yes a: b", "printed more than the limit"),
    ("seq -f 'a%.0f: b' 3000", "its output has too many fields"), ("seq -f 'a%.0f:' 3000", "has too many fields"),
    ("echo evil > \"$GARNER_CONTENT\"", "the content was changed before it was stored"),
    ("echo more >> \"$GARNER_CONTENT\"", "the content was changed before it was stored"),
  ]

  @Test(arguments: failures)
  func `when the store hook fails, nothing is stored, there is one warning, and the fetch succeeds`(
    _ hook: String, _ reason: String
  ) throws {
    let scenario = try origin()
    let run = try scenario.run("--store-hook", hook, "-w", "|%{cache_stored}|", scenario.url(), scenario.url())
    #expect(run.status == 0 && run.text == "content|0|content|0|")
    let warnings = run.diagnostics.split(separator: "\n").filter { $0.hasPrefix("garner: warning: ") }
    #expect(warnings.count == 1 && warnings[0].contains(reason), "\(run.diagnostics)")
    #expect(try !isStored(scenario))
    #expect(leftovers(scenario) == [])
  }

  @Test(arguments: ["sleep 1000", "trap '' TERM INT; sleep 1000", "sleep 1000 & wait", "cat /dev/zero >&2; wait"])
  func `a store hook that does not end does not hang a fetch`(_ hook: String) throws {
    let scenario = try origin()
    let run = try fetch(scenario, hook: hook, "--store-hook-timeout", "0.1")
    #expect(run.status == 0 && run.text == "content")
    #expect(run.diagnostics.contains("garner: warning: nothing is stored: the store hook took longer than 100 ms\n"))
    #expect(try !isStored(scenario))
  }

  @Test func `the warning about a store hook that takes too long has the time limit in seconds, if these are whole`()
    throws
  {
    let scenario = try origin()
    let run = try fetch(scenario, hook: "sleep 1000", "--store-hook-timeout", "1")
    #expect(run.diagnostics.contains("garner: warning: nothing is stored: the store hook took longer than 1 s\n"))
  }

  @Test func `a process that the store hook leaves behind with its pipes open does not delay the fetch`() throws {
    let scenario = try origin()
    let hook = "sleep 1000 & echo $! > '\(scenario.directory.path("left"))'; echo ':tag: a=b'"
    #expect(try fetch(scenario, hook: hook).diagnostics == "")
    #expect(try isStored(scenario))
    let text = String(decoding: try scenario.directory.read("left"), as: UTF8.self)
    kill(try #require(Int32(text.filter(\.isNumber))), SIGKILL)
  }

  @Test func `the error output of the store hook is printed escaped, and not at all with -s`() throws {
    let scenario = try origin()
    let hook = #"printf 'one\ntwo \033[31m\n' >&2"#
    #expect(
      try fetch(scenario, hook: hook).diagnostics == "garner: store hook: one\ngarner: store hook: two \\x1b[31m\n")
    #expect(try fetch(scenario, hook: hook, "-s", "--reload").diagnostics == "")
  }

  @Test func `a site has its own store hook, and an empty command turns it off`() throws {
    let scenario = try origin()
    let config = try scenario.directory.write(
      "[site \"\(scenario.url("/*"))\"]\nstore-hook = \"exit 10\"\n", to: "config")
    try scenario.run("--config", config, scenario.url())
    #expect(try !isStored(scenario))
    try scenario.run("--config", config, "--store-hook", "", scenario.url())
    #expect(try isStored(scenario))
  }

  // MARK: The content during the hook

  @Test(arguments: ["0", "64M"])
  func `content waits for the store hook in memory or beside the entries, and is stored as it came`(_ capacity: String)
    throws
  {
    let body = Pattern.bytes(count: 600_000)
    let scenario = try Scenario(.fresh(content: body))
    let place = scenario.directory.path("place")
    let hook = #"cmp -s "$GARNER_CONTENT" "$GARNER_CONTENT"; readlink "$GARNER_CONTENT" > '\#(place)'"#
    #expect(try fetch(scenario, hook: hook, "--memory-capacity", capacity).output == body)
    let waited = String(decoding: try scenario.directory.read("place"), as: UTF8.self)
    #expect(waited.contains("/v1/tmp/") == (capacity == "0"), "\(waited)")
    #expect(try scenario.run("--offline", scenario.url()).output == body)
    #expect(try fetch(scenario, hook: "exit 10", "--reload", "--memory-capacity", capacity).output == body)
    #expect(leftovers(scenario) == [])
  }

  @Test func `a response that the store hook keeps in memory serves the run, and never reaches the disk`() throws {
    let scenario = try origin(text: "a secret")
    let hook = "echo ':storage: memory-only'"
    let run = try scenario.run("--store-hook", hook, scenario.url(), scenario.url())
    #expect(run.text == "a secreta secret" && scenario.origin.requests.count == 1)
    #expect(try filesBelow(scenario.cachePath).allSatisfy { try !holds($0, "a secret") })
    #expect(try !isStored(scenario))
    // The run's own option is stricter, and applies.
    try fetch(scenario, hook: "echo ':storage: allowed'", "--memory-only")
    #expect(try !isStored(scenario))
  }

  @Test func `with a store hook, a transfer that breaks off leaves nothing to be continued`() throws {
    let fields = [fresh, ("ETag", "\"1\""), ("Content-Length", "100")]
    let scenario = try Scenario(.raw(OriginAnswer.head(200, nil, fields: fields) + Pattern.bytes(count: 50)))
    #expect(try fetch(scenario, hook: "true").status == 18)
    #expect(try scenario.run("cache", "ls").text == "")
    #expect(leftovers(scenario) == [])
  }

  // MARK: Responses that are already stored

  @Test func `the store hook is asked about a 304 with the stored content, and its changes stay`() throws {
    let scenario = try origin()
    let hook = #"cmp "$GARNER_CONTENT" '\#(scenario.directory.path("expected"))' && echo 'Cache-Control: max-age=10'"#
    try scenario.directory.write("content", to: "expected")
    try fetch(scenario, hook: hook)
    scenario.clock.advance(bySeconds: 11)
    let run = try fetch(scenario, hook: hook, "-w", "|%{cache_result}|%{cache_reason}")
    #expect(run.text.hasPrefix("content|validated|") && run.text.hasSuffix("now fresh for 10 s"), "\(run.text)")
    #expect(run.diagnostics == "")
    #expect(try stored(scenario).field("Cache-Control") == "max-age=10")
    scenario.clock.advance(bySeconds: 9)
    try scenario.run(scenario.url())
    #expect(scenario.origin.requests.count == 2)
  }

  @Test(arguments: [("exit 10", false), ("echo ':storage: not-allowed'", false), ("exit 1", true)])
  func `a 304 that the store hook refuses removes the stored response, and a failure leaves it`(
    _ hook: String, _ stays: Bool
  ) throws {
    let scenario = try origin()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    let run = try fetch(scenario, hook: hook)
    #expect(run.status == 0 && run.text == "content")
    #expect(try isStored(scenario) == stays)
    if stays { #expect(try scenario.run("cache", "ls").text.hasPrefix("stale")) }
  }

  @Test(arguments: [("exit 10", false), ("exit 1", true)])
  func `a response that the store hook refuses removes the one that it supersedes`(_ hook: String, _ stays: Bool) throws
  {
    let scenario = try Scenario { .fresh(text: "\($0.number)") }
    try scenario.run(scenario.url())
    #expect(try fetch(scenario, hook: hook, "--reload").text == "2")
    #expect(try isStored(scenario) == stays)
  }

  @Test func `a response that the store hook keeps in memory removes the superseded one from the disk`() throws {
    let scenario = try Scenario { .fresh(text: "\($0.number)") }
    try scenario.run(scenario.url())
    let options = ["--store-hook", "echo ':storage: memory-only'", "-w", "%{cache_stored} "]
    #expect(try scenario.run(options + ["--reload", scenario.url()]).text == "21 ")
    #expect(try !isStored(scenario))
    // In a run with several URLs, the response in memory answers the next one.
    try scenario.run(scenario.url())
    let both = ["--reload", scenario.url(), "--next"] + options + [scenario.url()]
    #expect(try scenario.run(options + both).text == "41 40 ")
    #expect(try !isStored(scenario))
  }

  @Test(arguments: [0, 60])
  func `a 304 that the store hook keeps in memory alone leaves nothing on the disk`(_ lifetime: Int) throws {
    let scenario = try origin([("Cache-Control", "max-age=\(lifetime)")], text: "a secret")
    try scenario.run(scenario.url())
    let hook = "echo ':storage: memory-only'"
    let run = try fetch(scenario, hook: hook, "--refresh", "-w", " %{cache_result} %{cache_reason}")
    #expect(run.text.hasPrefix("a secret validated ") && run.text.hasSuffix("; kept in memory only"), "\(run.text)")
    #expect(try filesBelow(scenario.cachePath).allSatisfy { try !holds($0, "a secret") })
    #expect(try !isStored(scenario))
  }

  @Test func `a response too large for the disk goes to memory, with a store hook and without`() throws {
    for hook in [[], ["--store-hook", "true"]] {
      let scenario = try origin()
      let options = ["--max-object-size", "5", "-w", " %{cache_result} "]
      #expect(try scenario.run(hook + options + [scenario.url(), scenario.url()]).text == "content miss content hit ")
    }
  }

  @Test func `a Vary that the store hook adds selects variants`() throws {
    let scenario = try Scenario { .fresh(text: $0.value("Accept-Language") ?? "none") }
    let hook = ["--store-hook", "echo 'Vary: Accept-Language'"]
    for language in ["de", "en"] { try scenario.run(hook + ["-H", "Accept-Language: \(language)", scenario.url()]) }
    #expect(try scenario.run("--offline", "-H", "Accept-Language: de", scenario.url()).text == "de")
    #expect(try scenario.run("--offline", "-H", "Accept-Language: en", scenario.url()).text == "en")
    #expect(try scenario.run("--offline", "-H", "Accept-Language: fr", scenario.url()).status == 110)
  }

  // MARK: The examples of docs/store-hook.md

  /// The script that an example below this heading writes to a file.
  private func script(_ heading: String, in scenario: Scenario) throws -> String {
    let page = String(decoding: try readFile(BuiltTool.projectRoot + "/docs/store-hook.md"), as: UTF8.self)
    let section = try #require(page.components(separatedBy: "### \(heading)\n").dropFirst().first)
    let typed = section.split(separator: "\n").drop { !$0.hasPrefix("$ cat > ") }.dropFirst()
    let lines = typed.prefix { $0.hasPrefix("> ") && $0 != "> END" }.map { $0.dropFirst(2) }
    try #require(!lines.isEmpty)
    return "sh '\(try scenario.directory.write(lines.joined(separator: "\n") + "\n", to: "hook"))'"
  }

  @Test func `the example of docs/store-hook.md shortens a lifetime`() throws {
    let scenario = try origin([fresh, ("Content-Type", "application/json")])
    try fetch(scenario, hook: try script("Shorten a lifetime", in: scenario))
    #expect(try stored(scenario).field("Cache-Control") == "max-age=10")
    let other = try origin([fresh, ("Content-Type", "text/plain")])
    try fetch(other, hook: try script("Shorten a lifetime", in: other))
    #expect(try stored(other).field("Cache-Control") == "max-age=60")
  }

  static let secrets: [(String, [(String, String)], Bool)] = [
    ("a password", [], false), ("text", [("Set-Cookie", "a=b")], false), ("text", [], true),
  ]

  @Test(arguments: secrets)
  func `the example of docs/store-hook.md keeps secrets off the disk`(
    _ text: String, _ fields: [(String, String)], _ isKept: Bool
  ) throws {
    let scenario = try origin([fresh] + fields, text: text)
    let run = try fetch(scenario, hook: try script("Keep secrets off the disk", in: scenario))
    #expect(run.text == text && run.diagnostics == "")
    #expect(try isStored(scenario) == isKept)
    #expect(try isKept || filesBelow(scenario.cachePath).allSatisfy { try !holds($0, text) })
  }

  @Test func `the example of docs/store-hook.md notes when something was stored`() throws {
    let scenario = try origin()
    try fetch(scenario, hook: try script("Note when something was stored", in: scenario))
    let shown = try scenario.run("cache", "show", scenario.url()).text
    #expect(shown.contains(/\ntag       stored=20[0-9]{2}-[01][0-9]-[0-3][0-9]\n/))
  }
}
