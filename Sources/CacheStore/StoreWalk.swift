package import HTTPCaching
package import HTTPSemantics
package import Platform

/// The file of an entry as a listing of its directory has shown it. Operations on it take place only while it has the
/// name.
package struct EntryFile: Equatable, Sendable {
  package let name: EntryName
  let status: FileStatus

  /// In bytes.
  package var size: Int64 { status.countedBytes }
  /// The last use, to the hour, as far as the time of the file can tell it: see `VictimChoice`.
  package var lastUse: WallTime { VictimChoice.lastUse(of: status) }
}

/// An entry as a listing sees it.
package struct WalkedEntry: Equatable, Sendable {
  package let file: EntryFile
  package let state: State

  package enum State: Equatable, Sendable {
    /// The head has been verified, the content has not.
    case response(StoredResponse)
    case damaged(Damage)
  }

  package var name: EntryName { file.name }
  /// The stored response; `nil` if the entry is damaged.
  package var stored: StoredResponse? {
    if case .response(let stored) = state { stored } else { nil }
  }
  fileprivate var key: CacheKey? { stored?.key }

  /// Whether the entry is for the target. For a damaged entry, the name decides, as far as it can.
  package func isFor(_ target: TargetURI) -> Bool {
    key?.primary.concerns(target) ?? name.isFor(target)
  }

  /// Whether the entry may be for the target. A damaged entry may be for every target that its name does not rule out.
  package func mayBeFor(_ target: TargetURI) -> Bool {
    key?.primary.concerns(target) ?? name.mayBeFor(target)
  }

  /// The size of the file, in bytes.
  package var size: Int64 { file.size }
  /// The time of the file: when it was last used, to the hour, by the clock of that moment. Code that chooses what is
  /// removed takes `EntryFile.lastUse`, which no wrong clock can mislead.
  package var modified: WallTime { file.status.modified }
}

extension Store {
  /// Shows every stored response and every damaged entry to `body`, in no order, until it returns false.
  ///
  /// Entries may come and go meanwhile. Everything else in the directories is skipped.
  package func forEachEntry(_ body: (WalkedEntry) -> Bool) throws(StoreError) {
    guard let store = try ReadableStore(root, for: .listing) else { return }
    try storing(.listing) { () throws(Errno) in
      for shard in 0...UInt8.max {
        guard try showEntries(of: shard, in: store, body) else { return }
      }
    }
  }

  /// Shows the entries that may be for one of the targets, for every audience and whatever selects them. Other
  /// directories are not looked at, nor are files whose names rule that out.
  package func forEachEntry(
    thatMayBeFor targets: some Sequence<TargetURI>, _ body: (WalkedEntry) -> Bool
  ) throws(StoreError) {
    guard let store = try ReadableStore(root, for: .listing) else { return }
    var targetsOfShards: [UInt8: [TargetURI]] = [:]
    for target in targets {
      for shard in EntryName.shardNumbers(of: target) { targetsOfShards[shard, default: []].append(target) }
    }
    try storing(.listing) { () throws(Errno) in
      for shard in 0...UInt8.max {
        guard let targets = targetsOfShards[shard] else { continue }
        let goesOn = try showEntries(
          of: shard, in: store, where: { name in targets.contains { name.mayBeFor($0) } },
          { entry in targets.contains { entry.mayBeFor($0) } ? body(entry) : true })
        guard goesOn else { return }
      }
    }
  }

  /// Returns the entries for a target, and those under the key that may be for another target.
  package func entries(for target: TargetURI, under key: CacheKey) throws(StoreError) -> [WalkedEntry] {
    try entries(for: target) { $0.primary == key.primary }
  }

  /// Returns the entries for a target, for every audience and whatever selects them, in no order.
  package func entries(for target: TargetURI) throws(StoreError) -> [WalkedEntry] {
    try entries(for: target) { _ in false }
  }

  private func entries(
    for target: TargetURI, or isMeant: (CacheKey) -> Bool
  ) throws(StoreError) -> [WalkedEntry] {
    guard let store = try ReadableStore(root, for: .listing) else { return [] }
    var entries: [WalkedEntry] = []
    try storing(.listing) { () throws(Errno) in
      for shard in EntryName.shardNumbers(of: target) {
        _ = try showEntries(
          of: shard, in: store, where: { $0.mayBeFor(target) },
          { entry in
            if entry.isFor(target) || entry.key.map(isMeant) ?? false { entries.append(entry) }
            return true
          })
      }
    }
    return entries
  }

  /// - Parameter isMeant: asked before the entry is opened.
  /// - Returns: whether to go on.
  func showEntries(
    of shard: UInt8, in store: borrowing ReadableStore, where isMeant: (EntryName) -> Bool = { _ in true },
    _ body: (WalkedEntry) -> Bool
  ) throws(Errno) -> Bool {
    do throws(Errno) {
      guard let directory = try Directory.shardIfUsable(shard, in: store.version) else { return true }
      for name in try directory.entryNames(of: shard) where isMeant(name) {
        guard let walked = try walked(name, in: directory, ownerID: store.root.ownerID) else { continue }
        guard body(walked) else { return false }
      }
    } catch {
      guard error.isOfMissingShard else { throw error }
    }
    return true
  }

  private func walked(
    _ name: EntryName, in directory: borrowing Directory, ownerID: UInt32
  ) throws(Errno) -> WalkedEntry? {
    do throws(StoreError) {
      guard let entry = try OpenEntry.open(name, at: name.fileName, in: directory, ownerID: ownerID, .head) else {
        return nil
      }
      guard case .response(let stored, _) = entry.head else { return nil }
      return WalkedEntry(file: EntryFile(name: name, status: entry.status), state: .response(stored))
    } catch {
      switch error {
      case .damaged(let entry):
        return entry.status.map {
          WalkedEntry(file: EntryFile(name: name, status: $0), state: .damaged(entry.damage))
        }
      case .failed(_, let reason): throw reason
      default: return nil
      }
    }
  }

  /// Opens an entry that a walk has shown, with its content.
  ///
  /// - Returns: `nil` if the entry is gone.
  /// - Throws: `.damaged` if a sum is wrong. Small content is verified here, large content when it is delivered.
  package func open(_ entry: WalkedEntry) throws(StoreError) -> StoredContent? {
    try open(entry.name)
  }

  /// Opens a stored response with its content, as the function above opens an entry.
  package func open(_ stored: StoredResponse) throws(StoreError) -> StoredContent? {
    try open(EntryName(of: stored))
  }

  func open(_ name: EntryName) throws(StoreError) -> StoredContent? {
    guard let opened = try openRoot() else { return nil }
    guard let found = try OpenEntry.open(name, in: opened.root, .content) else { return nil }
    guard case .response(let stored, _) = found.head else { return nil }
    return StoredContent(found, stored)
  }
}
