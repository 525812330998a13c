import CacheStore
import HTTPSemantics
import Interface
import Platform

/// `garner cache verify`: reads every entry to its last byte.
extension CacheCommand {
  func verify(_ diagnostics: Diagnostics) throws(Failure) {
    let found = try verifyAll(diagnostics)
    let isJSON = invocation.storeCommand.form == .json
    try printer.write(isJSON ? found.json(below: store.root).text + "\n" : found.text(below: store.root))
    // Tallies of hosts and types that are wrong, because a removed entry had no legible head, are as good as damage,
    // and only a recount corrects them.
    if invocation.storeCommand.repairs { try withStore(to: "repair") { () throws(StoreError) in try store.recount() } }
    guard found.leftCount > 0 else {
      if let place = found.unreadPlace { throw InaccessibleEntries.failure(to: purpose, "\(place)", of: store) }
      if found.foreign.isEmpty && found.unread.isEmpty { return }
      throw InaccessibleEntries.failure(to: purpose, found.foreign.count, unread: found.unread.count, of: store)
    }
    throw .damageFound(
      of: max(found.entries, found.leftCount), left: found.leftCount, afterRepair: invocation.storeCommand.repairs)
  }

  private func verifyAll(_ diagnostics: Diagnostics) throws(Failure) -> VerifiedStore {
    let repairs = invocation.storeCommand.repairs
    let statistics = try withStore { () throws(StoreError) in try store.statistics() }
    let meter = ProgressMeter(
      on: ProgressBoard.shown(by: diagnostics, clock: clock), expected: UInt64(clamping: statistics.bytes))
    defer { meter.finish() }
    var found = VerifiedStore()
    try withStore { () throws(StoreError) in
      for place in try store.unusableDirectories() {
        if place.isAccessDenied {
          found.unread.append((place.path, place.damage))
          found.unreadPlace = found.unreadPlace ?? place.place
          continue
        }
        found.bad.append(VerifiedStore.Bad(place, isDropped: repairs && (try? store.remove(place)) != nil))
      }
      try store.verify(progress: { meter.advance(by: UInt64($0)) }) { entry in
        found.entries += 1
        found.bytes += entry.size
        if let damage = entry.damage, damage.isForeign {
          found.foreign.append((entry.name.path, damage.damage.description))
        } else if let damage = entry.damage, damage.damage.isAccessDenied {
          found.unread.append((entry.name.path, damage.damage.description))
        } else if let damage = entry.damage {
          found.bad.append(
            VerifiedStore.Bad(entry, damage, isDropped: repairs && (try? store.drop(damage)) != nil))
        } else if entry.hasRemains {
          found.unfinished.append((entry.name.path, entry.target))
        }
        return Signals.pending == nil
      }
    }
    try Failure.throwIfInterrupted()
    return found
  }
}

/// The result of a verification.
private struct VerifiedStore {
  struct Bad {
    let path: Path
    let target: TargetURI?
    let damage: String
    let isDropped: Bool

    init(_ entry: VerifiedEntry, _ damage: DamagedEntry, isDropped: Bool) {
      (path, target) = (entry.name.path, entry.target)
      self.damage = damage.damage.description
      self.isDropped = isDropped
    }

    init(_ place: UnusableDirectory, isDropped: Bool) {
      (path, target) = (place.path, nil)
      damage = place.damage
      self.isDropped = isDropped
    }
  }

  var entries = 0
  /// The bytes of all files.
  var bytes: Int64 = 0
  var bad: [Bad] = []
  /// Entries of other users. They are not read, and may be in good order.
  var foreign: [(path: Path, reason: String)] = []
  /// Entries and directories of this user that may not be read. They may be in good order, too.
  var unread: [(path: Path, reason: String)] = []
  /// Entries in good order, except for an unfinished update of their heads, which counts as if it had not been made.
  var unfinished: [(path: Path, target: TargetURI?)] = []
  /// The first directory in `unread`.
  var unreadPlace: UnsafePlace?

  /// The number of entries that are still damaged.
  var leftCount: Int { bad.count { !$0.isDropped } }

  /// Returns a line for each entry that is not in order: what became of it, its file, its URL and what is wrong; then
  /// the sums.
  func text(below root: Path) -> String {
    func line(_ word: String, _ path: Path, _ target: TargetURI?, _ reason: String) -> String {
      let url = target.map { Escaping.visible(Masking.masked($0)) } ?? "-"
      return "\(word)\t\(Escaping.visible(root.appending(path).bytes))\t\(url)\t\(reason)\n"
    }
    let lines =
      bad.map { line($0.isDropped ? "dropped" : "damaged", $0.path, $0.target, $0.damage) }
      + foreign.map { line("foreign", $0.path, nil, $0.reason) }
      + unread.map { line("unread", $0.path, nil, $0.reason) }
      + unfinished.map { line("unfinished", $0.path, $0.target, "its last update is incomplete") }
    let dropped = bad.count - leftCount
    return lines.joined() + "verified \(Words.count(entries, "entry", "entries")), "
      + "\(ByteCount(clamping: bytes)): \(bad.count) damaged" + (dropped > 0 ? ", \(dropped) dropped" : "")
      + (foreign.isEmpty ? "" : ", \(foreign.count) foreign")
      + (unread.isEmpty ? "" : ", \(unread.count) unread")
      + (unfinished.isEmpty ? "\n" : ", \(unfinished.count) unfinished\n")
  }

  private static func url(of target: TargetURI?) -> JSON { target.map { .string(Masking.masked($0)) } ?? .null }

  func json(below root: Path) -> JSON {
    let damaged = bad.map { bad in
      JSON.object([
        ("path", .string(root.appending(bad.path).description)),
        ("url", Self.url(of: bad.target)),
        ("damage", .string(bad.damage)), ("dropped", .bool(bad.isDropped)),
      ])
    }
    let updates = unfinished.map { update in
      JSON.object([("path", .string(root.appending(update.path).description)), ("url", Self.url(of: update.target))])
    }
    return .object([
      ("entries", .number(Int64(entries))), ("bytes", .number(bytes)), ("damaged", .array(damaged)),
      ("foreign", .array(foreign.map { .string(root.appending($0.path).description) })),
      ("unread", .array(unread.map { .string(root.appending($0.path).description) })),
      ("unfinished", .array(updates)),
    ])
  }
}
