import HTTPCaching
import Platform

/// Makes room in a store that would otherwise hold more than its capacity.
///
/// Each insertion that goes beyond the capacity takes a sample of the entries and removes its least recently used
/// quarter, down to a little below the capacity. No run looks at all entries, unless they are no more than a sample.
struct Eviction {
  private let capacity: Int64
  private let clock: Clock
  private let record: EvictionRecord?
  private let spared: EntryName?
  /// The most bytes that a shard can hold. A shard that is said to hold more, or less than nothing, is counted anew.
  private var plausible: Int64 = 0

  init(_ terms: PublishingTerms) {
    record = terms.evictions
    spared = terms.spared
    capacity = terms.limits.capacity
    clock = terms.clock
    plausible = share(Self.most)
  }

  /// With a sample of this size, all but 1 or 2 % of the entries are in the right quarter. A shard of a store with a
  /// million entries has four times as many.
  private static let sampleSize = 1_024
  /// The size of the sample if heads must be read to find the entries of one host: as many as can be read in a few
  /// milliseconds.
  private static let crowdedSampleSize = 512
  /// In hundredths of the capacity: the level down to which room is made, so that not every insertion has to make some.
  private static let lowWater: Int64 = 95
  /// In hundredths of the capacity: the level beyond which room must be made at once.
  private static let pressing: Int64 = 105
  /// In hundredths of the capacity: the level that is never exceeded, except in a store that was too large before.
  private static let most: Int64 = 110
  /// The time for counting, for taking a sample, and for making room while the need is not pressing.
  private static let patienceMilliseconds: UInt64 = 20
  /// The most time that an insertion spends here. An entry that has no room by then is not stored.
  private static let longestMilliseconds: UInt64 = 40

  /// The room that there is for an entry.
  enum Room {
    /// Too little has been counted to refuse the entry.
    case unknown
    /// The bound on all entries together, this one included, in bytes.
    case upTo(Int64)
    case none
  }

  /// Makes room for an entry that is not counted yet, or that has its name already. In between, a run that lists the
  /// shard drops the entry from the sum, because it counts and has no name.
  ///
  /// - Parameters:
  ///   - growth: the bytes by which the store grows; negative if it shrinks.
  ///   - isCounted: whether the tallies include that growth already.
  ///   - version: the directory of the format's version.
  mutating func makeRoom(
    for weight: EntryWeight, growth: Int64, isCounted: Bool, in version: borrowing Directory, ownerID: UInt32,
    _ tallies: borrowing Tallies
  ) -> Room {
    // No other entry is removed for one that can never fit.
    guard weight.bytes <= capacity else { return .none }
    let uncounted = isCounted ? 0 : growth
    let patience = TimeBudget(clock, milliseconds: Self.patienceMilliseconds)
    let longest = TimeBudget(clock, milliseconds: Self.longestMilliseconds)
    let largest = tallies.countUnknown(from: weight.shard, in: version, plausible: plausible, within: patience)
    // After the capacity has been lowered, a shard can hold more than the whole store may. Others store into it
    // meanwhile, hence the sum.
    if largest > plausible { plausible = largest.adding(saturating: plausible) }
    let atFirst = total(tallies).bytes
    var freed: Int64 = 0
    var fruitlessShards = 0
    while true {
      let total = self.total(tallies)
      guard total.isExact || total.countedEntries >= Self.sampleSize else { return .unknown }
      let sum = total.bytes.adding(saturating: uncounted)
      if sum <= capacity { return usualRoom }
      // A writer that has freed twice its own size has done its share: if each does so, a store that is too large
      // shrinks.
      let isPressing = sum > share(Self.pressing) && freed < 2 * weight.bytes
      guard !(isPressing ? longest : patience).isSpent, fruitlessShards < TalliesLayout.shardCount else {
        if !total.isExact { return .unknown }
        if sum <= share(Self.most) { return usualRoom }
        // In a store that was too large before, it is enough that it does not grow.
        return freed >= growth ? .upTo(max(atFirst, share(Self.most))) : .none
      }
      // If listing takes long, the sample is smaller, so that some of the time is left for removing entries.
      let sample = Sample(
        of: Self.sampleSize, besides: spared, in: version, tallies, within: patience.isSpent ? longest : patience)
      // Listing has corrected the sums of these shards: there may be enough room.
      if !isNeeded(for: uncounted, tallies) { continue }
      let wanted = self.total(tallies).bytes.adding(saturating: uncounted) - share(Self.lowWater)
      let removed = remove(wanted, from: sample, in: version, ownerID: ownerID, tallies, within: longest)
      fruitlessShards = removed > 0 ? 0 : fruitlessShards + sample.shardCount
      freed += removed
      record?.note(removed)
    }
  }

  /// Whether all entries may be more than the capacity when `bytes`, which may be negative, are added.
  func isNeeded(for bytes: Int64, _ tallies: borrowing Tallies) -> Bool {
    let total = total(tallies)
    return !total.isExact || total.bytes.adding(saturating: bytes) > capacity
  }

  /// Whether all entries, with the one that the room is for, are within the room.
  func holds(_ room: Room, _ tallies: borrowing Tallies) -> Bool { excess(beyond: room, tallies) <= 0 }

  /// Returns the bytes by which all entries, with the one that the room is for, exceed the room.
  func excess(beyond room: Room, _ tallies: borrowing Tallies) -> Int64 {
    switch room {
    case .unknown: 0
    case .upTo(let bound): total(tallies).bytes - bound
    case .none: .max
    }
  }

  /// The bound that is never exceeded, except in a store that was too large before.
  var usualRoom: Room { .upTo(share(Self.most)) }

  private func total(_ tallies: borrowing Tallies) -> StoreTotal { tallies.total(plausible: plausible) }

  private func share(_ hundredths: Int64) -> Int64 {
    let (quotient, remainder) = capacity.quotientAndRemainder(dividingBy: 100)
    return quotient.multiplied(saturating: hundredths).adding(saturating: remainder * hundredths / 100)
  }

  // MARK: Removing

  /// - Returns: the bytes freed.
  private func remove(
    _ wanted: Int64, from sample: Sample, in version: borrowing Directory, ownerID: UInt32,
    _ tallies: borrowing Tallies, within budget: TimeBudget
  ) -> Int64 {
    // The recount may have shown that nothing has to be freed.
    guard wanted > 0 else { return 0 }
    // The kernel's clock sets the times of files, so the system's clock is the one to compare them with.
    let now = Clock.system.wallTime()
    if let host = tallies.host(holdingMoreThan: capacity / 2) {
      let crowded = Sample(Array(sample.files.prefix(Self.crowdedSampleSize)))
      let victims = crowded.victims(
        freeing: wanted, crowdedBy: host, at: now, in: version, ownerID: ownerID, within: budget)
      if !victims.isEmpty { return Victim.remove(victims, from: version, ownerID: ownerID, tallies, within: budget) }
    }
    let victims = sample.victims(
      freeing: wanted, crowdedBy: nil, at: now, in: version, ownerID: ownerID, within: budget)
    return Victim.remove(victims, from: version, ownerID: ownerID, tallies, within: budget)
  }
}

/// Some files of the store, from as many shards as it takes.
struct Sample {
  private(set) var files: [EntryFile] = []
  private(set) var shardCount = 0

  init(_ files: [EntryFile]) { self.files = files }

  /// Lists shards, one after the other from where the last sample ended, and corrects their sums.
  init(
    of count: Int, besides spared: EntryName?, in version: borrowing Directory, _ tallies: borrowing Tallies,
    within budget: TimeBudget
  ) {
    let first = tallies.nextShards(1)
    repeat {
      let listing = try? tallies.list(first &+ UInt8(shardCount), below: version, within: budget)
      files += listing?.files ?? []
      shardCount += 1
    } while files.count < count && shardCount < TalliesLayout.shardCount && !budget.isSpent
    _ = tallies.nextShards(shardCount - 1)
    if let spared { files.removeAll { $0.name == spared } }
  }

  func victims(
    freeing wanted: Int64, crowdedBy host: Int64?, at now: WallTime, in version: borrowing Directory,
    ownerID: UInt32, within budget: TimeBudget
  ) -> [Victim] {
    let candidates = files.indices.map { index in
      let status = files[index].status
      return VictimChoice.Candidate(
        index: index, bytes: status.countedBytes, lastUse: VictimChoice.lastUse(status.modified, at: now))
    }
    var seen: [Int: Victim] = [:]
    let chosen = VictimChoice.victims(of: candidates, freeing: wanted, crowdedBy: host) { candidate in
      if budget.isSpent { return nil }
      guard let victim = Victim(files[candidate.index], in: version, ownerID: ownerID) else { return .kept }
      seen[candidate.index] = victim
      return .expendable(host: victim.glance.weight.host?.hash)
    }
    return chosen.compactMap { seen[$0.index] }
  }
}

/// An entry that may be removed, as it was when its head was read.
struct Victim {
  let glance: EntryGlance

  /// - Returns: `nil` for a pinned entry, for a list that leads to a variant, for a file that is gone or has been used
  ///   since, and for an entry that cannot be read at the moment, because it may be pinned.
  init?(_ file: EntryFile, in version: borrowing Directory, ownerID: UInt32) {
    let path = file.name.shard.appending(file.name.fileName)
    guard let found = try? EntryGlance(at: file.name, path: path, in: version, ownerID: ownerID),
      found.status.isSameFile(as: file.status), found.status.modified == file.status.modified,
      !(found.stored?.isPinned ?? false)
    else { return nil }
    if let list = found.variants, let shard = try? Directory.shard(file.name.shardNumber, in: version),
      list.leadsSomewhere(in: shard)
    {
      return nil
    }
    glance = found
  }

  /// - Returns: the bytes freed.
  static func remove(
    _ victims: [Victim], from version: borrowing Directory, ownerID: UInt32, _ tallies: borrowing Tallies,
    within budget: TimeBudget
  ) -> Int64 {
    var byShard = [[Victim]](repeating: [], count: TalliesLayout.shardCount)
    for victim in victims { byShard[Int(victim.glance.name.shardNumber)].append(victim) }
    var freed: Int64 = 0
    for (number, victims) in byShard.enumerated() where !victims.isEmpty {
      guard let shard = try? Directory.shard(UInt8(number), in: version) else { continue }
      for victim in victims {
        if budget.isSpent { return freed }
        // A file that cannot be removed stays, and counts.
        freed += (try? victim.glance.remove(from: shard, .ifUntouched, ownerID: ownerID, tallies)) ?? 0
      }
    }
    return freed
  }
}

extension EntryGlance {
  /// Removes the file that was looked at and, with the last variant, the list of variants.
  ///
  /// - Returns: the bytes freed; 0 if the file is gone, or `condition` no longer holds.
  func remove(
    from shard: borrowing Directory, _ condition: RemovalCondition, ownerID: UInt32, _ tallies: borrowing Tallies
  ) throws(Errno) -> Int64 {
    guard try unlink(from: shard, condition, tallies) else { return 0 }
    guard let list = Self.voidList(of: name, in: shard, ownerID: ownerID),
      (try? list.unlink(from: shard, .ifSameFile, tallies)) ?? false
    else { return status.countedBytes }
    return status.countedBytes + list.status.countedBytes
  }

  /// Returns the list of variants that has to be removed with its last variant.
  ///
  /// - Parameter gone: entries that are regarded as removed.
  /// - Returns: `nil` if the name is not that of a variant, or the list leads to another variant.
  static func voidList(
    of variant: EntryName, besides gone: Set<EntryName> = [], in shard: borrowing Directory, ownerID: UInt32
  ) -> EntryGlance? {
    guard let primary = variant.primaryOfVariant,
      let found = try? EntryGlance(at: primary, path: primary.fileName, in: shard, ownerID: ownerID),
      let list = found.variants, !list.leadsSomewhere(in: shard, besides: gone)
    else { return nil }
    return found
  }
}

extension VariantList {
  /// Whether there is a file for any of the variants, all of which lie in the same shard.
  ///
  /// - Parameter gone: entries that are regarded as removed.
  func leadsSomewhere(in shard: borrowing Directory, besides gone: Set<EntryName> = []) -> Bool {
    let primary = EntryName(key)
    for name in variants.map(primary.variant)
    where !gone.contains(name) && (try? shard.status(of: name.fileName, followingLinks: false)) != nil {
      return true
    }
    return false
  }
}
