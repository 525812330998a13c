import CacheStore
import HTTPCaching
import HTTPSemantics

/// What is noted of stored responses when they are used, or found damaged.
extension ResponseCache {
  /// Notes that a stored response has been served, and what the user says of it.
  func noteUse(of lookup: CachedLookup, by hop: Hop) {
    guard hop.storage == .allowed, let store, !isOff else { return }
    lookup.touch(in: store)
    guard hop.terms.marks != .none, let marks = lookup.selection.stored?.marks else { return }
    warnOfTags(of: hop, besides: lookup)
    if marks.include(hop.terms.marks) { return }
    if !write({ store throws(StoreError) in try lookup.mark(hop.terms.marks, in: store) }), condition.isReadOnly {
      faults.warn("--tag and --pin come to nothing: nothing can be written in the cache")
    }
  }

  /// Says so where what is stored has no room for the tags of a hop.
  func warnOfTags(of hop: Hop, besides lookup: CachedLookup) {
    let tags = hop.terms.marks.tags
    guard !tags.isEmpty, hop.storage == .allowed, let noted = lookup.selection.stored?.marks.tags.adding(tags),
      tags.all.contains(where: { noted[$0.key] != $0.value })
    else { return }
    diagnostics.warn("a response has at most \(Tags.maximumCount) tags: not all of --tag is noted")
  }

  /// Whether what is served stale can be brought up to date when the run is over: what comes of it must be stored, or
  /// its process ends with what it has learnt. Nor has that a file for the cookies that are set then.
  func canRevalidateLater(_ storage: StoragePolicy, _ cookies: CookieRecord?) -> Bool {
    storage == .allowed && cookies?.isKept != true && storeForWriting()?.isWritable ?? false
  }

  /// Counts what a request came to, for `garner cache stats`.
  func count(_ exchanged: Exchanged, of hop: Hop, for key: CacheKey) {
    // Whoever keeps responses in memory alone leaves no trace on the disk.
    guard let report = exchanged.cache, hop.storage != .memoryOnly, let store, !isOff else { return }
    counter = counter ?? condition.resultCounter(of: store)
    // What is not stored counts, too, though nobody has stored anything yet.
    if counter == nil, !report.result.isServed, hop.mayCreate, !condition.isReadOnly {
      store.makeTallies()
      counter = condition.resultCounter(of: store)
    }
    counter?.count(report.result, savedBytes: exchanged.savedBytes, for: key)
  }

  /// Takes note of content that was found damaged while it was delivered.
  func noteDamaged(_ entry: DamagedEntry, for hop: Hop) {
    let target = Escaping.shown(hop.request.target)
    if drop(entry, for: hop) {
      faults.warn("the stored response for \(target) was damaged and is dropped")
    } else {
      faults.warn("the stored response for \(target) was damaged and is not used")
    }
  }

  /// Removes what is as it was stored, and cannot be delivered.
  func dropUnfit(_ lookup: CachedLookup, for hop: Hop, because failure: Failure) {
    remove(lookup, of: hop, by: nil)
    let target = Escaping.shown(hop.request.target)
    if failure.isOfBrokenCoding {
      faults.warn("the stored response for \(target) cannot be decoded and is dropped")
    } else {
      faults.warn("the stored part of \(target) does not make the content that was asked for and is dropped")
    }
  }

  /// Warns that what is stored is of no use to a request, and stays until something takes its place.
  func warnOfUnfit(_ hop: Hop) {
    faults.warn(
      "the stored response for \(Escaping.shown(hop.request.target)) cannot be decoded and is asked for again")
  }

  func note(_ fault: StoreError, about hop: Hop) {
    if case .damaged(let entry) = fault {
      // Where nothing may be sent, that is what the fetch fails for.
      faults.warn(
        "the stored response for \(Escaping.shown(hop.request.target)) is not used: \(fault)",
        isOfError: !hop.policy.allowsNetwork)
      _ = drop(entry, for: hop)
    } else {
      faults.turnOff(fault)
    }
  }

  /// - Returns: whether this run is one that removes it. What cannot be removed is found damaged again.
  private func drop(_ entry: DamagedEntry, for hop: Hop) -> Bool {
    damagedTarget = hop.request.target
    guard dropsDamaged, hop.storage == .allowed else { return false }
    // What a failing disk hides may be in good order, and so may what is another user's.
    if case .unreadable = entry.damage { return false }
    if entry.isForeign { return false }
    try? store?.drop(entry)
    return true
  }
}
