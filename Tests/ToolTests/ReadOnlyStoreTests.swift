import TestSupport
import Testing

/// Tests of a store on a file system that is mounted read-only, which restricts root as well.
@Suite("A store on a read-only file system", .enabled(if: Isolation.canMountAsUser, "Nobody may mount anything here."))
struct ReadOnlyStoreTests {
  private static let steps = """
    mount --bind "$STORE" "$STORE" && mount -o remount,ro,bind "$STORE" || exit
    exec "$0" "$@"
    """

  /// Passes a function that runs the tool where one place is mounted read-only. The store has the response from `/a`.
  ///
  /// - Parameter place: the place that is mounted read-only.
  private func withStore(
    _ place: String = "cache/garner",
    _ body: (_ url: (String) -> String, _ run: ([String]) throws -> ToolResult) throws -> Void
  ) throws {
    try withOrigin(answering: { fresh(text: $0.path) }) { origin in
      let home = try TemporaryDirectory()
      let first = try runTool(["-s", origin.url("/a")], home: home)
      #expect(first.outputText == "/a", "\(first.errorText)")
      try body({ origin.url($0) }) { arguments in
        var run = ToolRun(arguments, home: home).throughShell(Self.steps)
        run.wrapper = Isolation.ownMounts
        run.environment["STORE"] = home.path(place)
        return try run.run()
      }
    }
  }

  @Test("A read-only store serves its responses, others are fetched, and there is at most one warning")
  func fetching() throws {
    try withStore { url, run in
      let hit = try run(["--offline", url("/a")])
      #expect(hit.succeeded && hit.outputText == "/a" && hit.stderr.isEmpty, "\(hit.errorText)")
      let runs: [(paths: [String], options: [String])] = [
        (["/b"], []), (["/b", "/a", "/b"], []), (["/b", "/a", "/c"], ["-Z"]),
      ]
      for (paths, options) in runs {
        let result = try run(options + paths.map(url))
        #expect(result.succeeded && result.outputText == paths.joined(), "\(result.errorText)")
        #expect(lines(of: result.errorText).count <= 1, "\(result.errorText)")
      }
      let absent = try run(["--offline", url("/b")])
      #expect(absent.ending == .exit(110), "\(absent.errorText)")
    }
  }

  @Test("A read-only store without a secret serves what needs none, and does not warn")
  func concealing() throws {
    try withStore { url, run in
      let result = try run(["-u", "user:word", url("/b"), "--next", "-w", " %{cache_result}", url("/a")])
      #expect(result.succeeded && result.outputText == "/b/a hit" && result.stderr.isEmpty, "\(result.errorText)")
    }
  }

  @Test("prefetch fails if a response cannot be stored in a read-only store", arguments: [[], ["--pin"]])
  func filling(options: [String]) throws {
    try withStore { url, run in
      let filled = try run(["prefetch", url("/a")])
      #expect(filled.succeeded && filled.errorText == "garner: 1 URL: 1 from the cache\n", "\(filled.errorText)")
      let result = try run(["prefetch"] + options + [url("/b")])
      #expect(result.ending == .exit(112), "\(result.errorText)")
      let told = lines(of: result.errorText)
      #expect(told.count == 2 && told.first?.hasSuffix(": Read-only file system") == true, "\(told)")
      #expect(told.last == "garner: 1 URL: 1 fetched (2 B), 1 not stored")
    }
  }

  @Test("A store that cannot be created on a read-only file system costs one warning")
  func making() throws {
    try withStore("cache") { url, run in
      let result = try run(["--cache-dir", "cache/other", url("/b")])
      #expect(result.succeeded && result.outputText == "/b", "\(result.errorText)")
      #expect(
        result.errorText == "garner: warning: nothing is stored in the cache in cache/other: cannot create the store: "
          + "Read-only file system\n")
    }
  }

  @Test(
    "A command that only reads works on a read-only store",
    arguments: ["ls", "show", "cat", "explain", "check", "stats", "verify", "prune"])
  func looking(command: String) throws {
    try withStore { url, run in
      let takesURL = ["show", "cat", "explain", "check"].contains(command)
      let result = try run(["cache", command] + (takesURL ? [url("/a")] : []))
      #expect(result.succeeded, "\(result.errorText)")
      #expect(!result.errorText.contains("Read-only"), "\(result.errorText)")
    }
  }

  @Test(
    "A command that would change a read-only store fails with 112 and one line",
    arguments: [["rm", "URL"], ["rm", "--all"], ["pin", "URL"], ["tag", "URL", "a=b"], ["stats", "--zero"]])
  func changing(command: [String]) throws {
    try withStore { url, run in
      let result = try run(["cache"] + command.map { $0 == "URL" ? url("/a") : $0 })
      #expect(result.ending == .exit(112), "\(result.errorText)")
      #expect(lines(of: result.errorText).count == 1, "\(result.errorText)")
      #expect(result.errorText.hasSuffix(": Read-only file system\n"), "\(result.errorText)")
      #expect(try run(["--offline", url("/a")]).outputText == "/a")
    }
  }
}
