package import HTTPCaching
package import HTTPSemantics
import Platform

extension Store {
  /// Removes the responses that are superseded, parts included.
  ///
  /// - Parameter target: that of the answer that supersedes them: where one is removed, answers to earlier requests for
  ///   the target, which are still on their way, are not stored. `nil` if no answer has superseded them.
  /// - Returns: the number of responses removed.
  /// - Throws: the first error, when everything has been tried.
  @discardableResult
  package func removeAll(
    coveredBy supersession: Supersession, byAnswerFrom target: TargetURI? = nil
  ) throws(StoreError) -> Int {
    guard let opened = try openRoot() else { return 0 }
    var failure = FirstError<StoreError>()
    var doomed = try entries(coveredBy: supersession, in: opened, noting: &failure)
    if let target, !doomed.isEmpty {
      // Noted before a search, as an invalidation is: if an entry gets its name after the search, its writer finds the
      // new number.
      noteInvalidation(of: target)
      failure = FirstError()
      doomed = try entries(coveredBy: supersession, in: opened, noting: &failure)
    }
    var removed = 0
    if !doomed.isEmpty, let store = try ReducibleStore(root) {
      for found in doomed {
        failure.attempt { () throws(StoreError) in
          if try store.remove(found, .ifSameFile) > 0 { removed += 1 }
        }
      }
    }
    try failure.throwIfAny()
    return removed
  }

  private func entries(
    coveredBy supersession: Supersession, in opened: OpenRoot, noting failure: inout FirstError<StoreError>
  ) throws(StoreError) -> [EntryGlance] {
    let primary = EntryName(supersession.key)
    let variants = try EntryGlance(at: primary, in: opened.root).variants(under: supersession.key) ?? []
    var doomed: [EntryGlance] = []
    for name in [primary, primary.part] + variants.map(primary.variant) {
      failure.attempt { () throws(StoreError) in
        let found = try EntryGlance(at: name, in: opened.root)
        if let found, let stored = found.stored, supersession.covers(stored) { doomed.append(found) }
      }
    }
    return doomed
  }

  /// Removes every entry, in good order or not, and whatever else has taken the place of one of the store's
  /// directories. Files with other names are left unchanged. If a signal asks the process to end, the remaining entries
  /// stay, and removed ones may still count.
  ///
  /// - Throws: the first error, when everything has been tried.
  package func removeEverything() throws(StoreError) {
    guard let store = try ReducibleStore(root) else { return }
    var failure = FirstError<StoreError>()
    failure.attempt { () throws(StoreError) in try store.readable.removeIfNoDirectory(StoreLayout.temporaries) }
    for shard in 0...UInt8.max {
      failure.attempt { () throws(StoreError) in try store.empty(shard) }
    }
    if Signals.pending != nil { return }
    // Counting the little that is left is quicker than looking at each entry before it is removed.
    store.tallies.forgetAccounts()
    // An entry that was about to get its name is missing from the first recount, and is in the next.
    for _ in 0..<Self.maximumRecounts {
      if (try? store.tallies.recount(store.readable)) ?? true { break }
    }
    try failure.throwIfAny()
  }

  /// Others would have to store something this often, each time during a recount.
  private static let maximumRecounts = 10

  /// Removes an entry that a walk has shown, if the condition still holds.
  ///
  /// - Returns: the bytes freed, 0 if the entry is gone; `nil` if the condition does not hold and the entry stays.
  @discardableResult
  package func remove(_ file: EntryFile, _ condition: RemovalCondition) throws(StoreError) -> Int64? {
    try unlink(file.name, condition, seenAs: file.status)
  }

  /// Removes entries that have been written, as far as possible. Entries that have been replaced since, or are pinned,
  /// stay.
  ///
  /// - Returns: the bytes freed.
  package func remove(_ written: [WrittenEntry]) -> Int64 {
    guard let store = try? ReducibleStore(root) else { return 0 }
    var freed: Int64 = 0
    for entry in written {
      guard let found = try? EntryGlance(at: entry.name, in: store.readable.root),
        found.generation == entry.generation, found.stored?.isPinned == false
      else { continue }
      freed += (try? store.remove(found, .ifUntouched)) ?? 0
    }
    return freed
  }

  /// Removes a damaged entry, unless another file has its name by now.
  package func drop(_ damaged: DamagedEntry) throws(StoreError) {
    guard let status = damaged.status else { return }
    _ = try unlink(damaged.name, .ifSameFile, seenAs: status)
  }

  private func unlink(
    _ name: EntryName, _ condition: RemovalCondition, seenAs seen: FileStatus
  ) throws(StoreError) -> Int64? {
    guard let store = try ReducibleStore(root) else { return 0 }
    var freed: Int64? = 0
    try store.inShard(name.shardNumber) { (directory) throws(Errno) in
      guard let found = try EntryGlance(at: name, path: name.fileName, in: directory, ownerID: store.ownerID) else {
        return
      }
      guard condition.holds(of: found.status, seenAs: seen) else {
        freed = nil
        return
      }
      freed = try found.remove(from: directory, condition, ownerID: store.ownerID, store.tallies)
    }
    return freed
  }
}

/// The condition on which a file that was looked at is removed.
package enum RemovalCondition: Sendable {
  /// The name still stands for that file.
  case ifSameFile
  /// In addition, the file has been neither used nor appended to, so that an entry that is pinned meanwhile stays.
  case ifUntouched

  func holds(of current: FileStatus, seenAs seen: FileStatus) -> Bool {
    guard current.isSameFile(as: seen) else { return false }
    return self == .ifSameFile || current.size == seen.size && current.modified == seen.modified
  }
}

extension EntryGlance {
  /// Removes the file that was looked at, and takes it off the tallies.
  ///
  /// - Parameter shard: the directory of the file.
  /// - Returns: false if the file is gone, or `condition` no longer holds.
  func unlink(
    from shard: borrowing Directory, _ condition: RemovalCondition, _ tallies: borrowing Tallies
  ) throws(Errno) -> Bool {
    let changes = tallies.changes(of: weight.shard)
    guard try shard.unlink(name.fileName, condition, seenAs: status) else { return false }
    tallies.remove(weight, since: changes, from: shard)
    return true
  }
}

extension OpenDescriptor where Self: ~Copyable {
  /// Removes a name, if the condition still holds for the file that it stands for.
  ///
  /// - Returns: whether it has been removed, by this call.
  @discardableResult
  func unlink(
    _ fileName: Path, _ condition: RemovalCondition, seenAs seen: FileStatus
  ) throws(Errno) -> Bool {
    do throws(Errno) {
      guard condition.holds(of: try status(of: fileName, followingLinks: false), seenAs: seen) else { return false }
      try unlinkEntry(fileName)
      return true
    } catch {
      guard error == .noSuchFile else { throw error }
      return false
    }
  }

  /// Removes what has the name of an entry. That may be an empty directory, which no file could replace.
  func unlinkEntry(_ fileName: Path) throws(Errno) {
    do throws(Errno) {
      try unlink(fileName)
    } catch {
      guard error == .isDirectory else { throw error }
      try removeDirectory(fileName)
    }
  }
}

extension ReadableStore {
  /// Removes what is in the place of one of the store's directories, unless it is a directory. It would keep out every
  /// entry of a shard or, in the place of `tmp`, all new ones.
  func removeIfNoDirectory(_ name: Path) throws(StoreError) {
    do throws(Errno) {
      guard try version.status(of: name, followingLinks: false).kind != .directory else { return }
      try version.unlink(name)
    } catch {
      guard error != .noSuchFile else { return }
      throw .failed(.removingEntry, error)
    }
  }
}

extension Errno {
  /// Whether the error means that there is no such shard. A shard is created with its first entry; anything else in its
  /// place holds no entries.
  var isOfMissingShard: Bool { self == .noSuchFile || self == .notDirectory }
}
