import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// One request, answered from the store or by its origin: where the rules and the effects meet.
///
/// Nothing that happens in the store makes a fetch fail or changes what it delivers.
struct Exchange {
  /// What takes part in an exchange besides the origin.
  final class Parties {
    let cache: ResponseCache
    let clock: Clock
    let diagnostics: Diagnostics
    let cookies: CookieRecord?
    let hosts: HostRecords
    /// Whether redirections are followed by the caller.
    let followsRedirects: Bool

    init(
      cache: ResponseCache, clock: Clock, diagnostics: Diagnostics, cookies: CookieRecord? = nil,
      hosts: HostRecords, followsRedirects: Bool = true
    ) {
      self.cache = cache
      self.clock = clock
      self.diagnostics = diagnostics
      self.cookies = cookies
      self.hosts = hosts
      self.followsRedirects = followsRedirects
    }

    /// The same parties with the cookies of a set of options, if it has any.
    func with(_ cookies: CookieRecord?) -> Parties {
      guard let cookies else { return self }
      return Parties(
        cache: cache, clock: clock, diagnostics: diagnostics, cookies: cookies, hosts: hosts,
        followsRedirects: followsRedirects)
    }

    /// Whether the response to a hop is a redirection that is followed.
    func follows(_ response: Response, to hop: Hop) -> Bool {
      followsRedirects && hop.terms.redirects.follows(response)
    }
  }

  let parties: Parties
  let transport: any Transport
  /// Whether nothing is fetched after this except what a redirection leads to.
  let isLast: Bool

  var cache: ResponseCache { parties.cache }
  var clock: Clock { parties.clock }
  var diagnostics: Diagnostics { parties.diagnostics }

  /// - Parameters:
  ///   - hop: on return, its time limit is reduced by the time spent waiting. `lookUp` and `serveByDigest` may have
  ///     changed its policy, and a range that is ignored has been removed.
  ///   - turn: held if other runs wait for this one already.
  func perform(_ hop: inout Hop, into delivery: Delivery, holding turn: ForwardingTurn? = nil) -> HopOutcome {
    let lookup = lookUp(&hop)
    let outcome = answer(&hop, lookup, into: delivery, holding: turn)
    if outcome.retry == nil { cache.count(outcome, of: hop, for: lookup.key) }
    return outcome
  }

  /// - Parameter hop: if it may use the network and no complete key can be made for it, it bypasses the cache from now
  ///   on.
  func lookUp(_ hop: inout Hop) -> CachedLookup {
    let lookup = cache.lookup(hop)
    if let reason = lookup.bypassReason { hop.bypassCache(because: reason) }
    return lookup
  }

  private func answer(
    _ hop: inout Hop, _ lookup: CachedLookup, into delivery: Delivery, holding turn: ForwardingTurn?
  ) -> HopOutcome {
    if let served = serveByDigest(&hop, lookup, into: delivery) { return served }
    hop.dropIgnoredRange(of: lookup.selection.stored, by: delivery.plan)
    let attempt = Attempt(hop, lookup, decide(hop, lookup, for: delivery), delivery, turn: turn)
    guard turn == nil, let scope = scope(of: attempt) else { return carryOut(attempt) }
    let outcome = carryOutInTurn(attempt, &hop, among: scope)
    outcome.delay(by: hop.waitNanoseconds)
    return outcome
  }

  /// Carries out a decision that others may wait for, when it is this request's turn or another request has had it.
  ///
  /// - Parameter hop: the attempt's; on return, its time limit is reduced by the time spent waiting.
  private func carryOutInTurn(
    _ attempt: Attempt, _ hop: inout Hop, among scope: CollapsingScope
  ) -> HopOutcome {
    var (attempt, scope, furtherTurns) = (attempt, scope, 0)
    while true {
      let variant = cache.variant(wantedBy: hop, at: attempt.lookup)
      let outcome: Collapsing.Outcome?
      do throws(Failure) {
        outcome = try collapsing(for: attempt.delivery)
          .turn(at: attempt.lookup.key, of: variant, for: &hop, among: scope)
      } catch {
        return giveUp(waiting: error, attempt)
      }
      guard let outcome else { return carryOut(attempt) }
      attempt = decideAgain(attempt, &hop, after: outcome)
      let nextScope = self.scope(of: attempt)
      // Only the new look-up shows which variants there are: one request asks again, and the others wait. A request
      // that has waited in vain for the variant that it wants does not wait again.
      guard let nextScope, furtherTurns < Self.maximumFurtherTurns,
        outcome.turn != nil || attempt.lookup.selection == .varyMiss,
        cache.variant(wantedBy: hop, at: attempt.lookup) != variant
      else {
        if nextScope == nil { outcome.turn?.end() }
        return carryOut(attempt, of: hop, thenEnding: outcome.turn)
      }
      outcome.turn?.end()
      scope = nextScope
      furtherTurns += 1
    }
  }

  /// If each answer varies by other fields than the one before, a request goes ahead after this many further turns.
  private static let maximumFurtherTurns = 3

  /// Looks up and decides again after a wait, or if the key has appeared meanwhile.
  private func decideAgain(_ attempt: Attempt, _ hop: inout Hop, after outcome: Collapsing.Outcome) -> Attempt {
    let lookup = attempt.lookup
    // The transport starts while the look-up below is done. A run for one URL has nothing else to do in that time.
    if isLast, !outcome.hasWaited { transport.prepare() }
    // An absent response may be stored by now. A part that another run has left meanwhile is not looked for: it is
    // dispensable.
    let isStillAbsent = !outcome.hasWaited && lookup.selection == .uriMiss && !cache.hasAppeared(lookup.key)
    let renewed = isStillAbsent ? lookup : lookUp(&hop)
    return Attempt(
      hop, renewed, isStillAbsent ? attempt.decision : decide(hop, renewed, for: attempt.delivery), attempt.delivery,
      turn: outcome.turn, collapsedReason: outcome.hasWaited ? attempt.decision.forwardReason : attempt.collapsedReason)
  }

  /// Carries out a decision, and then releases those who wait for its outcome.
  private func carryOut(
    _ attempt: Attempt, of hop: Hop, thenEnding turn: ForwardingTurn?
  ) -> HopOutcome {
    let outcome = carryOut(attempt)
    // If this run alone has failed, releasing all the others would make them ask at once: the turn goes to one of them.
    let failure = outcome.failure ?? outcome.retry?.reason
    if failure?.isOfRunAlone(at: hop) == true { turn?.handOver() } else { turn?.end() }
    return outcome
  }

  private func collapsing(for delivery: Delivery) -> Collapsing {
    Collapsing(
      cache: cache, transport: transport, clock: clock, diagnostics: diagnostics, progress: delivery.progress)
  }

  private func decide(_ hop: Hop, _ lookup: CachedLookup, for delivery: Delivery) -> ReuseDecision {
    let decision = reuseDecision(hop, lookup)
    guard let resumption = hop.resumption else { return decision }
    let stored = lookup.selection.stored
    return decision.resuming(
      hop.request, with: resumption.request(hop.request),
      from: resumption.isContinued(by: stored?.response) ? stored : nil, mayBeReplaced: delivery.isUnseen)
  }

  /// Decides as if nothing had been delivered yet.
  func reuseDecision(_ hop: Hop, _ lookup: CachedLookup) -> ReuseDecision {
    let now = clock.timestamp
    var terms = hop.reuseTerms(for: lookup.selection.stored, into: parties.cookies, isLast: isLast)
    var decision = decideReuse(of: lookup.selection, for: hop.request, under: terms, at: now)
    if decision.forwardReason == .stale, let stored = lookup.selection.stored,
      let moment = cache.keyTurns?.answerTime(
        of: lookup.key, to: hop.request.fields, selectedBy: stored.selecting.members.map(\.name))
    {
      terms.stalePermission.answeredSince = moment
      decision = decideReuse(of: lookup.selection, for: hop.request, under: terms, at: now)
    }
    // Whether a later revalidation is possible is asked only if the decision relies on one: rarely, and the answer
    // costs a system call.
    if decision.isToBeRevalidated, !cache.canRevalidateLater(hop.storage, parties.cookies) {
      terms.revalidatesLater = false
      decision = decideReuse(of: lookup.selection, for: hop.request, under: terms, at: now)
    }
    return decision
  }

  /// The scope within which an attempt may wait, or be waited for; `nil` if each request asks for itself.
  private func scope(of attempt: Attempt) -> CollapsingScope? {
    let (storage, isOfMany) = (attempt.hop.storage, cache.keyTurns != nil)
    // A response that is kept in memory alone is not there for other processes.
    guard storage == .allowed || (storage == .memoryOnly && isOfMany) else { return nil }
    func mayCollapse(among scope: CollapsingScope) -> Bool {
      attempt.decision.mayCollapse(
        for: attempt.hop.request, attempt.lookup.selection, under: attempt.hop.policy, among: scope)
    }
    if mayCollapse(among: .everybody) { return .everybody }
    return isOfMany && mayCollapse(among: .run) ? .run : nil
  }

  func carryOut(_ attempt: Attempt) -> HopOutcome {
    let target = attempt.target
    switch attempt.decision {
    case .serve(let reuse):
      let report = CacheReport.served(reuse, key: attempt.lookup.key, collapsed: attempt.collapsedReason)
      let outcome = refetchIfOtherDigest(serve(reuse, report, attempt), attempt)
      // Whether content with an expected digest is served is known only now.
      if attempt.delivery.plan.integrity != nil, outcome.failure == nil { warnIfStale(reuse, attempt) }
      return outcome
    case .unsatisfiable(let reason):
      let report = CacheReport.unsatisfiable(reason, key: attempt.lookup.key)
      attempt.delivery.begin(.unsatisfiable, report, to: target, isContentWanted: false)
      attempt.delivery.endContent()
      let failure = attempt.delivery.failure ?? Self.failure(of: attempt, because: reason)
      return HopOutcome(response: .unsatisfiable, cache: report, failure: failure)
    case .validate(_, with: let request, because: let reason, onError: _),
      .forward(let request, because: let reason, onError: _),
      .resume(with: let request, because: let reason, onError: _):
      return forward(request, because: reason, attempt)
    case .complete(_, with: let request):
      return forward(request, because: .partial, attempt)
    }
  }

  /// The failure of a request that cannot be answered without the network.
  private static func failure(of attempt: Attempt, because reason: ForwardReason) -> Failure {
    let isThere = attempt.lookup.selection.stored != nil
    switch reason {
    case .partial: return .partlyStored(attempt.target)
    case .method: return .mayNotBeSent(attempt.hop.request.method, attempt.target)
    case .bypass where isThere: return .mayNotBeUsed(attempt.target)
    // The policy takes any stored response: the reason is the request's preconditions, which only the origin can
    // evaluate.
    case .request where isThere && attempt.hop.policy == .cacheOnly: return .mayNotBeUsed(attempt.target)
    case _ where isThere:
      return .mayNotBeUsedUnasked(attempt.target, isOffline: !attempt.hop.policy.allowsNetwork)
    case _ where attempt.lookup.isDamaged: return .damagedUnasked(attempt.target, isUnseen: true)
    default: return .notStored(attempt.target)
    }
  }
}
