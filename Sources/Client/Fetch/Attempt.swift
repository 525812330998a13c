import HTTPCaching
import HTTPSemantics

/// One try at a hop: what is asked, what the store has for it, what is done about it, and who gets the answer.
final class Attempt {
  let hop: Hop
  let lookup: CachedLookup
  let decision: ReuseDecision
  let delivery: Delivery
  /// Held if other runs may wait for this one.
  let turn: ForwardingTurn?
  /// Why the origin would have been asked, if another run had not done so meanwhile.
  let collapsedReason: ForwardReason?
  /// What a look-up had found when this was decided, even if the attempt passes it over. What was stored since then is
  /// another run's.
  let found: Selection

  /// - Parameter found: `nil` stands for what `lookup` found.
  init(
    _ hop: Hop, _ lookup: CachedLookup, _ decision: ReuseDecision, _ delivery: Delivery, turn: ForwardingTurn? = nil,
    collapsedReason: ForwardReason? = nil, found: Selection? = nil
  ) {
    self.hop = hop
    self.lookup = lookup
    self.found = found ?? lookup.selection
    self.decision = decision
    self.delivery = delivery
    self.turn = turn
    self.collapsedReason = collapsedReason
  }

  var target: TargetURI { hop.request.target }

  /// The conclusion from the outcome of sending the request.
  func conclusion(of outcome: ForwardingOutcome, in cache: ResponseCache) -> Conclusion {
    conclude(
      decision, outcome, for: hop.request, lookup.selection,
      under: ConclusionTerms(
        hop.policy, bypassReason: hop.bypassReason, storing: hop.terms.storing, key: lookup.key,
        concealing: cache.concealer(for: hop)))
  }

  /// Whether the answer to a request for a part is useless, and an answer to one for the whole may not be.
  func asksForWhole(after answer: Response) -> Bool {
    if case .resume = decision, delivery.asksAnew(after: answer) { return true }
    return needsLength(after: answer)
  }

  /// Whether the answer to a request for the bytes behind the offset of `-C` leaves open whether the body ends there.
  func needsLength(after answer: Response) -> Bool {
    hop.request.fields.contains(.range) && delivery.plan.needsLength(after: answer)
  }

  /// The same attempt without a condition or continuation, because the origin's answer does not fit the stored
  /// response, or what broke off.
  ///
  /// - Parameter hop: this attempt's, perhaps with nothing to continue any more.
  func unconditional(_ hop: Hop) -> Attempt {
    Attempt(
      hop, lookup, decision.unconditional(hop.request), delivery, turn: turn, collapsedReason: collapsedReason,
      found: found)
  }
}
