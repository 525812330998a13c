import TestSupport
import Testing

@Suite("Many processes on one store")
struct HerdTests {
  @Test("Every body is exact, whichever processes are killed", arguments: ["herd", "killed", "evicted", "changed"])
  func bodies(scenario: String) throws {
    var run = ToolRun(
      [
        "--processes", "12", "--fetches", "12", "--keys", "12", "--only", scenario, BuiltTool.path,
      ], home: try TemporaryDirectory())
    run.executable = BuiltTool.herd
    let result = try run.run()
    #expect(result.succeeded, "\(result.outputText)\(result.errorText)")
  }
}
