import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// One request, answered from the store or by its origin: where the rules and the effects meet.
///
/// Nothing that happens in the store makes a fetch fail or changes what it delivers.
struct Exchange {
  let cache: ResponseCache
  let transport: any Transport
  let clock: Clock
  let redirects: RedirectRules
  let diagnostics: Diagnostics
  /// Whether nothing is fetched after this but what a redirection leads to.
  let isLast: Bool
  var cookies: CookieRecord?
  var strictHosts: StrictHostRecord?

  /// - Parameter lead: where other runs wait for this one already.
  /// - Throws: what ends the transfer, where nothing could be delivered or not all of it.
  func perform(
    _ hop: Hop, into delivery: Delivery, leading lead: Lead? = nil, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    var hop = hop
    let lookup = cache.lookup(&hop)
    defer { if let exchanged, exchanged.retry == nil { cache.count(exchanged, of: hop, for: lookup.key) } }
    if try serveByDigest(&hop, lookup, into: delivery, &exchanged) { return }
    let decision = decide(hop, lookup)
    guard lead == nil, mayCollapse(decision, hop, lookup),
      let turn = try collapsing.turn(at: lookup.key, for: &hop)
    else {
      let attempt = Attempt(hop, lookup, delivery, lead: lead)
      return try carryOut(decision, attempt, &exchanged)
    }
    // A run for one URL has nothing to do while its transport starts but what follows.
    if isLast, !turn.hasWaited { transport.prepare() }
    // What was absent may be there by now. A part that another run has left meanwhile can be done without.
    let isStillAbsent = !turn.hasWaited && lookup.selection == .uriMiss && !cache.hasAppeared(lookup.key)
    let renewed = isStillAbsent ? lookup : cache.lookup(&hop)
    let attempt = Attempt(
      hop, renewed, delivery, lead: turn.lead, collapsedReason: turn.hasWaited ? decision.forwardReason : nil)
    defer { attempt.lead?.end() }
    let revised = isStillAbsent ? decision : decide(hop, renewed)
    if !mayCollapse(revised, hop, renewed) { attempt.lead?.end() }
    try carryOut(revised, attempt, &exchanged)
  }

  private var collapsing: Collapsing {
    Collapsing(cache: cache, transport: transport, clock: clock, diagnostics: diagnostics)
  }

  private func decide(_ hop: Hop, _ lookup: CachedLookup) -> ReuseDecision {
    decideReuse(of: lookup.selection, for: hop.request, under: hop.policy, by: hop.terms.leave, at: clock.timestamp)
  }

  private func mayCollapse(_ decision: ReuseDecision, _ hop: Hop, _ lookup: CachedLookup) -> Bool {
    // What is kept in memory alone is there for no other process.
    (hop.storage == .allowed || (hop.storage == .memoryOnly && cache.keyTurns != nil))
      && decision.mayCollapse(for: hop.request, lookup.selection, under: hop.policy)
  }

  private func carryOut(
    _ decision: ReuseDecision, _ attempt: Attempt, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    let target = attempt.target
    switch decision {
    case .serve(let reuse):
      let report = CacheReport.served(reuse, key: attempt.lookup.key, collapsed: attempt.collapsedReason)
      if attempt.hop.policy == .cacheOnly, reuse.freshness.staleness > 0 {
        let seconds = reuse.freshness.staleness
        diagnostics.warn("\(Escaping.shown(target)) is served stale: it was fresh until \(seconds) s ago")
      }
      try serve(reuse, report, isValidated: false, attempt, &exchanged)
      exchanged?.isToBeRevalidated = reuse.grant == .staleWhileRevalidate
    case .unsatisfiable(let reason):
      let report = CacheReport.unsatisfiable(reason, key: attempt.lookup.key)
      exchanged = Exchanged(response: .unsatisfiable, cache: report)
      attempt.delivery.begin(.unsatisfiable, report, to: target, isFollowed: true)
      attempt.delivery.endContent()
      if let failure = attempt.delivery.failure { throw failure }
      if reason == .partial { throw .partlyStored(target) }
      if reason == .method { throw .mayNotBeSent(attempt.hop.request.method, target) }
      throw .notStored(target, isStale: attempt.lookup.selection.stored != nil)
    case .complete(_, with: let request):
      try forward(request, because: .partial, decision, attempt, &exchanged)
    case .validate(_, with: let request, because: let reason, onError: _),
      .forward(let request, because: let reason, onError: _):
      try forward(request, because: reason, decision, attempt, &exchanged)
    }
  }

  // MARK: From the origin

  private func forward(
    _ request: Request, because reason: ForwardReason, _ decision: ReuseDecision, _ attempt: Attempt,
    _ exchanged: inout Exchanged?
  ) throws(Failure) {
    let hop = attempt.hop
    let parties = OriginReply.Parties(
      cache: cache, delivery: attempt.delivery, clock: clock, redirects: redirects, diagnostics: diagnostics,
      lead: attempt.lead, cookies: cookies, strictHosts: strictHosts)
    let reply = OriginReply(hop: hop, decision: decision, reason: reason, lookup: attempt.lookup, parties: parties)
    var transfer = TransferReport()
    var failure: TransportError?
    attempt.lead?.noteProgress()
    do throws(TransportError) {
      try transport.send(hop.message(request, isLast: isLast), to: reply, report: &transfer)
    } catch {
      failure = error
    }
    defer { exchanged?.transfer = transfer }
    if let retry = reply.retry {
      exchanged = Exchanged(cache: CacheReport.failed(because: reason, key: attempt.lookup.key), retry: retry)
      return
    }

    // The head has said so, whatever became of the content.
    for target in reply.conclusion?.invalidated ?? [] {
      cache.invalidate(TargetInvalidation(of: target, by: attempt.lookup.key))
    }
    if let damage = reply.damage {
      return try replaceDamaged(damage.entry, damage.delivered, isWhole: true, attempt, &exchanged)
    }
    if let failure, !reply.isLetGo {
      return try recover(from: failure, reply, decision, because: reason, attempt, &exchanged)
    }
    guard let conclusion = reply.conclusion else { throw .transport(.emptyReply, attempt.target) }
    if conclusion.delivery == .unconditionalRequest {
      diagnostics.note("cache: the answer does not go with the stored response: asking again")
      let again = ReuseDecision.forward(hop.request, because: reason, onError: nil)
      return try forward(hop.request, because: reason, again, attempt, &exchanged)
    }
    try finish(conclusion, reply, attempt, &exchanged)
  }

  /// Carries out what was concluded from an answer that has come whole.
  private func finish(
    _ conclusion: Conclusion, _ reply: OriginReply, _ attempt: Attempt, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    if case .stored(let reuse) = conclusion.delivery {
      reply.applyChange()
      guard let report = reply.report else { throw .transport(.emptyReply, attempt.target) }
      return try serve(reuse, report, isValidated: report.result == .validated, attempt, &exchanged)
    }
    if isLast, !reply.isFollowed { transport.finish() }
    reply.endContent()
    reply.applyChange()
    reply.settle(attempt.delivery.failure == nil ? .whole : .unusable)
    if let digest = attempt.delivery.confirmedDigest, case .insert(let stored) = conclusion.change {
      cache.note(digest, of: stored, storedAs: attempt.hop.storage)
    }
    guard let report = reply.report else { throw .transport(.emptyReply, attempt.target) }
    exchanged = Exchanged(response: reply.response, cache: report, savedBytes: reply.continuedBytes)
    guard let failure = attempt.delivery.failure else { return }
    if failure.isOfOrigin { forget(attempt) }
    throw failure
  }

  /// Removes what is stored, where the user wants that of a fetch that fails.
  private func forget(_ attempt: Attempt) {
    guard attempt.hop.terms.storing.forgetsOnError else { return }
    _ = cache.apply(.remove(.incomplete), to: attempt.lookup, of: attempt.hop)
  }

  /// The transfer broke: what is stored may take the place of what did not come, as long as nothing was delivered.
  private func recover(
    from error: TransportError, _ reply: OriginReply, _ decision: ReuseDecision, because reason: ForwardReason,
    _ attempt: Attempt, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    let (lookup, delivery) = (attempt.lookup, attempt.delivery)
    reply.settle(error.leavesPart && delivery.isContentSound ? .broken : .unusable)
    exchanged = Exchanged(
      response: reply.response, cache: reply.report ?? CacheReport.failed(because: reason, key: lookup.key))
    if let failure = delivery.failure {
      if failure.isOfOrigin { forget(attempt) }
      throw failure
    }
    if case .interrupted = error, let signal = Signals.pending { throw .interrupted(signal) }
    if let retry = retry(after: error, reply, attempt) {
      exchanged?.retry = retry
      return
    }
    let conclusion = conclude(
      decision, error.isDisconnection ? .disconnected : .failure, for: attempt.hop.request, lookup.selection,
      under: attempt.hop.policy, storing: attempt.hop.terms.storing, key: lookup.key, concealing: cache.conceal)
    guard case .stored(let reuse) = conclusion.delivery, !delivery.hasDeliveredContent else {
      delivery.endContent()
      forget(attempt)
      throw .transport(error, attempt.target)
    }
    let report = CacheReport.servedOnError(reuse, because: reason, status: nil, key: lookup.key)
    diagnostics.warn(
      "cannot fetch \(Escaping.shown(attempt.target)): \(Masking.quoting(error.reason)); "
        + "what is stored is served, stale for \(reuse.freshness.staleness) s")
    delivery.forgetHead()
    try serve(reuse, report, isValidated: false, attempt, &exchanged)
  }

  /// What is done about a transfer that broke, where it is tried again.
  private func retry(after error: TransportError, _ reply: OriginReply, _ attempt: Attempt) -> Retry? {
    let delivery = attempt.delivery
    let isBrokenOff = delivery.hasReceivedContent && error.leavesPart
    guard let pause = attempt.hop.attempts?.pause(after: error, isBrokenOff: isBrokenOff),
      let way = delivery.wayOn()
    else { return nil }
    delivery.take(way)
    var retry = Retry(pause: pause, reason: .transport(error, attempt.target))
    // What the store has kept is continued by itself.
    if case .rest(let resumption) = way, !reply.hasKeptPart { retry.resumption = resumption }
    return retry
  }

  // MARK: From the store

  func serve(
    _ reuse: Reuse, _ report: CacheReport, isValidated: Bool, _ attempt: Attempt, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    let (hop, delivery) = (attempt.hop, attempt.delivery)
    // Nothing more comes from the origin.
    attempt.lead?.end()
    let head = reuse.head(isValidated: isValidated)
    let isFollowed = redirects.redirection(of: hop.request, hop.content, by: head) != .none
    if isLast, !isFollowed { transport.finish() }
    exchanged = Exchanged(response: head, cache: report)
    delivery.begin(head, report, to: attempt.target, isFollowed: isFollowed)
    if let bytes = reuse.contentRange(for: hop.request.method),
      case .damaged(let entry, let delivered) = attempt.lookup.deliver(bytes, into: delivery)
    {
      return try replaceDamaged(entry, delivered, isWhole: reuse.form == .whole, attempt, &exchanged)
    }
    exchanged?.savedBytes = delivery.takenBytes(of: reuse.contentRange(for: hop.request.method))
    cache.noteUse(of: attempt.lookup, by: hop)
    delivery.endContent()
    if let failure = delivery.failure { throw failure }
  }

  /// The stored content is not what was stored, and has been dropped: the fetch goes on as a miss where it may.
  ///
  /// Where part of it has been delivered, that part was right: the rest follows from an answer that begins with it.
  ///
  /// - Parameter isWhole: whether it was delivered from the front, and to the end.
  private func replaceDamaged(
    _ damaged: DamagedEntry, _ delivered: UInt64, isWhole: Bool, _ attempt: Attempt, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    let (hop, lookup, delivery) = (attempt.hop, attempt.lookup, attempt.delivery)
    cache.dropDamaged(damaged, for: attempt.target)
    let decision = decideReuse(
      of: .uriMiss, for: hop.request, under: hop.policy, by: hop.terms.leave, at: clock.timestamp)
    if case .unsatisfiable = decision { throw .notStored(attempt.target, isStale: false) }
    if delivered == 0 {
      delivery.forgetHead()
    } else if delivery.sink.canTakeBack {
      // Nobody has seen it.
      delivery.take(.afresh)
    } else if isWhole, let prefix = lookup.prefix(delivered) {
      delivery.continueContent(after: PrefixCheck(prefix))
    } else {
      throw .damaged(attempt.target)
    }
    let afresh = Attempt(hop, CachedLookup(key: lookup.key), delivery)
    try carryOut(decision, afresh, &exchanged)
  }
}

extension Clock {
  /// Now, in HTTP's resolution.
  var timestamp: Timestamp { Timestamp(secondsSinceEpoch: wallTime().seconds) }
}
