import CacheStore
import HTTPCaching
import Interface

/// `garner cache tag`.
extension CacheCommand {
  /// - Returns: the exit status.
  func tag(_ diagnostics: Diagnostics) throws(Failure) -> Int32 {
    let changes = invocation.storeCommand.tagChanges
    var isTooMuch = false
    let status = try changeMarks(Self.words(for: changes), diagnostics) { (entry) throws(StoreError) in
      var fits = true
      let outcome = try store.changeMarks(of: entry) { marks in
        if let tags = marks.tags.changed(by: changes) { marks.tags = tags } else { fits = false }
      }
      if !fits { isTooMuch = true }
      return fits ? outcome : nil
    }
    if isTooMuch {
      throw .contradiction(
        "a response can have at most \(Tags.maximumCount) tags: responses that would have more are unchanged")
    }
    return status
  }

  /// What the changes do, as the beginning of "... 2 responses".
  private static func words(for changes: [StoreCommandOptions.TagChange]) -> String {
    let deletions = changes.count { if case .delete = $0 { true } else { false } }
    if deletions == 0 { return "tagged" }
    return deletions == changes.count ? "untagged" : "changed the tags of"
  }
}

extension Tags {
  /// - Returns: `nil` if there would be too many tags.
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
