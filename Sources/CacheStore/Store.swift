package import HTTPCaching
package import HTTPSemantics
package import Platform

/// Stored responses in a directory that any number of processes use at the same time.
///
/// A value without state: every call opens the directory, checks that it is ours alone, and lets it go. Nothing is
/// created before there is something to insert, or somebody may have to wait for it.
package struct Store: Sendable {
  package let root: Path
  package let clock: Clock

  package init(root: Path, clock: Clock) {
    self.root = root
    self.clock = clock
  }

  // MARK: Looking up

  /// Finds the stored response for a request (RFC 9111 section 4.1), or where there is none a part of it.
  ///
  /// - Parameter conceal: called where a stored response depends on a request field that is kept as a digest.
  package func lookup(
    _ key: CacheKey, for request: Fields, concealing conceal: SelectingFields.Concealer
  ) -> Lookup {
    do throws(StoreError) {
      guard let root = try StoreRoot.open(root) else { return Lookup(.uriMiss) }
      let whole = try whole(key, for: request, in: root, concealing: conceal)
      if whole.selection.stored != nil || whole.fault != nil { return whole }
      if let part = try part(key, for: request, in: root, concealing: conceal) { return part }
      return whole
    } catch {
      return Lookup(.uriMiss, fault: error)
    }
  }

  private func whole(
    _ key: CacheKey, for request: Fields, in root: borrowing StoreRoot, concealing conceal: SelectingFields.Concealer
  ) throws(StoreError) -> Lookup {
    guard let entry = try OpenEntry.open(EntryName(key), in: root, .content) else { return Lookup(.uriMiss) }
    let head = entry.head
    switch head {
    case .response(let stored, _):
      // Names are hashes.
      guard stored.key == key else { return Lookup(.uriMiss) }
      guard stored.selecting.match(request, concealing: conceal) else { return Lookup(.varyMiss) }
      return Lookup(StoredContent(entry, stored))
    case .variants(let list):
      guard list.key == key else { return Lookup(.uriMiss) }
      return newestVariant(in: list, in: root) { $0.match(request, concealing: conceal) }
    }
  }

  private func part(
    _ key: CacheKey, for request: Fields, in root: borrowing StoreRoot, concealing conceal: SelectingFields.Concealer
  ) throws(StoreError) -> Lookup? {
    guard let entry = try OpenEntry.open(EntryName(key).part, in: root, .content) else { return nil }
    guard case .response(let stored, _) = entry.head, stored.key == key,
      stored.selecting.match(request, concealing: conceal)
    else { return nil }
    return Lookup(StoredContent(entry, stored))
  }

  private func newestVariant(
    in list: VariantList, in root: borrowing StoreRoot, where isMatch: (SelectingFields) -> Bool
  ) -> Lookup {
    let primary = EntryName(list.key)
    var newest = Lookup(.varyMiss)
    var fault: StoreError?
    for selecting in list.variants where isMatch(selecting) {
      let name = primary.variant(selecting)
      do throws(StoreError) {
        guard let entry = try OpenEntry.open(name, in: root, .content) else { continue }
        guard case .response(let stored, _) = entry.head, stored.key == list.key, stored.selecting == selecting else {
          throw .damaged(name, .notTheVariant, at: name.path, in: root.directory)
        }
        guard stored.isPreferred(to: newest.selection.stored) else { continue }
        newest = Lookup(StoredContent(entry, stored))
      } catch {
        fault = error
      }
    }
    newest.fault = fault
    return newest
  }

  // MARK: Storing

  /// Begins an entry; where there is no store yet, it is made.
  ///
  /// - Parameter durable: whether the entry is on the disk when it is committed.
  package func beginInsertion(durable: Bool = false) throws(StoreError) -> EntryWriter {
    try EntryWriter(root, durable: durable)
  }

  /// Notes that a stored response has been used: at most hourly, and without an error where nothing can be written.
  package func touch(_ content: borrowing StoredContent) {
    let age = clock.wallTime().seconds.subtractingReportingOverflow(content.lastUse.seconds)
    // A time in the future would make it the most recently used for ever.
    guard age.overflow || age.partialValue >= Self.useResolutionSeconds || age.partialValue < 0 else { return }
    try? content.entry.descriptor.touch()
  }

  private static let useResolutionSeconds: Int64 = 3_600

  // MARK: Removing

  /// Removes the stored response of a key, with all variants and its part.
  ///
  /// - Returns: the number of files removed.
  @discardableResult
  package func remove(_ key: CacheKey) throws(StoreError) -> Int {
    let primary = EntryName(key)
    return try removeAll(in: primary.shard) { $0 == primary || $0 == primary.part || $0.isVariant(of: primary) }
  }

  /// Removes every stored response to requests for a target, whoever asked.
  ///
  /// - Returns: the number of files removed.
  @discardableResult
  package func removeAll(for target: TargetURI) throws(StoreError) -> Int {
    try removeAll(in: EntryName.shard(of: target)) { $0.isFor(target) }
  }

  /// Removes every entry, in good order or not; what other names lie in the directories is let alone.
  package func removeEverything() throws(StoreError) {
    for shard in StoreLayout.shards { _ = try removeAll(in: shard) { _ in true } }
  }

  /// Removes an entry that a walk has shown, unless another one has its name by now.
  package func remove(_ entry: WalkedEntry) throws(StoreError) {
    try unlink(entry.name, ifStill: entry.status)
  }

  /// Removes what is no entry in good order, unless something else has its name by now.
  package func drop(_ damaged: DamagedEntry) throws(StoreError) {
    guard let status = damaged.status else { return }
    try unlink(damaged.name, ifStill: status)
  }

  private func unlink(_ name: EntryName, ifStill status: FileStatus) throws(StoreError) {
    try inShard(name.shard) { (directory) throws(Errno) in
      guard try directory.status(of: name.fileName, followingLinks: false).isSameFile(as: status) else { return }
      try directory.unlink(name.fileName)
    }
  }

  private func removeAll(
    in shard: Path, where isMeant: (EntryName) -> Bool
  ) throws(StoreError) -> Int {
    var removed = 0
    try inShard(shard) { (directory) throws(Errno) in
      for fileName in try directory.names() {
        guard let name = EntryName(inListing: fileName), isMeant(name) else { continue }
        do throws(Errno) {
          try directory.unlink(fileName)
          removed += 1
        } catch {
          guard error == .noSuchFile else { throw error }
        }
      }
    }
    return removed
  }

  private func inShard(
    _ shard: Path, _ body: (borrowing Directory) throws(Errno) -> Void
  ) throws(StoreError) {
    guard let root = try StoreRoot.open(root) else { return }
    do throws(Errno) {
      let version = try Directory(StoreLayout.version, in: root.directory, followingLinks: false)
      try body(try Directory(shard, in: version, followingLinks: false))
    } catch {
      guard error != .noSuchFile else { return }
      throw .failed(.removingEntry, error)
    }
  }
}

/// What a look-up has found.
package struct Lookup: ~Copyable {
  package let selection: Selection
  /// Present where the selection is a stored response, until it is taken.
  package private(set) var content: StoredContent?
  /// Why the store gave nothing, or less than it should have: damage, or a store that cannot be used.
  package internal(set) var fault: StoreError?

  package init(_ miss: Selection, fault: StoreError? = nil) {
    selection = miss
    content = nil
    self.fault = fault
  }

  init(_ content: consuming StoredContent) {
    selection = .selected(content.stored)
    self.content = consume content
    fault = nil
  }

  package mutating func takeContent() -> StoredContent? {
    content.take()
  }
}
