import CacheStore
import FlagTable
import HTTPCaching
import Interface

/// `garner cache pin` and `garner cache unpin`.
extension CacheCommand {
  /// Pins or unpins all responses that the command line selects: every variant, for every audience.
  func setPinned(_ isPinned: Bool) throws(Failure) {
    try changeHeads(isPinned ? "pinned" : "unpinned") { (entry) throws(StoreError) in
      try store.setPinned(isPinned, entry)
    }
  }

  /// Changes the user's marks on each selected response. Prints how many responses it has changed, and how many had the
  /// marks as requested already.
  ///
  /// - Parameters:
  ///   - done: what has been done, as the beginning of "... 2 responses".
  ///   - change: returns `nil` if the change is not allowed.
  /// - Throws: the first failure, after the other responses have been changed; without room on the disk, or after a
  ///   signal, the others are left unchanged.
  func changeHeads(
    _ done: String, _ change: (WalkedEntry) throws(StoreError) -> Store.MarkingOutcome?
  ) throws(Failure) {
    var (changed, unchanged) = (0, 0)
    var failure: Failure?
    do throws(Failure) {
      try forEachEntryMeant { (entry) throws(Failure) in
        let target = Escaping.shown(entry.target)
        do throws(StoreError) {
          switch try change(entry.walked) {
          case .changed: changed += 1
          case .unchanged: unchanged += 1
          case .absent, nil: break
          case .doubtful:
            let hint = "fetch it again to complete the update"
            failure = failure ?? .store("cannot change \(target): its last update was interrupted", hint: hint)
          case .superseded: failure = failure ?? .store("cannot change \(target): it is being replaced")
          }
        } catch .damaged(let found) {
          failure = failure ?? ForeignEntries.failure(of: entry.target, found.damage)
        } catch {
          let unchanged = Failure.store(cannot: purpose, in: store.root, error)
          if error.isSpaceShortage { throw unchanged }
          failure = failure ?? unchanged
        }
      }
    } catch {
      failure = failure ?? error
    }
    let count = changed + unchanged
    if count > 0 {
      let rest = unchanged > 0 ? ", \(unchanged) unchanged" : ""
      try printer.write("\(done) \(Words.count(changed, "response"))\(rest)\n")
    }
    if failure == nil, case let damaged = unread.forgetDamage(), damaged > 0 {
      failure = .damageFound(of: count + damaged, left: damaged, afterRepair: false)
    }
    if let failure { throw failure }
  }

  /// Calls `body` with each selected response, including those stored in part: the response that completes or replaces
  /// a part takes over its marks.
  private func forEachEntryMeant(_ body: (ListedEntry) throws(Failure) -> Void) throws(Failure) {
    let typed = invocation.operands
    if typed.count == 1, URLPattern.isLiteral(typed[0]), invocation.storeCommand.filters.isEmpty {
      for entry in try entriesOfURL() { try body(entry) }
      return
    }
    var hasMatched = false
    try forEachEntry { (entry) throws(Failure) in
      hasMatched = true
      try body(entry)
    }
    if !hasMatched { throw .nothingMatched(patterns) }
  }
}
