import TestSupport
import Testing

@Suite("Counters")
struct CounterTests {
  @Test("Thirty processes at a time count exactly")
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
}
