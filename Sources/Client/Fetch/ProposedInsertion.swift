import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// An insertion whose content waits until the user's hook has said whether it is stored.
final class ProposedInsertion: Insertion {
  /// What the decision needs.
  struct Inputs {
    let hook: StoreHook
    let hop: Hop
    /// What is stored for the request until now.
    let lookup: CachedLookup
    let cache: ResponseCache
    /// Watches the target for invalidations since the response was asked for.
    let watch: InvalidationWatch?
  }

  let tier: StorageTier
  var isTooLarge: Bool { refusal == .tooLarge }
  private let lock = Lock()
  // Under the lock.
  private var waiting: WaitingContent?
  // Used only by the thread that appends.
  private var refusal = NotStored.storeUnavailable
  private let stored: StoredResponse
  private let inputs: Inputs

  init(
    _ stored: StoredResponse, _ content: consuming WaitingContent, for destination: InsertionDestination,
    _ inputs: Inputs
  ) {
    self.stored = stored
    self.inputs = inputs
    if case .disk = destination { tier = .disk } else { tier = .memory }
    waiting = consume content
  }

  func append(_ content: UnsafeRawBufferPointer) {
    lock.lock()
    defer { lock.unlock() }
    guard var active = waiting.take() else { return }
    do throws(StoreError) {
      try active.append(content)
      waiting = consume active
    } catch {
      _ = consume active
      refusal = inputs.cache.reclaimableSpace.noteFailure(error)
    }
  }

  /// Abandons content in memory, too: the hook is not asked about a response that is not stored.
  func abandon() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return waiting.take() != nil
  }

  func commit() -> InsertionOutcome {
    lock.lock()
    defer { lock.unlock() }
    guard var finished = waiting.take() else { return .refused(refusal) }
    do throws(StoreError) {
      try finished.finish()
      return try decide(finished)
    } catch {
      _ = consume finished
      refusal = inputs.cache.reclaimableSpace.noteFailure(error)
      return .refused(refusal)
    }
  }

  /// Keeps nothing: the hook cannot judge an incomplete response, and nothing is stored without it.
  func commitPart() -> StoredResponse? { nil }

  private func decide(_ content: borrowing WaitingContent) throws(StoreError) -> InsertionOutcome {
    if !stored.isComplete(with: content.length) { return .refused(.incomplete) }
    var stored = stored
    stored.contentLength = content.length
    let old = inputs.lookup.selection.stored
    stored.marks.tags = old.map { $0.marks.tags.adding(stored.marks.tags) } ?? stored.marks.tags
    let verdict = inputs.hook.verdict(
      on: StoreProposal(stored, as: inputs.hop.storage), content: content.path, for: inputs.hop.request,
      concealing: inputs.cache.concealer(for: inputs.hop), inputs.cache.diagnostics)
    switch verdict {
    case .refuse(let reason):
      return .refused(reason)
    case .store(let changed, let storage):
      switch inputs.cache.beginDirectInsertion(of: changed, as: storage, unlessInvalidated: inputs.watch) {
      case .refused(let reason):
        return .refused(reason)
      case .begun(let insertion):
        try content.forEachVerifiedChunk { insertion.append($0) }
        return insertion.commit()
      }
    }
  }
}
