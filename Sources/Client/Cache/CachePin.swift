import CacheStore
import FlagTable
import HTTPCaching
import Interface

/// `garner cache pin` and `garner cache unpin`.
extension CacheCommand {
  /// All responses that are meant: every variant, for every audience.
  func setPinned(_ isPinned: Bool) throws(Failure) {
    let purpose = isPinned ? "pin in" : "unpin in"
    let count = try changeHeads { (entry) throws(Failure) in
      var outcome = Store.Marking.superseded
      try using(purpose) { () throws(StoreError) in outcome = try store.setPinned(isPinned, entry.walked) }
      return outcome
    }
    try printer.write("\(isPinned ? "pinned" : "unpinned") \(Words.count(count, "response"))\n")
  }

  /// Changes what the user has said of each response that is meant, and has it told which could not be changed.
  ///
  /// - Returns: how many are as they should be now.
  /// - Throws: what came of the first that could not be changed, when all others have been.
  func changeHeads(_ change: (ListedEntry) throws(Failure) -> Store.Marking) throws(Failure) -> Int {
    var count = 0
    var failure: Failure?
    try forEachWholeEntry { (entry) throws(Failure) in
      let target = Escaping.shown(entry.target)
      switch try change(entry) {
      case .changed, .unchanged: count += 1
      case .doubtful:
        failure =
          failure
          ?? .store(
            "cannot change \(target): its last update was interrupted", hint: "a fetch of it brings it to an end")
      case .superseded: failure = failure ?? .store("cannot change \(target): it is being replaced")
      }
    }
    if let failure { throw failure }
    return count
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
