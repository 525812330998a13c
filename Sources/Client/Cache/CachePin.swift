import CacheStore
import FlagTable
import HTTPCaching
import Interface

/// `garner cache pin` and `garner cache unpin`.
extension CacheCommand {
  /// Pins or unpins all responses that the command line selects: every variant, for every audience.
  ///
  /// - Returns: the exit status.
  func setPinned(_ isPinned: Bool, _ diagnostics: Diagnostics) throws(Failure) -> Int32 {
    try changeMarks(isPinned ? "pinned" : "unpinned", diagnostics) { (entry) throws(StoreError) in
      try store.setPinned(isPinned, entry)
    }
  }

  /// Changes the user's marks on each selected response. Prints how many responses it has changed, and how many had the
  /// marks as requested already.
  ///
  /// - Parameters:
  ///   - done: what has been done, as the beginning of "... 2 responses".
  ///   - change: returns `nil` if the change is not allowed.
  /// - Returns: the exit status.
  /// - Throws: the first failure, after the other responses have been changed; without room on the disk, or after a
  ///   signal, the others are left unchanged.
  func changeMarks(
    _ done: String, _ diagnostics: Diagnostics,
    _ change: (WalkedEntry) throws(StoreError) -> Store.MarkingOutcome?
  ) throws(Failure) -> Int32 {
    var (changed, unchanged) = (0, 0)
    var failure: Failure?
    var unmatched: [String] = []
    do throws(Failure) {
      unmatched = try forEachEntryMeant { (entry) throws(Failure) in
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
          failure = failure ?? InaccessibleEntries.failure(of: entry.target, found.damage)
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
    if failure == nil, unmatched.isEmpty, case let damaged = skipped.forgetDamage(), damaged > 0 {
      failure = .damageFound(of: count + damaged, left: damaged, afterRepair: false)
    }
    let status = report(unmatched, to: diagnostics)
    if let failure { throw failure }
    return status
  }

  /// Calls `body` with each selected response, including those stored in part: the response that completes or replaces
  /// a part takes over its marks.
  ///
  /// - Returns: the patterns that have selected nothing, as they were typed. A URL whose entry has been
  ///   skipped, because it is damaged or cannot be read, is not among them.
  private func forEachEntryMeant(_ body: (ListedEntry) throws(Failure) -> Void) throws(Failure) -> [String] {
    let (typed, filters) = (invocation.operands, invocation.storeCommand.filters)
    if typed.count == 1, URLPattern.isLiteral(typed[0]), filters.isEmpty {
      for entry in try entriesOfURL() { try body(entry) }
      return []
    }
    let patterns = try self.patterns(of: typed[...])
    var unmatched = UnmatchedPatterns(patterns, typedAs: self.patterns)
    var hasMatched = false
    try forEachEntry(in: EntrySelection(patterns, filters)) { (entry) throws(Failure) in
      hasMatched = true
      unmatched.note(entry.stored.key.primary)
      try body(entry)
    }
    if patterns.isEmpty, !hasMatched { throw .nothingMatched([]) }
    for target in skipped.skippedTargets { unmatched.note(target) }
    return unmatched.texts
  }
}
