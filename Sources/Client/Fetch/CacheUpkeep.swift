import CacheStore
import HTTPCaching
import HTTPSemantics

/// The upkeep of stored responses: what is recorded when they are used, and what is done when they are damaged or
/// unusable.
extension ResponseCache {
  /// Records that a stored response has been served, and adds the hop's marks (`--tag`, `--pin`) to it.
  func noteUse(of lookup: CachedLookup, by hop: Hop) {
    guard hop.storage == .allowed, let store = storeInUse else { return }
    lookup.touch(in: store)
    guard hop.terms.marks != .none, let marks = lookup.selection.stored?.marks else { return }
    warnOfTags(of: hop, besides: lookup)
    if marks.include(hop.terms.marks) { return }
    if !write({ store throws(StoreError) in try lookup.mark(hop.terms.marks, in: store) }), condition.isReadOnly {
      warnOfUnwritableMarks()
    }
  }

  /// Warns that no response is marked, unless the run has warned of the store before.
  func warnOfUnwritableMarks() {
    faults.warn("--tag and --pin have no effect: the cache cannot be written")
  }

  /// Warns if the stored response has no room for all tags of a hop.
  func warnOfTags(of hop: Hop, besides lookup: CachedLookup) {
    let tags = hop.terms.marks.tags
    guard !tags.isEmpty, hop.storage == .allowed, let noted = lookup.selection.stored?.marks.tags.adding(tags),
      tags.all.contains(where: { noted[$0.key] != $0.value })
    else { return }
    diagnostics.warn("a response has at most \(Tags.maximumCount) tags: some of --tag are not added")
  }

  /// Whether a response that is served stale can be revalidated when the run is over. The outcome must go to the disk,
  /// or it is lost when the revalidating process ends. The cookies that a revalidation is sent would be lost, too: with
  /// `-c` there is none.
  func canRevalidateLater(_ storage: StoragePolicy, _ cookies: CookieRecord?) -> Bool {
    storage == .allowed && cookies?.isKept != true && storeForWriting()?.isWritable ?? false
  }

  /// Counts the result of a request, for `garner cache stats`.
  func count(_ outcome: HopOutcome, of hop: Hop, for key: CacheKey) {
    // With `--memory-only`, a run leaves no trace on the disk.
    guard let report = outcome.cache, hop.storage != .memoryOnly, let store = storeInUse else { return }
    counter = counter ?? condition.resultCounter(of: store)
    // A response that is not stored counts, too, even if nothing has ever been stored: then the tallies are made here.
    if counter == nil, !report.result.isServed, hop.mayCreate, !condition.isReadOnly {
      store.makeTallies()
      counter = condition.resultCounter(of: store)
    }
    counter?.count(report.result, savedBytes: outcome.savedBytes, for: key)
  }

  /// Warns of content that was found damaged while it was delivered, and drops its entry if that is permitted.
  func noteDamaged(_ entry: DamagedEntry, for hop: Hop) {
    let target = Escaping.shown(hop.request.target)
    if drop(entry, for: hop) {
      faults.warn("the stored response for \(target) was damaged and is dropped")
    } else {
      faults.warn("the stored response for \(target) was damaged and is not used")
    }
  }

  /// Removes a stored response that is undamaged but cannot be delivered.
  func dropUnfit(_ lookup: CachedLookup, for hop: Hop, because failure: Failure) {
    remove(lookup, of: hop, by: nil)
    let target = Escaping.shown(hop.request.target)
    if failure.isOfBrokenCoding {
      faults.warn("the stored response for \(target) cannot be decoded and is dropped")
    } else {
      faults.warn("the stored part of \(target) does not belong to the requested content and is dropped")
    }
  }

  /// Warns that a stored response is of no use to a request. It stays until another response takes its place.
  func warnOfUnfit(_ hop: Hop) {
    faults.warn(
      "the stored response for \(Escaping.shown(hop.request.target)) cannot be decoded and is requested again")
  }

  func note(_ fault: StoreError, about hop: Hop) {
    if case .damaged(let entry) = fault {
      // Without the network, the fetch fails because of this.
      faults.warn(
        "the stored response for \(Escaping.shown(hop.request.target)) is not used: \(fault)",
        isOfError: !hop.policy.allowsNetwork)
      _ = drop(entry, for: hop)
    } else {
      faults.turnOff(fault)
    }
  }

  /// - Returns: whether this run removes such an entry. If the removal fails, a later look-up finds the damage again.
  private func drop(_ entry: DamagedEntry, for hop: Hop) -> Bool {
    damagedTarget = hop.request.target
    guard dropsDamaged, hop.storage == .allowed else { return false }
    // An entry that a failing disk cannot read may be intact, and so may another user's.
    if case .unreadable = entry.damage { return false }
    if entry.isForeign { return false }
    try? store?.drop(entry)
    return true
  }
}
