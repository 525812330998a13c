package import HTTPCaching
import Platform

extension Store {
  /// Removes what an answer has declared void for its origin, for every audience: a walk over all heads.
  ///
  /// - Returns: the number of responses removed.
  @discardableResult
  package func removeAll(coveredBy invalidation: OriginInvalidation) throws(StoreError) -> Int {
    guard let store = try ReducibleStore(root) else { return 0 }
    var removed = 0
    try storing(.removingEntry) { () throws(Errno) in
      for shard in StoreLayout.shards {
        removed += try removeAll(coveredBy: invalidation, of: shard, in: store)
      }
    }
    return removed
  }

  private func removeAll(
    coveredBy invalidation: OriginInvalidation, of shard: Path, in store: borrowing ReducibleStore
  ) throws(Errno) -> Int {
    var removed = 0
    do throws(Errno) {
      guard let directory = try Directory.ofShard(shard, in: store.readable.version) else { return 0 }
      for fileName in try directory.names() {
        guard let name = EntryName(inListing: fileName), name.shard == shard,
          let entry = try? EntryGlance(at: name, path: fileName, in: directory, ownerID: store.ownerID)
        else { continue }
        let isResponse: Bool
        switch entry.head {
        case .response(let stored, _):
          guard invalidation.covers(stored) else { continue }
          isResponse = true
        case .variants(let list):
          guard invalidation.coversEverything(under: list.key) else { continue }
          isResponse = false
        case nil:
          // What cannot be read answers nobody.
          continue
        }
        // Another process may have stored something else under the name by now.
        if try entry.unlink(from: directory, .ifSameFile, store.tallies), isResponse { removed += 1 }
      }
    } catch {
      guard error.isOfMissingShard else { throw error }
    }
    return removed
  }
}
