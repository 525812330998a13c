import CTestSupport
import Glibc
import TestSupport
import Testing

@Suite struct CacheVerifyTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=600")], text: "body of \(request.path)")
    }
    for path in ["/a", "/b"] { try scenario.run(scenario.url(path)) }
    return scenario
  }

  /// Flips a bit of the content of a stored response, or of its preamble.
  private func damage(_ path: String, _ scenario: Scenario, at offset: Int = 64) throws -> String {
    let file = try file(of: path, scenario)
    var bytes = try readFile(file)
    bytes[offset] ^= 1
    try writeFile(file, bytes)
    return file
  }

  private func file(of path: String, _ scenario: Scenario) throws -> String {
    let shown = try scenario.run("cache", "show", "--json", scenario.url(path)).text
    return String(try #require(shown.split(separator: #""path":""#).last).prefix { $0 != "\"" })
  }

  @Test func `verify reports no damage in a store that is in order`() throws {
    let run = try scenario().run("cache", "verify")
    #expect(run.status == 0 && run.diagnostics == "")
    #expect(run.text.hasPrefix("verified 2 entries, ") && run.text.hasSuffix(": 0 damaged\n"))
  }

  @Test func `verify reports damage with its file, and its status is 113`() throws {
    let scenario = try scenario()
    let path = try damage("/b", scenario)
    let run = try scenario.run("cache", "verify")
    #expect(run.status == 113)
    #expect(
      run.text.hasPrefix(
        "damaged\t\(path)\t\(scenario.url("/b"))\tthe checksum of block 0 is wrong\nverified 2 entries, "))
    #expect(run.text.hasSuffix(": 1 damaged\n"))
    #expect(
      run.diagnostics == """
        garner: 1 of 2 entries is damaged
        hint: 'garner cache verify --repair' removes damaged entries

        """)
    let json = try scenario.run("cache", "verify", "--json").text
    #expect(json.hasPrefix(#"{"entries":2,"bytes":"#))
    #expect(
      json.hasSuffix(
        #""damaged":[{"path":"\#(path)","url":"\#(scenario.url("/b"))","damage":"the checksum of block 0 is wrong","#
          + #""dropped":false}],"foreign":[],"unread":[],"unfinished":[]}"# + "\n"))
  }

  @Test(arguments: [0, 30])
  func `verify reports an incomplete update as unfinished, not as damage`(_ cut: Int) throws {
    let scenario = try scenario()
    try scenario.run("cache", "tag", scenario.url("/b"), "kind=test")
    let path = try file(of: "/b", scenario)
    var bytes = try readFile(path)
    if cut > 0 { bytes.removeLast(cut) } else { bytes[bytes.count - 20] ^= 1 }
    try writeFile(path, bytes)
    let run = try scenario.run("cache", "verify")
    let line = "unfinished\t\(path)\t\(scenario.url("/b"))\tits last update is incomplete\nverified 2 entries, "
    #expect(run.status == 0 && run.text.hasPrefix(line) && run.text.hasSuffix(": 0 damaged, 1 unfinished\n"), "\(run)")
    let object = #""unfinished":[{"path":"\#(path)","url":"\#(scenario.url("/b"))"}]}"#
    #expect(try scenario.run("cache", "verify", "--json").text.hasSuffix(object + "\n"))
    // The broken update has no effect, and the response as it was before the update counts as stale.
    #expect(!(try scenario.run("cache", "show", scenario.url("/b")).text.contains("kind=test")))
    #expect(try scenario.run(scenario.url("/b")).text == "body of /b")
    #expect(try scenario.run("cache", "verify").text.hasSuffix(": 0 damaged\n"))
  }

  @Test func `a damaged entry is a warning of ls, rm and prune, and an error of pin, unpin and tag`() throws {
    let scenario = try scenario()
    _ = try damage("/b", scenario, at: 20)
    let hint = "hint: 'garner cache verify --repair' removes damaged entries\n"
    let warning =
      "garner: warning: not all of the cache in \(scenario.cachePath) was read: 1 entry is damaged\n" + hint
    for command in [["ls"], ["rm", "-n", "*"], ["prune", "--stale"], ["ls", scenario.url("/b")]] {
      let run = try scenario.run(["cache"] + command)
      #expect(run.status == 0 && run.diagnostics == warning, "\(command): \(run)")
    }
    #expect(try scenario.run("cache", "ls", scenario.url("/a")).diagnostics == "")
    let urls = [scenario.url("/a"), scenario.url("/b")]
    for command in [["pin", "*"], ["unpin", "*"], ["tag", "*", "a=b"], ["pin"] + urls] {
      let run = try scenario.run(["cache"] + command)
      #expect(run.status == 113 && run.text.hasSuffix(" 1 response\n"), "\(command): \(run)")
      #expect(run.diagnostics == "garner: 1 of 2 entries is damaged\n" + hint)
    }
  }

  @Test func `--repair drops only damaged entries, and corrects the statistics`() throws {
    let scenario = try scenario()
    _ = try damage("/b", scenario, at: 40)
    let run = try scenario.run("cache", "verify", "--repair")
    #expect(run.status == 0 && run.diagnostics == "" && run.text.hasPrefix("dropped\t"), "\(run.text)")
    #expect(run.text.hasSuffix(": 1 damaged, 1 dropped\n"))
    #expect(try scenario.run("cache", "verify").text.hasPrefix("verified 1 entry, "))
    let host = try scenario.run("cache", "stats").text.split(separator: "\n").filter { $0.hasPrefix("host") }
    #expect(host.count == 1 && host[0].split(separator: "\t")[3] == "1", "\(host)")
    #expect(try scenario.run("--offline", scenario.url("/a")).text == "body of /a")
    #expect(try scenario.run(scenario.url("/b")).text == "body of /b")
  }

  // MARK: Other users' entries

  private static let nobody: UInt32 = 65_534

  private static func countWords(_ run: Scenario.Run) -> Int { run.diagnostics.split(separator: "\n").count }

  @Test(.enabled(if: Machine.isRoot, "Only root may give a file to others."))
  func `an entry that belongs to another user is not damage, and stays`() throws {
    let scenario = try scenario()
    let entries = scenario.entryFiles
    #expect(entries.count == 2)
    for entry in entries { try checked("chown", chown(entry, Self.nobody, Self.nobody)) }
    for option in [[], ["--repair"]] {
      let run = try scenario.run(["cache", "verify"] + option)
      #expect(run.status == 112)
      let line = "foreign\t\(entries[0])\t-\tit belongs to another user (65534)\n"
      #expect(run.text.contains(line) && run.text.hasSuffix(": 0 damaged, 2 foreign\n"), "\(run.text)")
      #expect(
        run.diagnostics == """
          garner: cannot verify all of the cache in \(scenario.cachePath): 2 entries belong to another user
          hint: root can change the owner with 'chown -R'

          """)
    }
    #expect(try scenario.run("cache", "verify", "--json").text.contains(#""damaged":[],"foreign":["#))
    let list = try scenario.run("cache", "ls")
    #expect((list.status, list.text) == (0, ""))
    #expect(list.diagnostics.hasSuffix("was read: 2 entries belong to another user\n"))
    #expect(Self.countWords(list) == 1)
    let export = try scenario.run("cache", "export", "-")
    #expect(export.status == 112 && export.diagnostics.contains("left out 2 (2 of another user)"))
    // A fetch does not remove the entry either, although it cannot use it.
    #expect(try scenario.run("--offline", scenario.url("/a")).status == 110)
    for entry in entries { try checked("chown", chown(entry, 0, 0)) }
    #expect(try scenario.run("--offline", scenario.url("/a")).text == "body of /a")
    #expect(try scenario.run("cache", "verify").status == 0)
  }

  @Test(.enabled(if: Machine.isRoot, "Only root may give a file to others."))
  func `another user's entry is reported only when it is asked for and stays`() throws {
    let scenario = try scenario()
    let entry = try file(of: "/a", scenario)
    try checked("chown", chown(entry, Self.nobody, Self.nobody))
    for command in [["ls"], ["pin"], ["rm", "-n"], ["rm"]] {
      let run = try scenario.run(["cache"] + command + [scenario.url("/b")])
      #expect(run.status == 0 && run.diagnostics == "", "\(command): \(run)")
    }
    let list = try scenario.run("cache", "ls", scenario.url("/a"))
    #expect(list.diagnostics.hasSuffix("was read: 1 entry belongs to another user\n"))
    let removal = try scenario.run("cache", "rm", scenario.url("/a"))
    #expect(removal.text.hasPrefix("removed 1 response, ") && removal.diagnostics == "", "\(removal)")
    #expect(scenario.entryFiles == [])
  }

  @Test(.enabled(if: Machine.isRoot, "Only root may give a file to others."), arguments: [true, false])
  func `another user's entry is reported as such and not as damaged, whether it can be read or not`(
    _ mayRead: Bool
  ) throws {
    let scenario = try scenario()
    let (file, url) = (try file(of: "/a", scenario), scenario.url("/a"))
    try checked("chown", chown(file, Self.nobody - 1, Self.nobody))
    if !mayRead {
      let shard = "/v1/\(file.split(separator: "/").dropLast().last ?? "")"
      for place in ["/..", "", "/v1", shard] { try checked("chmod", chmod(scenario.cachePath + place, 0o755)) }
      try checked("chmod", chmod(scenario.directory.path, 0o755))
      testSupportBeUser(Self.nobody)
    }
    defer { testSupportBeUser(0) }
    for command in [["show"], ["cat"], ["pin"], ["tag"], ["explain", "--require"]] {
      let run = try scenario.run(["cache"] + command + [url] + (command == ["tag"] ? ["k=v"] : []))
      #expect(run.status == 112, "\(command): \(run)")
      #expect(
        run.diagnostics.hasSuffix(
          """
          garner: the stored response for \(url) belongs to another user
          hint: root can change the owner with 'chown -R'

          """), "\(command): \(run)")
    }
    let explained = try scenario.run("cache", "explain", url)
    #expect(explained.text.contains("\nforeign ") && !explained.text.contains("damaged"), "\(explained)")
    #expect(explained.diagnostics.contains(" belongs to another user (65533)"), "\(explained)")
    #expect(try scenario.run("cache", "explain", "--json", url).text.contains(#""damaged":[],"foreign":["#))
    if mayRead {
      let export = try scenario.run("cache", "export", "-", url)
      #expect(export.status == 112 && export.diagnostics.contains(" to another user\n"), "\(export)")
    }
    let fetched = try scenario.run("--offline", url)
    #expect(fetched.status == 110 && fetched.diagnostics.contains(" belongs to another user (65533)"), "\(fetched)")
  }

  @Test(
    .enabled(if: Machine.isRoot, "Only root may give a file to others."),
    arguments: [["--cache-key", "mine"], ["--ignore-param", "x"]])
  func `another user's entry under its own key is reported for a URL that may mean it`(option: [String]) throws {
    let scenario = try scenario()
    try scenario.run("cache", "clear")
    try scenario.run(option + [scenario.url("/c?x=1")])
    for entry in scenario.entryFiles { try checked("chown", chown(entry, Self.nobody, Self.nobody)) }
    for (command, status) in [("ls", 0), ("rm", 1)] as [(String, Int32)] {
      let run = try scenario.run("cache", command, scenario.url("/c?x=1"))
      #expect(run.status == status && run.diagnostics.contains(" to another user\n"), "\(command): \(run)")
    }
  }

  @Test func `verify --repair reports damage that it cannot drop, and its status is 113`() throws {
    let scenario = try scenario()
    let path = try damage("/b", scenario)
    removeTree(at: path)
    try checked("mkdir", mkdir(path, 0o700))
    try writeFile(path + "/precious", [1])
    let run = try scenario.run("cache", "verify", "--repair")
    #expect(run.status == 113 && run.text.hasPrefix("damaged\t\(path)\t-\tit is not a regular file\n"))
    #expect(run.diagnostics == "garner: 1 damaged entry is still there, and cannot be removed\n")
  }

  @Test(arguments: [false, true])
  func `a fetch drops a damaged entry even when it may not send anything`(_ isMoved: Bool) throws {
    let scenario = try scenario()
    let path = try damage("/b", scenario, at: isMoved ? 0 : 64)
    if isMoved {
      let shown = try scenario.run("cache", "show", "--json", scenario.url("/a")).text
      let other = String(try #require(shown.split(separator: #""path":""#).last).prefix { $0 != "\"" })
      try writeFile(path, try readFile(other))
    }
    // A command that only looks changes nothing.
    _ = try scenario.run("cache", "explain", scenario.url("/b"))
    let first = try scenario.run("-sS", "--offline", scenario.url("/b"))
    #expect(first.status == 110)
    let reason = isMoved ? "it has the name of another entry" : "the checksum of block 0 is wrong"
    #expect(
      first.diagnostics.hasPrefix("garner: warning: the stored response for \(scenario.url("/b")) is not used: ")
        && first.diagnostics.split(separator: "\n")[0].hasSuffix(reason), "\(first)")
    let second = try scenario.run("--offline", scenario.url("/b"))
    #expect(second.status == 110 && !second.diagnostics.contains("warning"), "\(second)")
    #expect(try scenario.run("--offline", scenario.url("/a")).text == "body of /a")
  }

  @Test func `a damaged entry that is asked for by its URL is reported as damaged, not as absent`() throws {
    let scenario = try scenario()
    let message = """
      garner: the stored response for \(scenario.url("/b")) is damaged
      hint: 'garner cache verify --repair' removes damaged entries

      """
    let path = try damage("/b", scenario)
    let cat = try scenario.run("cache", "cat", scenario.url("/b"))
    #expect(cat.status == 113 && cat.text == "" && cat.diagnostics == message)
    let explained = try scenario.run("cache", "explain", "--require", scenario.url("/b"))
    #expect(explained.status == 113 && explained.diagnostics.hasSuffix(message))
    #expect(explained.text.contains("damaged            \(path): the checksum of block 0 is wrong\n"))
    #expect(!explained.text.contains("variant"))

    _ = try damage("/a", scenario, at: 8)
    let shown = try scenario.run("cache", "show", scenario.url("/a"))
    #expect(shown.status == 113 && shown.text == "")
    #expect(shown.diagnostics.hasPrefix("garner: the stored response for \(scenario.url("/a")) is damaged\n"))
  }

  @Test func `damage that cat finds after it has printed a part is status 18`() throws {
    let size = 8 << 20
    let scenario = try Scenario(
      .response(fields: [("Cache-Control", "max-age=600")], patternCount: UInt64(size)))
    try scenario.run(scenario.url("/large"))
    _ = try damage("/large", scenario, at: size)
    let run = try scenario.run("cache", "cat", scenario.url("/large"))
    #expect(run.status == 18 && !run.output.isEmpty && run.output.count < size)
    #expect(run.diagnostics.hasPrefix("garner: the stored content of \(scenario.url("/large")) is damaged, and part"))
  }

  @Test func `verify reports no damage in an empty store`() throws {
    let scenario = try Scenario(.response(text: ""))
    #expect(try scenario.run("cache", "verify").text == "verified 0 entries, 0 B: 0 damaged\n")
  }

  @Test(arguments: [
    (["pin", "*"], "pinned 5 responses\n"), (["unpin", "*"], "unpinned 0 responses, 5 unchanged\n"),
    (["tag", "*", "k=v"], "tagged 5 responses\n"),
  ])
  func `pin, unpin and tag name the damaged entry, and mark all others`(_ command: [String], _ told: String) throws {
    let scenario = try scenario()
    for path in ["/c", "/d", "/e", "/f"] { try scenario.run(scenario.url(path)) }
    _ = try damage("/b", scenario)
    let run = try scenario.run(["cache"] + command)
    #expect(run.status == 113 && run.text == told, "\(run)")
    #expect(
      run.diagnostics == """
        garner: the stored response for \(scenario.url("/b")) is damaged
        hint: 'garner cache verify --repair' removes damaged entries

        """)
  }

  private func unusable(_ kind: String, _ place: String) throws {
    removeTree(at: place)
    switch kind {
    case "link": try checked("symlink", symlink("/", place))
    case "FIFO": try checked("mkfifo", mkfifo(place, 0o600))
    default: try writeFile(place, [1])
    }
  }

  @Test(arguments: [
    ("link", "it is a symbolic link"), ("FIFO", "it is not a directory"), ("file", "it is not a directory"),
  ])
  func `anything in the place of a directory of the store is reported as damage, and dropped`(
    _ kind: String, _ damage: String
  ) throws {
    let scenario = try scenario()
    let place = scenario.cachePath + "/v1/9e"
    try unusable(kind, place)
    let run = try scenario.run("cache", "verify")
    #expect(run.status == 113 && run.text.hasPrefix("damaged\t\(place)\t-\t\(damage)\n"), "\(run)")
    #expect(run.text.hasSuffix(": 1 damaged\n"))
    let json = try scenario.run("cache", "verify", "--json").text
    #expect(json.contains(#"{"path":"\#(place)","url":null,"damage":"\#(damage)","dropped":false}"#))
    for command in [["ls"], ["pin", "*"], ["tag", "*", "k=v"], ["prune"], ["rm", "-n", "--all"]] {
      let run = try scenario.run(["cache"] + command)
      let place =
        kind == "link" ? "v1/9e in it is a symbolic link, and should be a directory" : "v1/9e in it is not a directory"
      let warning = "garner: warning: not all of the cache in \(scenario.cachePath) was read: \(place)\n"
      #expect(run.status == 0 && run.diagnostics.hasPrefix(warning), "\(run)")
    }
    let exported = try scenario.run("cache", "export", "-")
    #expect(exported.status == 112 && exported.diagnostics.contains("garner: cannot export all of the cache in "))
    let repaired = try scenario.run("cache", "verify", "--repair")
    #expect(repaired.status == 0 && repaired.text.hasPrefix("dropped\t\(place)\t-\t\(damage)\n"))
    #expect(repaired.text.hasSuffix(": 1 damaged, 1 dropped\n"))
    let after = try scenario.run("cache", "verify")
    #expect(after.status == 0 && after.diagnostics == "", "\(after)")
  }

  @Test(arguments: ["link", "FIFO", "file"], [["verify", "--repair"], ["rm", "--all"]])
  func `anything in the place of the directory for temporary files is dropped, and hides no entry`(
    _ kind: String, _ command: [String]
  ) throws {
    let scenario = try scenario()
    let place = scenario.cachePath + "/v1/tmp"
    try checked("rmdir", rmdir(place))
    try unusable(kind, place)
    let list = try scenario.run("cache", "ls", "-0")
    #expect(list.text.split(separator: "\0").count == 2 && list.diagnostics == "", "\(list)")
    let run = try scenario.run("cache", "verify")
    let damage = kind == "link" ? "it is a symbolic link" : "it is not a directory"
    #expect(run.status == 113 && run.text.hasPrefix("damaged\t\(place)\t-\t\(damage)\n"), "\(run)")
    let repaired = try scenario.run(["cache"] + command)
    #expect(repaired.status == 0 && repaired.diagnostics == "", "\(repaired)")
    let after = try scenario.run("cache", "verify")
    #expect(after.status == 0 && after.diagnostics == "", "\(after)")
    #expect(try scenario.run("-w", "|%{cache_stored}", scenario.url("/c")).text == "body of /c|1")
  }
}
