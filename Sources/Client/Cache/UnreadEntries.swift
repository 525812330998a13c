import CacheStore
import Platform

/// What a command passes over because it cannot be read, or is another user's: told of once, when all has been looked
/// at.
final class UnreadEntries: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var names: Set<EntryName> = []
  private var reason: Errno?
  private var foreignNames: Set<EntryName> = []

  /// - Parameter selection: what the command is about.
  func note(_ walked: WalkedEntry, in selection: EntrySelection) {
    lock.lock()
    defer { lock.unlock() }
    switch walked.state {
    case .damaged(.foreign) where selection.mayInclude(walked):
      foreignNames.insert(walked.name)
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
    foreignNames.remove(walked.name)
    lock.unlock()
  }

  /// - Parameter root: of the store.
  func tell(of root: Path, _ diagnostics: Diagnostics) {
    let cache = "the cache in \(Escaping.visible(root.bytes)) is not all looked at: "
    if !foreignNames.isEmpty { diagnostics.warn(cache + ForeignEntries.words(foreignNames.count)) }
    guard let reason, !names.isEmpty else { return }
    diagnostics.warn(cache + ForeignEntries.words(names.count, unreadFor: reason))
  }
}
