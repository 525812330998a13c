package import HTTPCaching
import Platform

extension Store {
  /// Removes what has been superseded, parts included.
  ///
  /// - Returns: the number of responses removed.
  /// - Throws: the first error, when everything has been tried.
  @discardableResult
  package func removeAll(coveredBy supersession: Supersession) throws(StoreError) -> Int {
    guard let opened = try openRoot() else { return 0 }
    let primary = EntryName(supersession.key)
    let variants = try EntryGlance(at: primary, in: opened.root)?.variants?.variants ?? []
    var doomed: [EntryGlance] = []
    var failure = FirstError<StoreError>()
    for name in [primary, primary.part] + variants.map(primary.variant) {
      failure.attempt { () throws(StoreError) in
        let found = try EntryGlance(at: name, in: opened.root)
        if let found, let stored = found.stored, supersession.covers(stored) { doomed.append(found) }
      }
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

  /// Removes every entry, in good order or not, and what is no directory in the place of one of the store's; what other
  /// names lie in the directories is let alone. Where a signal asks for the end, what is left by then stays, and
  /// what is gone may still count.
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
    // A count of next to nothing is quicker than a look at each entry before it goes.
    store.tallies.forgetHolders()
    // What was about to have its name is not in a first count, and is in the next.
    for _ in 0..<Self.mostRecounts {
      if (try? store.tallies.recount(store.readable)) ?? true { break }
    }
    try failure.throwIfAny()
  }

  /// As often as others would have to store something while it is counted.
  private static let mostRecounts = 10

  /// Removes an entry that a walk has shown, if it still is as it has to be.
  ///
  /// - Returns: the bytes freed, none where it has gone meanwhile; `nil` where it is otherwise by now, and stays.
  @discardableResult
  package func remove(_ file: EntryFile, _ condition: RemovalCondition) throws(StoreError) -> Int64? {
    try unlink(file.name, condition, seenAs: file.status)
  }

  /// Removes what has been written, as far as that can be done: nothing that has replaced it since, nor what is pinned.
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

  /// Removes what is no entry in good order, unless something else has its name by now.
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

extension ReadableStore {
  /// It would keep every entry of a shard out, or all new ones.
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
  /// Whether there is no such shard: it is made with its first entry. What else stands in its place has no entries.
  var isOfMissingShard: Bool { self == .noSuchFile || self == .notDirectory }
}
