import TestSupport
import Testing

@Suite("Counters")
struct CounterTests {
  @Test("Thirty concurrent processes count exactly")
  func processes() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url("/a")], home: home).succeeded)
      let runs = try (0..<30).map { _ in try ToolRun(["-s", origin.url("/a")], home: home).start() }
      for run in runs { #expect(try run.finish().outputText == "content") }
      let statistics = try runTool(["cache", "stats"], home: home)
      #expect(lines(of: statistics.outputText).contains("hits\t30"), "\(statistics.outputText)")
      #expect(lines(of: statistics.outputText).contains("misses\t1"))
      #expect(lines(of: statistics.outputText).contains("bytes_saved\t210"))
      #expect(origin.requests.count == 1)
    }
  }

  @Test("The threads of several processes count each request once, whether its answer is stored or not")
  func threads() throws {
    @Sendable func answer(_ request: ReceivedRequest) -> OriginAnswer {
      switch request.path {
      case "/0": .response(fields: [("Cache-Control", "no-store")], text: "not stored")
      case "/1" where request.has("If-None-Match"): .response(304, fields: [("ETag", "\"1\"")])
      case "/1": .response(fields: [("Cache-Control", "no-cache"), ("ETag", "\"1\"")], text: "validated")
      default: fresh(text: "content")
      }
    }
    try withOrigin(answering: answer) { origin in
      let home = try TemporaryDirectory()
      let urls = (0..<50).map { origin.url("/\($0 / 10)") }
      let runs = try (0..<4).map { _ in try ToolRun(["-s", "-Z", "--parallel-max", "5"] + urls, home: home).start() }
      for run in runs { #expect(try run.finish().succeeded) }
      let text = try runTool(["cache", "stats"], home: home).outputText
      let names: Set = ["hits", "stale", "validated", "updated", "misses", "bypassed"]
      let counts = lines(of: text).map { $0.split(separator: "\t") }.filter { names.contains(String($0[0])) }
      #expect(counts.count == names.count && counts.compactMap { Int($0[1]) }.reduce(0, +) == 200, "\(text)")
    }
  }

  @Test(
    "A read-only store serves responses and statistics, and commands that change it fail with the reason",
    .enabled(if: Isolation.canMount, "This process may not mount a file system."))
  func readOnly() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url("/a")], home: home).succeeded)
      let cache = home.path("cache")
      func run(_ arguments: [String]) throws -> ToolResult {
        var run = ToolRun(arguments, home: home).throughShell(
          "mount --bind '\(cache)' '\(cache)' && mount -o remount,ro,bind '\(cache)' && exec \"$0\" \"$@\"")
        run.wrapper = Isolation.mounts
        return try run.run()
      }
      let hit = try run([origin.url("/a")])
      #expect(hit.succeeded && hit.outputText == "content" && hit.errorText == "")
      let statistics = try run(["cache", "stats"])
      #expect(statistics.succeeded && lines(of: statistics.outputText).contains("misses\t1"))
      for command in [["pin", origin.url("/a")], ["prune", "--max-size", "0"], ["stats", "--zero"]] {
        let refused = try run(["cache"] + command)
        #expect(refused.ending == .exit(112), "\(command) \(refused.errorText)")
        #expect(lines(of: refused.errorText).count == 1 && refused.errorText.contains("Read-only file system"))
      }
    }
  }
}
