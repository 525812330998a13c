import HTTPCaching
import Platform

/// How entries come and go, so that the tallies are never too low: they count before they have their name, and until
/// they have lost it.
extension WritableStore {
  /// Counts an entry and gives it its name.
  ///
  /// - Parameter replaced: what has the name now.
  func publish(
    _ file: consuming TemporaryFile, as name: EntryName, _ head: EntryHead, replacing replaced: EntryGlance?,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    let counted = try count(file, as: name, head, tallies, terms)
    if replaced == nil, try publishIfFree(file, as: name, counted, tallies, terms) { return }
    try replace(replaced, at: name, with: &file, counted, tallies, terms)
  }

  /// As `publish`, but in the place of nothing else than what has been seen, or of nothing.
  ///
  /// - Returns: whether it has the name; if not, it does not count.
  func publish(
    _ file: consuming TemporaryFile, as name: EntryName, _ head: EntryHead, inPlaceOf seen: EntryGlance?,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) -> Bool {
    let counted = try count(file, as: name, head, tallies, terms)
    if let seen {
      if try replaceUnchanged(seen, at: name, with: &file, counted, tallies, terms) { return true }
    } else {
      if try publishIfFree(file, as: name, counted, tallies, terms) { return true }
      // What has a temporary name has no other way to its own.
      if status(of: name) == nil {
        try replace(nil, at: name, with: &file, counted, tallies, terms)
        return true
      }
    }
    takeBack(counted, tallies)
    return false
  }

  // Not inlined, like the functions below that give names: four copies would make the program larger, and not faster.
  /// Counts an entry that has been written, when there is room for it.
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

  /// Gives an entry that counts its name, unless something has that.
  ///
  /// - Returns: whether it has the name now; if not, it counts still, unless an error is thrown.
  func publishIfFree(
    _ file: borrowing TemporaryFile, as name: EntryName, _ counted: CountedEntry, _ tallies: borrowing Tallies,
    _ terms: PublishingTerms
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let shard = try shard(of: name)
      do throws(Errno) {
        guard try file.linkIfAbsent(as: name.fileName, in: shard, durable: terms.limits.isDurable) else { return false }
      } catch {
        throw .failed(.publishingEntry, error)
      }
    } catch {
      takeBack(counted, tallies)
      throw error
    }
    if !tallies.holds(counted) { try countAgain(counted.weight, named: name, tallies, terms) }
    return true
  }

  /// Gives an entry that counts its name, whatever has that.
  ///
  /// - Parameter replaced: what has the name now.
  /// - Throws: then it does not count any more.
  func replace(
    _ replaced: EntryGlance?, at name: EntryName, with file: inout TemporaryFile, _ counted: CountedEntry,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    _ = try replace(replaced, ifStill: nil, at: name, with: &file, counted, tallies, terms)
  }

  /// As `replace`, but of nothing else than what has been seen, and only if nothing has been appended to that.
  ///
  /// - Returns: whether it has the name; if not, it counts still, and may be tried again.
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
    // It may have been what made room.
    let isReplacing = replaced.map { isThere($0) } ?? false
    do throws(StoreError) {
      let shard = try shard(of: name)
      do throws(Errno) {
        let isNamed = try file.replace(
          name.fileName, ifStill: status, in: shard, of: self, durable: terms.limits.isDurable)
        guard isNamed else { return false }
      } catch {
        throw .failed(.publishingEntry, error)
      }
    } catch {
      takeBack(counted, tallies)
      throw error
    }
    let isCertain: Bool
    if let replaced, isReplacing {
      isCertain = tallies.removeUnlessListed(replaced.weight, since: counted.changes)
    } else {
      isCertain = tallies.holds(counted)
    }
    if !isCertain { try countAgain(counted.weight, named: name, tallies, terms) }
    return true
  }

  /// Takes an entry off that counts, and is not going to have its name.
  @inline(never)
  func takeBack(_ counted: CountedEntry, _ tallies: borrowing Tallies) {
    let weight = counted.weight
    if tallies.removeUnlessListed(weight, since: counted.changes) { return }
    // Without a descriptor to be had, the sum stays too high.
    guard let version = try? Directory(".", in: version, followingLinks: false) else { return }
    _ = try? tallies.list(weight.shard, below: version, within: .correction)
  }

  /// Counts an entry that has its name once more: somebody has listed its shard before it had, and may have forgotten
  /// it. Others may have taken its room then; where none can be made again, the entry goes.
  @inline(never)
  private func countAgain(
    _ weight: EntryWeight, named name: EntryName, _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    tallies.addToShard(weight)
    // Without a descriptor to be had, the sum stays too high.
    guard let version = try? Directory(".", in: version, followingLinks: false),
      let shard = try? Directory(name.shard, in: version, followingLinks: false)
    else { return }
    _ = try? tallies.list(weight.shard, in: shard, within: .correction)
    var eviction = Eviction(terms)
    if eviction.holds(eviction.usualRoom, tallies) { return }
    let room = eviction.makeRoom(
      for: weight, growth: weight.bytes, isCounted: true, in: version, ownerID: root.ownerID, tallies)
    let found = try EntryGlance(at: name, in: root)
    if let found, found.stored?.isPinned ?? false { return }
    // It may have been what made room.
    if found != nil, eviction.holds(room, tallies) { return }
    _ = try? found?.unlink(from: shard, .ifSameFile, tallies)
    throw .full
  }

  private func isThere(_ found: EntryGlance) -> Bool { status(of: found.name)?.isSameFile(as: found.status) ?? false }

  /// Of what has a name; `nil` where nothing has.
  private func status(of name: EntryName) -> FileStatus? {
    try? root.directory.status(of: name.path, followingLinks: false)
  }

  /// Counts an entry, when there is room for what it has beyond the entry that it replaces.
  private func reserve(
    _ weight: EntryWeight, at name: EntryName, _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) -> CountedEntry {
    var eviction = Eviction(terms)
    for _ in 0..<Self.attemptsToReserve {
      var room = eviction.usualRoom
      var replaced: FileStatus?
      // Where there is room for both, nobody need look for it.
      if eviction.isNeeded(for: weight.bytes, tallies) {
        replaced = status(of: name)
        let growth = weight.bytes - (replaced?.countedBytes ?? 0)
        if eviction.isNeeded(for: growth, tallies) {
          let version = try storing(.counting) { () throws(Errno) in
            try Directory(".", in: self.version, followingLinks: false)
          }
          room = eviction.makeRoom(
            for: weight, growth: growth, isCounted: false, in: version, ownerID: root.ownerID, tallies)
          if case .none = room { throw .full }
        }
      }
      let counted = tallies.add(weight)
      // Others may have taken the same room meanwhile: all of them count before any has its name.
      let excess = eviction.excess(beyond: room, tallies)
      if excess <= 0 { return counted }
      // What is there after that has been counted in it; it may have been what made room.
      if let replaced, excess <= replaced.countedBytes, status(of: name)?.isSameFile(as: replaced) ?? false {
        return counted
      }
      takeBack(counted, tallies)
    }
    throw .full
  }

  /// A writer that loses its room so often is one of a great many.
  private static let attemptsToReserve = 3

  /// Removes what nothing leads to any more; if that fails, it is a waste of space and no error.
  func discard(_ name: EntryName, _ tallies: borrowing Tallies) {
    if let doomed = try? EntryGlance(at: name, in: root) { discard(doomed, .ifSameFile, tallies) }
  }

  /// As above, where it is still as it has to be.
  func discard(_ doomed: EntryGlance, _ condition: RemovalCondition, _ tallies: borrowing Tallies) {
    guard let shard = try? Directory(doomed.name.shard, in: version, followingLinks: false) else { return }
    _ = try? doomed.unlink(from: shard, condition, tallies)
  }
}

/// What must still hold of a file that was looked at, for it to be removed.
package enum RemovalCondition: Sendable {
  /// The name stands for it.
  case ifSameFile
  /// Nobody has used it since either, or said anything of it: what is pinned meanwhile stays.
  case ifUntouched

  func holds(of current: FileStatus, seenAs seen: FileStatus) -> Bool {
    guard current.isSameFile(as: seen) else { return false }
    return self == .ifSameFile || current.size == seen.size && current.modified == seen.modified
  }
}

extension EntryGlance {
  /// Removes the file that was looked at, and takes it off the tallies.
  ///
  /// - Parameter shard: the directory that it is in.
  /// - Returns: false where it is not there any more as it has to be.
  func unlink(
    from shard: borrowing Directory, _ condition: RemovalCondition, _ tallies: borrowing Tallies
  ) throws(Errno) -> Bool {
    let changes = tallies.changes(of: weight.shard)
    guard try shard.unlink(name.fileName, condition, seenAs: status) else { return false }
    tallies.remove(weight, since: changes, from: shard)
    return true
  }
}

extension OpenDescriptor where Self: ~Copyable {
  /// Removes a name, if what it stands for is still as it has to be.
  ///
  /// - Returns: whether it has been removed, by this call.
  @discardableResult
  func unlink(
    _ fileName: Path, _ condition: RemovalCondition, seenAs seen: FileStatus
  ) throws(Errno) -> Bool {
    do throws(Errno) {
      guard condition.holds(of: try status(of: fileName, followingLinks: false), seenAs: seen) else { return false }
      try unlinkEntry(fileName)
      return true
    } catch {
      guard error == .noSuchFile else { throw error }
      return false
    }
  }

  /// Removes what has the name of an entry: an empty directory, too, which nothing could replace.
  func unlinkEntry(_ fileName: Path) throws(Errno) {
    do throws(Errno) {
      try unlink(fileName)
    } catch {
      guard error == .isDirectory else { throw error }
      try removeDirectory(fileName)
    }
  }
}
