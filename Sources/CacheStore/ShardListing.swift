import Platform

/// The files of entries in a shard, as one listing shows them; no head is read.
struct ShardListing {
  private(set) var files: [EntryFile] = []
  private(set) var bytes: Int64 = 0
  /// Whether there may be more: the time was up.
  private(set) var isCutShort = false

  /// Of what is below the directory of the format's version; where there is no such shard, it is empty.
  init(of shard: UInt8, below version: borrowing Directory, within budget: TimeBudget) throws(Errno) {
    do throws(Errno) {
      let directory = try Directory(StoreLayout.shard(shard), in: version, followingLinks: false)
      try self.init(of: shard, in: directory, within: budget)
    } catch {
      guard error.isOfMissingShard else { throw error }
      self.init()
    }
  }

  /// - Parameter directory: the shard's; it may go while it is listed.
  init(of shard: UInt8, in directory: borrowing Directory, within budget: TimeBudget) throws(Errno) {
    do throws(Errno) {
      for (number, name) in try directory.entryNames(of: shard).enumerated() {
        if number % Self.namesBetweenLooks == Self.namesBetweenLooks - 1, budget.isSpent {
          isCutShort = true
          return
        }
        guard let status = directory.entryStatus(at: name.fileName) else { continue }
        files.append(EntryFile(name: name, status: status))
        bytes += status.countedBytes
      }
    } catch {
      guard error.isOfMissingShard else { throw error }
    }
  }

  private init() {}

  /// At the clock: as long as a disk takes for some dozens of files.
  private static let namesBetweenLooks = 64
}

extension Directory {
  /// The directory of a shard.
  ///
  /// - Returns: `nil` where there is none, or it may not be opened, which is told of elsewhere: see
  ///   `unusableDirectories`.
  static func ofShard(_ shard: UInt8, in version: borrowing Directory) throws(Errno) -> Directory? {
    do throws(Errno) {
      return try Directory(StoreLayout.shard(shard), in: version, followingLinks: false)
    } catch {
      guard error.isOfMissingShard || error.concernsFile else { throw error }
      return nil
    }
  }

  /// What the kernel says about the file of an entry: `.untold` where its inode is damaged.
  ///
  /// - Returns: `nil` where it is gone, or nothing is to be had at the moment.
  func entryStatus(at path: Path) -> FileStatus? {
    do throws(Errno) {
      return try status(of: path, followingLinks: false)
    } catch {
      return error.concernsFile ? .untold : nil
    }
  }

  /// The names of the entries in this directory, which is a shard's; whatever else lies there is passed over.
  func entryNames(of shard: UInt8) throws(Errno) -> [EntryName] {
    try names().compactMap { EntryName(inListing: $0) }.filter { $0.shardNumber == shard }
  }
}

/// How long work may take that nobody has asked for, besides what the machine takes for others meanwhile: where many
/// want its processors, the work would not even begin, and nothing be stored any more.
struct TimeBudget {
  private let clock: Clock?
  private let start: UInt64
  private let waitAtStart: UInt64
  private let nanoseconds: UInt64

  init(_ clock: Clock, milliseconds: UInt64) {
    self.clock = clock
    start = clock.monotonic()
    waitAtStart = clock.processorWait()
    nanoseconds = milliseconds * 1_000_000
  }

  private init() {
    clock = nil
    start = 0
    waitAtStart = 0
    nanoseconds = 0
  }

  /// For work that somebody has asked for.
  static var unlimited: TimeBudget { TimeBudget() }

  /// For listing a shard whose sums are too high, because others have listed it while an entry came or went: as long as
  /// two thousand files take. Where it has more, the next one to list it sets it right.
  static var correction: TimeBudget { TimeBudget(.system, milliseconds: 5) }

  var isSpent: Bool {
    guard let clock else { return false }
    let passed = clock.monotonic() &- start
    // The wait takes longer to be told, and is asked for only where it matters.
    return passed >= nanoseconds && passed >= nanoseconds &+ (clock.processorWait() &- waitAtStart)
  }
}

extension Tallies {
  /// Lists a shard below the directory of the format's version, and sets its sums by what is there.
  @discardableResult
  func list(
    _ shard: UInt8, below version: borrowing Directory, within budget: TimeBudget
  ) throws(Errno) -> ShardListing {
    try list(shard) { () throws(Errno) in try ShardListing(of: shard, below: version, within: budget) }
  }

  /// - Parameter directory: the shard's.
  @discardableResult
  func list(
    _ shard: UInt8, in directory: borrowing Directory, within budget: TimeBudget
  ) throws(Errno) -> ShardListing {
    try list(shard) { () throws(Errno) in try ShardListing(of: shard, in: directory, within: budget) }
  }

  private func list(_ shard: UInt8, _ list: () throws(Errno) -> ShardListing) throws(Errno) -> ShardListing {
    let before = beginListing(shard)
    let listing = try list()
    if let before, !listing.isCutShort {
      settle(shard, from: before, to: listing.bytes, entries: Int64(listing.files.count))
    }
    return listing
  }

  /// To be called when an entry has lost its name.
  ///
  /// - Parameters:
  ///   - changes: of its shard, before that.
  ///   - directory: the shard's.
  func remove(_ weight: EntryWeight, since changes: ShardChanges, from directory: borrowing Directory) {
    if !removeUnlessListed(weight, since: changes) { _ = try? list(weight.shard, in: directory, within: .correction) }
  }

  /// Counts shards of which nobody knows what is in them, the given one first, for as long as there is time.
  ///
  /// - Parameter plausible: the most that a shard can hold, as far as is known.
  /// - Returns: in bytes: the most that one of them holds.
  @discardableResult
  func countUnknown(
    from first: UInt8, in version: borrowing Directory, plausible: Int64 = .max, within budget: TimeBudget
  ) -> Int64 {
    if total(plausible: plausible).isExact { return 0 }
    var largest: Int64 = 0
    for step in 0...UInt8.max {
      let shard = first &+ step
      guard let tally = self.shard(shard), !tally.isCredible(upTo: plausible) else { continue }
      if let listing = try? list(shard, below: version, within: budget) { largest = max(largest, listing.bytes) }
      if budget.isSpent { break }
    }
    return largest
  }
}
