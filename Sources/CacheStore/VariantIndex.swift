import HTTPCaching
import HTTPSemantics
import Platform

/// The lists of variants: entries without content in the place of a response that varies.
///
/// Two writers that add at the same time lose one of the additions, which is a miss later and never wrong: a variant
/// says itself what selects it.
enum VariantIndex {
  static func list(under key: CacheKey, in root: borrowing StoreRoot) -> VariantList? {
    // A list that cannot be read is replaced by a new one.
    guard let entry = try? OpenEntry.open(EntryName(key), in: root, .head) else { return nil }
    guard case .variants(let list) = entry.head, list.key == key else { return nil }
    return list
  }

  /// Puts a variant whose file is in its place on the list, dropping the least recently used where there are too many.
  static func add(
    _ selecting: SelectingFields, under key: CacheKey, in store: borrowing WritableStore, durable: Bool
  ) throws(StoreError) {
    let primary = EntryName(key)
    var list = list(under: key, in: store.root) ?? VariantList(key: key, variants: [])
    list.variants.removeAll { $0 == selecting }
    var dropped: [SelectingFields] = []
    if list.variants.count >= VariantList.maximumCount {
      dropped = leastRecentlyUsed(list, in: store.root, excess: list.variants.count + 1 - VariantList.maximumCount)
      list.variants.removeAll(where: dropped.contains)
    }
    list.variants.append(selecting)
    do throws(StoreError) {
      try write(list, as: primary, in: store, durable: durable)
    } catch {
      store.discard(primary.variant(selecting))
      throw error
    }
    for variant in dropped { store.discard(primary.variant(variant)) }
  }

  private static func leastRecentlyUsed(
    _ list: VariantList, in root: borrowing StoreRoot, excess: Int
  ) -> [SelectingFields] {
    let primary = EntryName(list.key)
    var uses: [(variant: SelectingFields, lastUse: WallTime)] = []
    for variant in list.variants {
      let status = try? root.directory.status(of: primary.variant(variant).path, followingLinks: false)
      // One whose file is gone goes first.
      uses.append((variant, status?.modified ?? WallTime(seconds: .min)))
    }
    return uses.sorted { $0.lastUse < $1.lastUse }.prefix(excess).map(\.variant)
  }

  private static func write(
    _ list: VariantList, as name: EntryName, in store: borrowing WritableStore, durable: Bool
  ) throws(StoreError) {
    guard let payload = HeadCodec.encode(.variants(list)) else { throw .headTooLarge }
    let temporary = try storing(.writingEntry) { () throws(Errno) in
      let generation = try Generation.random()
      let preamble = Preamble(.variants, generation, contentLength: 0).encoded
      let temporary = try TemporaryFile(in: store)
      try temporary.file.writeAll(preamble + HeadRecord.encode(payload, generation), at: 0)
      return temporary
    }
    try store.publish(temporary, as: name, durable: durable)
  }
}
