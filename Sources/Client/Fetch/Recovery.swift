import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// What takes the place of an answer that did not come, or of stored content that cannot be delivered.
extension Exchange {
  /// Handles a transfer that broke off. A stored response may take the place of the answer as long as nobody has seen
  /// any of it.
  func recover(from error: TransportError, _ reply: OriginReply, _ attempt: Attempt) -> HopOutcome {
    let (lookup, delivery, reason) = (attempt.lookup, attempt.delivery, reply.reason)
    reply.endBroken(leavesPart: error.leavesPart && delivery.isContentSound)
    let report = reply.report ?? .failed(because: reason, hadStored: lookup.selection.stored != nil, key: lookup.key)
    report.noteNoUpdate()
    let outcome = HopOutcome(response: reply.response, cache: report)
    outcome.losesPart = reply.losesPart
    if let failure = delivery.failure {
      reply.endLost()
      return fail(with: failure, reply, attempt, outcome)
    }
    if case .interrupted = error, let signal = Signals.pending {
      reply.endLost()
      return outcome.failing(with: .interrupted(signal))
    }
    outcome.retry = retry(after: error, reply, attempt)
    if outcome.retry != nil {
      // The next try may not fall back on the stored response either, and its answer need not show again that it is
      // outdated.
      if attempt.decision.onError == nil || !delivery.isUnseen { reply.endLost() }
      return outcome
    }
    if let served = serveByDigest(insteadOf: error, because: reason, attempt) { return served }
    if let served = serveStoredMeanwhile(attempt) { return served }
    // A run that has received a head is not disconnected, whatever becomes of the content.
    let isDisconnected = error.isDisconnection && reply.response == nil
    let conclusion = attempt.conclusion(of: isDisconnected ? .disconnected : .failure, in: cache)
    guard case .stored(let reuse) = conclusion.delivery, delivery.isUnseen else {
      delivery.endBrokenContent()
      reply.endLost()
      forget(attempt)
      if isDisconnected, isAnsweredOffline(attempt) { report.noteAnswerOffline() }
      return outcome.failing(with: .transport(error, attempt.target))
    }
    diagnostics.warn(of: .transport(error, attempt.target), serving: reuse)
    delivery.makeWay()
    let served = CacheReport.servedOnError(
      reuse, because: reason, status: reply.response?.status, key: lookup.key)
    return serve(reuse, served, attempt)
  }

  /// Whether the same fetch with `--offline` would deliver what is stored, as far as that is known without reading the
  /// content.
  private func isAnsweredOffline(_ attempt: Attempt) -> Bool {
    let (hop, selection, plan) = (attempt.hop, attempt.lookup.selection, attempt.delivery.plan)
    // The digest of the stored content is not known.
    guard plan.integrity == nil else { return false }
    var terms = hop.reuseTerms(for: selection.stored, into: parties.cookies, isLast: isLast)
    terms.policy = .cacheOnly
    guard case .serve(let reuse) = decideReuse(of: selection, for: hop.request, under: terms, at: clock.timestamp)
    else { return false }
    if hop.terms.failsOnError, reuse.stored.response.status.isError { return false }
    return reuse.form != .unsatisfiableRange
  }

  /// Serves what another request has stored since this one stopped waiting for it. Waiting longer would have led to the
  /// same.
  private func serveStoredMeanwhile(_ attempt: Attempt) -> HopOutcome? {
    guard let reason = attempt.collapsedReason, attempt.delivery.isUnseen else { return nil }
    var hop = attempt.hop
    let lookup = lookUp(&hop)
    let decision = reuseDecision(hop, lookup)
    guard case .serve(let reuse) = decision else { return nil }
    attempt.delivery.makeWay()
    let report = CacheReport.served(reuse, key: lookup.key, collapsed: reason)
    return serve(reuse, report, Attempt(hop, lookup, decision, attempt.delivery, collapsedReason: reason))
  }

  /// Handles a wait for the turn that took all the time there was. A stored response may take the place of the answer,
  /// as if the origin had been asked and had not answered in time.
  func giveUp(waiting failure: Failure, _ attempt: Attempt) -> HopOutcome {
    guard case .transport = failure, let reason = attempt.decision.forwardReason,
      case .stored(let reuse) = attempt.conclusion(of: .failure, in: cache).delivery
    else { return HopOutcome(cache: nil, failure: failure) }
    diagnostics.warn(of: failure, serving: reuse)
    let served = CacheReport.servedOnError(reuse, because: reason, status: nil, key: attempt.lookup.key)
    return serve(reuse, served, attempt)
  }

  /// Returns how a transfer that broke off is tried again; `nil` if it is not.
  private func retry(after error: TransportError, _ reply: OriginReply, _ attempt: Attempt) -> Retry? {
    let delivery = attempt.delivery
    let method = attempt.hop.request.method
    // "A user agent SHOULD NOT automatically retry a request with a non-idempotent method" (RFC 9110 section 9.2.2):
    // a request that has been answered has been carried out.
    if reply.response != nil, !method.isIdempotent { return nil }
    let hasBegun = reply.response != nil || delivery.hasReceivedContent(from: attempt.target)
    let isBrokenOff = hasBegun && error.leavesPart && method.isIdempotent
    guard let pause = attempt.hop.retries?.pause(after: error, of: attempt.hop.content, isBrokenOff: isBrokenOff),
      let form = delivery.retryForm(for: attempt.hop.request)
    else { return nil }
    var retry = Retry(pause: pause, reason: .transport(error, attempt.target))
    switch form {
    case .rest(let resumption):
      delivery.resume(with: resumption)
      retry.resumption = resumption
    case .fromStart: delivery.makeWay()
    }
    return retry
  }

  /// Handles an answer that could not be delivered, or is not what it should be.
  ///
  /// - Parameter outcome: the outcome of the hop, if it ends here.
  func fail(with failure: Failure, _ reply: OriginReply, _ attempt: Attempt, _ outcome: HopOutcome) -> HopOutcome {
    // The beginning came from the store, and may be what is wrong.
    if reply.isJoined, failure.isOfStoredContent { return replaceUnfit(failure, isPart: true, attempt, outcome) }
    if failure.isOfOrigin { forget(attempt) }
    return outcome.failing(with: failure)
  }

  /// Handles stored content that was found damaged: it is dropped, and the fetch goes on as a miss if it may.
  ///
  /// If a part of it has been delivered, which is right, the rest is taken from an answer that begins with that part.
  ///
  /// - Parameters:
  ///   - mayBeContinued: whether an answer to the same request would begin with what has been delivered.
  ///   - served: the outcome of the hop, if it ends here.
  func replaceDamaged(
    _ damaged: DamagedEntry, _ delivered: UInt64, mayBeContinued: Bool, _ attempt: Attempt, _ served: HopOutcome
  ) -> HopOutcome {
    let (lookup, delivery) = (attempt.lookup, attempt.delivery)
    cache.noteDamaged(damaged, for: attempt.hop)
    guard let anew = attemptWithoutStored(attempt) else {
      return served.failing(with: .damagedUnasked(attempt.target, isUnseen: delivery.isUnseen))
    }
    if damaged.damage == .changedMeanwhile { return served.failing(with: .changedStored(attempt.target)) }
    if delivery.isUnseen {
      delivery.makeWay()
    } else if mayBeContinued, delivery.hasCaughtUp, let prefix = lookup.prefix(delivered) {
      delivery.continueContent(after: PrefixCheck(prefix))
    } else {
      return served.failing(with: .damagedWhileDelivered(attempt.target))
    }
    return carryOut(anew)
  }

  /// Handles stored content that is undamaged, but cannot be decoded or is not the beginning of what was asked for. If
  /// nobody has seen any of it, the origin's answer takes its place. The origin is asked as if nothing were stored, so
  /// this happens only once.
  ///
  /// - Parameter isPart: whether the content is only a part, which is then of no use to anybody.
  func replaceUnfit(
    _ failure: Failure, isPart: Bool, _ attempt: Attempt, _ served: HopOutcome
  ) -> HopOutcome {
    guard let anew = attemptWithoutStored(attempt) else { return served.failing(with: failure) }
    let isUnseen = attempt.delivery.makeWayAfterFailure()
    // A whole response stays, until there is another one, for requests that take it undecoded; unless its beginning has
    // been seen, because then each run would print that again and get no further.
    if isPart || !isUnseen {
      cache.dropUnfit(attempt.lookup, for: attempt.hop, because: failure)
    } else {
      cache.warnOfUnfit(attempt.hop)
    }
    return isUnseen ? carryOut(anew) : served.failing(with: failure)
  }

  /// Returns the attempt as it would be if nothing were stored; `nil` if nothing may be sent.
  func attemptWithoutStored(_ attempt: Attempt) -> Attempt? {
    let hop = attempt.hop
    let decision = decideReuse(of: .uriMiss, for: hop.request, under: hop.reuseTerms, at: clock.timestamp)
    if case .unsatisfiable = decision { return nil }
    return Attempt(hop, CachedLookup(key: attempt.lookup.key), decision, attempt.delivery, found: attempt.found)
  }
}
