import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Takes an origin's answer: at its head the conclusion falls, then content goes to the user first and to the store
/// second.
///
/// When the transfer is over, an answer that has come whole needs `endContent`, `applyChange` and `settle`, in this
/// order: the last goes by what the first has found. Where something stored is delivered in its place it is
/// `applyChange` alone, and where the transfer broke `settle` alone.
final class OriginReply: ResponseReceiver {
  /// Content that nobody wants is read so far, to keep the connection; beyond that the connection is given up.
  private static let longestDiscard = 256 << 10

  private let attempt: Attempt
  /// Why the origin is asked.
  let reason: ForwardReason
  private let parties: Exchange.Parties
  private let requestTime: Timestamp

  /// How the content of an answer has ended.
  enum Ending {
    case whole
    /// Some of it has come.
    case broken
    /// It is not what it should be.
    case unusable
  }

  /// What becomes of an answer while it comes.
  enum Course {
    /// Its content is delivered.
    case taken
    /// Something else is delivered, or nothing; how the answer ends does not matter.
    case letGo
    case askedAgain(Retry)
    /// The stored part, which it was to continue, is not what was stored.
    case damagedPart(DamagedEntry, delivered: UInt64)
  }

  /// What is to become of the content in the store.
  private enum Keeping {
    case nothing
    case begun(any Insertion)
    /// It would have been begun, were there not more to come than the store takes.
    case tooLarge(StoredResponse)
  }

  /// The response that is delivered.
  private(set) var response: Response?
  private var answer: Answer?
  /// Of the answer's framing.
  private var fault: FramingFault?
  private(set) var conclusion: Conclusion?
  private(set) var report: CacheReport?
  /// Whether the request goes on to where that leads.
  private(set) var isFollowed = false
  private(set) var course = Course.taken
  private var keeping = Keeping.nothing
  /// Whether what broke off would have been kept, were there not more to come than the store takes.
  private(set) var losesPart = false
  /// Of a stored part that was delivered before the answer.
  private(set) var continuedBytes: UInt64 = 0
  /// Of the answer, and of the whole that it makes with a stored part, where what is delivered is held against what
  /// another head promises, or none.
  private var contentChecks: [ContentCheck] = []
  private var completion: Completion?
  private var discarded = 0

  init(to attempt: Attempt, _ reason: ForwardReason, _ parties: Exchange.Parties) {
    self.attempt = attempt
    self.reason = reason
    self.parties = parties
    requestTime = parties.clock.timestamp
  }

  private var lookup: CachedLookup { attempt.lookup }
  private var delivery: Delivery { attempt.delivery }
  private var lead: Lead? { attempt.lead }

  func receive(sent: UInt64) { delivery.reportSent(sent, of: attempt.hop.content.count) }

  func receive(interim: Response) {
    lead?.noteProgress()
    delivery.receive(interim: interim)
  }

  func receive(head: Response, framing: Framing) -> Reception {
    noteOrigin(head)
    if let pause = attempt.hop.retries?.pause(after: head) {
      let failure = Failure.httpError(head.status, head.reason, attempt.target)
      course = .askedAgain(Retry(pause: pause, reason: failure, resumption: attempt.hop.resumption))
      delivery.recordHead(of: head)
      return .proceed
    }
    let answer = Answer(
      head, requestTime: requestTime, responseTime: parties.clock.timestamp, isSoundlyFramed: framing == .storable)
    self.answer = answer
    let conclusion = conclude(
      attempt.decision, .answer(answer), for: attempt.hop.request, lookup.selection, under: attempt.hop.policy,
      storing: attempt.hop.terms.storing,
      key: lookup.key, concealing: parties.cache.concealer(for: attempt.hop))
    if case .deliverOnly(let fault) = framing { self.fault = fault }
    self.conclusion = conclusion
    switch conclusion.delivery {
    case .answer, .failure:
      beginDelivery(of: head, by: answer, conclusion.change)
    case .joined(let whole):
      deliverStoredPart(of: whole, continuedBy: answer, conclusion.change)
    case .stored(let reuse):
      course = .letGo
      if head.status == 304 {
        report = .validated(reuse, because: reason, isStored: conclusion.change.keeps, key: lookup.key)
      } else {
        report = .servedOnError(reuse, because: reason, status: head.status, key: lookup.key)
        parties.diagnostics.warn(of: .httpError(head.status, head.reason, attempt.target), serving: reuse)
      }
    case .unconditionalRequest:
      course = .letGo
    }
    if case .letGo = course { delivery.recordHead(of: head) }
    tellOthers(conclusion)
    if case .damagedPart = course { return .abort }
    return delivery.failure == nil ? .proceed : .abort
  }

  /// Takes what an origin says beside the answer, whatever becomes of that: "User agents ... MUST process Set-Cookie
  /// headers contained in other responses (including responses with 400- and 500-level status codes)" (RFC 6265
  /// section 3).
  private func noteOrigin(_ head: Response) {
    parties.cookies?.note(head, to: attempt.hop.request)
    // "... any TLS secure transport errors or warnings": who is not verified says nothing (RFC 6797 section 8.1).
    let isVerified = attempt.hop.terms.options.security.verifiesPeer
    if isVerified { parties.strictHosts?.note(head, from: attempt.target) }
    // Before the answer is stored itself.
    if let invalidation = OriginInvalidation(by: head, to: attempt.hop.request, isVerified: isVerified) {
      parties.cache.invalidate(invalidation)
    }
  }

  /// Those who wait for this run go on now, unless there will be something in the store for them.
  private func tellOthers(_ conclusion: Conclusion) {
    let policy = attempt.hop.policy
    if isRefused(conclusion.change) || !conclusion.isAwaited(under: policy, among: .run) {
      lead?.end()
      return
    }
    lead?.noteAnswer()
    if conclusion.isAwaited(under: policy, among: .everybody) {
      lead?.noteProgress()
    } else {
      lead?.letOtherRunsGo()
    }
  }

  private func isRefused(_ change: Conclusion.Change) -> Bool {
    // All is asked for anew.
    if case .damagedPart = course { return false }
    guard case .insert = change else { return false }
    if case .begun = keeping { return false }
    return true
  }

  func receive(content: UnsafeRawBufferPointer) -> Reception {
    lead?.noteProgress()
    guard case .taken = course else {
      discarded += content.count
      return discarded <= Self.longestDiscard ? .proceed : .abort
    }
    if completion?.take(content.count) == false {
      delivery.fail(.transport(Completion.excess, attempt.target))
      return .abort
    }
    for check in contentChecks { check.update(content) }
    guard delivery.write(content) else { return .abort }
    if case .begun(let insertion) = keeping { insertion.append(content) }
    return .proceed
  }

  func receive(trace: Trace) {
    switch trace {
    case .remark(let text):
      guard let remark = Masking.remark(text) else { return }
      parties.diagnostics.note(remark)
    case .requestHead(let head): parties.diagnostics.trace(head, mark: ">")
    }
  }

  /// Ends the content of an answer whose message has come whole.
  func endContent() {
    if let shortfall = completion?.shortfall { delivery.fail(.transport(shortfall, attempt.target)) }
    let isPromised = delivery.received?.check != nil || !contentChecks.isEmpty
    for check in contentChecks {
      if let broken = check.finish() { delivery.fail(.digestMismatch(broken, attempt.target)) }
    }
    delivery.endContent()
    // What breaks the promise of its head is not delivered as if it did not: no file, no entry, a status of its own.
    // Nor will the stored part ever make anything else.
    if case .digestMismatch = delivery.failure, completion != nil {
      _ = parties.cache.apply(.remove(.incomplete), to: lookup, of: attempt.hop, by: nil)
    }
    if isPromised, delivery.failure == nil {
      parties.diagnostics.note("the content has the digest that the origin promised")
    }
  }

  /// Does what was concluded to what is stored already.
  func applyChange() {
    guard let change = conclusion?.change else { return }
    let freshened = parties.cache.apply(change, to: lookup, of: attempt.hop, by: answer)
    guard case .freshen = change else { return }
    report?.noteFreshened(freshened.map { Freshness(of: $0.stored, at: parties.clock.timestamp) }, in: freshened?.tier)
  }

  /// Keeps what was received, or lets go of it.
  func settle(_ ending: Ending) {
    let kept = keeping
    keeping = .nothing
    switch (kept, ending) {
    case (.nothing, _), (.tooLarge, .whole), (.tooLarge, .unusable): break
    case (.tooLarge(let stored), .broken): losesPart = wouldKeepPart(of: stored)
    case (.begun(let insertion), .whole): note(insertion.commit())
    case (.begun(let insertion), .broken): keepPart(of: insertion)
    case (.begun, .unusable): noteRefused(.incomplete)
    }
  }

  private func note(_ outcome: InsertionOutcome) {
    switch outcome {
    case .stored(let stored):
      noteInserted(stored, in: .disk)
    case .held(let stored, insteadOf: let reason):
      noteInserted(stored, in: .memory)
      removeSuperseded(because: reason, isHeld: true)
    case .refused(let reason):
      removeSuperseded(because: reason)
      noteRefused(reason)
    }
  }

  private func noteRefused(_ refusal: NotStored) {
    report?.noteRefused(refusal)
    // The others have been told of where they arose.
    if refusal == .overtaken || refusal == .incomplete {
      parties.diagnostics.note("cache: not stored: \(refusal.sentence)")
    }
  }

  /// The hook may have changed it, and the disk have failed.
  private func noteInserted(_ stored: StoredResponse, in tier: StorageTier) {
    report?.noteInserted(Freshness(of: stored, at: parties.clock.timestamp), in: tier)
  }

  private func removeSuperseded(because refusal: NotStored, isHeld: Bool = false) {
    guard !refusal.leavesStored, case .insert(let stored) = conclusion?.change else { return }
    parties.cache.removeSuperseded(by: stored, at: lookup, of: attempt.hop, because: refusal, isHeld: isHeld)
  }

  /// Keeps what came of an answer that broke off, to be continued.
  private func keepPart(of insertion: any Insertion) {
    // Nothing would find a part beside a whole response.
    guard lookup.selection.stored?.isPart ?? true, let kept = insertion.commitPart() else {
      if insertion.isTooLarge, case .insert(let stored) = conclusion?.change { losesPart = wouldKeepPart(of: stored) }
      return noteRefused(.incomplete)
    }
    report?.noteRefused(.incomplete)
    let bytes = kept.heldBytes
    parties.diagnostics.note(
      "cache: bytes \(bytes.lowerBound) to \(bytes.upperBound - 1) are kept, to be continued")
  }

  private func wouldKeepPart(of stored: StoredResponse) -> Bool {
    attempt.hop.storage == .allowed && attempt.hop.terms.hook == nil && lookup.selection.stored?.isPart ?? true
      && delivery.hasReceivedContent(from: attempt.target)
      && PartialContent.interrupted(stored, after: 1) != nil
  }

  /// - Returns: the change that is begun, and where to.
  private func beginInsertion(for change: Conclusion.Change) -> (Conclusion.Change, StorageTier?) {
    guard case .insert(var stored) = change else { return (change, nil) }
    stored.marks = stored.marks.adding(attempt.hop.terms.marks)
    switch parties.cache.beginInsertion(of: stored, over: lookup, for: attempt.hop) {
    case .begun(let begun):
      keeping = .begun(begun)
      parties.cache.warnOfTags(of: attempt.hop, besides: lookup)
      return (.insert(stored), begun.tier)
    case .refused(let refusal):
      if refusal == .tooLarge { keeping = .tooLarge(stored) }
      parties.cache.removeSuperseded(by: stored, at: lookup, of: attempt.hop, because: refusal)
      return (.none(refusal), nil)
    }
  }

  /// Begins with what the user gets, and with what is kept of it.
  ///
  /// - Parameters:
  ///   - head: the answer's, or that of the whole to which it adds the rest.
  ///   - count: of the bytes that are stored of that.
  private func beginDelivery(
    of head: Response, by answer: Answer, _ change: Conclusion.Change, continuing count: UInt64? = nil
  ) {
    let (change, tier) = beginInsertion(for: change)
    let report = CacheReport.forwarded(
      answer, fault, because: reason, hadStored: lookup.selection.stored != nil, change: change, key: lookup.key,
      in: tier, continuing: count)
    self.report = report
    let check = contentCheck(of: head)
    isFollowed = parties.redirects.follows(head)
    delivery.begin(head, report, to: attempt.target, isFollowed: isFollowed, check: check)
    if let check, delivery.received?.check !== check { contentChecks.append(check) }
    // What was begun is what is continued.
    response = delivery.received?.response ?? head
    // "... if the request is conditional" (RFC 9110 section 15.4.5): what it is about, nobody has.
    if head.status == 304, !Validation.isConditional(attempt.hop.request) {
      delivery.fail(.unaskedNotModified(attempt.target))
    }
    if delivery.use == .nothingMissing, !head.status.isError {
      course = .letGo
      contentChecks = []
      settle(.unusable)
    }
  }

  /// Hands on the stored part; the answer's content follows it.
  private func deliverStoredPart(
    of whole: StoredResponse, continuedBy answer: Answer, _ change: Conclusion.Change
  ) {
    guard let part = lookup.selection.stored else { return }
    beginDelivery(of: whole.response, by: answer, change, continuing: part.contentLength)
    completion = Completion(of: whole, from: part)
    let check = contentChecks.first
    if let check = contentCheck(of: answer.response) { contentChecks.append(check) }
    var insertion: (any Insertion)?
    if case .begun(let begun) = keeping { insertion = begun }
    let taker: CachedLookup.Taker = { [insertion] content in
      check?.update(content)
      insertion?.append(content)
    }
    let isTaken = check != nil || insertion != nil
    guard
      case .damaged(let entry, let delivered) = lookup.deliver(
        0..<part.contentLength, into: delivery, and: isTaken ? taker : nil, isAll: false)
    else {
      continuedBytes = delivery.takenBytes(of: 0..<part.contentLength)
      delivery.noteContinued()
      return
    }
    course = .damagedPart(entry, delivered: delivered)
    keeping = .nothing
  }

  private func contentCheck(of head: Response) -> ContentCheck? {
    if attempt.hop.terms.options.leavesContent { return nil }
    return ContentCheck(of: head, to: attempt.hop.request.method)
  }
}

extension Conclusion.Change {
  /// Whether something is stored when the change is done.
  var keeps: Bool {
    switch self {
    case .insert, .freshen: true
    case .remove, .none: false
    }
  }
}
