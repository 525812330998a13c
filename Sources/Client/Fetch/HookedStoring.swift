import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// What the user's hook has to do with: everything that is about to be stored.
extension ResponseCache {
  /// Begins to store a response, or to keep its content until the hook has said what becomes of it.
  func beginInsertion(of stored: StoredResponse, over lookup: CachedLookup, for hop: Hop) -> Beginning {
    guard let hook = hop.terms.hook else { return beginInsertion(of: stored, as: hop.storage) }
    if let refusal = refusal(of: stored, as: hop.storage) { return .refused(refusal) }
    do throws(StoreError) {
      let content = try waitingContent(as: hop.storage)
      let parties = ProposedInsertion.Parties(hook: hook, hop: hop, lookup: lookup, cache: self)
      return .begun(ProposedInsertion(stored, content, parties))
    } catch {
      faults.noteUnwritable(error)
      return .refused(error.refusal)
    }
  }

  /// Why a response would not be stored, whatever the hook said.
  private func refusal(of stored: StoredResponse, as storage: StoragePolicy) -> NotStored? {
    if storage == .notAllowed { return .policy }
    if storage == .allowed, let store = writableStore {
      return Int64(clamping: stored.expectedLength ?? 0) > store.limits.largestContent ? .tooLarge : nil
    }
    guard let refusal = memory.refusal(of: stored, as: storage) else { return nil }
    return storage == .allowed ? .storeUnavailable : refusal
  }

  private func waitingContent(as storage: StoragePolicy) throws(StoreError) -> WaitingContent {
    guard storage == .allowed, let store = writableStore else {
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
      var content = try waitingContent(as: hop.storage)
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
