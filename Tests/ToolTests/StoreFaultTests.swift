import Foundation
import TestSupport
import Testing

/// Tests of single faults, injected by the preloaded library, that once made a fetch fail. `make torture` injects all
/// faults.
@Suite(
  "A fault in the store does not make a fetch fail",
  .enabled(if: !BuiltTool.isNamed, "The library may not fit another binary."))
struct StoreFaultTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let rule: String
    /// The fault, as the preloaded library reads it.
    let plan: String
    var count = 300_000
    /// Whether the fault leads to a warning.
    var isNoticed = true

    var testDescription: String { rule }
  }

  private static let onHits = [
    Row(rule: "Pages that cannot be spliced are written", plan: "splice:1 fail \(EIO) 0", isNoticed: false),
    Row(rule: "Content that becomes unreadable is continued from the origin", plan: "pread:5 fail \(EIO) 1"),
    Row(rule: "An entry cannot be read, and the store fails from then on", plan: "pread:1 fail \(EIO) 1"),
    Row(rule: "Descriptors run out", plan: "pread:1 fail \(EMFILE) 1", count: 1_000),
  ]

  @Test("A hit is delivered despite a fault, with at most one warning", arguments: onHits)
  func hit(row: Row) throws {
    let content = Pattern.bytes(count: row.count)
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool([origin.url("/a")], home: home).succeeded)
      let result = try faulty(row.plan, [origin.url("/a")], home)
      #expect(result.succeeded, "\(result.errorText)")
      // Compared first, because printing the difference of two long contents takes minutes.
      let isWhole = result.stdout == content
      #expect(isWhole)
      #expect(lines(of: result.errorText).count == (row.isNoticed ? 1 : 0), "\(result.errorText)")
    }
  }

  @Test("An entry whose name cannot be synchronized is removed, and does not count", arguments: 1...3)
  func nameThatDoesNotLast(call: Int) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url("/first")], home: home).succeeded)
      // The third synchronization is that of the directory in which a shard is created.
      var areMet: [Bool] = []
      for number in 1...6 {
        let fault = "fsync:\(call) fail \(EIO) 0"
        let (result, isMet) = try attempt(fault, ["--durable", origin.url("/\(number)")], home)
        #expect(result.outputText == "content")
        areMet.append(isMet)
      }
      #expect(areMet.contains(true))
      let listed = lines(of: try runTool(["cache", "ls"], home: home).outputText)
      let counted = lines(of: try runTool(["cache", "stats"], home: home).outputText).first { $0.hasPrefix("entries") }
      #expect(counted == "entries\t\(listed.count)")
    }
  }

  @Test("A response is stored even if its directory cannot be synchronized on that file system", arguments: 2...3)
  func noSynchronizedDirectories(call: Int) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url("/")], home: home).succeeded)
      // The first synchronization is the file's, the next ones are its shard's and, for a new shard, the directory's
      // above.
      let (result, _) = try attempt("fsync:\(call) fail \(EINVAL) 0", ["--durable", origin.url("/a")], home)
      #expect(result.outputText == "content" && result.stderr.isEmpty, "\(result.errorText)")
      #expect(try runTool(["--offline", origin.url("/a")], home: home).outputText == "content")
    }
  }

  @Test("If very few descriptors may be open, the fetch gets them; with 24, the response is stored", arguments: 10...26)
  func fewDescriptors(limit: Int) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      for option in ["--no-fail", "--reload"] {
        let run = ToolRun([option, "-o", "out", origin.url("/a")], home: home)
          .throughShell("ulimit -n \(limit) && exec \"$0\" \"$@\"")
        let result = try run.run()
        #expect(result.succeeded && lines(of: result.errorText).count == (limit < 24 ? 1 : 0), "\(result.errorText)")
        #expect(try home.read("out") == Array("content".utf8))
      }
      #expect(try runTool(["--offline", origin.url("/a")], home: home).succeeded == (limit >= 24))
    }
  }

  @Test("An interrupted lock is requested again, and the response is stored")
  func interruptedLock() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let result = try faulty("fcntl+lock:1 interrupt 0 0", [origin.url("/a")], home)
      #expect(result.outputText == "content" && result.stderr.isEmpty, "\(result.errorText)")
      #expect(try runTool(["--offline", origin.url("/a")], home: home).outputText == "content")
    }
  }

  @Test(
    "Parallel transfers are limited by the available descriptors, and store their responses all the same",
    arguments: [13, 23, 24, 40, 128])
  func fewDescriptorsSideBySide(limit: Int) throws {
    let content = Pattern.bytes(count: 20_000)
    let count = limit < 100 ? 12 : 80
    let answer: OriginServer.Handler = { _ in
      usleep(200_000)
      return fresh(content)
    }
    try withOrigin(answering: answer) { origin in
      let home = try TemporaryDirectory()
      // The second run replaces what the first has stored, which takes the most.
      for options in [[], ["--reload", "--durable"]] {
        let run = ToolRun(["-Z", "-o", "#1"] + options + [origin.url("/[1-\(count)]")], home: home)
          .throughShell("ulimit -n \(limit) && exec \"$0\" \"$@\"")
        let result = try run.run()
        #expect(result.succeeded && lines(of: result.errorText).count == (limit < 24 ? 1 : 0), "\(result.errorText)")
        for number in 1...count {
          let isWhole = try home.read("\(number)") == content
          #expect(isWhole)
        }
        let listed = try runTool(["cache", "ls"], home: home).outputText
        #expect(lines(of: listed).count == (limit < 24 ? 0 : count))
      }
    }
  }

  @Test("If garner-transport cannot be started for lack of descriptors, no hint says that it is not installed")
  func wantOfDescriptors() throws {
    let home = try TemporaryDirectory()
    let run = ToolRun(["--no-store", "http://127.0.0.1:9/"], home: home)
      .throughShell("ulimit -n 6 && exec \"$0\" \"$@\"")
    let result = try run.run()
    #expect(result.ending == .exit(2), "\(result.errorText)")
    #expect(
      result.errorText
        == "garner: cannot fetch http://127.0.0.1:9/: garner-transport cannot be used: Too many open files\n")
  }

  @Test("An unreadable entry is not used, is reported, and stays", arguments: [EACCES, EIO])
  func unreadableEntry(reason: Int32) throws {
    let answer: OriginServer.Handler = { request in
      let isKept = request.has("X-Kept") || request.path == "/new"
      return .response(fields: [("Cache-Control", isKept ? "max-age=3600" : "no-store")], text: "content")
    }
    try withOrigin(answering: answer) { origin in
      let home = try TemporaryDirectory()
      let (old, new) = (origin.url("/old"), origin.url("/new"))
      #expect(try runTool(["-H", "X-Kept: 1", old], home: home).succeeded)
      let result = try faulty("openat2:1 fail \(reason) 2", [old, new], home)
      #expect(result.succeeded && result.outputText == "contentcontent", "\(result.errorText)")
      let told = lines(of: result.errorText)
      #expect(told.count == 1 && told[0].contains(" cannot be read: "), "\(told)")
      #expect(try runTool(["--offline", old], home: home).succeeded, "it is dropped")
      #expect(try runTool(["--offline", new], home: home).succeeded, "the store is let alone")
    }
  }

  @Test("A pinned response whose head cannot be read for lack of descriptors is never lost without a report")
  func unreadPin() throws {
    let varying = [[], [("Vary", "Accept")]]
    for fields in varying {
      let answer: OriginServer.Handler = { _ in
        .response(fields: [("Cache-Control", "max-age=3600")] + fields, text: "content")
      }
      try withOrigin(answering: answer) { origin in
        let url = origin.url("/a")
        for command in [["cache", "prune", "--max-size", "1"], ["--reload", url]] {
          for call in ["openat2", "pread"] {
            for place in 1...20 {
              let home = try TemporaryDirectory()
              #expect(try runTool(["--pin", url], home: home).succeeded)
              let (result, isMet) = try attempt("\(call):\(place) fail \(EMFILE) 0", command, home)
              if !isMet { break }
              // Pruning to one byte removes it unless it is pinned.
              #expect(try runTool(["cache", "prune", "--max-size", "1"], home: home).succeeded)
              let isKept = try runTool(["--offline", url], home: home).succeeded
              // The response that superseded it may not have been stored. A run reports that with one warning at most.
              let isTold =
                result.errorText.contains("the pinned response for \(url) is removed, because")
                || result.errorText.contains("warning: nothing is stored in the cache")
              #expect(
                isKept || command[0] == "--reload" && isTold, "\(fields), \(command), \(call):\(place): \(result)")
            }
          }
        }
      }
    }
  }

  @Test("If one variant cannot be read for lack of descriptors, another superseded variant is still removed")
  func unreadVariant() throws {
    let answer: OriginServer.Handler = { request in
      let varying = request.has("X-Vary") ? [("Vary", request.value("X-Vary") ?? "")] : []
      let directive = varying.isEmpty ? "no-store" : "max-age=3600"
      return .response(fields: [("Cache-Control", directive)] + varying, text: "content")
    }
    try withOrigin(answering: answer) { origin in
      let url = origin.url("/a")
      func by(_ accept: String, _ language: String) -> [String] {
        ["-H", "Accept: \(accept)", "-H", "Accept-Language: \(language)", url]
      }
      var outcomes: [[Bool]] = []
      for place in 1...40 {
        let home = try TemporaryDirectory()
        #expect(try runTool(["-H", "X-Vary: Accept"] + by("a", "de"), home: home).succeeded)
        #expect(try runTool(["-H", "X-Vary: Accept-Language"] + by("b", "de"), home: home).succeeded)
        let (result, isMet) = try attempt("openat2:\(place) fail \(EMFILE) 0", ["--reload"] + by("a", "de"), home)
        #expect(result.outputText == "content", "\(place): \(result)")
        let asked = [by("a", "fr"), by("c", "de")]
        outcomes.append(try asked.map { try runTool(["--offline"] + $0, home: home).succeeded })
        if !isMet { break }
      }
      #expect(outcomes.contains([true, false]) && outcomes.contains([false, true]), "\(outcomes)")
      #expect(outcomes.last == [false, false], "\(outcomes)")
    }
  }

  @Test("A recount during which an entry cannot be read for lack of descriptors leaves the accounts unchanged")
  func unreadWhileCounted() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      for number in 1...3 { #expect(try runTool([origin.url("/\(number)")], home: home).succeeded) }
      func held() throws -> Substring {
        let text = try runTool(["cache", "stats", "--json"], home: home).outputText
        return text[(text.range(of: "\"by_host\"")?.lowerBound ?? text.endIndex)...]
      }
      let before = try held()
      #expect(before.contains("\"127.0.0.1\""))
      for place in 1...30 {
        let (_, isMet) = try attempt("openat2:\(place) fail \(EMFILE) 0", ["cache", "verify", "--repair"], home)
        #expect(try held() == before, "\(place)")
        if !isMet { break }
      }
    }
  }

  @Test("A command fails if it lacks memory or descriptors for reading, and reports no damage")
  func wantInCommands() throws {
    try withOrigin(answering: { _ in fresh(Pattern.bytes(count: 300_000)) }) { origin in
      let home = try TemporaryDirectory()
      let url = origin.url("/a")
      #expect(try runTool([url], home: home).succeeded)
      let rows: [(plans: [String], command: [String])] = [
        (["pread:1", "pread:2", "pread:5", "openat2:2"], ["verify", "--repair"]),
        (["openat2:1", "pread:1"], ["ls"]), (["openat2:1", "pread:1"], ["rm", url]),
        (["openat2:1", "openat2:2", "pread:5"], ["export", "-"]), (["openat2:1"], ["check", "--offline", url]),
      ]
      for (plans, command) in rows {
        for (plan, reason) in plans.flatMap({ [($0, ENOMEM), ($0, EMFILE)] }) {
          let result = try faulty("\(plan) fail \(reason) 0", ["cache"] + command, home)
          #expect(result.ending == .exit(112), "\(command), \(plan): \(result.errorText)")
          let words = String(cString: strerror(reason))
          #expect(result.errorText.hasSuffix(": \(words)\n"), "\(command), \(plan): \(result.errorText)")
        }
      }
      #expect(try runTool(["--offline", url], home: home).succeeded)
    }
  }

  @Test("A command that skips an unreadable entry reports that once")
  func unreadableInCommands() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let url = origin.url("/a")
      #expect(try runTool([url], home: home).succeeded)
      let warning = "was read: 1 entry cannot be read: Permission denied"
      let rows: [(status: Int32, told: String, command: [String])] = [
        (0, warning, ["ls"]), (0, warning, ["ls", url]), (1, warning, ["rm", "*/a"]),
        (1, warning, ["export", "-", "*/a"]), (112, "1 entry cannot be read: Permission denied", ["export", "-", url]),
        (112, "1 entry cannot be read: Permission denied", ["verify"]), (0, "", ["rm", "--dry-run", url]),
      ]
      for row in rows {
        let result = try faulty("openat2:1 fail \(EACCES) 2", ["cache"] + row.command, home)
        #expect(result.ending == .exit(row.status), "\(row.command): \(result.errorText)")
        let count = lines(of: result.errorText).count { $0.contains(row.told) }
        #expect(row.told.isEmpty ? result.stderr.isEmpty : count == 1, "\(row.command): \(result.errorText)")
      }
      // An entry of another URL, as its name shows, is not opened.
      let (other, isMet) = try attempt("openat2:1 fail \(EACCES) 2", ["cache", "ls", url + "b"], home)
      #expect(other.succeeded && other.stderr.isEmpty && !isMet)
    }
  }

  @Test("A run that only reads stored content ends with the first signal")
  func interruptedReading() throws {
    let content = Pattern.bytes(count: 2_000_000)
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let home = try TemporaryDirectory()
      let url = origin.url("/a")
      #expect(try runTool(["-o", "copy", url], home: home).succeeded)
      let digest = String(repeating: "0", count: 64)
      let rows = [
        ["cache", "verify"], ["cache", "export", "out.warc"], ["--offline", "--sha256", digest, url],
        ["--offline", "--compressed", "-o", "copy", url], ["--offline", "-o", "copy", url],
      ]
      for row in rows {
        // The first signal is noted; a second one would end the run without a message.
        let result = try faulty("pread:5 signal \(SIGINT) 2", row, home)
        #expect(result.ending == .signal(SIGINT) && result.errorText == "garner: interrupted\n", "\(row): \(result)")
      }
    }
  }

  @Test("An unreadable directory hides only the entries in it")
  func unreadableDirectory() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool([origin.url("/[1-20]")], home: home).succeeded)
      let version = home.path("cache/garner/v1")
      let shards = try FileManager.default.contentsOfDirectory(atPath: version).filter { $0.utf8.count == 2 }.sorted()
      try checked("chmod", chmod("\(version)/\(shards[0])", 0))
      defer { chmod("\(version)/\(shards[0])", 0o700) }
      let warning =
        "garner: warning: not all of the cache in \(home.path("cache/garner")) was read: "
        + "v1/\(shards[0]) in it cannot be read: Permission denied\n"
      for command in [
        ["ls"], ["ls", "--json"], ["prune", "-n", "--larger-than", "1"], ["pin", "*"],
      ] {
        let result = try runWithoutPrivilege(["cache"] + command, home)
        #expect(result.succeeded && result.errorText.hasPrefix(warning), "\(command): \(result.errorText)")
      }
      let listed = try runWithoutPrivilege(["cache", "ls"], home)
      #expect(lines(of: listed.outputText).count >= shards.count - 1)
      try checked("chmod", chmod("\(version)/\(shards[1])", 0))
      let two = try runWithoutPrivilege(["cache", "ls"], home)
      #expect(two.errorText == warning.dropLast() + ", and 1 directory more\n", "\(two.errorText)")
      try checked("chmod", chmod("\(version)/\(shards[1])", 0o700))
      for command in [["verify"], ["verify", "--repair"]] {
        let verified = try runWithoutPrivilege(["cache"] + command, home)
        let unread = "unread\t\(version)/\(shards[0])\t-\tit cannot be read: Permission denied\n"
        #expect(verified.outputText.hasPrefix(unread), "\(verified)")
        #expect(verified.ending == .exit(112) && verified.outputText.hasSuffix(": 0 damaged, 1 unread\n"))
      }
      let removed = try runWithoutPrivilege(["cache", "rm", "--all"], home)
      #expect(removed.ending == .exit(112) && removed.errorText.hasSuffix(": Permission denied\n"), "\(removed)")
      #expect(try runWithoutPrivilege(["cache", "ls"], home).stdout.isEmpty, "the others are gone")
    }
  }

  private func runWithoutPrivilege(_ arguments: [String], _ home: TemporaryDirectory) throws -> ToolResult {
    try runTool(arguments, home: home) { $0.wrapper = Machine.withoutPrivileges }
  }

  @Test("If there is no room for a tag, tagging ends without a change, and no response is in doubt")
  func roomForTag() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool([origin.url("/a"), origin.url("/b")], home: home).succeeded)
      let result = try faulty("fallocate:1 fail \(ENOSPC) 0", ["cache", "tag", "*", "k=v"], home)
      #expect(result.ending == .exit(112) && result.stdout.isEmpty, "the next one is tried")
      #expect(result.errorText.hasSuffix(": No space left on device\n"), "\(result.errorText)")
      #expect(try runTool(["cache", "ls", "--tag", "k"], home: home).stdout.isEmpty)
      #expect(try runTool(["cache", "ls", "--fresh", "--format", "x"], home: home).outputText == "x\nx\n")
    }
  }

  @Test("If the cache cannot be used, no hint refers to it")
  func hintOfUnusableStore() throws {
    let home = try TemporaryDirectory()
    let file = try home.write("", to: "file")
    let result = try runTool(["--cache-dir", file, "--offline", "http://127.0.0.1:9/"], home: home)
    #expect(result.ending == .exit(110) && !result.errorText.contains("hint: "), "\(result.errorText)")
  }

  @Test("An entry that cannot be removed does not keep the others, and the removed ones are reported")
  func unremovable() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let urls = ["/a", "/b", "/c"].map { origin.url($0) }
      let commands = [
        ["rm", "*"], ["rm"] + urls, ["prune", "--larger-than", "1"], ["prune", "--max-size", "0"],
        ["prune", "--max-size", "0", "--host", "*"],
      ]
      for command in commands {
        #expect(try runTool(urls, home: home).succeeded)
        let result = try faulty("unlinkat:1 fail \(EIO) 0", ["cache"] + command, home)
        #expect(result.ending == .exit(112), "\(command): \(result)")
        #expect(result.outputText.hasPrefix("removed 2 "), "\(command): \(result.outputText)")
        #expect(lines(of: result.errorText).count == 1 && result.errorText.hasSuffix(": Input/output error\n"))
        #expect(lines(of: try runTool(["cache", "ls"], home: home).outputText).count == 1)
      }
    }
  }
}
