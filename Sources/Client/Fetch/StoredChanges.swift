import CacheStore
import HTTPCaching
import HTTPSemantics

/// What an answer changes in what is already stored.
extension ResponseCache {
  /// What becomes of a stored response that an answer freshens.
  enum FresheningOutcome {
    /// - Parameter insteadOfDisk: whether only memory has it, although it was meant for the disk.
    case kept(StoredResponse, in: StorageTier, insteadOfDisk: Bool)
    /// - Parameter because: `nil` if nothing refuses it: the stored response is gone, or cannot be changed.
    case notKept(because: NotStored?)
  }

  /// Freshens a stored response.
  ///
  /// - Parameters:
  ///   - stored: the response with its new head.
  ///   - answer: the answer that freshens it.
  func freshen(
    _ lookup: CachedLookup, with stored: StoredResponse, of hop: Hop, by answer: Answer
  ) -> FresheningOutcome {
    var (stored, storage) = (stored, hop.storage)
    // The marks of the entry may have changed since the look-up: the store adds those that it has by now.
    stored.marks = hop.terms.marks
    warnOfTags(of: hop, besides: lookup)
    switch verdict(onFreshening: lookup, with: stored, for: hop) {
    case .store(let changed, let policy): (stored, storage) = (changed, policy)
    case .refuse(let refusal):
      // Refused for its Vary, a pinned response or a variant stays, because the answer has confirmed it.
      let isConfirmed = refusal == .varyAnything && lookup.selection.stored?.isPinnedOrVariant ?? false
      if refusal != .hookFailed, !isConfirmed { remove(lookup, of: hop, by: answer) }
      return .notKept(because: refusal)
    }
    let isOnDisk =
      storage == .allowed
      && write { store throws(StoreError) in
        try lookup.freshen(with: stored, in: store)
      }
    let isInMemory = memory.freshen(lookup, with: stored, as: storage)
    if hop.storage == .allowed, storage == .memoryOnly {
      // The hook has decided that: nothing of the response is to stay on the disk.
      removeFromDisk(supersession(of: lookup, hop, by: answer), byAnswerFrom: hop.request.target)
    } else if !isOnDisk, isStillServed(lookup.selection.stored, inPlaceOf: stored) {
      removeSuperseded(by: stored, at: lookup, of: hop, because: .storeUnavailable, isHeld: isInMemory)
    }
    if isOnDisk { return .kept(stored, in: .disk, insteadOfDisk: false) }
    return isInMemory ? .kept(stored, in: .memory, insteadOfDisk: storage == .allowed) : .notKept(because: nil)
  }

  /// Removes the stored response for the request.
  ///
  /// - Parameter answer: the answer that removes it; `nil` if none has come.
  func remove(_ lookup: CachedLookup, of hop: Hop, by answer: Answer?) {
    let removed = supersession(of: lookup, hop, by: answer)
    memory.store.removeAll(coveredBy: removed)
    // Without an answer, nothing newer has been seen.
    removeFromDisk(removed, byAnswerFrom: answer == nil ? nil : hop.request.target)
  }

  /// Removes what a part (206) supersedes; only from memory if the part was not to go to the disk.
  func remove(_ lookup: CachedLookup, of hop: Hop, byPart answer: Answer) {
    guard hop.storage != .allowed else { return remove(lookup, of: hop, by: answer) }
    memory.store.removeAll(coveredBy: supersession(of: lookup, hop, by: answer))
  }

  /// Whether the old response would still be served without validation, although the new one would not be.
  private func isStillServed(_ old: StoredResponse?, inPlaceOf new: StoredResponse) -> Bool {
    old?.isServedUnasked(at: clock.timestamp) == true && !new.isServedUnasked(at: clock.timestamp)
  }

  /// Removes the stored response that was superseded by one which is not stored itself: it would be served as if
  /// nothing newer had been seen. Removing needs no space, so it is tried in a full store, too.
  ///
  /// A response that was meant for memory alone changes nothing on the disk if memory has it, but does if memory could
  /// not take it.
  ///
  /// - Parameters:
  ///   - reason: why it is not stored.
  ///   - isHeld: whether memory has the response, and only the disk does not.
  func removeSuperseded(
    by stored: StoredResponse, at lookup: CachedLookup, of hop: Hop, because reason: NotStored, isHeld: Bool = false
  ) {
    guard !reason.leavesStored, lookup.selection.stored != nil, !stored.isPart,
      hop.storage == .allowed || (hop.storage == .memoryOnly && !isHeld && reason != .policy),
      Storability.supersedes(stored.response.status, to: hop.request)
    else { return }
    let answer = Answer(of: stored)
    let removed = supersession(of: lookup, hop, by: answer)
    if !isHeld { memory.store.removeAll(coveredBy: removed) }
    guard let store = storeInUse else { return }
    // An error is passed over: that nothing can be written has been reported.
    let count = (try? store.removeAll(coveredBy: removed, byAnswerFrom: hop.request.target)) ?? 0
    if count > 0, lookup.selection.stored?.marks.isPinned ?? false { warnOfPinned(hop.request.target, reason) }
  }

  /// Removes a response that the request would still select instead of the one that has just been stored. Its Date is
  /// later, because the new one came from a cache on the way, but the origin has been asked since.
  func removeOutdated(besides stored: StoredResponse, at lookup: CachedLookup, of hop: Hop) {
    guard let old = lookup.selection.stored, stored.outdates(old) else { return }
    let answer = Answer(of: stored)
    let removed = supersession(of: lookup, hop, by: answer, keeping: stored)
    memory.store.removeAll(coveredBy: removed)
    if hop.storage == .allowed { removeFromDisk(removed, byAnswerFrom: hop.request.target) }
  }

  /// - Parameter target: as that of `Store.removeAll`.
  private func removeFromDisk(_ removed: Supersession, byAnswerFrom target: TargetURI?) {
    _ = write { store throws(StoreError) in try store.removeAll(coveredBy: removed, byAnswerFrom: target) > 0 }
  }

  /// Warns that a pinned response is removed because what has superseded it could not be stored.
  private func warnOfPinned(_ target: TargetURI, _ reason: NotStored) {
    let text =
      "the pinned response for \(Escaping.shown(target)) is removed, because the superseding response is not stored: "
      + reason.sentence
    switch reason {
    case .tooLarge, .storeFull, .incomplete, .brokenContent: diagnostics.warn(text)
    case .storeUnavailable: faults.warn(text)
    // Any other reason is what somebody wants.
    default: break
    }
  }

  private func supersession(
    of lookup: CachedLookup, _ hop: Hop, by answer: Answer?, keeping kept: StoredResponse? = nil
  ) -> Supersession {
    Supersession(
      of: lookup.selection.stored, under: lookup.key, selectedBy: hop.request.fields, by: answer, keeping: kept,
      at: clock.timestamp, concealing: concealer(for: hop))
  }

  /// - Returns: the result of `work`; `false` if nothing can be written.
  func write(_ work: (Store) throws(StoreError) -> Bool) -> Bool {
    guard let store = storeForWriting() else { return false }
    do throws(StoreError) {
      return try work(store)
    } catch {
      faults.noteUnwritable(error)
      return false
    }
  }

  /// Removes everything stored for a URI, for every audience (RFC 9111 section 4.4).
  ///
  /// - Parameter isRepeated: whether that has been done, and reported, before.
  func invalidate(_ invalidation: TargetInvalidation, isRepeated: Bool = false) {
    memory.store.removeAll(coveredBy: invalidation)
    invalidating { store throws(StoreError) in
      try store.removeAll(coveredBy: invalidation)
      if !isRepeated { diagnostics.note("cache: \(Escaping.shown(invalidation.target)) is invalidated") }
    }
  }

  /// Removes what an answer declares void for its whole origin.
  func invalidate(_ invalidation: OriginInvalidation) {
    memory.store.removeAll(coveredBy: invalidation)
    invalidating { store throws(StoreError) in
      let count = try store.removeAll(coveredBy: invalidation)
      let field = invalidation.extent == .everything ? FieldName.clearSiteData : .cacheGroupInvalidation
      let origin = Escaping.visible(invalidation.origin.description)
      diagnostics.note("cache: \(field) of \(origin): responses removed: \(count)")
    }
  }

  /// Does `work` with the store from which invalidated responses are removed, even if it is not used otherwise.
  private func invalidating(_ work: (Store) throws(StoreError) -> Void) {
    guard let store = store ?? unusedStore, !isOff else { return }
    do throws(StoreError) { try work(store) } catch { faults.turnOff(error) }
  }
}

extension StoredResponse {
  fileprivate func isServedUnasked(at now: Timestamp) -> Bool {
    isUsableUnvalidated(Freshness(of: self, at: now), cacheControl)
  }

  fileprivate var isPinnedOrVariant: Bool { marks.isPinned || !selecting.members.isEmpty }
}
