import Platform

/// The files of the entries in a shard, as one listing shows them. No head is read.
struct ShardListing {
  private(set) var files: [EntryFile] = []
  private(set) var bytes: Int64 = 0
  /// Whether there may be more files, because the time was up.
  private(set) var isCutShort = false

  /// Lists a shard below the directory of the format's version. If there is no such shard, the listing is empty.
  init(of shard: UInt8, below version: borrowing Directory, within budget: TimeBudget) throws(Errno) {
    do throws(Errno) {
      let directory = try Directory.shard(shard, in: version)
      try self.init(of: shard, in: directory, within: budget)
    } catch {
      guard error.isOfMissingShard else { throw error }
      self.init()
    }
  }

  /// - Parameter directory: the shard's. It may be removed while it is listed.
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

  /// The number of names between two looks at the clock. The time may be exceeded by what a disk takes for some dozens
  /// of files.
  private static let namesBetweenLooks = 64
}

extension Directory {
  /// Opens a directory of the store anew: a `WritableStore` has only its descriptor, with which nothing can be listed.
  init(reopening directory: borrowing OwnedDescriptor) throws(Errno) {
    try self.init(".", in: directory, followingLinks: false)
  }

  /// Opens the directory of a shard.
  ///
  /// - Parameter version: the directory of the format's version.
  static func shard(
    _ number: UInt8, in version: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) -> Directory {
    try Directory(StoreLayout.shard(number), in: version, followingLinks: false)
  }

  /// Opens the directory of a shard.
  ///
  /// - Returns: `nil` if there is none, or it may not be opened. The second case is reported elsewhere: see
  ///   `unusableDirectories`.
  static func shardIfUsable(_ number: UInt8, in version: borrowing Directory) throws(Errno) -> Directory? {
    do throws(Errno) {
      return try shard(number, in: version)
    } catch {
      guard error.isOfMissingShard || error.concernsFile else { throw error }
      return nil
    }
  }

  /// Returns the kernel's status of an entry's file: `.unreadable` if the kernel cannot read it.
  ///
  /// - Returns: `nil` if the file is gone, or its status cannot be had at the moment.
  func entryStatus(at path: Path) -> FileStatus? {
    do throws(Errno) {
      return try status(of: path, followingLinks: false)
    } catch {
      return error.concernsFile ? .unreadable : nil
    }
  }

  /// Returns the names of the entries in this directory, which is that of a shard. Everything else there is skipped.
  func entryNames(of shard: UInt8) throws(Errno) -> [EntryName] {
    try names().compactMap { EntryName(inListing: $0) }.filter { $0.shardNumber == shard }
  }
}

extension Tallies {
  /// Lists a shard below the directory of the format's version, and corrects its sums.
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
      correct(shard, from: before, to: listing.bytes, entries: Int64(listing.files.count))
    }
    return listing
  }

  /// Takes an entry off the tallies; to be called after it has lost its name.
  ///
  /// - Parameters:
  ///   - changes: those of the shard before the entry lost its name.
  ///   - directory: the shard's.
  func remove(_ weight: EntryWeight, since changes: ShardChanges, from directory: borrowing Directory) {
    if !removeUnlessListed(weight, since: changes) { _ = try? list(weight.shard, in: directory, within: .correction) }
  }

  /// Counts the shards whose content is unknown, the given one first, for as long as there is time.
  ///
  /// - Parameter plausible: the most that a shard can hold, as far as is known.
  /// - Returns: the most bytes that one of them holds.
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
