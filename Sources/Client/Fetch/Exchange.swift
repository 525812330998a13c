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
  func perform(_ hop: Hop, into delivery: Delivery, leading lead: Lead? = nil) -> Exchanged {
    var hop = hop
    let lookup = cache.lookup(&hop)
    let exchanged = answer(&hop, lookup, into: delivery, leading: lead)
    if exchanged.retry == nil { cache.count(exchanged, of: hop, for: lookup.key) }
    return exchanged
  }

  private func answer(
    _ hop: inout Hop, _ lookup: CachedLookup, into delivery: Delivery, leading lead: Lead?
  ) -> Exchanged {
    if let served = serveByDigest(&hop, lookup, into: delivery) { return served }
    // A part of what is coded cannot be decoded; who may ignore a Range is not only the origin (RFC 9110 section 14.2).
    if delivery.plan.decodesContent, let stored = lookup.selection.stored, stored.fields.contains(.contentEncoding) {
      hop.request.fields.removeAll(.range)
    }
    let decision = decide(hop, lookup, for: delivery)
    var turn: Collapsing.Turn?
    if lead == nil, mayCollapse(decision, hop, lookup) {
      do throws(Failure) {
        turn = try collapsing.turn(at: lookup.key, for: &hop)
      } catch {
        return Exchanged(cache: nil, failure: error)
      }
    }
    guard let turn else { return carryOut(decision, Attempt(hop, lookup, delivery, lead: lead)) }
    return carryOut(decision, &hop, lookup, into: delivery, turn)
  }

  /// Carries out a decision on which other runs may wait, or that has waited for one: it falls anew, then.
  private func carryOut(
    _ decision: ReuseDecision, _ hop: inout Hop, _ lookup: CachedLookup, into delivery: Delivery,
    _ turn: Collapsing.Turn
  ) -> Exchanged {
    // A run for one URL has nothing to do while its transport starts but what follows.
    if isLast, !turn.hasWaited { transport.prepare() }
    // What was absent may be there by now. A part that another run has left meanwhile can be done without.
    let isStillAbsent = !turn.hasWaited && lookup.selection == .uriMiss && !cache.hasAppeared(lookup.key)
    let renewed = isStillAbsent ? lookup : cache.lookup(&hop)
    let attempt = Attempt(
      hop, renewed, delivery, lead: turn.lead, collapsedReason: turn.hasWaited ? decision.forwardReason : nil)
    defer { attempt.lead?.end() }
    let revised = isStillAbsent ? decision : decide(hop, renewed, for: delivery)
    if !mayCollapse(revised, hop, renewed) { attempt.lead?.end() }
    return carryOut(revised, attempt)
  }

  private var collapsing: Collapsing {
    Collapsing(cache: cache, transport: transport, clock: clock, diagnostics: diagnostics)
  }

  private func decide(_ hop: Hop, _ lookup: CachedLookup, for delivery: Delivery) -> ReuseDecision {
    let decision = decideReuse(
      of: lookup.selection, for: hop.request, under: hop.policy, by: hop.terms.leave, at: clock.timestamp)
    guard let resumption = hop.resumption else { return decision }
    let stored = lookup.selection.stored
    return decision.resuming(
      hop.request, with: resumption.request(hop.request),
      from: resumption.isContinued(by: stored?.response) ? stored : nil, mayBeReplaced: delivery.isUnseen)
  }

  private func mayCollapse(_ decision: ReuseDecision, _ hop: Hop, _ lookup: CachedLookup) -> Bool {
    // What is kept in memory alone is there for no other process.
    (hop.storage == .allowed || (hop.storage == .memoryOnly && cache.keyTurns != nil))
      && decision.mayCollapse(for: hop.request, lookup.selection, under: hop.policy)
  }

  private func carryOut(_ decision: ReuseDecision, _ attempt: Attempt) -> Exchanged {
    let target = attempt.target
    switch decision {
    case .serve(let reuse):
      let report = CacheReport.served(reuse, key: attempt.lookup.key, collapsed: attempt.collapsedReason)
      if !attempt.hop.policy.allowsNetwork, !reuse.freshness.isFresh {
        diagnostics.warn("\(Escaping.shown(target)) is served, \(reuse.freshness.staleWords)")
      }
      return serve(reuse, report, isValidated: false, attempt)
    case .unsatisfiable(let reason):
      let report = CacheReport.unsatisfiable(reason, key: attempt.lookup.key)
      attempt.delivery.begin(.unsatisfiable, report, to: target, isFollowed: true)
      attempt.delivery.endContent()
      let failure = attempt.delivery.failure ?? Self.failure(of: attempt, because: reason)
      return Exchanged(response: .unsatisfiable, cache: report, failure: failure)
    case .complete(_, with: let request):
      return forward(request, because: .partial, decision, attempt)
    case .validate(_, with: let request, because: let reason, onError: _),
      .forward(let request, because: let reason, onError: _),
      .resume(with: let request, because: let reason, onError: _):
      return forward(request, because: reason, decision, attempt)
    }
  }

  /// Why nothing can be had without the network.
  private static func failure(of attempt: Attempt, because reason: ForwardReason) -> Failure {
    let isThere = attempt.lookup.selection.stored != nil
    switch reason {
    case .partial: return .partlyStored(attempt.target)
    case .method: return .mayNotBeSent(attempt.hop.request.method, attempt.target)
    case .bypass where isThere: return .mayNotBeUsed(attempt.target)
    // The policy takes anything: it is the request's preconditions that only the origin can evaluate.
    case .request where isThere && attempt.hop.policy == .cacheOnly: return .mayNotBeUsed(attempt.target)
    default: return .notStored(attempt.target, isStale: isThere)
    }
  }

  // MARK: From the origin

  private func forward(
    _ request: Request, because reason: ForwardReason, _ decision: ReuseDecision, _ attempt: Attempt
  ) -> Exchanged {
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
    let exchanged = take(reply, failure, decision, because: reason, attempt)
    exchanged.note(transfer)
    return exchanged
  }

  /// Takes what the transport came back with.
  private func take(
    _ reply: OriginReply, _ failure: TransportError?, _ decision: ReuseDecision, because reason: ForwardReason,
    _ attempt: Attempt
  ) -> Exchanged {
    if case .askedAgain(let retry) = reply.course {
      let exchanged = Exchanged(cache: CacheReport.failed(because: reason, key: attempt.lookup.key))
      exchanged.retry = retry
      return exchanged
    }
    // The head has said so, whatever became of the content.
    for target in reply.conclusion?.invalidated ?? [] {
      cache.invalidate(TargetInvalidation(of: target, by: attempt.lookup.key))
    }
    switch reply.course {
    case .damagedPart(let entry, let delivered):
      return replaceDamaged(entry, delivered, isWhole: true, attempt, Exchanged(cache: nil))
    case .taken:
      if let failure { return recover(from: failure, reply, decision, because: reason, attempt) }
    case .letGo, .askedAgain: break
    }
    guard let conclusion = reply.conclusion else {
      return Exchanged(cache: nil, failure: .transport(.emptyReply, attempt.target))
    }
    if conclusion.delivery == .unconditionalRequest {
      diagnostics.note("cache: the answer does not go with the stored response: asking again")
      return carryOut(decision.unconditional(attempt.hop.request), attempt)
    }
    return finish(conclusion, reply, attempt)
  }

  /// Carries out what was concluded from an answer that has come whole.
  private func finish(_ conclusion: Conclusion, _ reply: OriginReply, _ attempt: Attempt) -> Exchanged {
    if case .stored(let reuse) = conclusion.delivery {
      reply.applyChange()
      guard let report = reply.report else {
        return Exchanged(cache: nil, failure: .transport(.emptyReply, attempt.target))
      }
      // In the place of what broke off, which nobody has seen then.
      if attempt.hop.resumption != nil { attempt.delivery.makeWay() }
      return serve(reuse, report, isValidated: report.result == .validated, attempt)
    }
    if isLast, !reply.isFollowed { transport.finish() }
    reply.endContent()
    reply.applyChange()
    reply.settle(attempt.delivery.failure == nil ? .whole : .unusable)
    if let digest = attempt.delivery.confirmedDigest, case .insert(let stored) = conclusion.change {
      cache.note(digest, of: stored, storedAs: attempt.hop.storage)
    }
    let exchanged = Exchanged(response: reply.response, cache: reply.report, failure: attempt.delivery.failure)
    exchanged.savedBytes = reply.continuedBytes
    if exchanged.failure?.isOfOrigin == true { forget(attempt) }
    return exchanged
  }

  /// Removes what is stored, where the user wants that of a fetch that fails and that it could have answered.
  private func forget(_ attempt: Attempt) {
    guard attempt.hop.terms.storing.forgetsOnError, attempt.hop.request.isAnsweredFromCache else { return }
    _ = cache.apply(.remove(.incomplete), to: attempt.lookup, of: attempt.hop)
  }

  /// The transfer broke: what is stored may take the place of what did not come, as long as nobody has seen any of it.
  private func recover(
    from error: TransportError, _ reply: OriginReply, _ decision: ReuseDecision, because reason: ForwardReason,
    _ attempt: Attempt
  ) -> Exchanged {
    let (lookup, delivery) = (attempt.lookup, attempt.delivery)
    reply.settle(error.leavesPart && delivery.isContentSound ? .broken : .unusable)
    var report = reply.report ?? CacheReport.failed(because: reason, key: lookup.key)
    report.noteBroken()
    let exchanged = Exchanged(response: reply.response, cache: report)
    exchanged.losesPart = reply.part == .tooLarge
    if let failure = delivery.failure {
      if failure.isOfOrigin { forget(attempt) }
      return exchanged.failing(with: failure)
    }
    if case .interrupted = error, let signal = Signals.pending { return exchanged.failing(with: .interrupted(signal)) }
    exchanged.retry = retry(after: error, reply, attempt)
    if exchanged.retry != nil { return exchanged }
    if let served = serveByDigest(insteadOf: error, because: reason, attempt) { return served }
    let conclusion = conclude(
      decision, error.isDisconnection ? .disconnected : .failure, for: attempt.hop.request, lookup.selection,
      under: attempt.hop.policy, storing: attempt.hop.terms.storing, key: lookup.key,
      concealing: cache.concealer(for: attempt.hop))
    guard case .stored(let reuse) = conclusion.delivery, delivery.isUnseen else {
      delivery.endContent()
      forget(attempt)
      return exchanged.failing(with: .transport(error, attempt.target))
    }
    report = CacheReport.servedOnError(reuse, because: reason, status: nil, key: lookup.key)
    diagnostics.warn(of: .transport(error, attempt.target), serving: reuse)
    delivery.makeWay()
    return serve(reuse, report, isValidated: false, attempt)
  }

  /// What is done about a transfer that broke, where it is tried again.
  private func retry(after error: TransportError, _ reply: OriginReply, _ attempt: Attempt) -> Retry? {
    let delivery = attempt.delivery
    let method = attempt.hop.request.method
    // "A user agent SHOULD NOT automatically retry a request with a non-idempotent method" (RFC 9110 section 9.2.2):
    // what has been answered has been done.
    if reply.response != nil, !method.isIdempotent { return nil }
    let isBrokenOff =
      delivery.hasReceivedContent(from: attempt.target) && error.leavesPart && method.isIdempotent
    guard let pause = attempt.hop.attempts?.pause(after: error, isBrokenOff: isBrokenOff),
      let way = delivery.wayOn(of: method)
    else { return nil }
    delivery.take(way)
    var retry = Retry(pause: pause, reason: .transport(error, attempt.target))
    if case .rest(let resumption) = way { retry.resumption = resumption }
    return retry
  }

  // MARK: From the store

  func serve(_ reuse: Reuse, _ report: CacheReport, isValidated: Bool, _ attempt: Attempt) -> Exchanged {
    let (hop, delivery) = (attempt.hop, attempt.delivery)
    // Nothing more comes from the origin.
    attempt.lead?.end()
    let head = reuse.head(isValidated: isValidated)
    let isFollowed = redirects.redirection(of: hop.request, hop.content, by: head) != .none
    if isLast, !isFollowed { transport.finish() }
    let exchanged = Exchanged(response: head, cache: report)
    delivery.begin(head, report, to: attempt.target, isFollowed: isFollowed)
    if let bytes = reuse.contentRange(for: hop.request.method),
      case .damaged(let entry, let delivered) = attempt.lookup.deliver(bytes, into: delivery)
    {
      return replaceDamaged(entry, delivered, isWhole: reuse.form == .whole, attempt, exchanged)
    }
    exchanged.isToBeRevalidated = reuse.grant == .staleWhileRevalidate
    exchanged.savedBytes = delivery.takenBytes(of: reuse.contentRange(for: hop.request.method))
    cache.noteUse(of: attempt.lookup, by: hop)
    delivery.endContent()
    exchanged.failure = delivery.failure
    return exchanged
  }

  /// The stored content is not what was stored, and has been dropped: the fetch goes on as a miss where it may.
  ///
  /// Where part of it has been delivered, that part was right: the rest follows from an answer that begins with it.
  ///
  /// - Parameters:
  ///   - isWhole: whether it was delivered from the front, and to the end.
  ///   - served: what has come of the hop where it ends here.
  private func replaceDamaged(
    _ damaged: DamagedEntry, _ delivered: UInt64, isWhole: Bool, _ attempt: Attempt, _ served: Exchanged
  ) -> Exchanged {
    let (hop, lookup, delivery) = (attempt.hop, attempt.lookup, attempt.delivery)
    cache.noteDamaged(damaged, for: hop)
    let decision = decideReuse(
      of: .uriMiss, for: hop.request, under: hop.policy, by: hop.terms.leave, at: clock.timestamp)
    if case .unsatisfiable = decision { return served.failing(with: .notStored(attempt.target, isStale: false)) }
    if delivered == 0 {
      delivery.forgetHead()
    } else if delivery.sink.canTakeBack {
      // Nobody has seen it.
      delivery.take(.afresh)
    } else if isWhole, let prefix = lookup.prefix(delivered) {
      delivery.continueContent(after: PrefixCheck(prefix))
    } else {
      return served.failing(with: .damaged(attempt.target))
    }
    return carryOut(decision, Attempt(hop, CachedLookup(key: lookup.key), delivery))
  }
}

extension Diagnostics {
  /// Warns of a failure in whose place something stored is served.
  func warn(of failure: Failure, serving reuse: Reuse) {
    if reuse.freshness.isFresh {
      warn("\(failure.message); what is stored is served")
    } else {
      warn("\(failure.message); what is stored is served, \(reuse.freshness.staleWords)")
    }
  }
}

extension Clock {
  /// Now, in HTTP's resolution.
  var timestamp: Timestamp { Timestamp(secondsSinceEpoch: wallTime().seconds) }
}
