import CacheStore
import HTTPCaching
import HTTPSemantics

/// The insertion of one answer into the store, from its head to its outcome.
///
/// It ends once: with `finish`, `breakOff`, `cutOff`, `endUnread` or `abandon`, which report the outcome, or with
/// `drop`.
struct AnswerInsertion {
  private enum State {
    /// No insertion is in progress: none was begun, or it has ended.
    case none
    case begun(any Insertion, of: StoredResponse)
    /// No insertion was begun, only because the response is larger than the store takes.
    case tooLarge(StoredResponse)
  }

  private let attempt: Attempt
  private let parties: Exchange.Parties
  /// `nil` if an invalidation does not matter for the answer, or if there is no store.
  private let watch: InvalidationWatch?
  private var state = State.none
  /// Whether a part of the broken-off answer would have been kept, were the response not larger than the store takes.
  private(set) var losesPart = false

  /// Must be called before the request is sent, because the watch begins here.
  init(to attempt: Attempt, _ parties: Exchange.Parties) {
    self.attempt = attempt
    self.parties = parties
    var watch = parties.cache.watch(attempt.hop)
    watch?.selection = attempt.found
    self.watch = watch
  }

  private var lookup: CachedLookup { attempt.lookup }

  /// The insertion in progress; `nil` if nothing is being stored.
  var current: (any Insertion)? {
    if case .begun(let insertion, _) = state { insertion } else { nil }
  }

  /// Begins to store the answer if `change` says so.
  ///
  /// - Returns: the change that is made, and the tier that the response goes to.
  mutating func begin(_ change: Conclusion.Change) -> (Conclusion.Change, StorageTier?) {
    guard case .insert(var stored) = change else { return (change, nil) }
    stored.marks = stored.marks.adding(attempt.hop.terms.marks)
    // The store itself carries over only the marks of what lies under the name that it writes.
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

  mutating func drop() { state = .none }

  /// Stores an answer that has come whole.
  mutating func finish(_ report: CacheReport?) {
    guard case .begun(let insertion, of: let stored) = state else { return }
    state = .none
    switch commit(insertion) {
    case .stored(let stored):
      report?.noteInserted(freshness(of: stored))
      parties.cache.removeOutdated(besides: stored, at: lookup, of: attempt.hop)
    case .held(let held, insteadOf: let reason):
      report?.noteHeld(freshness(of: held), insteadOf: reason)
      parties.cache.removeOutdated(besides: held, at: lookup, of: attempt.hop)
      // Only the hook keeps a response from the disk that the run would have stored there.
      removeSuperseded(by: stored, because: reason ?? .hook, isHeld: true)
    case .refused(let reason):
      removeSuperseded(by: stored, because: reason, isHeld: false)
      noteRefused(reason, report)
    }
  }

  private func commit(_ insertion: any Insertion) -> InsertionOutcome {
    guard let turns = parties.cache.keyTurns else { return insertion.commit() }
    return turns.storing(lookup.key, for: attempt.hop.request.fields) { insertion.commit() }
  }

  /// Keeps the received part of an answer that broke off, so that a later run can continue it.
  mutating func breakOff(_ report: CacheReport?) {
    switch state {
    case .none: return
    case .tooLarge(let stored): losesPart = wouldKeepPart(of: stored)
    case .begun(let insertion, of: let stored):
      // Beside a whole response, no look-up would find a part.
      if mayKeepPart, let kept = insertion.commitPart() {
        report?.noteRefused(.incomplete)
        let bytes = kept.heldBytes
        parties.diagnostics.note(
          "cache: bytes \(bytes.lowerBound) to \(bytes.upperBound - 1) are kept for a later run to continue")
      } else {
        if insertion.isTooLarge { losesPart = wouldKeepPart(of: stored) }
        removeOutdatedPart(by: stored, because: .incomplete)
        noteRefused(.incomplete, report)
      }
    }
    state = .none
  }

  /// Drops content that is wrong or is not read to its end. Its head still counts: it may supersede the stored
  /// response.
  mutating func cutOff(_ report: CacheReport?, because refusal: NotStored) {
    guard case .begun(_, of: let stored) = state else { return }
    state = .none
    removeSuperseded(by: stored, because: refusal, isHeld: false)
    noteRefused(refusal, report)
    if refusal == .tooLarge { parties.diagnostics.note("cache: not stored: \(refusal.sentence)") }
  }

  /// Drops content that is not read because the user lacks nothing of it. Its head still counts, unless it describes
  /// the stored response itself.
  mutating func endUnread(_ report: CacheReport?) {
    if case .begun(_, of: let stored) = state, let old = lookup.selection.stored,
      !PartialContent.sharesValidator(old, with: stored)
    {
      return cutOff(report, because: .incomplete)
    }
    abandon(report)
  }

  /// Drops an answer whose content is wrong, or that is no longer wanted.
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

  /// Removes a stored part if the answer shows that it is of another representation: it can no longer be continued, and
  /// it is out of date. A whole response stays until another takes its place.
  private func removeOutdatedPart(by stored: StoredResponse, because refusal: NotStored) {
    guard let part = lookup.selection.stored, part.isPart, PartialContent.contradicts(part, by: stored) else { return }
    parties.cache.removeSuperseded(by: stored, at: lookup, of: attempt.hop, because: refusal)
  }

  /// - Parameter stored: what was really stored: the hook may have changed the response.
  private func freshness(of stored: StoredResponse) -> Freshness {
    Freshness(of: stored, at: parties.clock.timestamp)
  }

  private func noteRefused(_ refusal: NotStored, _ report: CacheReport?) {
    report?.noteRefused(refusal)
    attempt.turn?.noteNoAnswer()
    // The code that decides on another refusal reports it.
    if [.overtaken, .invalidated, .storeChanged, .incomplete, .brokenContent].contains(refusal) {
      parties.diagnostics.note("cache: not stored: \(refusal.sentence)")
    }
  }
}
