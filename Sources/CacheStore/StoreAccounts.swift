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
    let weight = try count(file, as: name, head, tallies, terms)
    try publish(file, as: name, weight, replacing: replaced, tallies, terms)
  }

  /// Counts an entry that has been written, when there is room for it.
  ///
  /// - Returns: what it counts for.
  // Inlined, it is in the program four times, and not faster; as is what gives names below.
  @inline(never)
  func count(
    _ file: borrowing TemporaryFile, as name: EntryName, _ head: EntryHead, _ tallies: borrowing Tallies,
    _ terms: PublishingTerms
  ) throws(StoreError) -> EntryWeight {
    let size: Int64
    do throws(Errno) {
      size = try file.seal(durable: terms.limits.isDurable)
    } catch {
      throw .failed(.publishingEntry, error)
    }
    let weight = EntryWeight(name, size, head)
    try reserve(weight, tallies, terms)
    return weight
  }

  /// Gives an entry that counts its name, unless something has that.
  ///
  /// - Returns: whether it has the name now; if not, it counts still, unless an error is thrown.
  func publishIfFree(
    _ file: borrowing TemporaryFile, as name: EntryName, _ weight: EntryWeight, _ tallies: borrowing Tallies,
    _ terms: PublishingTerms
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let shard = try shard(of: name)
      do throws(Errno) {
        return try file.isLinked(as: name.fileName, in: shard, durable: terms.limits.isDurable)
      } catch {
        throw .failed(.publishingEntry, error)
      }
    } catch {
      tallies.remove(weight)
      throw error
    }
  }

  /// Gives an entry that counts its name; where that fails, it does not count any more.
  ///
  /// - Parameter replaced: what has the name now.
  @inline(never)
  func publish(
    _ file: consuming TemporaryFile, as name: EntryName, _ weight: EntryWeight, replacing replaced: EntryGlance?,
    _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    // It may have been what made room.
    let isReplacing = replaced.map { isThere($0) } ?? false
    do throws(StoreError) {
      let shard = try shard(of: name)
      do throws(Errno) {
        try file.publish(as: name.fileName, in: shard, of: self, durable: terms.limits.isDurable)
      } catch {
        throw .failed(.publishingEntry, error)
      }
    } catch {
      tallies.remove(weight)
      throw error
    }
    if let replaced, isReplacing { tallies.remove(replaced.weight) }
  }

  private func isThere(_ found: EntryGlance) -> Bool {
    let status = try? root.directory.status(of: found.name.path, followingLinks: false)
    return status?.isSameFile(as: found.status) ?? false
  }

  /// Counts an entry, when there is room for it.
  private func reserve(
    _ weight: EntryWeight, _ tallies: borrowing Tallies, _ terms: PublishingTerms
  ) throws(StoreError) {
    let eviction = Eviction(terms)
    for _ in 0..<Self.attemptsToReserve {
      var bound = eviction.bound
      if eviction.isNeeded(for: weight.bytes, tallies) {
        let version = try storing(.counting) { () throws(Errno) in
          try Directory(".", in: self.version, followingLinks: false)
        }
        guard let room = eviction.makeRoom(for: weight, in: version, ownerID: root.ownerID, tallies) else {
          throw .full
        }
        bound = room
      }
      tallies.add(weight)
      // Others may have taken the same room meanwhile: all of them count before any has its name.
      if eviction.holds(bound, tallies) { return }
      tallies.remove(weight)
    }
    throw .full
  }

  /// Whoever finds his room taken so often, is one of a great many.
  private static let attemptsToReserve = 3

  /// Removes what nothing leads to any more; if that fails, it is a waste of space and no error.
  func discard(_ name: EntryName, _ tallies: borrowing Tallies) {
    guard let doomed = EntryGlance(at: name, in: root),
      let shard = try? Directory(name.shard, in: version, followingLinks: false)
    else { return }
    _ = try? doomed.unlink(from: shard, tallies)
  }
}

extension EntryGlance {
  /// Removes the file that was looked at, and takes it off the tallies.
  ///
  /// - Parameter shard: the directory that it is in.
  /// - Returns: false where another file has the name by now, or none.
  func unlink(from shard: borrowing Directory, _ tallies: borrowing Tallies) throws(Errno) -> Bool {
    guard try shard.unlink(name.fileName, ifStill: status) else { return false }
    tallies.remove(weight)
    return true
  }
}

extension Directory {
  /// Removes a name, unless it stands for another file by now.
  ///
  /// - Returns: whether it has been removed, by this call.
  func unlink(_ fileName: Path, ifStill status: FileStatus) throws(Errno) -> Bool {
    do throws(Errno) {
      guard try self.status(of: fileName, followingLinks: false).isSameFile(as: status) else { return false }
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
