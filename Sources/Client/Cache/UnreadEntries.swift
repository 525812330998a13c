import CacheStore
import Platform

/// What a command passes over because it is damaged, cannot be read, or is another user's: told of once, when all has
/// been looked at.
final class UnreadEntries: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var names: Set<EntryName> = []
  private var reason: Errno?
  private var foreignNames: Set<EntryName> = []
  private var damagedNames: Set<EntryName> = []

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
    case .damaged where selection.mayInclude(walked):
      damagedNames.insert(walked.name)
    default: break
    }
  }

  /// For what has not been passed over after all.
  func forget(_ walked: WalkedEntry) {
    lock.lock()
    names.remove(walked.name)
    foreignNames.remove(walked.name)
    damagedNames.remove(walked.name)
    lock.unlock()
  }

  /// For who tells of what is damaged in his own way.
  ///
  /// - Returns: how much of it there was.
  func forgetDamage() -> Int {
    lock.lock()
    defer { lock.unlock() }
    defer { damagedNames = [] }
    return damagedNames.count
  }

  /// - Parameter root: of the store.
  func tell(of root: Path, _ diagnostics: Diagnostics) {
    let cache = "the cache in \(Escaping.visible(root.bytes)) is not all looked at: "
    if !foreignNames.isEmpty { diagnostics.warn(cache + ForeignEntries.words(foreignNames.count)) }
    if !damagedNames.isEmpty {
      let damage = Failure.damageFound(of: damagedNames.count, left: damagedNames.count, afterRepair: false)
      diagnostics.warn(
        "\(cache)\(Words.count(damagedNames.count, "entry is", "entries are")) damaged", hint: damage.hint)
    }
    guard let reason, !names.isEmpty else { return }
    diagnostics.warn(cache + ForeignEntries.words(names.count, unreadFor: reason))
  }
}
