import HTTPCaching
package import HTTPSemantics
package import Platform

/// An entry that has been read to its last byte.
package struct VerifiedEntry: Equatable, Sendable {
  package let name: EntryName
  /// The size of the file, in bytes.
  package let size: Int64
  /// `nil` if no head could be read.
  package let target: TargetURI?
  /// `nil` if every sum is right.
  package let damage: DamagedEntry?
  /// Whether something that is no head follows the last whole one: an update that was interrupted, or that is no longer
  /// what was written. What the last whole head says counts, and is stale.
  package let hasRemains: Bool
}

extension Store {
  /// Verifies every entry, its content included, and shows each one to `body` until it returns false.
  ///
  /// Nothing is changed, not even the time of the last access. An entry that is replaced or removed meanwhile is
  /// verified as it was, or not at all.
  ///
  /// - Parameter progress: called with the number of bytes that have been read since the last call.
  package func verify(
    progress: (Int) -> Void = { _ in }, _ body: (VerifiedEntry) -> Bool
  ) throws(StoreError) {
    guard let store = try ReadableStore(root, for: .listing) else { return }
    try storing(.listing) { () throws(Errno) in
      for shard in 0...UInt8.max {
        guard let directory = try Directory.shardIfUsable(shard, in: store.version) else { continue }
        let listing = try ShardListing(of: shard, in: directory, within: .unlimited)
        for file in listing.files {
          guard let entry = try verified(file, in: directory, ownerID: store.root.ownerID, progress) else { continue }
          guard body(entry) else { return }
        }
      }
    }
  }

  /// - Returns: `nil` for an entry that is gone.
  /// - Throws: an error of this process: the entry may be in good order.
  private func verified(
    _ file: EntryFile, in shard: borrowing Directory, ownerID: UInt32, _ progress: (Int) -> Void
  ) throws(Errno) -> VerifiedEntry? {
    var target: TargetURI?
    var damage: DamagedEntry?
    var hasRemains = false
    do throws(StoreError) {
      guard let entry = try Self.open(file.name, in: shard, ownerID: ownerID) else { return nil }
      let status = entry.status
      target = entry.head.target
      hasRemains = entry.tail.hasRemains
      if EntryName(of: entry.head) != file.name {
        damage = DamagedEntry(name: file.name, damage: .misnamed, status: status)
      } else if case .response(let stored, _) = entry.head {
        damage = try Self.damage(of: StoredContent(entry, stored), progress)
        if damage == nil, try Self.isUnlisted(stored, in: file, of: shard, ownerID: ownerID) {
          damage = DamagedEntry(name: file.name, damage: .unlistedVariant, status: status)
        }
      }
    } catch {
      switch error {
      case .damaged(let found):
        damage = found
        // The head may be in good order all the same.
        let glance = try? EntryGlance(at: file.name, path: file.name.fileName, in: shard, ownerID: ownerID)
        target = glance?.head?.target
      case .failed(_, let reason): throw reason
      default: return nil
      }
    }
    return VerifiedEntry(
      name: file.name, size: file.status.countedBytes, target: target, damage: damage, hasRemains: hasRemains)
  }

  /// Whether it is a variant that no look-up finds, because its writer was killed before it was on the list.
  private static func isUnlisted(
    _ stored: StoredResponse, in file: EntryFile, of shard: borrowing Directory, ownerID: UInt32
  ) throws(StoreError) -> Bool {
    // File times come from the kernel's clock. A variant that has just been stored is about to be listed.
    guard let primary = file.name.primaryOfVariant,
      file.status.modified.seconds < Clock.system.wallTime().seconds - secondsUntilListed
    else { return false }
    do throws(StoreError) {
      // The list lies in the same shard.
      let entry = try OpenEntry.open(primary, at: primary.fileName, in: shard, ownerID: ownerID, .head)
      guard let entry, case .variants(let list) = entry.head else { return true }
      return !list.variants.contains(stored.selecting)
    } catch {
      // The list may be in good order.
      if case .failed = error { throw error }
      if case .damaged(let found) = error { return !found.damage.mayBeInGoodOrder }
      return true
    }
  }

  private static var secondsUntilListed: Int64 { 60 }

  private static func open(
    _ name: EntryName, in shard: borrowing Directory, ownerID: UInt32
  ) throws(StoreError) -> OpenEntry? {
    let path = name.fileName
    do throws(StoreError) {
      return try OpenEntry.open(name, at: path, in: shard, ownerID: ownerID, .content, .keepingAccessTime)
    } catch {
      // The access time of another user's file cannot be kept, but what is wrong with the file is reported all the
      // same.
      guard case .failed(_, .notPermitted) = error else { throw error }
      return try OpenEntry.open(name, at: path, in: shard, ownerID: ownerID, .content)
    }
  }

  private static func damage(
    of content: consuming StoredContent, _ progress: (Int) -> Void
  ) throws(StoreError) -> DamagedEntry? {
    do throws(ContentFailure<Never>) {
      try content.forEachVerifiedChunk { progress($0.count) }
      return nil
    } catch {
      switch error {
      case .damaged(let entry, _):
        if let trouble = entry.troubleOfProcess { throw trouble }
        return entry
      case .interrupted: throw .failed(.readingEntry, .interrupted)
      }
    }
  }
}

/// Something else in the place of one of the store's directories, or a directory that cannot be read. No entry is found
/// there.
package struct UnusableDirectory: Equatable, Sendable {
  enum Reason: Equatable, Sendable {
    /// It is a symbolic link, which is not followed.
    case link
    case notDirectory
    case unreadable(Errno)
  }

  /// Relative to the store's root.
  package let path: Path
  /// Whether the place is for entries. Otherwise it is that of `tmp`, and nothing can be stored.
  package let isOfEntries: Bool
  let reason: Reason

  /// Whether the directory may be in good order, and is not reported as damage.
  package var isAccessDenied: Bool { reason == .unreadable(.accessDenied) }

  /// Completes "it ...".
  package var damage: String {
    switch reason {
    case .link: UnsafePlace.symbolicLink.description
    case .notDirectory: UnsafePlace.notDirectory.description
    case .unreadable(let error): Damage.unreadable(error).description
    }
  }

  /// Completes "the cache in ...: ...".
  package var place: UnsafePlace {
    switch reason {
    case .link: .linkWithin(path)
    case .notDirectory: .noDirectoryWithin(path)
    case .unreadable(let error): .unreadableWithin(path, error)
    }
  }
}

extension Store {
  /// Returns the places of directories that are taken by something else, and the directories that cannot be read.
  package func unusableDirectories() throws(StoreError) -> [UnusableDirectory] {
    try unusable([StoreLayout.temporaries] + StoreLayout.shards)
  }

  /// Returns the unusable directories among those that may hold an entry for the target.
  package func unusableDirectories(for target: TargetURI) throws(StoreError) -> [UnusableDirectory] {
    try unusable(EntryName.shardNumbers(of: target).map(StoreLayout.shard))
  }

  private func unusable(_ names: [Path]) throws(StoreError) -> [UnusableDirectory] {
    guard let store = try ReadableStore(root, for: .listing) else { return [] }
    var found: [UnusableDirectory] = []
    for name in names {
      guard let reason = Self.whyUnusable(name, in: store.version) else { continue }
      let path = StoreLayout.version.appending(name)
      found.append(UnusableDirectory(path: path, isOfEntries: name != StoreLayout.temporaries, reason: reason))
    }
    return found
  }

  private static func whyUnusable(_ name: Path, in version: borrowing Directory) -> UnusableDirectory.Reason? {
    do throws(Errno) {
      _ = try Directory(name, in: version, followingLinks: false)
      return nil
    } catch {
      if error.concernsFile { return .unreadable(error) }
      switch try? version.status(of: name, followingLinks: false).kind {
      case .directory, nil: return nil
      case .symbolicLink: return .link
      default: return .notDirectory
      }
    }
  }

  /// Removes what is in the place of the directory, unless that is a directory by now.
  package func remove(_ place: UnusableDirectory) throws(StoreError) {
    if case .unreadable(let error) = place.reason { throw .failed(.removingEntry, error) }
    guard let store = try ReadableStore(root, for: .removingEntry), let name = place.path.lastComponent else { return }
    try store.removeIfNoDirectory(name)
  }
}

extension EntryHead {
  fileprivate var target: TargetURI {
    switch self {
    case .response(let stored, _): stored.key.target
    case .variants(let list): list.key.target
    }
  }
}
