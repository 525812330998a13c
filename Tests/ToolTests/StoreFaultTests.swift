import Glibc
import TestSupport
import Testing

/// Single faults, injected by the preloaded library, that were once more than a fetch could stand; `make torture` has
/// all of them.
@Suite(
  "A fault in the store is none of the fetch",
  .enabled(if: !BuiltTool.isNamed, "The library may not fit another binary."))
struct StoreFaultTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let rule: String
    /// As the preloaded library wants it.
    let plan: String
    var count = 300_000
    /// Whether a run that met no fault could look otherwise.
    var isNoticed = true

    var testDescription: String { rule }
  }

  private static let onHits = [
    Row(rule: "Pages that cannot be moved are written", plan: "splice:1 fail \(EIO) 0", isNoticed: false),
    Row(rule: "The rest follows what can be read no more", plan: "pread:5 fail \(EIO) 1"),
    Row(rule: "An entry that cannot be read, in a store that cannot be written", plan: "pread:1 fail \(EIO) 1"),
    Row(rule: "Descriptors run out", plan: "pread:1 fail \(EMFILE) 1", count: 1_000),
  ]

  @Test("A hit is delivered, with one warning at most", arguments: onHits)
  func hit(row: Row) throws {
    let content = Pattern.bytes(count: row.count)
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool([origin.url("/a")], home: home).succeeded)
      let result = try run(row.plan, [origin.url("/a")], home)
      #expect(result.succeeded, "\(result.errorText)")
      // Compared beforehand: to print how two long contents differ takes minutes.
      let isWhole = result.stdout == content
      #expect(isWhole)
      #expect(lines(of: result.errorText).count == (row.isNoticed ? 1 : 0), "\(result.errorText)")
    }
  }

  @Test("Where next to no descriptors may be open, they are for the fetch", arguments: 10...24)
  func fewDescriptors(limit: Int) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      for option in ["--no-fail", "--reload"] {
        let run = ToolRun([option, "-o", "out", origin.url("/a")], home: home)
          .throughShell("ulimit -n \(limit) && exec \"$0\" \"$@\"")
        let result = try run.run()
        #expect(result.succeeded && lines(of: result.errorText).count <= 1, "\(result.errorText)")
        #expect(try home.read("out") == Array("content".utf8))
      }
    }
  }

  @Test("A lock that is interrupted is asked for again, and the response is stored")
  func interruptedLock() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let result = try run("fcntl+lock:1 interrupt 0 0", [origin.url("/a")], home)
      #expect(result.outputText == "content" && result.stderr.isEmpty, "\(result.errorText)")
      #expect(try runTool(["--offline", origin.url("/a")], home: home).outputText == "content")
    }
  }

  private func run(_ plan: String, _ arguments: [String], _ home: TemporaryDirectory) throws -> ToolResult {
    let log = try home.write("", to: "log")
    let result = try runTool(arguments, home: home) {
      $0.environment["LD_PRELOAD"] = BuiltTool.faultShimPath
      $0.environment["GARNER_FAULT_STORE"] = home.path("cache/garner")
      $0.environment["GARNER_FAULT_LOG"] = log
      $0.environment["GARNER_FAULT_PLAN"] = plan
    }
    let injected = try home.read("log")
    #expect(!injected.isEmpty, "no call was met by \(plan)")
    return result
  }
}
