import HTTPCaching
import Platform

/// Adding, replacing and removing entries in such an order that the tallies are never too low: an entry is counted
/// before it gets its name, and until it has lost it.
extension WritableStore {
  /// Counts an entry and gives it its name.
  ///
  /// - Parameter replaced: the entry that has the name.
  func publish(
    _ file: consuming TemporaryFile, as name: EntryName, _ head: EntryHead, replacing replaced: EntryGlance?,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    let counted = try count(file, as: name, head, tallies, terms)
    if replaced == nil, try publishIfFree(file, as: name, counted, tallies, terms) { return }
    try replace(replaced, at: name, with: &file, counted, tallies, terms)
  }

  /// Counts an entry and gives it its name, but only in place of the entry that has been seen or, with `nil`, of
  /// nothing.
  ///
  /// - Returns: whether the entry has its name; if not, it does not count.
  func publish(
    _ file: consuming TemporaryFile, as name: EntryName, _ head: EntryHead, inPlaceOf seen: EntryGlance?,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) -> Bool {
    let counted = try count(file, as: name, head, tallies, terms)
    if let seen {
      if try replaceUnchanged(seen, at: name, with: &file, counted, tallies, terms) { return true }
    } else {
      if try publishIfFree(file, as: name, counted, tallies, terms) { return true }
      // A file with a temporary name gets its final one only by renaming, which replaces whatever has that.
      if status(of: name) == nil {
        try replace(nil, at: name, with: &file, counted, tallies, terms)
        return true
      }
    }
    takeBack(counted, tallies)
    return false
  }

  // Not inlined, like the functions below that give names: four copies would make the program larger, and not faster.
  /// Counts an entry that has been written, provided that there is room for it.
  @inline(never)
  func count(
    _ file: borrowing TemporaryFile, as name: EntryName, _ head: EntryHead, _ tallies: borrowing Tallies,
    _ terms: PublishingTerms
  ) throws(StoreError) -> CountedEntry {
    let size: Int64
    do throws(Errno) {
      size = try file.seal(durable: terms.limits.isDurable)
    } catch {
      throw .failed(.publishingEntry, error)
    }
    return try reserve(EntryWeight(name, size, head), at: name, tallies, terms)
  }

  /// Gives a counted entry its name, unless something has that already.
  ///
  /// - Returns: whether the entry has its name now; if not, it still counts, unless an error is thrown.
  func publishIfFree(
    _ file: borrowing TemporaryFile, as name: EntryName, _ counted: CountedEntry, _ tallies: borrowing Tallies,
    _ terms: PublishingTerms
  ) throws(StoreError) -> Bool {
    let isNamed = try giveName(name, to: counted, tallies) { (shard) throws(Errno) in
      try file.linkIfAbsent(as: name.fileName, in: shard, durable: terms.limits.isDurable)
    }
    guard isNamed else { return false }
    if !tallies.holds(counted) { try countAgain(counted.weight, named: name, tallies, terms) }
    return true
  }

  /// Gives a counted entry its name, whatever has that.
  ///
  /// - Parameter replaced: the entry that has the name.
  /// - Throws: an error after which the entry no longer counts.
  func replace(
    _ replaced: EntryGlance?, at name: EntryName, with file: inout TemporaryFile, _ counted: CountedEntry,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    _ = try replace(replaced, ifStill: nil, at: name, with: &file, counted, tallies, terms)
  }

  /// Gives a counted entry its name, but only in place of the entry that has been seen, and only if nothing has been
  /// appended to that.
  ///
  /// - Returns: whether the entry has its name; if not, it still counts, and the call may be repeated.
  func replaceUnchanged(
    _ seen: EntryGlance, at name: EntryName, with file: inout TemporaryFile, _ counted: CountedEntry,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) -> Bool {
    try replace(seen, ifStill: seen.status, at: name, with: &file, counted, tallies, terms)
  }

  @inline(never)
  private func replace(
    _ replaced: EntryGlance?, ifStill status: FileStatus?, at name: EntryName, with file: inout TemporaryFile,
    _ counted: CountedEntry, _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) -> Bool {
    // The replaced entry may have been removed to make room.
    let isReplacing = replaced.map { isThere($0) } ?? false
    let isNamed = try giveName(name, to: counted, tallies) { (shard) throws(Errno) in
      try file.replace(name.fileName, ifStill: status, in: shard, of: self, durable: terms.limits.isDurable)
    }
    guard isNamed else { return false }
    let isCertain: Bool
    if let replaced, isReplacing {
      isCertain = tallies.removeUnlessListed(replaced.weight, since: counted.changes)
    } else {
      isCertain = tallies.holds(counted)
    }
    if !isCertain { try countAgain(counted.weight, named: name, tallies, terms) }
    return true
  }

  /// Gives a counted entry its name. After an error, the entry no longer counts.
  ///
  /// - Parameter link: gives the file its name in the directory of the shard, and returns whether it has.
  private func giveName(
    _ name: EntryName, to counted: CountedEntry, _ tallies: borrowing Tallies,
    by link: (borrowing OwnedDescriptor) throws(Errno) -> Bool
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let shard = try shard(of: name)
      do throws(Errno) { return try link(shard) } catch { throw .failed(.publishingEntry, error) }
    } catch {
      takeBack(counted, tallies)
      throw error
    }
  }

  /// Takes a counted entry off the tallies, because it is not going to have its name.
  @inline(never)
  func takeBack(_ counted: CountedEntry, _ tallies: borrowing Tallies) {
    let weight = counted.weight
    if tallies.removeUnlessListed(weight, since: counted.changes) { return }
    // Without a free descriptor, the sum stays too high.
    guard let version = try? Directory(reopening: version) else { return }
    _ = try? tallies.list(weight.shard, below: version, within: .correction)
  }

  /// Counts an entry again after it has got its name, because another run listed its shard before that and may have
  /// dropped the entry from the sum. Others may have taken its room since; if no room can be made again, the entry is
  /// removed.
  @inline(never)
  private func countAgain(
    _ weight: EntryWeight, named name: EntryName, _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    tallies.addToShard(weight)
    // Without a free descriptor, the sum stays too high.
    guard let version = try? Directory(reopening: version),
      let shard = try? Directory.shard(name.shardNumber, in: version)
    else { return }
    _ = try? tallies.list(weight.shard, in: shard, within: .correction)
    var eviction = Eviction(terms)
    if eviction.holds(eviction.usualRoom, tallies) { return }
    let room = eviction.makeRoom(
      for: weight, growth: weight.bytes, isCounted: true, in: version, ownerID: root.ownerID, tallies)
    let found = try EntryGlance(at: name, in: root)
    if let found, found.stored?.isPinned ?? false { return }
    // The entry itself may have been removed to make room.
    if found != nil, eviction.holds(room, tallies) { return }
    _ = try? found?.unlink(from: shard, .ifSameFile, tallies)
    throw .full
  }

  private func isThere(_ found: EntryGlance) -> Bool { status(of: found.name)?.isSameFile(as: found.status) ?? false }

  /// Returns the status of the file that has the name; `nil` if there is none.
  private func status(of name: EntryName) -> FileStatus? {
    try? root.directory.status(of: name.path, followingLinks: false)
  }

  /// Counts an entry, provided that there is room for what it has beyond the entry that it replaces.
  private func reserve(
    _ weight: EntryWeight, at name: EntryName, _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) -> CountedEntry {
    var eviction = Eviction(terms)
    for _ in 0..<Self.attemptsToReserve {
      var room = eviction.usualRoom
      var replaced: FileStatus?
      // If there is room for both, the replaced entry need not be looked at.
      if eviction.isNeeded(for: weight.bytes, tallies) {
        replaced = status(of: name)
        let growth = weight.bytes - (replaced?.countedBytes ?? 0)
        if eviction.isNeeded(for: growth, tallies) {
          let version = try storing(.counting) { () throws(Errno) in try Directory(reopening: self.version) }
          room = eviction.makeRoom(
            for: weight, growth: growth, isCounted: false, in: version, ownerID: root.ownerID, tallies)
          if case .none = room { throw .full }
        }
      }
      let counted = tallies.add(weight)
      // Others may have taken the same room meanwhile. Every entry counts before it has its name, so the excess shows.
      let excess = eviction.excess(beyond: room, tallies)
      if excess <= 0 { return counted }
      // The sum includes the replaced entry, which is about to go, unless it has been removed to make room.
      if let replaced, excess <= replaced.countedBytes, status(of: name)?.isSameFile(as: replaced) ?? false {
        return counted
      }
      takeBack(counted, tallies)
    }
    throw .full
  }

  /// A writer that loses its room this often is one of a great many.
  private static let attemptsToReserve = 3

  /// Removes an entry that nothing leads to any more. A failure only wastes space, and is ignored.
  func discard(_ name: EntryName, _ tallies: borrowing Tallies) {
    if let doomed = try? EntryGlance(at: name, in: root) { discard(doomed, .ifSameFile, tallies) }
  }

  /// Removes the entry, if the condition still holds.
  func discard(_ doomed: EntryGlance, _ condition: RemovalCondition, _ tallies: borrowing Tallies) {
    guard let shard = try? Directory.shard(doomed.name.shardNumber, in: version) else { return }
    _ = try? doomed.unlink(from: shard, condition, tallies)
  }
}
