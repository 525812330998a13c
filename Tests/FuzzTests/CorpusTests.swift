import FuzzTargets
import TestSupport
import Testing

/// Checks the inputs that fuzzing found worth keeping. Each input that once revealed a bug is among them.
@Suite("The corpora of the fuzzer")
struct CorpusTests {
  private static let directory = "\(BuiltTool.projectRoot)/Tests/Fuzz/corpora"
  /// A larger corpus takes more time than it is worth.
  private static let largestCorpus = 200

  @Test("Every input of a corpus fulfils the properties of its target", arguments: FuzzTarget.all)
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

  @Test("Every corpus belongs to a target")
  func targets() {
    #expect(namesInDirectory(Self.directory) == FuzzTarget.all.map(\.name).sorted())
  }

  @Test("Empty input fulfils the properties of every target", arguments: FuzzTarget.all)
  func nothing(target: FuzzTarget) throws {
    try target.check([])
  }
}
