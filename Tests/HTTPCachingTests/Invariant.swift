import Testing

/// What is true of every subject of its kind, whatever the circumstances.
struct Invariant<Subject>: Sendable {
  /// A sentence.
  let name: String
  /// The section that says so, or the document of ours.
  let source: String
  let holds: @Sendable (Subject) -> Bool

  init(_ name: String, _ source: String, _ holds: @escaping @Sendable (Subject) -> Bool) {
    self.name = name
    self.source = source
    self.holds = holds
  }
}

/// Which of some invariants are broken, how often, and by what at first.
///
/// A text is made of what breaks one alone: there are a million that do not.
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

  /// Holds every invariant against the subject: one that is broken hides no other.
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
