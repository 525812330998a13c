import Platform

extension Tallies {
  /// Returns the store's tallies, and creates them if there are none that can be used; returns private ones if that
  /// fails.
  static func openOrCreate(in store: borrowing WritableStore) throws(StoreError) -> Tallies {
    let found = try? store.version.status(of: StoreLayout.tallies, followingLinks: false)
    if let tallies = try? Tallies(in: store.root, for: .writing) { return tallies }
    do throws(Errno) {
      if let found { try store.version.unlink(StoreLayout.tallies, .ifSameFile, seenAs: found) }
      try create(in: store)
    } catch {
      // Another process may have created them.
    }
    return try existing(in: store.root)
  }

  /// Writes the whole file before it gets its name: access to a hole would fail when the disk is full.
  private static func create(in store: borrowing WritableStore) throws(Errno) {
    let temporary = try TemporaryFile(in: store)
    let numbers = try initialNumbers(in: store)
    try numbers.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in try temporary.file.writeAll(bytes) }
    try temporary.publishIfAbsent(as: StoreLayout.tallies, in: store, durable: false)
  }

  /// Zeros, except that shards without a directory are known to be empty.
  private static func initialNumbers(in store: borrowing WritableStore) throws(Errno) -> [Int64] {
    var numbers = [Int64](repeating: 0, count: TalliesLayout.count)
    numbers[TalliesLayout.magicIndex] = TalliesLayout.magic
    numbers[TalliesLayout.versionIndex] = TalliesLayout.version
    numbers[TalliesLayout.countIndex] = Int64(TalliesLayout.count)
    let present = try Directory(reopening: store.version).names()
    for shard in 0...UInt8.max where !present.contains(StoreLayout.shard(shard)) {
      numbers[TalliesLayout.shard(shard) + TalliesLayout.ShardSlot.isKnown] = 1
    }
    return numbers
  }
}
