import Glibc
import TestSupport
import Testing

/// The limits decide only whether a response is stored, and change nothing else about a fetch.
@Suite struct CapacityTests {
  private static let fields = [("Cache-Control", "max-age=600")]

  private func scenario() throws -> Scenario {
    try Scenario { request in
      let count = Int(request.path.dropFirst().filter(\.isNumber)) ?? 0
      let text = String(repeating: "x", count: count)
      guard request.path.hasPrefix("/unknown") else { return .response(fields: Self.fields, text: text) }
      // A chunked message does not announce its length.
      let head = OriginAnswer.head(200, nil, fields: Self.fields + [("Transfer-Encoding", "chunked")])
      let size = String(count, radix: 16)
      return OriginAnswer([.bytes(head), .bytes(Array("\(size)\r\n\(text)\r\n0\r\n\r\n".utf8))])
    }
  }

  @Test(arguments: [("/known", true), ("/unknown", false)])
  func `a response larger than --max-object-size is delivered and not stored`(
    _ path: String, _ isKnownAtHead: Bool
  ) throws {
    let scenario = try scenario()
    for (count, isStored) in [(1_000, true), (1_001, false)] {
      let url = scenario.url("\(path)\(count)")
      let arguments = ["--max-object-size", "1000", "-i", "-w", " %{cache_stored}", url]
      let run = try scenario.run(arguments)
      #expect(run.status == 0 && run.diagnostics == "")
      #expect(run.text.hasSuffix(String(repeating: "x", count: count) + (isStored ? " 1" : " 0")))
      let says = try #require(run.field("Cache-Status"))
      #expect(says.contains("detail=too-large") == (isKnownAtHead && !isStored), "\(says)")
      #expect(try scenario.run("--offline", url).status == (isStored ? 0 : 110))
    }
    #expect(!filesBelow(scenario.cachePath).contains { $0.contains("/v1/tmp/") })
  }

  @Test func `by default, only a response larger than a twentieth of the capacity is not stored`() throws {
    let scenario = try scenario()
    let urls = [scenario.url("/501"), scenario.url("/500")]
    #expect(try scenario.run(["--disk-capacity", "10000"] + urls).status == 0)
    #expect(try scenario.run("--offline", urls[0]).status == 110)
    #expect(try scenario.run("--offline", urls[1]).status == 0)
  }

  @Test func `the store stays within its capacity over many fetches, and keeps the newest response`() throws {
    let scenario = try scenario()
    for number in 100..<160 {
      try scenario.run("--disk-capacity", "20K", "--max-object-size", "2K", scenario.url("/\(number)?\(number)"))
      let sizes = try scenario.entryFiles.map { try readFile($0).count }
      #expect(sizes.reduce(0, +) <= 22_528)
    }
    #expect(try scenario.run("--offline", scenario.url("/159?159")).status == 0)
    #expect(try scenario.run("--offline", scenario.url("/100?100")).status == 110)
  }

  @Test func `a capacity of 0 turns the disk off, without a message`() throws {
    let scenario = try scenario()
    let run = try scenario.run("--disk-capacity", "0", scenario.url("/5"))
    #expect(run.status == 0 && run.text == "xxxxx" && run.diagnostics == "")
    #expect(filesBelow(scenario.cachePath).isEmpty)
    try scenario.run(scenario.url("/5"))
    #expect(try scenario.run("--disk-capacity", "0", "--offline", scenario.url("/5")).status == 110)
    #expect(try scenario.run("--offline", scenario.url("/5")).text == "xxxxx")
  }

  @Test func `with a capacity of 0, an unsafe method still removes the stored response from the disk`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url("/5"))
    let run = try scenario.run("--disk-capacity", "0", "-X", "POST", scenario.url("/5"))
    #expect(run.status == 0 && run.diagnostics == "")
    #expect(try scenario.run("--offline", scenario.url("/5")).status == 110)
  }

  @Test func `with a capacity of 0, explain, --dry-run and check report what a fetch would do`() throws {
    let scenario = try scenario()
    let url = scenario.url("/5")
    try scenario.run(url)
    let none = ["--config", try scenario.directory.write("disk-capacity = 0\n", to: "config")]
    for words in [["cache", "explain"], ["--dry-run"]] {
      let run = try scenario.run(words + none + [url])
      #expect(run.text.contains("\nprotocol           forward: ") && !run.text.contains("\nfile "), "\(run)")
      #expect(try scenario.run(words + [url]).text.contains("\nprotocol           serve: "))
    }
    let missing = try scenario.run(["cache", "check"] + none + [url])
    #expect(missing.status == 110 && missing.text == url + "\n")
    #expect(try scenario.run("cache", "check", url).status == 0)
    #expect(try scenario.run(["cache", "explain", "--require"] + none + [url]).status != 0)
  }

  @Test func `a fetch with --durable stores its response like any other`() throws {
    let scenario = try scenario()
    #expect(try scenario.run("--durable", scenario.url("/5")).status == 0)
    #expect(try scenario.run("--offline", scenario.url("/5")).text == "xxxxx")
  }

  @Test(arguments: [
    (["--max-size", "0"], ["/10", "/20", "/30"]), (["--stale"], ["/10"]), (["--older-than", "200s"], ["/10", "/20"]),
    (["--older-than", "1h"], []), (["--disk-capacity", "1"], ["/10", "/20", "/30"]), ([], []),
    (["--stale", "--max-size", "0"], ["/10", "/20", "/30"]),
  ])
  func `prune removes the entries beyond a limit, and prune -n lists them`(
    _ options: [String], _ expected: [String]
  ) throws {
    let scenario = try scenario()
    try scenario.run(scenario.url("/10"))
    scenario.clock.advance(bySeconds: 500)
    try scenario.run(scenario.url("/20"))
    scenario.clock.advance(bySeconds: 250)
    try scenario.run(scenario.url("/30"))
    let dryRun = try scenario.run(["cache", "prune", "-n"] + options)
    let count = expected.count == 1 ? "1 entry" : "\(expected.count) entries"
    let lines = dryRun.text.split(separator: "\n").map(String.init)
    #expect(lines.last?.hasPrefix("would remove \(count), ") ?? false, "\(dryRun.text)")
    #expect(lines.dropLast().sorted() == expected.map { scenario.url($0) })
    let run = try scenario.run(["cache", "prune"] + options)
    #expect(run.status == 0 && run.text.hasPrefix("removed \(count), "), "\(run.text)")
    let left = try scenario.run("cache", "ls", "-0").text.split(separator: "\0").map(String.init)
    #expect(left == ["/10", "/20", "/30"].filter { !expected.contains($0) }.map { scenario.url($0) })
  }

  @Test func `prune keeps a pinned response until it is unpinned`() throws {
    let scenario = try scenario()
    for path in ["/10", "/20"] { try scenario.run(scenario.url(path)) }
    #expect(try scenario.run("cache", "pin", scenario.url("/10")).text == "pinned 1 response\n")
    #expect(try scenario.run("cache", "show", scenario.url("/10")).text.contains("\npinned    yes"))
    #expect(
      try scenario.run("cache", "ls", "--jsonl").text.split(separator: "\n").map { $0.contains(#""pinned":true"#) }
        == [true, false])
    #expect(try scenario.run("cache", "prune", "--max-size", "0").text.hasPrefix("removed 1 entry"))
    #expect(try scenario.run("cache", "prune", "--older-than", "0s").text.hasPrefix("removed 0 entries"))
    #expect(try scenario.run("--reload", scenario.url("/10")).status == 0)
    let pruned = try scenario.run("cache", "prune", "--max-size", "0")
    #expect(pruned.status == 0 && pruned.text.hasPrefix("removed 0 entries"))
    #expect(
      pruned.diagnostics.hasSuffix(" remain, which exceeds --max-size: pinned and unreadable entries are kept\n"))
    let bounded = try scenario.run("cache", "prune", "--disk-capacity", "1")
    #expect(bounded.status == 0 && bounded.text.hasPrefix("removed 0 entries"))
    #expect(
      bounded.diagnostics.hasSuffix(" remain, which exceeds --disk-capacity: pinned and unreadable entries are kept\n")
    )
    #expect(try scenario.run("cache", "prune").diagnostics == "")
    #expect(try scenario.run("cache", "unpin", scenario.url("/10")).text == "unpinned 1 response\n")
    #expect(try scenario.run("cache", "prune", "--max-size", "0").text.hasPrefix("removed 1 entry"))
    #expect(try scenario.run("cache", "pin", scenario.url("/10")).status == 110)
  }

  @Test func `a pinned response is replaced in a full store, or removed with a warning if there is no room`() throws {
    let scenario = try Scenario { request in
      .fresh(content: Pattern.bytes(count: request.number > 10 ? 9_000 : 2_000))
    }
    let limits = ["--disk-capacity", "20K", "--max-object-size", "20K"]
    for number in 1...9 { try scenario.run(limits + ["--pin", scenario.url("/\(number)")]) }
    let reload = limits + ["--reload", scenario.url("/3")]
    let replaced = try scenario.run(reload + ["-w", "%{cache_stored}"])
    #expect(replaced.text.hasSuffix("1") && replaced.diagnostics == "")
    #expect(try scenario.run("cache", "show", scenario.url("/3")).text.contains("\npinned    yes"))
    let refused = try scenario.run(reload)
    #expect(refused.status == 0 && refused.output.count == 9_000)
    #expect(
      refused.diagnostics == """
        garner: warning: the pinned response for \(scenario.url("/3")) is removed, because the superseding response \
        is not stored: the cache has no room for it

        """)
    #expect(try scenario.run("--offline", scenario.url("/3")).status == 110)
    for number in [1, 2, 4, 5, 6, 7, 8, 9] {
      #expect(try scenario.run("--offline", scenario.url("/\(number)")).status == 0)
    }
  }

  @Test func `a successor of a pinned response that is kept in memory alone is not reported as too large`() throws {
    let scenario = try Scenario { .fresh(text: "\($0.number)") }
    try scenario.run("--pin", scenario.url("/1"))
    let temporaries = scenario.cachePath + "/v1/tmp"
    try checked("rmdir", rmdir(temporaries))
    try writeFile(temporaries, [])
    // Later requests of the run could be answered from memory.
    let run = try scenario.run("--reload", scenario.url("/1"), scenario.url("/2"))
    #expect(run.text == "23")
    #expect(
      run.diagnostics == """
        garner: warning: nothing is stored in the cache in \(scenario.cachePath): v1/tmp in it is not a directory

        """)
  }

  @Test(arguments: [["--max-object-size", "5"], ["--max-object-size", "5", "--store-hook", "true"]])
  func `a response too large to be stored removes the older stored response`(_ options: [String]) throws {
    for isChunked in [false, true] {
      let scenario = try Scenario { request in
        let content = Array((request.number == 1 ? "old" : "new and larger").utf8)
        let fields = [fresh]
        return isChunked ? .chunked(fields: fields, chunks: [content]) : .response(fields: fields, content: content)
      }
      try scenario.run(scenario.url())
      #expect(try scenario.run(options + ["--reload", scenario.url()]).text == "new and larger")
      #expect(try scenario.run("--offline", scenario.url()).status == 110)
    }
  }

  @Test func `a response that can never fit evicts nothing`() throws {
    let scenario = try Scenario { request in
      .fresh(content: Pattern.bytes(count: request.target == "/large" ? 40_000 : 500))
    }
    let limits = ["--disk-capacity", "20K", "--max-object-size", "1M"]
    for number in 0..<5 { try scenario.run(limits + [scenario.url("/\(number)")]) }
    #expect(try scenario.run(limits + [scenario.url("/large")]).status == 0)
    for number in 0..<5 { #expect(try scenario.run("--offline", scenario.url("/\(number)")).status == 0) }
    #expect(try scenario.run("--offline", scenario.url("/large")).status == 110)
  }

  @Test(arguments: ["8388607T", "9007199254740991K"])
  func `a capacity may be as large as the largest number`(_ capacity: String) throws {
    let scenario = try Scenario(.fresh(text: "hello"))
    #expect(try scenario.run("--disk-capacity", capacity, scenario.url()).status == 0)
    #expect(try scenario.run("--offline", "--disk-capacity", capacity, scenario.url()).text == "hello")
  }
}
