import CacheStore
import Platform

/// What a command passes over because it is damaged, cannot be read, or is another user's: told of once, when all has
/// been looked at.
final class UnreadEntries: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var found: [EntryName: (kind: Kind, bytes: Int64)] = [:]
  private var reason: Errno?

  private enum Kind { case foreign, unreadable, damaged }

  /// - Parameter selection: what the command is about.
  func note(_ walked: WalkedEntry, in selection: EntrySelection) {
    guard case .damaged(let damage) = walked.state, selection.mayInclude(walked) else { return }
    lock.lock()
    defer { lock.unlock() }
    let kind: Kind
    switch damage {
    case .foreign: kind = .foreign
    case .unreadable(let reason):
      kind = .unreadable
      self.reason = self.reason ?? reason
    default: kind = .damaged
    }
    found[walked.name] = (kind, walked.size)
  }

  /// For what has not been passed over after all.
  func forget(_ walked: WalkedEntry) {
    lock.lock()
    found[walked.name] = nil
    lock.unlock()
  }

  /// For who tells of what is damaged in his own way.
  ///
  /// - Returns: how much of it there was.
  func forgetDamage() -> Int {
    lock.lock()
    defer { lock.unlock() }
    let count = count(of: .damaged)
    found = found.filter { $0.value.kind != .damaged }
    return count
  }

  /// Of all that has been passed over.
  var sum: EntrySum {
    lock.lock()
    defer { lock.unlock() }
    var sum = EntrySum()
    for (_, bytes) in found.values { sum.add(bytes: bytes) }
    return sum
  }

  private func count(of kind: Kind) -> Int { found.values.count { $0.kind == kind } }

  /// - Parameter root: of the store.
  func tell(of root: Path, _ diagnostics: Diagnostics) {
    let cache = "the cache in \(Escaping.visible(root.bytes)) is not all looked at: "
    let foreign = count(of: .foreign)
    if foreign > 0 { diagnostics.warn(cache + ForeignEntries.words(foreign)) }
    let damaged = count(of: .damaged)
    if damaged > 0 {
      let damage = Failure.damageFound(of: damaged, left: damaged, afterRepair: false)
      diagnostics.warn("\(cache)\(Words.count(damaged, "entry is", "entries are")) damaged", hint: damage.hint)
    }
    let unreadable = count(of: .unreadable)
    guard let reason, unreadable > 0 else { return }
    diagnostics.warn(cache + ForeignEntries.words(unreadable, unreadFor: reason))
  }
}
