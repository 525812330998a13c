import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Asking the origin, and handling its answer.
extension Exchange {
  /// Sends a request and handles the outcome.
  ///
  /// - Parameter request: the hop's request, with the fields that the cache adds.
  func forward(_ request: Request, because reason: ForwardReason, _ attempt: Attempt) -> HopOutcome {
    let reply = OriginReply(to: attempt, reason, parties)
    var transfer = TransferReport()
    var failure: TransportError?
    attempt.turn?.noteProgress()
    do throws(TransportError) {
      try transport.send(attempt.hop.message(request, isLast: isLast), to: reply, report: &transfer)
    } catch {
      failure = error
    }
    let outcome = take(reply, failure, attempt)
    outcome.prepend(transfer)
    return outcome
  }

  /// Handles what the transport came back with.
  private func take(_ reply: OriginReply, _ failure: TransportError?, _ attempt: Attempt) -> HopOutcome {
    invalidate(after: reply, failure, attempt)
    switch reply.course {
    case .askedAgain(let retry):
      let hadStored = attempt.lookup.selection.stored != nil
      let outcome = HopOutcome(
        cache: .failed(because: reply.reason, hadStored: hadStored, key: attempt.lookup.key))
      outcome.retry = retry
      return outcome
    case .damagedPart(let entry, let delivered):
      return replaceDamaged(entry, delivered, mayBeContinued: true, attempt, HopOutcome(cache: nil))
    case .taken:
      if let failure {
        guard failure != .interrupted, reply.mayLeaveContent else { return recover(from: failure, reply, attempt) }
        reply.leaveContent()
      } else if let shortfall = reply.shortfall {
        return recover(from: shortfall, reply, attempt)
      }
    case .notDelivered: break
    }
    guard let conclusion = reply.conclusion else {
      return HopOutcome(cache: nil, failure: .transport(.emptyReply, attempt.target))
    }
    if conclusion.delivery == .unconditionalRequest { return askUnconditionally(attempt, after: reply.head) }
    return finish(conclusion, reply, attempt)
  }

  private func invalidate(after reply: OriginReply, _ failure: TransportError?, _ attempt: Attempt) {
    func remove(_ targets: [TargetURI], isRepeated: Bool) {
      for target in targets {
        cache.invalidate(TargetInvalidation(of: target, by: attempt.lookup.key), isRepeated: isRepeated)
      }
    }
    if let conclusion = reply.conclusion {
      // Since the head came, other requests may have stored what they got before the origin had carried out this one.
      remove(conclusion.invalidated, isRepeated: true)
    } else if case .unusableHead? = failure {
      remove(Invalidation.targets(ofUnreadableAnswerTo: attempt.hop.request), isRepeated: false)
    }
  }

  /// Sends the request as the user made it, or for the whole of what was to be continued.
  private func askUnconditionally(_ attempt: Attempt, after answer: Response?) -> HopOutcome {
    var hop = attempt.hop
    if let answer, attempt.needsLength(after: answer) {
      diagnostics.note("the response does not state the complete length: requesting it")
      attempt.delivery.dropInterim()
      attempt.delivery.noteLength(in416: answer)
      hop.request.fields.removeAll(.range)
      hop.resumption = nil
    } else if hop.resumption != nil, attempt.delivery.isUnseen {
      diagnostics.note("the response does not continue the interrupted one: requesting all of it")
      attempt.delivery.makeWay()
      hop.resumption = nil
    } else {
      diagnostics.note("cache: the answer does not match the stored response: asking again")
      attempt.delivery.dropInterim()
    }
    return carryOut(attempt.unconditional(hop))
  }

  /// Carries out the conclusion from an answer that has come whole, or that is not delivered.
  private func finish(_ conclusion: Conclusion, _ reply: OriginReply, _ attempt: Attempt) -> HopOutcome {
    if case .stored(let reuse) = conclusion.delivery {
      reply.endNotDelivered()
      guard let report = reply.report else {
        return HopOutcome(cache: nil, failure: .transport(.emptyReply, attempt.target))
      }
      // The stored response takes the place of the one that broke off, of which nobody has seen anything.
      if attempt.hop.resumption != nil { attempt.delivery.makeWay() }
      return serve(reuse, report, attempt)
    }
    if isLast, !reply.isFollowed { transport.finish() }
    reply.endWhole()
    if let digest = attempt.delivery.confirmedDigest, case .insert(let stored) = conclusion.change {
      cache.note(digest, of: stored, storedAs: attempt.hop.storage)
    }
    let outcome = HopOutcome(response: reply.response, cache: reply.report)
    outcome.savedBytes = reply.continuedBytes
    if let failure = attempt.delivery.failure { return fail(with: failure, reply, attempt, outcome) }
    return outcome
  }

  /// `--forget-on-error`: removes the stored response that could have answered a failed fetch, and what has been kept
  /// of the answer.
  func forget(_ attempt: Attempt) {
    guard attempt.hop.terms.storing.forgetsOnError, attempt.hop.request.isAnsweredFromCache,
      // A request that bypasses the cache was not looked up, and its key may be that of another's response.
      attempt.hop.policy != .noStore
    else { return }
    cache.remove(attempt.lookup, of: attempt.hop, by: nil)
  }
}
