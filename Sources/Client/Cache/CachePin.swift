import CacheStore
import FlagTable
import HTTPCaching
import Interface

/// `garner cache pin` and `garner cache unpin`.
extension CacheCommand {
  /// All responses that are meant: every variant, for every audience.
  func setPinned(_ isPinned: Bool) throws(Failure) {
    try changeHeads(isPinned ? "pin" : "unpin", isPinned ? "pinned" : "unpinned") { (entry) throws(StoreError) in
      try store.setPinned(isPinned, entry)
    }
  }

  /// Changes what the user has said of each response that is meant, and tells how many are as they should be now.
  ///
  /// - Parameters:
  ///   - purpose: what is done, as the beginning of "... in the cache".
  ///   - done: the same when it has been done.
  ///   - change: answers `nil` where it may not be done.
  /// - Throws: what came of the first that could not be changed, when all others have been; but where there is no room
  ///   on the disk, or a signal asks for the end, the others are let alone.
  func changeHeads(
    _ purpose: String, _ done: String, _ change: (WalkedEntry) throws(StoreError) -> Store.Marking?
  ) throws(Failure) {
    var count = 0
    var failure: Failure?
    var isFull = false
    do throws(Failure) {
      try forEachWholeEntry { (entry) throws(Failure) in
        do throws(Failure) {
          if try changeHead(of: entry, purpose, change, &isFull) { count += 1 }
        } catch {
          failure = failure ?? error
          if isFull { throw error }
        }
      }
    } catch {
      failure = failure ?? error
    }
    if count > 0 { try printer.write("\(done) \(Words.count(count, "response"))\n") }
    if let failure { throw failure }
  }

  /// - Returns: whether it is as it should be now; false where it may not be changed, or is gone.
  private func changeHead(
    of entry: ListedEntry, _ purpose: String, _ change: (WalkedEntry) throws(StoreError) -> Store.Marking?,
    _ isFull: inout Bool
  ) throws(Failure) -> Bool {
    var outcome: Store.Marking?
    var damage: Damage?
    try using("\(purpose) in") { () throws(StoreError) in
      do throws(StoreError) {
        outcome = try change(entry.walked)
      } catch .damaged(let found) {
        damage = found.damage
      } catch {
        isFull = error.isWantOfRoom
        throw error
      }
    }
    if let damage { throw ForeignEntries.failure(of: entry.target, damage) }
    let target = Escaping.shown(entry.target)
    switch outcome {
    case .changed, .unchanged: return true
    case .absent, nil: return false
    case .doubtful:
      throw .store(
        "cannot change \(target): its last update was interrupted", hint: "a fetch of it brings it to an end")
    case .superseded: throw .store("cannot change \(target): it is being replaced")
    }
  }

  /// Every whole response that is meant. A part is on its way to be a whole, or to be replaced by one.
  private func forEachWholeEntry(_ body: (ListedEntry) throws(Failure) -> Void) throws(Failure) {
    if invocation.operands.count == 1, invocation.storeCommand.filters.isEmpty,
      !invocation.operands[0].bytes.contains(UInt8(ascii: "*"))
    {
      let all = try entriesOfURL()
      let entries = all.filter { !$0.stored.isPart }
      guard !entries.isEmpty else { throw .absent(all[0].target, isPartThere: true) }
      for entry in entries { try body(entry) }
      return
    }
    var hasMatched = false
    try forEachEntry { (entry) throws(Failure) in
      guard !entry.stored.isPart else { return }
      hasMatched = true
      try body(entry)
    }
    if !hasMatched { throw .nothingMatched(patterns) }
  }
}
