import CacheStore
import Platform

/// What a command passes over because it cannot be read, or is another user's: told of once, when all has been looked
/// at.
final class UnreadEntries: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var names: Set<EntryName> = []
  private var reason: Errno?
  private var foreignCount = 0

  /// - Parameter selection: what the command is about.
  func note(_ walked: WalkedEntry, in selection: EntrySelection) {
    lock.lock()
    defer { lock.unlock() }
    switch walked.state {
    case .damaged(.foreign):
      foreignCount += 1
    case .damaged(.unreadable(let reason)) where selection.mayInclude(walked):
      names.insert(walked.name)
      self.reason = self.reason ?? reason
    default: break
    }
  }

  /// For what has not been passed over after all.
  func forget(_ walked: WalkedEntry) {
    lock.lock()
    names.remove(walked.name)
    lock.unlock()
  }

  /// - Parameter root: of the store.
  func tell(of root: Path, _ diagnostics: Diagnostics) {
    let cache = "the cache in \(Escaping.visible(root.bytes)) is not all looked at: "
    if foreignCount > 0 { diagnostics.warn(cache + ForeignEntries.words(foreignCount)) }
    guard let reason, !names.isEmpty else { return }
    diagnostics.warn(cache + "\(Words.count(names.count, "entry", "entries")) cannot be read: \(reason)")
  }
}
