import CacheStore
import HTTPCaching
import HTTPSemantics

/// An answer on its way into the store, and what becomes of it there.
///
/// It ends once: by `finish`, `breakOff`, `cutOff`, `leave` or `abandon`, which tell of it, or by `letGo`.
struct AnswerInsertion {
  private enum State {
    /// Nothing of it is on the way, or not any more.
    case none
    case begun(any Insertion, of: StoredResponse)
    /// It would have been begun, were there not more to come than the store takes.
    case tooLarge(StoredResponse)
  }

  private let attempt: Attempt
  private let parties: Exchange.Parties
  /// `nil` where no invalidation matters, or there is no store.
  private let watch: InvalidationWatch?
  private var state = State.none
  /// Whether what broke off would have been kept, were there not more to come than the store takes.
  private(set) var losesPart = false

  /// To be made before the request is sent.
  init(to attempt: Attempt, _ parties: Exchange.Parties) {
    self.attempt = attempt
    self.parties = parties
    var watch = parties.cache.watch(attempt.hop)
    watch?.selection = attempt.found
    self.watch = watch
  }

  private var lookup: CachedLookup { attempt.lookup }

  /// What takes the content; `nil` where nobody does.
  var taker: (any Insertion)? {
    if case .begun(let insertion, _) = state { insertion } else { nil }
  }

  /// - Returns: the change that is begun, and where to.
  mutating func begin(_ change: Conclusion.Change) -> (Conclusion.Change, StorageTier?) {
    guard case .insert(var stored) = change else { return (change, nil) }
    stored.marks = stored.marks.adding(attempt.hop.terms.marks)
    // What the store itself does not find under the name that is written.
    if let old = lookup.selection.stored, stored.outdates(old) || stored.takesPlace(ofPart: old) {
      stored.marks = old.marks.adding(stored.marks)
    }
    switch parties.cache.beginInsertion(of: stored, over: lookup, for: attempt.hop, unlessInvalidated: watch) {
    case .begun(let begun):
      state = .begun(begun, of: stored)
      parties.cache.warnOfTags(of: attempt.hop, besides: lookup)
      return (.insert(stored), begun.tier)
    case .refused(let refusal):
      if refusal == .tooLarge { state = .tooLarge(stored) }
      parties.cache.removeSuperseded(by: stored, at: lookup, of: attempt.hop, because: refusal)
      return (.none(refusal), nil)
    }
  }

  mutating func letGo() { state = .none }

  /// Stores what has come whole.
  mutating func finish(_ report: CacheReport?) {
    guard case .begun(let insertion, of: let stored) = state else { return }
    state = .none
    switch commit(insertion) {
    case .stored(let stored):
      noteInserted(stored, in: .disk, report)
      parties.cache.removeOutdated(besides: stored, at: lookup, of: attempt.hop)
    case .held(let held, insteadOf: let reason):
      noteInserted(held, in: .memory, report)
      parties.cache.removeOutdated(besides: held, at: lookup, of: attempt.hop)
      removeSuperseded(by: stored, because: reason, isHeld: true)
    case .refused(let reason):
      removeSuperseded(by: stored, because: reason, isHeld: false)
      noteRefused(reason, report)
    }
  }

  private func commit(_ insertion: any Insertion) -> InsertionOutcome {
    guard let turns = parties.cache.keyTurns else { return insertion.commit() }
    return turns.storing(lookup.key, for: attempt.hop.request.fields) { insertion.commit() }
  }

  /// Keeps what has come of an answer that broke off, to be continued.
  mutating func breakOff(_ report: CacheReport?) {
    switch state {
    case .none: return
    case .tooLarge(let stored): losesPart = wouldKeepPart(of: stored)
    case .begun(let insertion, of: let stored):
      // Nothing would find a part beside a whole response.
      if mayKeepPart, let kept = insertion.commitPart() {
        report?.noteRefused(.incomplete)
        let bytes = kept.heldBytes
        parties.diagnostics.note(
          "cache: bytes \(bytes.lowerBound) to \(bytes.upperBound - 1) are kept, to be continued")
      } else {
        if insertion.isTooLarge { losesPart = wouldKeepPart(of: stored) }
        removeOutdatedPart(by: stored, because: .incomplete)
        noteRefused(.incomplete, report)
      }
    }
    state = .none
  }

  /// Lets go of content that came wrong or is not read to its end. Its head still counts: it may supersede what is
  /// stored.
  mutating func cutOff(_ report: CacheReport?, because refusal: NotStored) {
    guard case .begun(_, of: let stored) = state else { return }
    state = .none
    removeSuperseded(by: stored, because: refusal, isHeld: false)
    noteRefused(refusal, report)
    if refusal == .tooLarge { parties.diagnostics.note("cache: not stored: \(refusal.sentence)") }
  }

  /// Lets go of content that is not read because nothing of it is missing. Its head still counts, unless it is of what
  /// is stored.
  mutating func leave(_ report: CacheReport?) {
    if case .begun(_, of: let stored) = state, let old = lookup.selection.stored,
      !PartialContent.sharesValidator(old, stored)
    {
      return cutOff(report, because: .incomplete)
    }
    abandon(report)
  }

  /// Lets go of an answer whose content is wrong, or that is no longer wanted.
  mutating func abandon(_ report: CacheReport?) {
    if case .begun(_, of: let stored) = state {
      let refusal: NotStored = attempt.delivery.failure?.isOfContent == true ? .brokenContent : .incomplete
      removeOutdatedPart(by: stored, because: refusal)
      noteRefused(refusal, report)
    }
    state = .none
  }

  private var mayKeepPart: Bool { lookup.selection.stored?.isPart ?? true }

  private func wouldKeepPart(of stored: StoredResponse) -> Bool {
    attempt.hop.storage == .allowed && attempt.hop.terms.hook == nil && mayKeepPart
      && attempt.delivery.hasReceivedContent(from: attempt.target)
      && PartialContent.interrupted(stored, after: 1) != nil
  }

  private func removeSuperseded(by stored: StoredResponse, because refusal: NotStored, isHeld: Bool) {
    parties.cache.removeSuperseded(by: stored, at: lookup, of: attempt.hop, because: refusal, isHeld: isHeld)
  }

  /// Removes a stored part that the answer has shown to be of another representation: it can be continued no more, and
  /// is not what there is. A whole stays until another takes its place.
  private func removeOutdatedPart(by stored: StoredResponse, because refusal: NotStored) {
    guard let part = lookup.selection.stored, part.isPart, PartialContent.contradicts(part, stored) else { return }
    parties.cache.removeSuperseded(by: stored, at: lookup, of: attempt.hop, because: refusal)
  }

  /// The hook may have changed it, and the disk have failed.
  private func noteInserted(_ stored: StoredResponse, in tier: StorageTier, _ report: CacheReport?) {
    report?.noteInserted(Freshness(of: stored, at: parties.clock.timestamp), in: tier)
  }

  private func noteRefused(_ refusal: NotStored, _ report: CacheReport?) {
    report?.noteRefused(refusal)
    attempt.lead?.noteNoAnswer()
    // The other reasons are told where they arise.
    if [.overtaken, .invalidated, .incomplete, .brokenContent].contains(refusal) {
      parties.diagnostics.note("cache: not stored: \(refusal.sentence)")
    }
  }
}
