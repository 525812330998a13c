package import HTTPCaching
package import HTTPSemantics
import Platform

extension Store {
  /// Removes what an answer has declared void for its origin, for every audience: a walk over all heads.
  ///
  /// - Returns: the number of responses removed.
  /// - Throws: the first error, when everything has been tried.
  @discardableResult
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

  /// Removes every stored response to requests for a target, whoever asked.
  ///
  /// - Returns: the number of files removed.
  @discardableResult
  package func removeAll(for target: TargetURI) throws(StoreError) -> Int {
    try removeAll(coveredBy: TargetInvalidation(of: target))
  }

  /// Removes every stored response that becomes void with a target.
  ///
  /// - Returns: the number of files removed.
  /// - Throws: the first error, when everything has been tried.
  @discardableResult
  package func removeAll(coveredBy invalidation: TargetInvalidation) throws(StoreError) -> Int {
    guard let store = try ReducibleStore(root) else { return 0 }
    let target = invalidation.target
    // Before anything is looked for: what gets its name behind that is found by the number.
    noteInvalidation(of: target)
    let shards = EntryName.shardNumbers(of: target)
    // What their entries say, and not their names alone.
    var covered: Set<EntryName> = []
    var failure = FirstError<StoreError>()
    failure.attempt { () throws(StoreError) in
      try store.forEachEntry(in: shards) { (name, directory) throws(StoreError) in
        guard name.mayConcern(target), let key = try store.glance(at: name, in: directory)?.key else { return }
        if invalidation.covers(key) { covered.insert(name.primary) }
      }
    }
    var removed = 0
    failure.attempt { () throws(StoreError) in
      try store.forEachEntry(in: shards) { (name, directory) throws(StoreError) in
        let isNamed = name.isFor(target) && !(invalidation.sparesPostedQueries && name.isOfPostedQuery)
        guard isNamed || covered.contains(name.primary) else { return }
        if try store.remove(name, from: directory) { removed += 1 }
      }
    }
    try failure.throwIfAny()
    return removed
  }
}

extension OriginInvalidation {
  fileprivate func covers(_ head: EntryHead?) -> Bool {
    switch head {
    case .response(let stored, _): covers(stored)
    case .variants(let list): coversEverything(under: list.key)
    // What is damaged answers nobody.
    case nil: false
    }
  }
}
