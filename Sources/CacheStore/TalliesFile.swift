import Platform

extension Tallies {
  /// The store's tallies, made where there are none of use; this process's alone where that is impossible.
  static func openOrCreate(in store: borrowing WritableStore) throws(StoreError) -> Tallies {
    let found = try? store.version.status(of: StoreLayout.tallies, followingLinks: false)
    if let tallies = try? Tallies(in: store.root, for: .writing) { return tallies }
    do throws(Errno) {
      if let found { try store.version.unlink(StoreLayout.tallies, .ifSameFile, seenAs: found) }
      try create(in: store)
    } catch {
      // Somebody else may have made them.
    }
    return try existing(in: store.root)
  }

  /// Written whole before it has its name: a hole would be an access that fails when the disk is full.
  private static func create(in store: borrowing WritableStore) throws(Errno) {
    let temporary = try TemporaryFile(in: store)
    let numbers = try initialNumbers(in: store)
    try numbers.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in try temporary.file.writeAll(bytes) }
    try temporary.publishIfAbsent(as: StoreLayout.tallies, in: store, durable: false)
  }

  /// Zeros; a shard that has no directory is known to be empty.
  private static func initialNumbers(in store: borrowing WritableStore) throws(Errno) -> [Int64] {
    var numbers = [Int64](repeating: 0, count: TalliesLayout.count)
    numbers[TalliesLayout.magicIndex] = TalliesLayout.magic
    numbers[TalliesLayout.versionIndex] = TalliesLayout.version
    numbers[TalliesLayout.countIndex] = Int64(TalliesLayout.count)
    let present = try Directory(".", in: store.version, followingLinks: false).names()
    for shard in 0...UInt8.max where !present.contains(StoreLayout.shard(shard)) {
      numbers[TalliesLayout.shard(shard) + TalliesLayout.ShardSlot.isKnown] = 1
    }
    return numbers
  }
}
