package import HTTPCaching
package import HTTPSemantics
import Platform

extension Store {
  /// Removes the responses that an answer has declared void for its origin, for every audience. Reads all heads.
  ///
  /// - Returns: the number of responses removed.
  /// - Throws: the first error, when everything has been tried.
  package func removeAll(coveredBy invalidation: OriginInvalidation) throws(StoreError) -> Int {
    guard let store = try ReducibleStore(root) else { return 0 }
    var removed = 0
    try store.forEachEntry(in: Array(0...UInt8.max)) { (name, directory) throws(StoreError) in
      guard let found = try store.glance(at: name, in: directory), invalidation.covers(found.head) else { return }
      // Another process may have stored something else under the name by now.
      let freed = try storing(.removingEntry) { () throws(Errno) in
        try found.remove(from: directory, .ifSameFile, ownerID: store.ownerID, store.tallies)
      }
      if freed > 0, found.stored != nil { removed += 1 }
    }
    return removed
  }

  /// Removes every stored response to requests for a target, for every audience.
  package func removeAll(for target: TargetURI) throws(StoreError) {
    try removeAll(coveredBy: TargetInvalidation(of: target))
  }

  /// Removes every stored response that the invalidation of a target makes void.
  ///
  /// - Throws: the first error, when everything has been tried.
  package func removeAll(coveredBy invalidation: TargetInvalidation) throws(StoreError) {
    guard let store = try ReducibleStore(root) else { return }
    let target = invalidation.target
    // Noted before the search: if an entry gets its name after the search, its writer finds the new number.
    noteInvalidation(of: target)
    let shards = EntryName.shardNumbers(of: target)
    // The primary names of entries that are covered by what their heads say, and not by the name alone.
    var covered: Set<EntryName> = []
    var failure = FirstError<StoreError>()
    failure.attempt { () throws(StoreError) in
      try store.forEachEntry(in: shards) { (name, directory) throws(StoreError) in
        guard name.mayConcern(target), let key = try store.glance(at: name, in: directory)?.key else { return }
        if invalidation.covers(key) { covered.insert(name.primary) }
      }
    }
    failure.attempt { () throws(StoreError) in
      try store.forEachEntry(in: shards) { (name, directory) throws(StoreError) in
        let isNamed = name.isFor(target) && !(invalidation.sparesPostedQueries && name.isOfPostedQuery)
        guard isNamed || covered.contains(name.primary) else { return }
        try store.remove(name, from: directory)
      }
    }
    try failure.throwIfAny()
  }
}

extension OriginInvalidation {
  fileprivate func covers(_ head: EntryHead?) -> Bool {
    switch head {
    case .response(let stored, _): covers(stored)
    case .variants(let list): coversEverything(under: list.key)
    // A damaged entry answers no request.
    case nil: false
    }
  }
}
