import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// Where a response goes, whether or not a hook is asked.
extension ResponseCache {
  /// Where a response is going to be kept, as far as its head tells.
  enum Destination {
    /// And in memory, where that takes it, too.
    case disk(Store)
    case memory
    case nowhere(NotStored)
  }

  func destination(of stored: StoredResponse, as storage: StoragePolicy) -> Destination {
    if storage == .notAllowed { return .nowhere(.policy) }
    guard storage == .allowed, let store = storeForWriting() else {
      return destination(of: stored, as: storage, besidesDisk: unusedStore == nil ? .storeUnavailable : .diskOff)
    }
    guard let error = store.refusal(expecting: stored.announcedLength) else { return .disk(store) }
    faults.noteUnwritable(error)
    return destination(of: stored, as: storage, besidesDisk: error.refusal)
  }

  /// - Parameter refusal: why the disk does not take it, where it was to.
  func destination(
    of stored: StoredResponse, as storage: StoragePolicy, besidesDisk refusal: NotStored
  ) -> Destination {
    guard let memoryRefusal = memory.refusal(of: stored, as: storage) else { return .memory }
    return .nowhere(storage == .allowed ? refusal : memoryRefusal)
  }
}

/// What the user's hook has to do with: everything that is about to be stored.
extension ResponseCache {
  /// Begins to store a response, or to keep its content until the hook has said what becomes of it.
  ///
  /// - Parameter watch: of its target, since it was asked for.
  func beginInsertion(
    of stored: StoredResponse, over lookup: CachedLookup, for hop: Hop, unlessInvalidated watch: InvalidationWatch?
  ) -> Beginning {
    guard let hook = hop.terms.hook else {
      return beginDirectInsertion(of: stored, as: hop.storage, unlessInvalidated: watch)
    }
    let destination = destination(of: stored, as: hop.storage)
    if case .nowhere(let refusal) = destination { return .refused(refusal) }
    do throws(StoreError) {
      let content = try waitingContent(for: destination)
      let parties = ProposedInsertion.Parties(hook: hook, hop: hop, lookup: lookup, cache: self, watch: watch)
      let insertion = ProposedInsertion(stored, content, for: destination, parties)
      if insertion.tier == .disk { lentRoom.note(insertion) }
      return .begun(insertion)
    } catch {
      faults.noteUnwritable(error)
      return .refused(error.refusal)
    }
  }

  private func waitingContent(for destination: Destination) throws(StoreError) -> WaitingContent {
    guard case .disk(let store) = destination else {
      return try WaitingContent(memoryLimit: UInt64(memory.store.largestSize), beyond: nil)
    }
    return try WaitingContent(memoryLimit: UInt64(memory.store.capacity), beyond: store)
  }

  /// What becomes of a head that is to take a stored one's place: without a hook, that.
  func verdict(
    onFreshening lookup: CachedLookup, with stored: StoredResponse, for hop: Hop
  ) -> StoreProposal.Outcome {
    guard let hook = hop.terms.hook, let old = lookup.selection.stored else { return .store(stored, as: hop.storage) }
    do throws(StoreError) {
      let store = hop.storage == .allowed ? storeForWriting() : nil
      var content = try waitingContent(for: store.map(Destination.disk) ?? .memory)
      // What cannot be read any more is found damaged when it is served.
      guard try lookup.copy(into: &content) else { return .refuse(.hookFailed) }
      var proposed = stored
      proposed.marks.tags = old.marks.tags.adding(stored.marks.tags)
      let proposal = StoreProposal(proposed, as: hop.storage, isFreshening: true)
      return hook.verdict(
        on: proposal, content: content.path, for: hop.request, concealing: concealer(for: hop), diagnostics)
    } catch {
      faults.noteUnwritable(error)
      return .refuse(.hookFailed)
    }
  }
}
