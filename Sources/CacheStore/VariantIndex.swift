import HTTPCaching
import HTTPSemantics
import Platform

/// The lists of variants: entries without content in the place of a response that varies.
///
/// Two writers that add at the same time lose one of the additions, which is a miss later and never wrong: a variant
/// says itself what selects it.
enum VariantIndex {
  /// Puts a variant whose file is in its place on the list, dropping the least recently used where there are too many.
  static func add(
    _ selecting: SelectingFields, under key: CacheKey, in store: borrowing WritableStore, _ tallies: borrowing Tallies,
    _ terms: PublishingTerms
  ) throws(StoreError) {
    let primary = EntryName(key)
    let replaced = EntryGlance(at: primary, in: store.root)
    // A list that cannot be read is replaced by a new one.
    var list = VariantList(key: key, variants: [])
    if let present = replaced?.variants, present.key == key { list = present }
    list.variants.removeAll { $0 == selecting }
    var dropped: [SelectingFields] = []
    if list.variants.count >= VariantList.maximumCount {
      dropped = leastRecentlyUsed(list, in: store.root, excess: list.variants.count + 1 - VariantList.maximumCount)
      list.variants.removeAll(where: dropped.contains)
    }
    list.variants.append(selecting)
    do throws(StoreError) {
      let temporary = try write(list, in: store)
      try store.publish(
        temporary, as: primary, .variants(list), replacing: replaced, tallies, terms)
    } catch {
      store.discard(primary.variant(selecting), tallies)
      throw error
    }
    for variant in dropped { store.discard(primary.variant(variant), tallies) }
  }

  private static func leastRecentlyUsed(
    _ list: VariantList, in root: borrowing StoreRoot, excess: Int
  ) -> [SelectingFields] {
    let primary = EntryName(list.key)
    var uses: [(variant: SelectingFields, lastUse: WallTime)] = []
    for variant in list.variants {
      let found = EntryGlance(at: primary.variant(variant), in: root)
      // One whose file is gone goes first, one that is pinned last.
      let lastUse = found?.status.modified ?? WallTime(seconds: .min)
      uses.append((variant, found.marks(under: list.key).isPinned ? WallTime(seconds: .max) : lastUse))
    }
    return uses.sorted { $0.lastUse < $1.lastUse }.prefix(excess).map(\.variant)
  }

  private static func write(
    _ list: VariantList, in store: borrowing WritableStore
  ) throws(StoreError) -> TemporaryFile {
    let generation = try storing(.writingEntry) { () throws(Errno) in try Generation.random() }
    guard let record = HeadRecord.encode(.variants(list), generation) else { throw .headTooLarge }
    return try storing(.writingEntry) { () throws(Errno) in
      let preamble = Preamble(.variants, generation, contentLength: 0).encoded
      let temporary = try TemporaryFile(in: store)
      try temporary.file.writeAll(preamble + record, at: 0)
      return temporary
    }
  }
}
