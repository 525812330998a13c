import Platform

/// A store from which entries are removed, and the tallies that count them.
struct ReducibleStore: ~Copyable {
  let readable: ReadableStore
  let tallies: Tallies

  /// - Returns: `nil` if nothing has been stored yet.
  init?(_ path: Path) throws(StoreError) {
    guard let readable = try ReadableStore(path, for: .removingEntry) else { return nil }
    tallies = try Tallies.existing(in: readable.root)
    self.readable = readable
  }

  var ownerID: UInt32 { readable.root.ownerID }

  /// Removes the entry that was looked at and, with the last variant, the list of variants.
  ///
  /// - Returns: the bytes freed; 0 if the entry is gone, or `condition` no longer holds.
  func remove(_ found: EntryGlance, _ condition: RemovalCondition) throws(StoreError) -> Int64 {
    var freed: Int64 = 0
    try inShard(found.name.shardNumber) { (directory) throws(Errno) in
      freed = try found.remove(from: directory, condition, ownerID: ownerID, tallies)
    }
    return freed
  }

  /// Removes whatever has the name of an entry.
  func remove(_ name: EntryName, from shard: borrowing Directory) throws(StoreError) {
    // An entry that cannot be looked at is removed all the same: a sum that is too high does no harm.
    let found = try? glance(at: name, in: shard)
    let changes = tallies.changes(of: name.shardNumber)
    guard try shard.removeEntry(name.fileName, of: name.shardNumber) else { return }
    if let found { tallies.remove(found.weight, since: changes, from: shard) }
  }

  func glance(at name: EntryName, in shard: borrowing Directory) throws(StoreError) -> EntryGlance? {
    try storing(.readingEntry) { () throws(Errno) in
      try EntryGlance(at: name, path: name.fileName, in: shard, ownerID: ownerID)
    }
  }

  /// Calls `body` with each entry in the given shards, and with the directory of the entry.
  ///
  /// - Throws: the first error, when everything has been tried.
  func forEachEntry(
    in shards: [UInt8], _ body: (EntryName, borrowing Directory) throws(StoreError) -> Void
  ) throws(StoreError) {
    var failure = FirstError<StoreError>()
    for shard in shards {
      do throws(StoreError) {
        try inShard(shard) { (directory) throws(Errno) in
          for name in try directory.entryNames(of: shard) {
            failure.attempt { () throws(StoreError) in try body(name, directory) }
          }
        }
      } catch {
        failure.note(error)
      }
    }
    try failure.throwIfAny()
  }

  /// Removes everything in the directory of a shard that has the name of an entry, whether or not it belongs there. If
  /// the shard is no directory, removes what is in its place.
  ///
  /// - Throws: the first error, when everything has been tried.
  func empty(_ shard: UInt8) throws(StoreError) {
    try readable.removeIfNoDirectory(StoreLayout.shard(shard))
    var failure = FirstError<StoreError>()
    try inShard(shard) { (directory) throws(Errno) in
      for fileName in try directory.names() where EntryName(inListing: fileName) != nil && Signals.pending == nil {
        failure.attempt { () throws(StoreError) in try directory.removeEntry(fileName, of: shard) }
      }
    }
    try failure.throwIfAny()
  }

  /// Calls `body` with the directory of a shard. If there is no such shard, or it is removed meanwhile, does nothing
  /// more.
  func inShard(_ shard: UInt8, _ body: (borrowing Directory) throws(Errno) -> Void) throws(StoreError) {
    do throws(Errno) {
      try body(try Directory.shard(shard, in: readable.version))
    } catch {
      guard !error.isOfMissingShard else { return }
      throw .failed(.removingEntry, error)
    }
  }
}

extension Directory {
  /// Removes what has the name of an entry in this directory, which is that of a shard.
  ///
  /// - Returns: false if nothing has the name any more.
  @discardableResult
  fileprivate func removeEntry(_ fileName: Path, of shard: UInt8) throws(StoreError) -> Bool {
    do throws(Errno) {
      try unlinkEntry(fileName)
      return true
    } catch {
      switch error {
      case .noSuchFile: return false
      case .directoryNotEmpty:
        let path = StoreLayout.version.appending(StoreLayout.shard(shard)).appending(fileName)
        throw .unsafe(.directoryWithin(path))
      default: throw .failed(.removingEntry, error)
      }
    }
  }
}
