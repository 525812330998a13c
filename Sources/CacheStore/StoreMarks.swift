package import HTTPCaching
import Platform

extension Store {
  /// The outcome of changing the marks that the user has set on an entry.
  package enum MarkingOutcome: Equatable, Sendable {
    case changed
    case unchanged
    /// An interrupted update has left remains: the entry must be validated before anything is appended to it.
    case doubtful
    /// Another file has the name by now: that of another response, or of the same one with a further head.
    case superseded
    /// The entry has been removed.
    case absent
  }

  /// Pins an entry, which keeps it from eviction and pruning, or unpins it.
  ///
  /// An entry that replaces it under its key is pinned, too. An invalidation removes it all the same, because a
  /// response that is no longer right is of no use to anybody.
  package func setPinned(_ isPinned: Bool, _ entry: WalkedEntry) throws(StoreError) -> MarkingOutcome {
    try changeMarks(of: entry) { $0.isPinned = isPinned }
  }

  /// Changes the marks of an entry that a walk has shown, by appending one head to its file.
  ///
  /// - Parameter change: gets the marks that the entry has by now, which may differ from those that the walk has shown.
  ///   It may be called again if another run changes the entry at the same time.
  package func changeMarks(
    of entry: WalkedEntry, _ change: (inout Marks) -> Void
  ) throws(StoreError) -> MarkingOutcome {
    guard let content = try open(entry) else { return .absent }
    return try changeMarks(of: content, change)
  }

  /// Changes the marks of a response that a look-up has found, or of one that has taken its place since.
  package func changeMarks(
    of content: borrowing StoredContent, _ change: (inout Marks) -> Void
  ) throws(StoreError) -> MarkingOutcome {
    var marking = try changeMarksInPlace(of: content, change)
    for _ in 1..<Self.attemptsToMark where marking == .superseded {
      guard let found = try open(content.name) else { return .absent }
      guard found.stored.key == content.stored.key, found.stored.selecting == content.stored.selecting else { break }
      marking = try changeMarksInPlace(of: found, change)
    }
    return marking
  }

  /// Others would have to rewrite or replace the same entry this often, each time while this run reads it. Each attempt
  /// may copy the content.
  private static let attemptsToMark = 4

  /// - Returns: `.superseded` also if the entry has been removed.
  private func changeMarksInPlace(
    of content: borrowing StoredContent, _ change: (inout Marks) -> Void
  ) throws(StoreError) -> MarkingOutcome {
    var marking = MarkingOutcome.changed
    let outcome = try changeHead(of: content) { last in
      var marked = last
      change(&marked.marks)
      // Changing the head would copy the entry, and the copy would no longer be doubtful.
      if last.isDoubtful { marking = .doubtful } else if marked == last { marking = .unchanged }
      return marking == .changed ? marked : nil
    }
    guard outcome == .superseded else { return .changed }
    return marking == .changed ? .superseded : marking
  }
}
