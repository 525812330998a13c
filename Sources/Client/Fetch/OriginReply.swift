import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Receives an origin's answer. At its head the conclusion is drawn; then the content goes to the user first and to the
/// store second.
///
/// When the transfer is over, it has one of three ends: the delivered response came whole (`endWhole`), something
/// stored is delivered in its place (`endNotDelivered`), or it broke off (`endBroken`, followed by `endLost` if nothing
/// stored takes its place). If the origin is asked again, it has none.
final class OriginReply: ResponseReceiver {
  /// In bytes: this much unwanted content is read to keep the connection; beyond that the connection is given up.
  private static let longestDiscard = 256 << 10

  private let attempt: Attempt
  /// Why the origin is asked.
  let reason: ForwardReason
  private let parties: Exchange.Parties
  private let requestTime: Timestamp

  /// What becomes of an answer while it comes.
  enum Course {
    /// It is delivered and stored, as far as either is wanted.
    case taken
    /// Something else is delivered, or nothing; how the answer ends does not matter.
    case notDelivered
    case askedAgain(Retry)
    /// The stored part that the answer was to continue is damaged.
    case damagedPart(DamagedEntry, delivered: UInt64)
  }

  private var concluded: ConcludedAnswer?
  private(set) var course = Course.taken
  /// The response that is delivered.
  private(set) var response: Response?
  private(set) var report: CacheReport?
  /// Whether the response is a redirection that is followed.
  private(set) var isFollowed = false
  /// Bytes of a stored part that were delivered before the answer's content.
  private(set) var continuedBytes: UInt64 = 0
  private var insertion: AnswerInsertion
  private var content = AnswerContent()
  /// Bytes of unwanted content received so far.
  private var discarded = 0

  init(to attempt: Attempt, _ reason: ForwardReason, _ parties: Exchange.Parties) {
    self.attempt = attempt
    self.reason = reason
    self.parties = parties
    insertion = AnswerInsertion(to: attempt, parties)
    requestTime = parties.clock.timestamp
  }

  var conclusion: Conclusion? { concluded?.conclusion }
  /// The head of the answer, whatever is delivered.
  var head: Response? { concluded?.answer.response }

  /// Whether a stored part is delivered before the answer's content.
  var isJoined: Bool { content.rest != nil }

  /// Whether a part of what broke off would have been kept if the whole were not too large for the store.
  var losesPart: Bool { insertion.losesPart }

  private var lookup: CachedLookup { attempt.lookup }
  private var delivery: Delivery { attempt.delivery }
  private var turn: ForwardingTurn? { attempt.turn }

  func receive(sent: UInt64) { delivery.reportSent(sent, of: attempt.hop.content.count) }

  func receiveNothing() { delivery.reportSilence() }

  func receive(interim: Response) {
    turn?.noteProgress()
    delivery.receive(interim: interim)
  }

  func receive(head: Response, framing: FramingVerdict) -> Reception {
    noteOrigin(head)
    let concluded = ConcludedAnswer(head, framing, requestTime: requestTime, to: attempt, parties)
    // An answer to the condition or range that garner added is no failure: the request is made again without it.
    if concluded.conclusion.delivery != .unconditionalRequest,
      let pause = attempt.hop.retries?.pause(after: head, to: attempt.hop.content)
    {
      let failure = Failure.httpError(head.status, head.reason, attempt.target)
      course = .askedAgain(Retry(pause: pause, reason: failure, resumption: attempt.hop.resumption))
      delivery.recordHead(of: head)
      delivery.dropInterim()
      return .proceedBriefly
    }
    self.concluded = concluded
    // "... when it receives a non-error status code", whenever the rest of the answer comes (RFC 9111 section 4.4).
    for target in concluded.conclusion.invalidated {
      parties.cache.invalidate(TargetInvalidation(of: target, by: lookup.key))
    }
    switch concluded.conclusion.delivery {
    case .answer, .failure:
      beginDelivery(of: head, concluded)
    case .joined(let whole):
      deliverStoredPart(of: whole, continuedBy: concluded)
    case .stored(let reuse):
      noteNotDelivered(head)
      // The interim responses before a 304 belong to the stored response that it confirms.
      if head.status != 304 { delivery.dropInterim() }
      report = reportOfServing(reuse, insteadOf: head, concluded.conclusion.change)
    case .unconditionalRequest:
      noteNotDelivered(head)
    }
    tellOthers(concluded.conclusion)
    if case .damagedPart = course { return .abort }
    if delivery.failure != nil { return .abort }
    if case .taken = course, delivery.use == .delivered { return .proceed }
    return .proceedBriefly
  }

  /// Notes that the answer is not delivered, because something else is.
  private func noteNotDelivered(_ head: Response) {
    course = .notDelivered
    delivery.traceHead(of: head)
  }

  private func reportOfServing(
    _ reuse: Reuse, insteadOf head: Response, _ change: Conclusion.Change
  ) -> CacheReport {
    if head.status == 304 { return .validated(reuse, because: reason, change: change, key: lookup.key) }
    parties.diagnostics.warn(of: .httpError(head.status, head.reason, attempt.target), serving: reuse)
    return .servedOnError(reuse, because: reason, status: head.status, key: lookup.key)
  }

  /// Notes what an origin says apart from the answer itself, whatever becomes of that: "User agents ... MUST process
  /// Set-Cookie headers contained in other responses (including responses with 400- and 500-level status codes)"
  /// (RFC 6265 section 3).
  private func noteOrigin(_ head: Response) {
    parties.cookies?.note(head, to: attempt.hop.request)
    // "... any TLS secure transport errors or warnings": the field of an unverified host is ignored (RFC 6797
    // section 8.1).
    let isVerified = attempt.hop.terms.options.security.verifiesPeer
    if isVerified { parties.hosts.note(head, from: attempt.target) }
    // Before the answer itself is stored.
    if let invalidation = OriginInvalidation(by: head, to: attempt.hop.request, isVerified: isVerified) {
      parties.cache.invalidate(invalidation)
    }
  }

  /// Lets the waiting runs and threads go on, unless the store will have something for them.
  private func tellOthers(_ conclusion: Conclusion) {
    let policy = attempt.hop.policy
    if isRefused(conclusion.change) || !conclusion.isAwaited(under: policy, among: .run) {
      turn?.end()
      return
    }
    turn?.noteAnswer()
    if conclusion.isAwaited(under: policy, among: .everybody) {
      turn?.noteHead(under: attempt.hop.terms.options.maximumRate, tellingLength: conclusion.tellsLength)
    } else {
      turn?.releaseOtherRuns()
    }
  }

  private func isRefused(_ change: Conclusion.Change) -> Bool {
    // The whole is asked for again.
    if case .damagedPart = course { return false }
    guard case .insert = change else { return false }
    return insertion.current == nil
  }

  func receive(content: UnsafeRawBufferPointer) -> Reception {
    turn?.noteContent(content.count)
    guard case .taken = course else { return discard(content) }
    // Content that is only stored is limited, too: its end may never come.
    if delivery.use != .delivered, discard(content) == .abort { return .abort }
    do throws(Failure) {
      try self.content.take(content, from: attempt.target)
    } catch {
      delivery.fail(error)
      return .abort
    }
    guard handOn({ delivery.write(content) }) else { return .abort }
    insertion.current?.append(content)
    return .proceed
  }

  private func handOn<Result>(_ work: () -> Result) -> Result {
    guard let turn else { return work() }
    return turn.handOn(work)
  }

  private func discard(_ content: UnsafeRawBufferPointer) -> Reception {
    discarded += content.count
    return discarded <= Self.longestDiscard ? .proceed : .abort
  }

  /// Why the content is not whole although its message is: it ends before its range does. Also `nil` if a digest of the
  /// content is promised: what has come must have that digest, and only `endContent` finds out whether it has.
  var shortfall: TransportError? {
    guard delivery.failure == nil, delivery.use == .delivered, content.checks.isEmpty,
      let received = delivery.received, received.check == nil
    else { return nil }
    return content.rest?.shortfall ?? received.shortfall
  }

  /// Whether nobody gets the content, so that only the head counts.
  var mayLeaveContent: Bool { response != nil && delivery.failure == nil && delivery.use != .delivered }

  /// Does without the rest of content that is delivered to nobody. The answer counts as not delivered, and the digests
  /// that it promises are not checked.
  func leaveContent() {
    course = .notDelivered
    content = AnswerContent()
    delivery.received?.leaveRest()
    insertion.cutOff(report, because: discarded > Self.longestDiscard ? .tooLarge : .incomplete)
  }

  func receive(trace: Trace) {
    switch trace {
    case .remark(let text):
      guard let remark = Masking.remark(text) else { return }
      parties.diagnostics.note(remark)
    case .requestHead(let head): parties.diagnostics.trace(head, of: .request)
    }
  }

  // MARK: How it ends

  /// Ends an answer that came whole and is delivered, or that nobody wants.
  func endWhole() {
    endContent()
    applyChange()
    if delivery.failure == nil { insertion.finish(report) } else { insertion.abandon(report) }
  }

  /// Ends an answer that is not delivered, because something stored is delivered in its place.
  func endNotDelivered() { applyChange() }

  /// Ends an answer that broke off.
  ///
  /// - Parameter leavesPart: whether what came is what the origin sent, and may be continued.
  func endBroken(leavesPart: Bool) {
    if leavesPart { insertion.breakOff(report) } else { insertion.abandon(report) }
    // The head alone calls for this, whatever became of the content.
    if case .remove? = conclusion?.change { applyChange() }
  }

  /// Ends an answer that broke off and in whose place nothing stored is delivered. If the answer is a part that shows
  /// the stored response to be outdated, that is removed: it was kept as a fallback until now. If the rest of an
  /// earlier answer was asked for, only the whole rest removes it.
  func endLost() {
    if case .resume = attempt.decision { return }
    if case .removeOutdatedByPart? = conclusion?.change { applyChange() }
  }

  private func endContent() {
    var isPromised = delivery.received?.check != nil || !content.checks.isEmpty
    do throws(Failure) {
      try content.finish(from: attempt.target)
      if delivery.use != .delivered { try delivery.received?.finish() }
    } catch {
      if mayLeaveContent {
        leaveContent()
        isPromised = false
      } else {
        delivery.fail(error)
      }
    }
    delivery.endContent()
    // Content without the digest that its head promises is not delivered as if it had it: no file, no entry, an exit
    // status of its own. A stored part that led to it is removed, because it will never lead to anything else.
    if case .digestMismatch = delivery.failure, isJoined {
      parties.cache.remove(lookup, of: attempt.hop, by: nil)
    }
    if isPromised, delivery.failure == nil {
      parties.diagnostics.note("the content has the digest that the origin promised")
    }
  }

  /// Carries out what was concluded about what is already stored.
  private func applyChange() {
    guard let concluded else { return }
    switch concluded.conclusion.change {
    case .freshen(let stored):
      switch parties.cache.freshen(lookup, with: stored, of: attempt.hop, by: concluded.answer) {
      case .kept(let stored, in: let tier, insteadOfDisk: let isMisplaced):
        report?.noteFreshened(
          Freshness(of: stored, at: parties.clock.timestamp), in: tier, insteadOfDisk: isMisplaced)
      case .notKept(because: let refusal): report?.noteNotFreshened(because: refusal)
      }
    case .removeOutdatedByPart: parties.cache.remove(lookup, of: attempt.hop, byPart: concluded.answer)
    case .remove: parties.cache.remove(lookup, of: attempt.hop, by: concluded.answer)
    case .insert, .none: break
    }
  }

  // MARK: What is delivered

  /// Begins the delivery to the user, and the insertion into the store.
  ///
  /// - Parameters:
  ///   - head: that of the answer, or of the whole that the answer completes.
  ///   - count: how many bytes of that whole are stored.
  private func beginDelivery(of head: Response, _ concluded: ConcludedAnswer, continuing count: UInt64? = nil) {
    let (change, tier) = insertion.begin(concluded.conclusion.change)
    let report = CacheReport.forwarded(
      concluded.answer, concluded.fault, because: reason, hadStored: lookup.selection.stored != nil, change: change,
      key: lookup.key, in: tier, continuing: count)
    self.report = report
    let check = contentCheck(of: head)
    isFollowed = parties.follows(head, to: attempt.hop)
    delivery.begin(head, report, to: attempt.target, isContentWanted: !isFollowed, check: check)
    if let check, delivery.received?.check !== check { content.checks.append(check) }
    // What breaks off is continued as the response that the delivery began with.
    response = delivery.received?.response ?? head
    checkFits(head)
    if delivery.use == .nothingMissing, !head.status.isError {
      course = .notDelivered
      content.checks = []
      insertion.endUnread(report)
    }
  }

  /// Fails the delivery of a response that its request does not allow, and notes the length of content that the head
  /// implies.
  private func checkFits(_ head: Response) {
    // "... if the request is conditional" (RFC 9110 section 15.4.5): an unasked-for 304 is about content that nobody
    // has.
    if head.status == 304, !Validation.isConditional(attempt.hop.request) {
      delivery.fail(.unaskedNotModified(attempt.target))
    }
    if attempt.hop.resumption == nil, !PartialContent.answers(head, to: attempt.hop.request), delivery.failure == nil {
      delivery.fail(.unaskedPart(attempt.target))
    }
    if attempt.hop.request.method != .head, let length = PartialContent.impliedLength(of: head) {
      delivery.expect(length)
    }
  }

  /// Delivers the stored part; the answer's content follows it.
  private func deliverStoredPart(of whole: StoredResponse, continuedBy concluded: ConcludedAnswer) {
    guard let part = lookup.selection.stored else { return }
    beginDelivery(of: whole.response, concluded, continuing: part.contentLength)
    content.rest = AnnouncedRest(of: whole, from: part)
    // What the answer promises of the whole. `beginDelivery` has added what the head of the whole promises, unless the
    // delivery checks that itself.
    if checksContent, let check = ContentCheck(ofWholeBehind: concluded.answer.response) {
      content.checks.append(check)
    }
    let checksOfWhole = content.checks
    // What the answer promises of its own content.
    if let check = contentCheck(of: concluded.answer.response) { content.checks.append(check) }
    let insertion = insertion.current
    let taker: CachedLookup.Taker = { [insertion] content in
      for check in checksOfWhole { check.update(content) }
      insertion?.append(content)
    }
    let isTaken = !checksOfWhole.isEmpty || insertion != nil
    let end = handOn {
      lookup.deliver(0..<part.contentLength, into: delivery, and: isTaken ? taker : nil, isAll: false)
    }
    if case .damaged(let entry, let delivered) = end {
      course = .damagedPart(entry, delivered: delivered)
      self.insertion.drop()
    } else {
      continuedBytes = delivery.takenBytes(of: 0..<part.contentLength)
      delivery.noteContinued()
    }
  }

  private func contentCheck(of head: Response) -> ContentCheck? {
    checksContent ? ContentCheck(of: head, to: attempt.hop.request.method) : nil
  }

  private var checksContent: Bool { !attempt.hop.terms.options.skipsContent }
}
