import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// What is asked for in one hop of a transfer.
struct Hop {
  var request: Request
  var content: OutgoingMessage.Content
  var options: TransferOptions
  var trust: [[UInt8]]
  var policy: CachePolicy
}

/// What came of a hop.
struct Exchanged {
  /// The response that was delivered, or `nil` where none came.
  var response: Response?
  var cache: CacheReport
  var transfer = TransferReport()
  /// Whether what was served is to be brought up to date when the run is over.
  var isToBeRevalidated = false
}

/// One request, answered from the store or by its origin: where the rules and the effects meet.
///
/// Nothing that happens in the store makes a fetch fail or changes what it delivers.
struct Exchange {
  let cache: ResponseCache
  let transport: any Transport
  let clock: Clock
  let redirects: RedirectRules
  let diagnostics: Diagnostics

  /// - Throws: what ends the transfer, where nothing could be delivered or not all of it.
  func perform(_ hop: Hop, into delivery: Delivery, _ exchanged: inout Exchanged?) throws(Failure) {
    var hop = hop
    let lookup = cache.lookup(&hop)
    let decision = decideReuse(of: lookup.selection, for: hop.request, under: hop.policy, at: clock.timestamp)
    try carryOut(decision, hop, lookup, delivery, &exchanged)
  }

  private func carryOut(
    _ decision: ReuseDecision, _ hop: Hop, _ lookup: CachedLookup, _ delivery: Delivery,
    _ exchanged: inout Exchanged?
  ) throws(Failure) {
    switch decision {
    case .serve(let reuse):
      let report = CacheReport.served(reuse, key: lookup.key)
      if hop.policy == .cacheOnly, reuse.freshness.staleness > 0 {
        diagnostics.warn("\(Escaping.shown(hop.request.target)) is stale (\(reuse.freshness.staleness) s)")
      }
      try serve(reuse, report, isValidated: false, hop, lookup, delivery, &exchanged)
      exchanged?.isToBeRevalidated = reuse.grant == .staleWhileRevalidate
    case .unsatisfiable(let reason):
      let report = CacheReport.unsatisfiable(reason, key: lookup.key)
      exchanged = Exchanged(response: .unsatisfiable, cache: report)
      delivery.begin(.unsatisfiable, report, to: hop.request.target, isFollowed: true)
      delivery.endContent()
      if let failure = delivery.failure { throw failure }
      if reason == .partial { throw .partlyStored(hop.request.target) }
      if reason == .method { throw .mayNotBeSent(hop.request.method, hop.request.target) }
      throw .notStored(hop.request.target, isStale: lookup.selection.stored != nil)
    case .complete(_, with: let request):
      try forward(request, because: .partial, decision, hop, lookup, delivery, &exchanged)
    case .validate(_, with: let request, because: let reason, onError: _),
      .forward(let request, because: let reason, onError: _):
      try forward(request, because: reason, decision, hop, lookup, delivery, &exchanged)
    }
  }

  // MARK: From the origin

  private func forward(
    _ request: Request, because reason: ForwardReason, _ decision: ReuseDecision, _ hop: Hop,
    _ lookup: CachedLookup, _ delivery: Delivery, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    let parties = OriginReply.Parties(
      cache: cache, delivery: delivery, clock: clock, redirects: redirects, diagnostics: diagnostics)
    let reply = OriginReply(hop: hop, decision: decision, reason: reason, lookup: lookup, parties: parties)
    var transfer = TransferReport()
    var failure: TransportError?
    do throws(TransportError) {
      let message = OutgoingMessage(request, content: hop.content, options: hop.options)
      try transport.send(message, to: reply, report: &transfer)
    } catch {
      failure = error
    }
    defer { exchanged?.transfer = transfer }

    if let damage = reply.damage {
      return try replaceDamaged(damage.entry, damage.delivered, isWhole: true, hop, lookup, delivery, &exchanged)
    }
    if let failure, !reply.isLetGo {
      try recover(from: failure, reply, decision, because: reason, hop, lookup, delivery, &exchanged)
      return
    }
    guard let conclusion = reply.conclusion else { throw .transport(.emptyReply, hop.request.target) }
    if conclusion.delivery == .unconditionalRequest {
      diagnostics.note("cache: the answer does not go with the stored response: asking again")
      let again = ReuseDecision.forward(hop.request, because: reason, onError: nil)
      return try forward(hop.request, because: reason, again, hop, lookup, delivery, &exchanged)
    }
    guard let report = reply.report else { throw .transport(.emptyReply, hop.request.target) }
    for target in conclusion.invalidated { cache.invalidate(target) }
    switch conclusion.delivery {
    case .answer, .joined, .failure:
      reply.endContent()
      cache.apply(conclusion.change, to: lookup)
      reply.settle(delivery.failure == nil ? .whole : .unusable)
      exchanged = Exchanged(response: reply.response, cache: reply.report ?? report)
      if let failure = delivery.failure { throw failure }
    case .stored(let reuse):
      cache.apply(conclusion.change, to: lookup)
      try serve(reuse, report, isValidated: report.result == .validated, hop, lookup, delivery, &exchanged)
    case .unconditionalRequest:
      break
    }
  }

  /// The transfer broke: what is stored may take the place of what did not come, as long as nothing was delivered.
  private func recover(
    from error: TransportError, _ reply: OriginReply, _ decision: ReuseDecision, because reason: ForwardReason,
    _ hop: Hop, _ lookup: CachedLookup, _ delivery: Delivery, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    reply.settle(error.leavesPart && delivery.isContentSound ? .broken : .unusable)
    exchanged = Exchanged(
      response: reply.response, cache: reply.report ?? CacheReport.failed(because: reason, key: lookup.key))
    if let failure = delivery.failure { throw failure }
    if case .interrupted = error, let signal = Signals.pending { throw .interrupted(signal) }
    let conclusion = conclude(
      decision, error.isDisconnection ? .disconnected : .failure, for: hop.request, lookup.selection, under: hop.policy,
      key: lookup.key, concealing: cache.conceal)
    guard case .stored(let reuse) = conclusion.delivery, !delivery.hasDeliveredContent else {
      delivery.endContent()
      throw .transport(error, hop.request.target)
    }
    let report = CacheReport.servedOnError(reuse, because: reason, status: nil, key: lookup.key)
    diagnostics.warn(
      "cannot fetch \(Escaping.shown(hop.request.target)): \(Escaping.visible(error.reason)); "
        + "what is stored is served, stale for \(reuse.freshness.staleness) s")
    delivery.forgetHead()
    try serve(reuse, report, isValidated: false, hop, lookup, delivery, &exchanged)
  }

  // MARK: From the store

  private func serve(
    _ reuse: Reuse, _ report: CacheReport, isValidated: Bool, _ hop: Hop, _ lookup: CachedLookup,
    _ delivery: Delivery, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    let head = reuse.head(isValidated: isValidated)
    let isFollowed = redirects.redirection(of: hop.request, hop.content, by: head) != .none
    exchanged = Exchanged(response: head, cache: report)
    delivery.begin(head, report, to: hop.request.target, isFollowed: isFollowed)
    if let bytes = reuse.contentRange(for: hop.request.method) {
      if case .damaged(let entry, let delivered) = lookup.deliver(bytes, into: delivery) {
        return try replaceDamaged(
          entry, delivered, isWhole: reuse.form == .whole, hop, lookup, delivery, &exchanged)
      }
    }
    cache.noteUse(of: lookup)
    delivery.endContent()
    if let failure = delivery.failure { throw failure }
  }

  /// The stored content is not what was stored, and has been dropped: the fetch goes on as a miss where it may.
  ///
  /// Where part of it has been delivered, that part was right: the rest follows from an answer that begins with it.
  ///
  /// - Parameter isWhole: whether it was delivered from the front, and to the end.
  private func replaceDamaged(
    _ damaged: DamagedEntry, _ delivered: UInt64, isWhole: Bool, _ hop: Hop, _ lookup: CachedLookup,
    _ delivery: Delivery, _ exchanged: inout Exchanged?
  ) throws(Failure) {
    cache.dropDamaged(damaged)
    let target = hop.request.target
    diagnostics.warn("the stored response for \(Escaping.shown(target)) was damaged and is dropped")
    let decision = decideReuse(of: .uriMiss, for: hop.request, under: hop.policy, at: clock.timestamp)
    if case .unsatisfiable = decision { throw .notStored(target, isStale: false) }
    if delivered == 0 {
      delivery.forgetHead()
    } else if isWhole, let digest = lookup.digest(ofPrefix: delivered),
      let check = try? PrefixCheck(count: delivered, expected: digest)
    {
      delivery.continueContent(after: check)
    } else {
      throw .damaged(target)
    }
    try carryOut(decision, hop, CachedLookup(key: lookup.key), delivery, &exchanged)
  }
}

extension Clock {
  /// Now, in HTTP's resolution.
  var timestamp: Timestamp { Timestamp(secondsSinceEpoch: wallTime().seconds) }
}
