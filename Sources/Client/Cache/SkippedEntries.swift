import CacheStore
import HTTPSemantics
import Platform

/// The entries that a command skips because they are damaged, unreadable or another user's. They are reported once,
/// after the walk.
final class SkippedEntries: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by the lock.
  private var found: [EntryName: (kind: Kind, bytes: Int64)] = [:]
  private var reason: Errno?
  private var targets: Set<TargetURI> = []

  private enum Kind { case foreign, unreadable, damaged }

  /// Notes an entry that is skipped, if it may be selected.
  ///
  /// - Parameter selection: the entries that the command applies to.
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
    if let target = selection.target(of: walked) { targets.insert(target) }
    found[walked.name] = (kind, walked.size)
  }

  /// Removes an entry that is not skipped after all.
  func forget(_ walked: WalkedEntry) {
    lock.lock()
    found[walked.name] = nil
    lock.unlock()
  }

  /// The URLs, typed without an asterisk, for which an entry has been skipped.
  var skippedTargets: Set<TargetURI> {
    lock.lock()
    defer { lock.unlock() }
    return targets
  }

  /// Removes the damaged entries, for a command that reports damage in its own way.
  ///
  /// - Returns: the number of damaged entries.
  func forgetDamage() -> Int {
    lock.lock()
    defer { lock.unlock() }
    let count = count(of: .damaged)
    found = found.filter { $0.value.kind != .damaged }
    return count
  }

  /// The sum of all skipped entries.
  var sum: EntrySum {
    lock.lock()
    defer { lock.unlock() }
    var sum = EntrySum()
    for (_, bytes) in found.values { sum.add(bytes: bytes) }
    return sum
  }

  private func count(of kind: Kind) -> Int { found.values.count { $0.kind == kind } }

  /// Warns of the skipped entries.
  ///
  /// - Parameter root: the root of the store.
  func report(in root: Path, to diagnostics: Diagnostics) {
    lock.lock()
    defer { lock.unlock() }
    let cache = "not all of the cache in \(Escaping.visible(root.bytes)) was read: "
    let foreign = count(of: .foreign)
    if foreign > 0 { diagnostics.warn(cache + InaccessibleEntries.words(foreign)) }
    let damaged = count(of: .damaged)
    if damaged > 0 {
      let damage = Failure.damageFound(of: damaged, left: damaged, afterRepair: false)
      diagnostics.warn("\(cache)\(Words.count(damaged, "entry is", "entries are")) damaged", hint: damage.hint)
    }
    let unreadable = count(of: .unreadable)
    guard let reason, unreadable > 0 else { return }
    diagnostics.warn(cache + InaccessibleEntries.words(unreadable, unreadFor: reason))
  }
}
