import HTTPCaching
import HTTPSemantics
import Platform

/// The lists of variants: entries without content in place of a response that varies.
///
/// A variant has its name before it is on the list. A run that has written a list then looks for files to which the
/// list does not lead. So the later one of two runs that add at the same time finds what its list lacks, and any run
/// finds what a killed writer has left.
enum VariantIndex {
  /// Adds a variant, whose file is in its place, to the list. Drops the least recently used variants if there are too
  /// many.
  ///
  /// - Throws: `.variantsPinned` if none may be dropped; the variant has then been removed. After any other error, it
  ///   is still there if it was on the list before, because it may be pinned.
  static func add(
    _ selecting: SelectingFields, under key: CacheKey, in store: borrowing WritableStore, _ tallies: borrowing Tallies,
    _ terms: PublishingTerms
  ) throws(StoreError) {
    let primary = EntryName(key)
    var unlisted: [SelectingFields] = []
    for _ in 0..<attempts {
      let put: [SelectingFields]?
      do throws(StoreError) {
        put = try Self.put(selecting, and: unlisted, onListOf: key, in: store, tallies, terms)
      } catch {
        if !mayLead(to: selecting, under: key, in: store.root) { store.discard(primary.variant(selecting), tallies) }
        throw error
      }
      guard let written = put else { continue }
      let found = variants(of: key, besides: written, in: store)
      // Variants that could not be put on the list the last time are pinned, like all that are on it.
      if found.isEmpty || found == unlisted { return }
      unlisted = found
    }
  }

  /// Others would have to store a variant of the same response this often, each time between two steps of this run.
  private static let attempts = 20

  /// - Returns: the list as written; `nil` if another run has written one meanwhile.
  private static func put(
    _ selecting: SelectingFields, and unlisted: [SelectingFields], onListOf key: CacheKey,
    in store: borrowing WritableStore, _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) -> [SelectingFields]? {
    let primary = EntryName(key)
    let replaced = try EntryGlance(at: primary, in: store.root)
    // A list that is damaged is replaced by a new one.
    var list = VariantList(key: key, variants: replaced.variants(under: key) ?? [])
    let isListed = list.variants.contains(selecting)
    func publish(_ list: VariantList) throws(StoreError) -> Bool {
      let file = try write(list, in: store)
      return try store.publish(file, as: primary, .variants(list), inPlaceOf: replaced, tallies, terms)
    }
    list.variants.removeAll { $0 == selecting || unlisted.contains($0) }
    list.variants += unlisted
    let room = VariantList.maximumCount - 1
    let dropped = try leastRecentlyUsed(list, in: store.root, excess: max(0, list.variants.count - room))
    list.variants.removeAll { variant in dropped.contains { $0.variant == variant } }
    if list.variants.count > room {
      // Pinned variants that were on no list, as after damage to it, come first: they were there before this one.
      list.variants.removeSubrange(VariantList.maximumCount...)
      if isListed, try !publish(list) { return nil }
      throw .variantsPinned
    }
    list.variants.append(selecting)
    guard try publish(list) else { return nil }
    // A variant that has been pinned meanwhile stays. The next look finds it on no list, and lists it again.
    for (_, file) in dropped { if let file { store.discard(file, .ifUntouched, tallies) } }
    return list.variants
  }

  /// Whether there is a list that leads to a variant, or that cannot be read at the moment.
  private static func mayLead(to selecting: SelectingFields, under key: CacheKey, in root: borrowing StoreRoot) -> Bool
  {
    do throws(StoreError) {
      return try EntryGlance(at: EntryName(key), in: root).variants(under: key)?.contains(selecting) ?? false
    } catch {
      return true
    }
  }

  /// - Returns: as many variants as have to go, or all that are not pinned.
  private static func leastRecentlyUsed(
    _ list: VariantList, in root: borrowing StoreRoot, excess: Int
  ) throws(StoreError) -> [(variant: SelectingFields, file: EntryGlance?)] {
    guard excess > 0 else { return [] }
    let primary = EntryName(list.key)
    var uses: [(variant: SelectingFields, file: EntryGlance?, lastUse: WallTime)] = []
    for variant in list.variants {
      let found = try EntryGlance(at: primary.variant(variant), in: root)
      if found.marks(under: list.key).isPinned { continue }
      // A variant whose file is gone goes first.
      uses.append((variant, found, found.map { VictimChoice.lastUse(of: $0.status) } ?? WallTime(seconds: .min)))
    }
    return uses.ordered { $0.lastUse < $1.lastUse }.prefix(excess).map { ($0.variant, $0.file) }
  }

  /// Returns the variants of which the key has files and which are not listed.
  private static func variants(
    of key: CacheKey, besides listed: [SelectingFields], in store: borrowing WritableStore
  ) -> [SelectingFields] {
    let primary = EntryName(key)
    let known = listed.map { primary.variant($0) }
    return names(of: primary, in: store).compactMap { name in
      guard !known.contains(name), let stored = (try? EntryGlance(at: name, in: store.root))?.stored, stored.key == key,
        primary.variant(stored.selecting) == name
      else { return nil }
      return stored.selecting
    }
  }

  /// Returns the names of all variant files under a primary name, whether or not a list leads to them.
  static func names(of primary: EntryName, in store: borrowing WritableStore) -> [EntryName] {
    guard let shard = try? Directory.shard(primary.shardNumber, in: store.version),
      let names = try? shard.entryNames(of: primary.shardNumber)
    else { return [] }
    return names.filter { $0.isVariant(of: primary) }
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
