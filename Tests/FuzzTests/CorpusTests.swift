import FuzzTargets
import TestSupport
import Testing

/// What the fuzzer found worth keeping; each input that once broke something is one of them.
@Suite("The corpora hold")
struct CorpusTests {
  private static let directory = "\(BuiltTool.projectRoot)/Tests/Fuzz/corpora"
  /// More takes longer than it finds.
  private static let largestCorpus = 200

  @Test("Every input has the properties of its target", arguments: FuzzTarget.all)
  func inputs(target: FuzzTarget) throws {
    let files = filesBelow("\(Self.directory)/\(target.name)")
    #expect((1...Self.largestCorpus).contains(files.count), "\(files.count) inputs")
    for file in files {
      let input = try readFile(file)
      do throws(Violation) {
        try target.check(input)
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
  }

  @Test("Every corpus is of a target")
  func targets() {
    #expect(namesInDirectory(Self.directory) == FuzzTarget.all.map(\.name).sorted())
  }

  @Test("Nothing at all is an input too", arguments: FuzzTarget.all)
  func nothing(target: FuzzTarget) throws {
    try target.check([])
  }
}
