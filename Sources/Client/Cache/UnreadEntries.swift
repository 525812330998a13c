import CacheStore
import Platform

/// What a command passes over because it cannot be read: told of once, when all has been looked at.
final class UnreadEntries: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var names: Set<EntryName> = []
  private var reason: Errno?

  /// - Parameter selection: what the command is about.
  func note(_ walked: WalkedEntry, in selection: EntrySelection) {
    guard case .damaged(.unreadable(let reason)) = walked.state, selection.mayInclude(walked) else { return }
    lock.lock()
    names.insert(walked.name)
    self.reason = self.reason ?? reason
    lock.unlock()
  }

  /// For what has not been passed over after all.
  func forget(_ walked: WalkedEntry) {
    lock.lock()
    names.remove(walked.name)
    lock.unlock()
  }

  /// - Parameter root: of the store.
  func tell(of root: Path, _ diagnostics: Diagnostics) {
    guard let reason, !names.isEmpty else { return }
    diagnostics.warn(
      "the cache in \(Escaping.visible(root.bytes)) is not all looked at: "
        + "\(Words.count(names.count, "entry", "entries")) cannot be read: \(reason)")
  }
}
