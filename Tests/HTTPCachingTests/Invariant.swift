import Testing

/// A property that holds for every subject of a type, whatever the circumstances.
struct Invariant<Subject>: Sendable {
  /// The property in a sentence.
  let name: String
  /// The section of an RFC or of the project's documents that requires it.
  let source: String
  let holds: @Sendable (Subject) -> Bool

  init(_ name: String, _ source: String, _ holds: @escaping @Sendable (Subject) -> Bool) {
    self.name = name
    self.source = source
    self.holds = holds
  }
}

/// Counts of the invariants that are broken, each with the first examples.
///
/// Only a subject that breaks an invariant is described: there are a million that do not.
struct Breaches<Subject: CustomStringConvertible> {
  private static var shownExamples: Int { 3 }

  private let invariants: [Invariant<Subject>]
  private var counts: [Int]
  private var examples: [[String]]

  init(of invariants: [Invariant<Subject>]) {
    self.invariants = invariants
    counts = Array(repeating: 0, count: invariants.count)
    examples = Array(repeating: [], count: invariants.count)
  }

  /// Checks every invariant, so that one that is broken does not hide another.
  mutating func check(_ subject: Subject) {
    for index in invariants.indices where !invariants[index].holds(subject) {
      counts[index] += 1
      if counts[index] <= Self.shownExamples { examples[index].append("\(subject)") }
    }
  }

  /// Records an issue for each invariant that is broken.
  func record() {
    for index in invariants.indices where counts[index] > 0 {
      let (name, source) = (invariants[index].name, invariants[index].source)
      let shown = examples[index].joined(separator: "\n  ")
      Issue.record("\"\(name)\" (\(source)) is broken \(counts[index]) times, as by\n  \(shown)")
    }
  }
}
