import CacheStore
import HTTPCaching
import Interface

/// `garner cache tag`.
extension CacheCommand {
  func tag() throws(Failure) {
    let changes = invocation.storeCommand.tagChanges
    var isTooMuch = false
    let count = try changeHeads { (entry) throws(Failure) in
      var outcome = Store.Marking.superseded
      try using("tag in") { () throws(StoreError) in
        outcome = try store.changeMarks(of: entry.walked) { marks in
          if let tags = marks.tags.changed(by: changes) { marks.tags = tags } else { isTooMuch = true }
        }
      }
      return outcome
    }
    if isTooMuch { throw .contradiction("a response has at most \(Tags.maximumCount) tags: nothing more is noted") }
    try printer.write("tagged \(Words.count(count, "response"))\n")
  }
}

extension Tags {
  /// - Returns: `nil` where they would be too many.
  fileprivate func changed(by changes: [StoreCommandOptions.TagChange]) -> Tags? {
    var tags = self
    for change in changes {
      switch change {
      case .set(let tag): if !tags.set(tag) { return nil }
      case .delete(let key): tags.remove(key)
      }
    }
    return tags
  }
}
