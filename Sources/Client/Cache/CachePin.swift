import CacheStore
import HTTPCaching
import Interface

/// `garner cache pin` and `garner cache unpin`.
extension CacheCommand {
  /// All responses of the URL: every variant, for every audience.
  func setPinned(_ isPinned: Bool) throws(Failure) {
    let all = try entriesOfURL()
    let entries = all.filter { !$0.stored.isPart }
    // A part is on its way to be a whole, or to be replaced by one.
    guard !entries.isEmpty else { throw .partlyStored(all[0].target) }
    let purpose = isPinned ? "pin in" : "unpin in"
    for entry in entries {
      var outcome = Store.Marking.superseded
      try using(purpose) { () throws(StoreError) in outcome = try store.setPinned(isPinned, entry.walked) }
      let target = Escaping.shown(entry.target)
      switch outcome {
      case .changed, .unchanged: break
      case .doubtful: throw .store("cannot change \(target): its last update was interrupted; fetch it once more")
      case .superseded: throw .store("cannot change \(target): it is being replaced")
      }
    }
    let count = entries.count == 1 ? "1 response" : "\(entries.count) responses"
    try printer.write("\(isPinned ? "pinned" : "unpinned") \(count)\n")
  }
}
