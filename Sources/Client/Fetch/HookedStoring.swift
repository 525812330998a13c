import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// Storing under the user's hook, which is asked about everything that is about to be stored.
extension ResponseCache {
  /// Begins to store a response or, if there is a hook, to hold its content until the hook has decided.
  ///
  /// - Parameter watch: the watch on the target, which began before the request was sent.
  func beginInsertion(
    of stored: StoredResponse, over lookup: CachedLookup, for hop: Hop, unlessInvalidated watch: InvalidationWatch?
  ) -> InsertionStart {
    guard let hook = hop.terms.hook else {
      return beginDirectInsertion(of: stored, as: hop.storage, unlessInvalidated: watch)
    }
    let destination = destination(of: stored, as: hop.storage)
    if case .nowhere(let refusal) = destination { return .refused(refusal) }
    do throws(StoreError) {
      let content = try waitingContent(for: destination)
      let inputs = ProposedInsertion.Inputs(hook: hook, hop: hop, lookup: lookup, cache: self, watch: watch)
      let insertion = ProposedInsertion(stored, content, for: destination, inputs)
      if insertion.tier == .disk { reclaimableSpace.note(insertion) }
      return .begun(insertion)
    } catch {
      faults.noteUnwritable(error)
      return .refused(error.refusal)
    }
  }

  private func waitingContent(for destination: InsertionDestination) throws(StoreError) -> WaitingContent {
    guard case .disk(let store) = destination else {
      return try WaitingContent(memoryLimit: UInt64(memory.store.largestSize), beyond: nil)
    }
    return try WaitingContent(memoryLimit: UInt64(memory.store.capacity), beyond: store)
  }

  /// The hook's verdict on a head that is to replace a stored one. Without a hook, the head is stored.
  func verdict(
    onFreshening lookup: CachedLookup, with stored: StoredResponse, for hop: Hop
  ) -> StoreProposal.Outcome {
    guard let hook = hop.terms.hook, let old = lookup.selection.stored else { return .store(stored, as: hop.storage) }
    do throws(StoreError) {
      let store = hop.storage == .allowed ? storeForWriting() : nil
      var content = try waitingContent(for: store.map(InsertionDestination.disk) ?? .memory(insteadOfDisk: nil))
      // Content that cannot be read any more is found damaged when it is served.
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
