package import HTTPCaching
import Platform

extension Store {
  /// What came of the wish to change what the user has said of an entry.
  package enum Marking: Equatable, Sendable {
    case changed
    case unchanged
    /// An interrupted update has left remains: the entry must be validated before anything is added to it.
    case doubtful
    /// Another file has its name by now: of another response, or of the same one with a head more.
    case superseded
    /// It has been removed.
    case absent
  }

  /// Keeps an entry from eviction and pruning, or gives it up to them again.
  ///
  /// What replaces it under its key is pinned like it. An invalidation removes it all the same: what is not right any
  /// more is of no use to anybody.
  package func setPinned(_ isPinned: Bool, _ entry: WalkedEntry) throws(StoreError) -> Marking {
    try changeMarks(of: entry) { $0.isPinned = isPinned }
  }

  /// Changes the marks of an entry that a walk has shown: one head more in its file.
  ///
  /// - Parameter change: of the marks that the entry has by now, which may be others than those that the walk has
  ///   shown; it may be called again where another run changes the entry at the same time.
  package func changeMarks(of entry: WalkedEntry, _ change: (inout Marks) -> Void) throws(StoreError) -> Marking {
    guard let content = try open(entry) else { return .absent }
    return try changeMarks(of: content, change)
  }

  /// Changes the marks of what a look-up has found, or of what has taken its place since.
  package func changeMarks(
    of content: borrowing StoredContent, _ change: (inout Marks) -> Void
  ) throws(StoreError) -> Marking {
    var marking = try changeMarksInPlace(of: content, change)
    for _ in 1..<Self.attemptsToMark where marking == .superseded {
      guard let found = try open(content.name) else { return .absent }
      guard found.stored.key == content.stored.key, found.stored.selecting == content.stored.selecting else { break }
      marking = try changeMarksInPlace(of: found, change)
    }
    return marking
  }

  /// As many times others would have to rewrite or replace the same entry while this run reads it. Each may be a copy
  /// of the content.
  private static let attemptsToMark = 4

  /// - Returns: `.superseded` also where it has been removed.
  private func changeMarksInPlace(
    of content: borrowing StoredContent, _ change: (inout Marks) -> Void
  ) throws(StoreError) -> Marking {
    var marking = Marking.changed
    let outcome = try changeHead(of: content) { last in
      var marked = last
      change(&marked.marks)
      // A copy of the entry would lose the doubt.
      if last.isDoubtful { marking = .doubtful } else if marked == last { marking = .unchanged }
      return marking == .changed ? marked : nil
    }
    guard outcome == .superseded else { return .changed }
    return marking == .changed ? .superseded : marking
  }
}
