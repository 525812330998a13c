package import HTTPCaching
import HTTPSemantics
import Platform

/// A number of entries, and their size together.
package struct EntrySum: Equatable, Sendable {
  package var count = 0
  package var bytes: Int64 = 0

  package init() {}

  package mutating func add(bytes: Int64) {
    count += 1
    self.bytes += bytes
  }

  package static func += (sum: inout EntrySum, other: EntrySum) {
    sum.count += other.count
    sum.bytes += other.bytes
  }
}

extension Store {
  /// Removes the least recently used entries until the rest has at most `bytes` bytes, or a signal asks the process to
  /// end. Lists the whole store.
  ///
  /// - Parameter gone: entries that are regarded as removed.
  /// - Parameter isDryRun: whether entries are only reported, and not removed.
  /// - Parameter body: called for each entry that is removed, or would be, with the stored response (`nil` if the entry
  ///   was damaged or a list of variants) and the bytes freed.
  /// - Throws: the first error, when everything has been tried.
  package func prune(
    to bytes: Int64, besides gone: Set<EntryName>, isDryRun: Bool, _ body: (StoredResponse?, _ freed: Int64) -> Void
  ) throws(StoreError) {
    guard let store = try ReducibleStore(root) else { return }
    var gone = gone
    try storing(.removingEntry) { () throws(Errno) in
      var files = try Self.listFiles(of: store)
      if isDryRun { for name in gone { _ = Self.note(name, in: &gone, store.readable) } }
      files.removeAll { gone.contains($0.name) }
      var rest = files.reduce(Int64(0)) { $0 + $1.status.countedBytes }
      var failure = FirstError<Errno>()
      for file in Self.byLastUse(files) where rest > bytes && Signals.pending == nil && !gone.contains(file.name) {
        guard let victim = Victim(file, in: store.readable.version, ownerID: store.ownerID)?.glance,
          let shard = try? Directory.shard(file.name.shardNumber, in: store.readable.version)
        else { continue }
        let freed: Int64
        do throws(Errno) {
          freed =
            isDryRun
            ? victim.status.countedBytes + Self.note(victim.name, in: &gone, store.readable)
            : try victim.remove(from: shard, .ifUntouched, ownerID: store.ownerID, store.tallies)
        } catch {
          failure.note(error)
          continue
        }
        guard freed > 0 else { continue }
        rest -= freed
        body(victim.stored, freed)
      }
      try failure.throwIfAny()
    }
  }

  /// Lists the whole store, as far as no signal asks the process to end.
  private static func listFiles(of store: borrowing ReducibleStore) throws(Errno) -> [EntryFile] {
    var files: [EntryFile] = []
    for shard in 0...UInt8.max where Signals.pending == nil {
      guard let directory = try Directory.shardIfUsable(shard, in: store.readable.version) else { continue }
      files += try store.tallies.list(shard, in: directory, within: .unlimited).files
    }
    return files
  }

  /// Returns the files with the least recently used first.
  private static func byLastUse(_ files: [EntryFile]) -> [EntryFile] {
    let now = Clock.system.wallTime()
    return files.ordered {
      (VictimChoice.lastUse($0.status.modified, at: now), $0.name.description)
        < (VictimChoice.lastUse($1.status.modified, at: now), $1.name.description)
    }
  }

  /// Regards an entry as removed and, with the last variant, the list of variants.
  ///
  /// - Returns: the bytes of that list, or 0.
  private static func note(
    _ name: EntryName, in gone: inout Set<EntryName>, _ store: borrowing ReadableStore
  ) -> Int64 {
    gone.insert(name)
    guard let shard = try? Directory.shard(name.shardNumber, in: store.version),
      let list = EntryGlance.voidList(of: name, besides: gone, in: shard, ownerID: store.root.ownerID)
    else { return 0 }
    gone.insert(list.name)
    return list.status.countedBytes
  }
}
