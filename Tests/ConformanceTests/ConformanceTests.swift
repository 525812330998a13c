import Foundation
import TestSupport
import Testing

/// Runs the built tool on the conformance cases, and compares the outcomes with `expected.txt`. The cases of another
/// file must all pass.
@Suite(
  "Conformance",
  .enabled(if: ConformanceCases.areAvailable, "There are no cases at \(ConformanceCases.path)."),
  .enabled(if: Machine.hasTool, "There is no tool at \(BuiltTool.path)."))
struct ConformanceTests {
  private static let expectedPath = "\(BuiltTool.projectRoot)/Tests/ConformanceTests/expected.txt"

  private static var isRecording: Bool {
    ProcessInfo.processInfo.environment["GARNER_CONFORMANCE_RECORD"] == "1"
  }

  @Test("Every conformance case has its expected outcome")
  func outcomes() async throws {
    let cases = try ConformanceCases.load()
    var results = try await ConformanceRunner(cases).run()
    let expected = try ConformanceCases.arePinned ? Self.expectedOutcomes() : [:]
    // The lifetimes in the cases are seconds that really pass. Cases that a busy machine ran too late are repeated
    // once, with fewer cases in parallel.
    let unexpected = cases.filter { results[$0.id]?.outcome.rawValue != Self.outcome(expectedOf: $0, expected) }
    if !unexpected.isEmpty, !Self.isRecording {
      let again = try await ConformanceRunner(Self.withDependencies(unexpected, in: cases)).run()
      results.merge(again) { $1 }
    }
    print(Self.totals(of: cases, results))
    if Self.isRecording && ConformanceCases.arePinned {
      let lines = cases.map { "\($0.id) \($0.kind.rawValue) \(results[$0.id]?.outcome.rawValue ?? "none")\n" }
      try lines.sorted().joined().write(toFile: Self.expectedPath, atomically: true, encoding: .utf8)
      return
    }
    var differences: [String] = []
    for conformanceCase in cases {
      guard let result = results[conformanceCase.id] else { continue }
      let pinned = Self.outcome(expectedOf: conformanceCase, expected)
      if pinned == result.outcome.rawValue { continue }
      differences.append(
        "\(conformanceCase.id) (\(conformanceCase.kind)): \(pinned ?? "not pinned"), now \(result.outcome)"
          + (result.reason.isEmpty ? "" : ": \(result.reason)"))
    }
    if !differences.isEmpty { Issue.record("\(differences.joined(separator: "\n"))") }
    let vanished = Set(expected.keys).subtracting(cases.map(\.id)).sorted()
    #expect(vanished.isEmpty, "pinned, but no case any more: \(vanished.joined(separator: ", "))")
  }

  private static func outcome(expectedOf conformanceCase: ConformanceCase, _ pinned: [String: String]) -> String? {
    ConformanceCases.arePinned ? pinned[conformanceCase.id] : ConformanceOutcome.pass.rawValue
  }

  private static func withDependencies(
    _ chosen: [ConformanceCase], in cases: [ConformanceCase]
  ) -> [ConformanceCase] {
    var wanted = Set(chosen.map(\.id))
    var count = 0
    while count < wanted.count {
      count = wanted.count
      for conformanceCase in cases where wanted.contains(conformanceCase.id) {
        wanted.formUnion(conformanceCase.dependsOn)
      }
    }
    return cases.filter { wanted.contains($0.id) }
  }

  private static func expectedOutcomes() throws -> [String: String] {
    var outcomes: [String: String] = [:]
    for line in try String(contentsOfFile: expectedPath, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 3 { outcomes[words[0]] = words[2] }
    }
    return outcomes
  }

  private static func totals(of cases: [ConformanceCase], _ results: [String: ConformanceResult]) -> String {
    let parts = ConformanceCase.Kind.allCases.map { kind in
      let ofKind = cases.filter { $0.kind == kind }
      let passed = ofKind.count { results[$0.id]?.outcome == .pass }
      return "\(kind) \(passed)/\(ofKind.count)"
    }
    return "conformance: \(parts.joined(separator: ", "))"
  }
}
