import HTTPCaching
import Platform

extension Store {
  /// What came of the wish to pin an entry, or to let it go.
  package enum Pinning: Hashable, Sendable {
    case changed
    case unchanged
    /// An interrupted update has left remains: the entry must be validated before anything is added to it.
    case doubtful
    /// Another response has its place by now, or none.
    case superseded
  }

  /// Keeps an entry from eviction and pruning, or gives it up to them again.
  ///
  /// What replaces it under its key is pinned like it. An invalidation removes it all the same: what is not right any
  /// more is of no use to anybody.
  package func setPinned(_ isPinned: Bool, _ entry: WalkedEntry) throws(StoreError) -> Pinning {
    guard let content = try open(entry) else { return .superseded }
    if content.stored.isDoubtful { return .doubtful }
    if content.stored.isPinned == isPinned { return .unchanged }
    var stored = content.stored
    stored.isPinned = isPinned
    return try changeHead(of: content, to: stored) == .superseded ? .superseded : .changed
  }
}
