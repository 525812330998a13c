import Glibc
import TestSupport
import Testing

/// A fault of the store does not make a fetch fail.
@Suite struct StoreTests {
  private static let answer = OriginAnswer.fresh(text: "body")

  @Test(arguments: [[], ["--store-hook", "true"]])
  func `a newer response that another run has stored meanwhile stays, and the later run says so`(_ options: [String])
    throws
  {
    let gate = Gate()
    defer { gate.open() }
    let start = ManualClock().seconds
    let scenario = try Scenario { request in
      let date = ("Date", httpDate(Int(start) + (request.number - 1) * 10))
      let answer = OriginAnswer.response(fields: [date, ("Cache-Control", "max-age=60")], text: "\(request.number)")
      return request.number == 1 ? .late(gate, answer) : answer
    }
    let first = scenario.start(options + ["-v", "-w", " %{cache_stored}", scenario.url()])
    #expect(scenario.origin.hasSeen(requests: 1))
    scenario.clock.advance(bySeconds: 10)
    #expect(try scenario.run("--reload", "-w", " %{cache_stored}", scenario.url()).text == "2 1")
    gate.open()
    let run = try first.finish()
    let reason = "a more recent response has been stored"
    #expect(run.text == "1 0" && run.diagnostics.contains(reason), "\(run.diagnostics)")
    #expect(try scenario.run("--offline", scenario.url()).text == "2")
  }

  /// Dates of the answers to two overlapping requests, and the times of the second request and of the first answer, in
  /// seconds after the first request. The second answer comes at once.
  static let datings: [(dates: [Int]?, secondRequest: UInt32, firstAnswer: UInt32)] = [
    (nil, 1, 4), (nil, 0, 4), (nil, 0, 0), ([4, 1], 1, 4), ([0, 1], 1, 4), ([0, 0], 0, 4), ([4, 0], 0, 4),
    ([-50, -50], 1, 4),
  ]

  @Test(arguments: datings)
  func `a response stays when an earlier request for it is answered later`(
    _ dates: [Int]?, _ secondRequest: UInt32, _ firstAnswer: UInt32
  ) throws {
    let gate = Gate()
    defer { gate.open() }
    let start = Int(ManualClock().seconds)
    let scenario = try Scenario { request in
      let date = dates.map { ("Date", httpDate(start + $0[request.number - 1])) }
      let answer = OriginAnswer.fresh(date.map { [$0] } ?? [], text: "\(request.number)")
      return request.number == 1 ? .late(gate, answer) : answer
    }
    let first = scenario.start("-w", " %{cache_stored}", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    scenario.clock.advance(bySeconds: secondRequest)
    #expect(try scenario.run("--reload", "-w", " %{cache_stored}", scenario.url()).text == "2 1")
    scenario.clock.advance(bySeconds: firstAnswer - secondRequest)
    gate.open()
    #expect(try first.finish().text == "1 0")
    #expect(try scenario.run("--offline", scenario.url()).text == "2")
  }

  @Test(arguments: ["file", "symlink", "dangling", "writable by others", "unwritable parent"])
  func `a directory that cannot be a store causes one warning`(_ fault: String) throws {
    let scenario = try Scenario(Self.answer)
    let place = scenario.directory.path("place")
    switch fault {
    case "file": try scenario.directory.write("x", to: "place")
    case "symlink": symlink(try scenario.directory.makeDirectory("elsewhere"), place)
    case "dangling": symlink(scenario.directory.path("nowhere"), place)
    case "writable by others": try scenario.directory.makeDirectory("place", mode: 0o777)
    default: try scenario.directory.write("x", to: "parent")
    }
    let path = fault == "unwritable parent" ? scenario.directory.path("parent/place") : place
    for _ in 1...2 {
      let run = try scenario.run("--cache-dir", path, scenario.url())
      #expect(run.status == 0 && run.text == "body")
      #expect(run.diagnostics.hasPrefix("garner: warning: the cache in \(path) is not used: "))
      #expect(run.diagnostics.split(separator: "\n").count { !$0.hasPrefix("hint: ") } == 1)
    }
    #expect(filesBelow(scenario.directory.path("elsewhere")).isEmpty)
    let offline = try scenario.run("-sS", "--cache-dir", path, "--offline", "-w", "%{cache_reason}", scenario.url())
    let reason = "and the cache in \(path) is not used: "
    #expect(offline.status == 110 && offline.text.contains("; the cache in \(path) is not used: "))
    #expect(offline.diagnostics.hasPrefix("garner: nothing may be sent for \(scenario.url()), \(reason)"))
    #expect(!offline.diagnostics.contains("hint: "))
    #expect(try scenario.run("--cache-dir", path, "cache", "ls").status == 112)
  }

  @Test func `a relative XDG_CACHE_HOME causes one warning, and is not made`() throws {
    let scenario = try Scenario(Self.answer)
    scenario.environment["XDG_CACHE_HOME"] = "relative"
    let run = try scenario.run(scenario.url(), scenario.url())
    #expect(run.status == 0 && run.text == "bodybody")
    #expect(
      run.diagnostics == """
        garner: warning: there is no directory for the cache: the path in XDG_CACHE_HOME is relative
        hint: set it to an absolute path, or use --cache-dir DIRECTORY

        """)
    #expect(try scenario.run("prefetch", scenario.url()).status == 112)
    #expect(namesInDirectory(scenario.directory.path).allSatisfy { !$0.contains("cache") })
    // A setting that names the cache itself may have a relative path.
    #expect(try scenario.run("--cache-dir", scenario.cachePath, scenario.url()).diagnostics == "")
  }

  @Test(.enabled(if: Machine.isRoot, "Nobody but root gives directories away."))
  func `nothing is made in another user's HOME, and a warning says so, with a hint`() throws {
    let scenario = try Scenario(Self.answer)
    let home = try scenario.directory.makeDirectory("home")
    try checked("chown", chown(home, 1, 1))
    (scenario.environment["HOME"], scenario.environment["XDG_CACHE_HOME"]) = (home, "")
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.text == "body")
    #expect(
      run.diagnostics == """
        garner: warning: nothing is stored in the cache in \(home)/.cache/garner: it would be made in a directory that \
        belongs to another user (1)
        hint: choose another directory with --cache-dir or GARNER_CACHE_DIR

        """)
    #expect(namesInDirectory(home).isEmpty)
  }

  @Test(arguments: [
    ("ls", [], "list"), ("show", ["http://a/"], "read"), ("cat", ["http://a/"], "read"), ("rm", ["--all"], "empty"),
    ("rm", ["http://a/"], "remove from"), ("prune", [], "prune"), ("pin", ["http://a/"], "pin in"),
    ("unpin", ["http://a/"], "unpin in"), ("tag", ["http://a/", "a=b"], "tag in"), ("verify", [], "verify"),
    ("stats", [], "count"), ("export", ["-"], "export"), ("export", ["-", "http://a/../b"], "export"),
  ])
  func `a cache command says what it cannot do with a directory that cannot be a store`(
    _ command: String, _ operands: [String], _ purpose: String
  ) throws {
    let scenario = try Scenario(Self.answer)
    try scenario.directory.makeDirectory("place", mode: 0o777)
    let run = try scenario.run(["--cache-dir", scenario.directory.path("place"), "cache", command] + operands)
    #expect(run.status == 112)
    #expect(run.diagnostics.hasPrefix("garner: cannot \(purpose) the cache in "))
  }

  @Test func `without HOME the fetch goes on without a cache`() throws {
    let scenario = try Scenario(Self.answer)
    scenario.environment = ["HOME": "", "XDG_CACHE_HOME": ""]
    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.text == "body")
    #expect(run.diagnostics.hasPrefix("garner: warning: there is no directory for the cache"))
    for options in [["--offline"], ["--offline", "-sS"]] {
      let offline = try scenario.run(options + [scenario.url()])
      let told = offline.diagnostics.split(separator: "\n").filter { $0 == "hint: --cache-dir DIRECTORY names one" }
      #expect(offline.status == 110 && told.count == 1, "\(offline.diagnostics)")
    }
  }

  @Test func `a damaged entry is a miss with a refetch and a warning, and status 110 offline`() throws {
    let scenario = try Scenario(Self.answer)
    try scenario.run(scenario.url())
    let entry = try scenario.onlyEntry()
    var bytes = try readFile(entry)
    let content = try #require(bytes.firstRange(of: Array("body".utf8)))
    bytes[content.lowerBound] ^= 1
    try writeFile(entry, bytes)

    let offline = try scenario.run("--offline", scenario.url())
    #expect(offline.status == 110 && offline.text == "")
    try writeFile(entry, bytes)
    let online = try scenario.run(scenario.url())
    #expect(online.status == 0 && online.text == "body")
    #expect(online.diagnostics.contains("warning: the stored response for \(scenario.url()) is not used"))
    #expect(try scenario.run("--offline", scenario.url()).text == "body")
  }

  @Test func `a damaged entry that stays is reported as damaged, not as stored for other requests`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=60")], text: "body"))
    try scenario.run(scenario.url())
    try scenario.damageOnlyEntry(at: 64)
    for _ in 1...2 {
      let run = try scenario.run("--offline", "--memory-only", scenario.url())
      #expect(run.status == 110 && run.diagnostics.contains("is damaged, and nothing may be sent\n"), "\(run)")
    }
  }

  @Test func `damage to one variant is no reason for the absence of another`() throws {
    let scenario = try Scenario { request in
      .response(
        fields: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")],
        text: request.value("Accept-Language") ?? "none")
    }
    let (german, french) = (["-H", "Accept-Language: de"], ["-H", "Accept-Language: fr"])
    try scenario.run(german + [scenario.url()])
    // The name of the variant has a period; the other file is the list of variants.
    for entry in scenario.entryFiles where entry.split(separator: "/").last?.contains(".") == true {
      try writeFile(entry, [1, 2, 3])
    }
    let url = ["--offline", scenario.url()]
    let run = try scenario.run(german + url + ["--next"] + french + url)
    let errors = run.diagnostics.split(separator: "\n").filter { $0.hasPrefix("garner: ") }
    #expect(run.status == 110 && errors.first?.hasPrefix("garner: warning: ") == true, "\(run)")
    #expect(errors.dropFirst().map { $0.hasSuffix("is damaged, and nothing may be sent") } == [true, false, false])
  }

  @Test func `each damaged response that a run without the network needs is reported as damaged`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=60")], text: "body"))
    let urls = ["/a", "/b", "/c"].map { scenario.url($0) }
    try scenario.run(["-s"] + urls.prefix(2))
    for entry in scenario.entryFiles { try writeFile(entry, Array(try readFile(entry).prefix(200))) }
    let run = try scenario.run(["--offline"] + urls)
    let lines = run.diagnostics.split(separator: "\n")
    for url in urls.prefix(2) {
      #expect(lines.contains("garner: the stored response for \(url) is damaged, and nothing may be sent"), "\(run)")
    }
    #expect(lines.contains("garner: \(urls[2]) is not in the cache, and nothing may be sent"), "\(run)")
    // The warning, which says how the entry is damaged, is given once in a run.
    #expect(lines.filter { $0.hasPrefix("garner: warning: ") }.count == 1, "\(run)")
  }

  @Test func `damage in large content is found before its block is printed`() throws {
    let size: UInt64 = 1_000_000
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=60")], patternCount: size))
    let whole = try scenario.run(scenario.url()).output
    #expect(whole.count == Int(size))
    try scenario.damageOnlyEntry(at: 700_000)

    let offline = try scenario.run("--offline", scenario.url())
    #expect(offline.status == 110 && offline.output.count < 700_000 && whole.starts(with: offline.output))
    #expect(offline.diagnostics.contains("is damaged, part of it has been written, and nothing may be sent"))
  }

  @Test func `damage found half-way is made good by the origin if its answer begins with the printed bytes`()
    throws
  {
    let size: UInt64 = 1_000_000
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=60")], patternCount: size))
    let whole = try scenario.run(scenario.url()).output
    try scenario.damageOnlyEntry(at: 700_000)

    let run = try scenario.run(scenario.url())
    #expect(run.status == 0 && run.output == whole)
    #expect(run.diagnostics.contains("damaged"))
    #expect(scenario.origin.requests.count == 2)
    #expect(try scenario.run("--offline", scenario.url()).output == whole)
  }

  @Test func `damage found half-way is status 18 if the origin has other content by then`() throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .response(fields: [("Cache-Control", "max-age=60")], patternCount: 1_000_000)
        : .response(text: String(repeating: "x", count: 1_000_000))
    }
    let whole = try scenario.run(scenario.url()).output
    try scenario.damageOnlyEntry(at: 700_000)
    let run = try scenario.run(scenario.url())
    #expect(run.status == 18 && whole.starts(with: run.output))
  }

  @Test func `everything in the store is the owner's alone`() throws {
    let scenario = try Scenario(Self.answer)
    try scenario.run("-H", "Authorization: Bearer t", scenario.url())
    for file in filesBelow(scenario.cachePath) {
      var status = stat()
      #expect(lstat(file, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(file)")
    }
    var status = stat()
    #expect(lstat(scenario.cachePath, &status) == 0 && status.st_mode & 0o777 == 0o700)
    let tag = String(decoding: try readFile(scenario.cachePath + "/CACHEDIR.TAG"), as: UTF8.self)
    #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55"))
  }

  @Test func `a 304 that cannot be stored and says no-cache removes the stored response`() throws {
    let scenario = try Scenario { request in
      let (prefix, directive) = request.has("If-None-Match") ? ("Y", "no-cache") : ("X", "max-age=1000")
      // Either set of fields fits into a head, but both together do not.
      let large = (1...20).map { ("\(prefix)-\($0)", String(repeating: "x", count: 9_000)) }
      return validated(request, etag: "\"1\"", fields: large + [("Cache-Control", directive)], text: "body")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("--refresh", scenario.url()).text == "body")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `one token's response is never given to another`() throws {
    let scenario = try Scenario { request in
      .fresh(text: request.value("Authorization") ?? "nobody")
    }
    for who in ["Bearer a", "Bearer b", "Bearer a"] {
      #expect(try scenario.run("-H", "Authorization: \(who)", scenario.url()).text == who)
    }
    #expect(try scenario.run(scenario.url()).text == "nobody")
    #expect(scenario.origin.requests.count == 3)
    try scenario.run("-X", "DELETE", scenario.url())
    #expect(try scenario.run("--offline", "-H", "Authorization: Bearer a", scenario.url()).status == 110)
  }

  @Test func `variants are kept side by side`() throws {
    let scenario = try Scenario { request in
      .response(
        fields: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language, X-Kind")],
        text: "\(request.value("Accept-Language") ?? "-") \(request.value("X-Kind") ?? "-")")
    }
    let requests = [["-H", "Accept-Language: de"], ["-H", "Accept-Language: en", "-H", "X-Kind: 1"], []]
    let first = try requests.map { try scenario.run($0 + [scenario.url()]).text }
    let second = try requests.map { try scenario.run($0 + [scenario.url()]).text }
    #expect(first == ["de -", "en 1", "- -"] && second == first)
    #expect(scenario.origin.requests.count == 3)
  }

  @Test func `the variant with the latest date answers when a request selects several`() throws {
    let scenario = try Scenario { request in
      let isFirst = request.number == 1
      return .response(
        fields: [
          ("Vary", isFirst ? "X-A" : "X-B"), ("Cache-Control", "max-age=1000"),
          ("Date", isFirst ? "Thu, 01 Jan 2026 00:10:00 GMT" : "Thu, 01 Jan 2026 00:00:00 GMT"),
        ], text: isFirst ? "new" : "old")
    }
    scenario.clock.set(seconds: 1_767_226_200)
    try scenario.run("-H", "X-A: 1", "-H", "X-B: 9", scenario.url())
    try scenario.run("-H", "X-A: 2", "-H", "X-B: 1", scenario.url())
    #expect(try scenario.run("--offline", "-H", "X-A: 1", "-H", "X-B: 1", scenario.url()).text == "new")
  }
}
