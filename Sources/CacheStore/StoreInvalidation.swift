package import HTTPCaching
import Platform

extension Store {
  /// Removes what an answer has declared void for its origin, for every audience: a walk over all heads.
  ///
  /// - Returns: the number of responses removed.
  @discardableResult
  package func removeAll(coveredBy invalidation: OriginInvalidation) throws(StoreError) -> Int {
    guard let root = try StoreRoot.open(root) else { return 0 }
    var removed = 0
    do throws(Errno) {
      let version = try Directory(StoreLayout.version, in: root.directory, followingLinks: false)
      for shard in StoreLayout.shards {
        removed += try removeAll(coveredBy: invalidation, of: shard, in: version, ownerID: root.ownerID)
      }
    } catch {
      guard error == .noSuchFile else { throw .failed(.removingEntry, error) }
    }
    return removed
  }

  private func removeAll(
    coveredBy invalidation: OriginInvalidation, of shard: Path, in version: borrowing Directory, ownerID: UInt32
  ) throws(Errno) -> Int {
    var removed = 0
    do throws(Errno) {
      let directory = try Directory(shard, in: version, followingLinks: false)
      for fileName in try directory.names() {
        guard let name = EntryName(inListing: fileName), name.shard == shard,
          // What cannot be read answers nobody.
          let entry = try? OpenEntry.open(name, at: fileName, in: directory, ownerID: ownerID, .head)
        else { continue }
        let isResponse: Bool
        switch entry.head {
        case .response(let stored, _):
          guard invalidation.covers(stored) else { continue }
          isResponse = true
        case .variants(let list):
          guard invalidation.coversEverything(under: list.key) else { continue }
          isResponse = false
        }
        // Another process may have stored something else under the name by now.
        guard let status = try? directory.status(of: fileName, followingLinks: false),
          status.isSameFile(as: entry.status)
        else { continue }
        try directory.unlink(fileName)
        if isResponse { removed += 1 }
      }
    } catch {
      guard error == .noSuchFile || error == .notDirectory else { throw error }
    }
    return removed
  }
}
