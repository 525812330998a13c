import Glibc
import TestSupport
import Testing

/// The entries that the options of `cache` commands select, and their order in a list.
@Suite struct CacheSelectionTests {
  /// A store with /old, 1,000 s old, of 1 byte, stale; /json, 500 s old, of 20 bytes, fresh, in two groups; and three
  /// of age 0: /gone, a 404 of 3,000 bytes, fresh; /ask, which is always validated; /part, of which half is stored.
  static func filled() throws -> Scenario {
    let scenario = try Scenario { request in
      switch request.path {
      case "/old": .fresh([("Content-Type", "text/plain")], text: "o")
      case "/json":
        .response(
          fields: [
            ("Cache-Control", "max-age=6000"), ("Content-Type", "application/ld+json; charset=utf-8"),
            ("Cache-Groups", #""one", "two""#), ("ETag", #""e""#),
          ], text: String(repeating: "j", count: 20))
      case "/gone":
        .response(
          404, fields: [("Cache-Control", "max-age=6000"), ("Content-Type", "text/html")],
          text: String(repeating: "g", count: 3_000))
      case "/part":
        OriginAnswer(
          [
            .bytes(OriginAnswer.head(200, nil, fields: [("ETag", #""p""#), ("Content-Length", "10")])),
            .bytes(Array("12345".utf8)),
          ], ending: .close)
      default: .response(fields: [("Cache-Control", "no-cache")], text: "ask")
      }
    }
    try scenario.run(scenario.url("/old"))
    scenario.clock.advance(bySeconds: 500)
    try scenario.run(scenario.url("/json"))
    scenario.clock.advance(bySeconds: 500)
    for path in ["/gone", "/ask?token=secret", "/part"] { try scenario.run(scenario.url(path)) }
    return scenario
  }

  static func paths(_ scenario: Scenario, _ text: String) -> [String] {
    text.split(separator: "\n").map { $0.dropFirst(scenario.url("").count).prefix { $0 != "?" } }.map(String.init)
  }

  static let selections: [([String], [String])] = [
    ([], ["/ask", "/gone", "/json", "/old", "/part"]),
    (["--host", "127.0.0.1"], ["/ask", "/gone", "/json", "/old", "/part"]),
    (["--host", "127.0.*"], ["/ask", "/gone", "/json", "/old", "/part"]),
    (["--host", "*.example"], []),
    (["--host", "example", "--host", "127.0.0.1"], ["/ask", "/gone", "/json", "/old", "/part"]),
    (["--stale"], ["/old"]), (["--fresh"], ["/gone", "/json"]),
    (["--fresh", "--stale"], ["/gone", "/json", "/old"]),
    (["--status", "404"], ["/gone"]), (["--status", "2xx"], ["/ask", "/json", "/old", "/part"]),
    (["--status", "200", "--status", "4XX"], ["/ask", "/gone", "/json", "/old", "/part"]),
    (["--type", "json"], ["/json"]), (["--type", "TEXT/*"], ["/gone", "/old"]),
    (["--type", "text"], ["/gone", "/old"]), (["--type", "*"], ["/gone", "/json", "/old"]),
    (["--type", "none"], ["/ask", "/part"]),
    (["--type", "application/ld+json"], ["/json"]), (["--type", "application/json"], []),
    (["--older-than", "499s"], ["/json", "/old"]), (["--older-than", "500s"], ["/old"]),
    (["--newer-than", "500s"], ["/ask", "/gone", "/part"]),
    (["--newer-than", "501s", "--older-than", "1s"], ["/json"]),
    (["--older-than", "2025-01-01T00:08:20Z"], ["/old"]),
    (["--older-than", "2025-01-01T01:08:21+01:00"], ["/json", "/old"]),
    (["--newer-than", "2025-01-01T00:08:20Z"], ["/ask", "/gone", "/part"]),
    (["--newer-than", "2025-01-01"], ["/ask", "/gone", "/json", "/part"]), (["--older-than", "2025-01-01"], []),
    (["--larger-than", "19"], ["/gone", "/json"]), (["--larger-than", "20"], ["/gone"]),
    (["--group", "two"], ["/json"]), (["--group", "tw"], []), (["--pinned"], ["/json"]),
    (["--fresh", "--type", "html"], ["/gone"]), (["--stale", "--type", "html"], []),
    (["*/*o*", "--fresh"], ["/gone", "/json"]), (["*secret"], ["/ask"]),
  ]

  @Test(arguments: selections)
  func `ls lists the responses that match every kind of option`(_ options: [String], _ expected: [String]) throws {
    let scenario = try Self.filled()
    try scenario.run("cache", "pin", scenario.url("/json"))
    let run = try scenario.run(["cache", "ls", "--format", "{url}"] + options)
    #expect(run.status == 0 && Self.paths(scenario, run.text) == expected, "\(run.text)\(run.diagnostics)")
  }

  @Test(arguments: selections.filter { !$0.0.isEmpty })
  func `rm removes what ls lists, and nothing else`(_ options: [String], _ expected: [String]) throws {
    let scenario = try Self.filled()
    try scenario.run("cache", "pin", scenario.url("/json"))
    let dryRun = try scenario.run(["cache", "rm", "-n"] + options)
    #expect(dryRun.status == (expected.isEmpty ? 1 : 0))
    let listed = dryRun.text.split(separator: "\n").dropLast(expected.isEmpty ? 0 : 1).joined(separator: "\n")
    #expect(Self.paths(scenario, listed).sorted() == expected)
    let run = try scenario.run(["cache", "rm"] + options)
    #expect(run.status == dryRun.status)
    #expect(expected.isEmpty || run.text == "removed\(dryRun.text.split(separator: "\n").last?.dropFirst(12) ?? "")\n")
    let left = Self.paths(scenario, try scenario.run("cache", "ls", "--format", "{url}").text)
    #expect(left == Self.selections[0].1.filter { !expected.contains($0) })
  }

  @Test(arguments: [[], ["--type", "text"], ["*"]])
  func `rm -n reports the same size as rm does, without the list of variants`(_ options: [String]) throws {
    let scenario = try Scenario(.fresh([("Content-Type", "text/plain"), ("Vary", "Accept")], text: "x"))
    for type in ["text/a", "text/b"] { try scenario.run("-H", "Accept: \(type)", scenario.url()) }
    let selection = options + (options == ["*"] ? [] : [scenario.url()])
    let dryRun = try scenario.run(["cache", "rm", "-n"] + selection)
    let run = try scenario.run(["cache", "rm"] + selection)
    #expect(run.text.hasPrefix("removed 2 responses, "))
    #expect(dryRun.text.hasSuffix("would remove\(run.text.dropFirst(7))"))
    #expect(scenario.entryFiles == [])
  }

  @Test(arguments: [
    (["--tag", "team=web"], ["/ask", "/json", "/old"]), (["--tag", "team"], ["/ask", "/gone", "/json", "/old"]),
    (["--tag", "kind=*n"], ["/json"]),
    (["--tag", "team=w*", "--fresh"], ["/json"]), (["--tag", "team=x", "--tag", "kind"], ["/json"]),
    (["--tag", "absent"], []), (["--tag", "team="], []),
  ])
  func `--tag selects the responses that have any of the given tags`(_ options: [String], _ expected: [String]) throws {
    let scenario = try Self.filled()
    try scenario.run("cache", "tag", scenario.url("/*o*"), "team=web")
    try scenario.run("cache", "tag", scenario.url("/json"), "kind=fun")
    try scenario.run("cache", "tag", scenario.url("/gone"), "team=app")
    let run = try scenario.run(["cache", "ls", "--format", "{url}"] + options)
    #expect(run.status == 0 && Self.paths(scenario, run.text) == expected, "\(run.text)\(run.diagnostics)")
  }

  @Test func `--unused-for selects by the time of an entry's last use`() throws {
    let scenario = try Self.filled()
    // The times of files come from the machine's clock, and those of the scenario are years earlier.
    #expect(try scenario.run("cache", "ls", "--unused-for", "0s").text == "")
    scenario.clock.advance(bySeconds: 100 * 365 * 86_400)
    #expect(
      try scenario.run("cache", "ls", "--unused-for", "4w", "--format", "{url}").text.split(separator: "\n").count == 5)
  }

  @Test func `export writes only the selected responses`() throws {
    let scenario = try Self.filled()
    let run = try scenario.run("cache", "export", "-", "--type", "text", "--fresh")
    #expect(run.status == 0, "\(run.diagnostics)")
    let targets = run.text.split(separator: "\r\n").filter { $0.hasPrefix("WARC-Target-URI:") }
    #expect(!targets.isEmpty && targets.allSatisfy { $0.contains("/gone") }, "\(targets)")
    #expect(try scenario.run("cache", "export", "-", "--host", "elsewhere").status == 1)
  }

  @Test func `rm with a condition removes only the variants that match it`() throws {
    let scenario = try Scenario { request in
      .response(
        fields: [("Cache-Control", "max-age=\(request.value("Accept") == "text/a" ? 60 : 600)"), ("Vary", "Accept")],
        text: "x")
    }
    for type in ["text/a", "text/b"] { try scenario.run("-H", "Accept: \(type)", scenario.url()) }
    scenario.clock.advance(bySeconds: 100)
    #expect(try scenario.run("cache", "rm", "--stale").text.hasPrefix("removed 1 response, "))
    #expect(try scenario.run("--offline", "-H", "Accept: text/a", scenario.url()).status == 110)
    #expect(try scenario.run("--offline", "-H", "Accept: text/b", scenario.url()).text == "x")
  }

  @Test func `rm with a pattern leaves other responses that would answer the same URL`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run("--ignore-param", "u", scenario.url("/a?u=2"))
    try scenario.run("cache", "pin", "*")
    for _ in 0..<2 {
      try scenario.run(scenario.url("/a?u=1"))
      #expect(try scenario.run("cache", "ls").text.split(separator: "\n").count == 2)
      #expect(try scenario.run("cache", "rm", "*u=1").text.hasPrefix("removed 1 response, "))
      #expect(try scenario.run("cache", "ls", "--pinned", "--format", "{url}").text == scenario.url("/a\n"))
    }
    try scenario.run(scenario.url("/a"))
    #expect(try scenario.run("cache", "rm", scenario.url("/a?u=1")).text.hasPrefix("removed 1 response, "))
    #expect(try scenario.run("--offline", scenario.url("/a")).text == "x")
  }

  @Test func `an entry whose last use is in the future counts as the least recently used`() throws {
    let scenario = try Self.filled()
    let json = try scenario.run("cache", "show", "--json", scenario.url("/json")).text
    let path = String(try #require(json.split(separator: #""path":""#).last).prefix { $0 != "\"" })
    let future = timespec(tv_sec: 1 << 33, tv_nsec: 0)
    try checked("utimensat", utimensat(AT_FDCWD, path, [future, future], 0))
    for options in [["--unused-for", "4w"], ["--type", "json", "--max-size", "0"], ["--max-size", "1"]] {
      let dryRun = try scenario.run(["cache", "prune", "-n"] + options)
      #expect(Self.paths(scenario, dryRun.text).first == "/json", "\(dryRun.text)\(dryRun.diagnostics)")
    }
    #expect(try scenario.run("cache", "ls", "--unused-for", "4w", "--format", "{url}").text == scenario.url("/json\n"))
  }

  @Test(arguments: [
    (["--max-size", "0", "--type", "text"], ["/gone", "/old"]), (["--max-size", "3400", "--type", "text"], ["/old"]),
    (["--older-than", "1s", "--status", "404"], []), (["--stale", "*/old"], ["/old"]), (["--stale", "*/json"], []),
    (["--larger-than", "10", "--host", "127.0.0.1"], ["/gone"]), (["--larger-than", "10"], ["/gone"]),
    (["--older-than", "1s", "--group", "one"], []), (["--stale", "--larger-than", "1K"], ["/gone", "/old"]),
  ])
  func `prune removes only the selected responses that are beyond its limits`(_ options: [String], _ expected: [String])
    throws
  {
    let scenario = try Self.filled()
    try scenario.run("cache", "pin", scenario.url("/json"))
    let dryRun = try scenario.run(["cache", "prune", "-n"] + options)
    #expect(Self.paths(scenario, dryRun.text).dropLast().sorted() == expected, "\(dryRun.text)")
    #expect(try scenario.run(["cache", "prune"] + options).status == 0)
    let left = Self.paths(scenario, try scenario.run("cache", "ls", "--format", "{url}").text)
    #expect(left == Self.selections[0].1.filter { !expected.contains($0) })
  }

  @Test(arguments: [
    (
      ["rm", "--all", "--stale"],
      "--all removes everything, and cannot be combined with a PATTERN or an option that selects"
    ),
    (
      ["rm", "--all", "x"], "--all removes everything, and cannot be combined with a PATTERN or an option that selects"
    ),
    (["ls", "--json", "--format", "x"], "option --format: cannot be combined with --json"),
    (["ls", "--format", "x", "--jsonl"], "option --format: cannot be combined with --jsonl"),
    (
      ["prune", "--host", "x"],
      "prune needs a limit, such as --unused-for\nhint: 'garner cache rm' removes all of it"
    ),
  ])
  func `options of cache commands that do not go together are refused`(_ arguments: [String], _ message: String) throws
  {
    let scenario = try Self.filled()
    let run = try scenario.run(["cache"] + arguments)
    #expect(run.status == 2 && run.text == "" && run.diagnostics == "garner: \(message)\n")
    #expect(try scenario.run("cache", "ls").text.split(separator: "\n").count == 5)
  }
}
