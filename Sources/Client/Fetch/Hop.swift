import HTTPCaching
import HTTPSemantics
import Transport

/// The request that one hop of a transfer makes, with its policies and limits.
struct Hop {
  let terms: TransferTerms
  var request: Request
  var content: OutgoingMessage.Content
  var policy: CachePolicy
  var storage: StoragePolicy
  /// Why the hop bypasses the cache, if not because its policy says so.
  private(set) var bypassReason: NotStored?
  /// Whether a redirection has led to it.
  var isRedirected = false
  /// Whether the client's certificate is shown to an origin that asks for one. Like credentials, it is for the origin
  /// that was typed.
  var showsClientCertificate = true
  /// The time limit of this hop.
  var timeLimitMilliseconds: Int?
  /// How long the hop has waited for another run, or another thread of this run, that asked for the same.
  var waitNanoseconds: UInt64 = 0
  /// The attempts that have been made, and those that are left; `nil` if nothing is tried again.
  var retries: RetryBudget?
  /// Set if only the rest of an answer is wanted.
  var resumption: Resumption?

  init(_ plan: TransferPlan) {
    terms = plan.terms
    request = plan.request
    content = plan.content
    policy = plan.policy
    storage = plan.storage
    if let reason = plan.bypassReason { bypassCache(because: reason) }
  }

  /// Makes the hop bypass the cache. A hop that may not use the network stays as it is, and finds nothing.
  mutating func bypassCache(because reason: NotStored) {
    guard policy.allowsNetwork, policy != .noStore else { return }
    (policy, storage, bypassReason) = (.noStore, .notAllowed, reason)
  }

  var keyRules: KeyRules { isRedirected ? terms.keyRules.behindRedirection : terms.keyRules }

  var reuseTerms: ReuseTerms { ReuseTerms(policy, stalePermission: terms.stalePermission) }

  /// Returns the terms on which the store may answer this hop, when a look-up has found `stored`.
  ///
  /// A response that sets cookies does not answer from the store if the cookies are of use: they are written in the
  /// end, or go with a request that follows.
  ///
  /// - Parameter isLast: whether nothing is fetched after this hop except what a redirection leads to.
  func reuseTerms(for stored: StoredResponse?, into cookies: CookieRecord?, isLast: Bool) -> ReuseTerms {
    var terms = reuseTerms
    if let cookies, let stored {
      terms.takesCookies = cookies.isKept || !isLast || self.terms.redirects.follows(stored.response)
    }
    return terms
  }

  /// Removes a range for which the stored response is used as if it had not been requested.
  mutating func dropIgnoredRange(of stored: StoredResponse?, by plan: DeliveryPlan) {
    if plan.ignoresRange(of: stored) { request.fields.removeAll(.range) }
  }

  var primaryKey: PrimaryKey { keyRules.primaryKey(for: request.target) }

  /// Whether files may be made in the store for this hop: not if it only reads, or stores in memory alone.
  var mayCreate: Bool { policy.allowsNetwork && policy != .noStore && storage == .allowed }

  /// The message that is sent.
  ///
  /// - Parameter isLast: whether nothing is sent after it except what the response leads to.
  func message(_ request: Request, isLast: Bool) -> OutgoingMessage {
    var options = terms.options
    options.timeLimitMilliseconds = timeLimitMilliseconds
    if !showsClientCertificate { options.security.removeClientCertificate() }
    return OutgoingMessage(request, content: content, options: options, isLast: isLast)
  }
}

/// The outcome of a hop.
final class HopOutcome {
  /// The response that was delivered, or `nil` if none came.
  let response: Response?
  /// `nil` if the hop ended before there was anything to report, for example with an empty reply, or in a wait that
  /// took all its time.
  let cache: CacheReport?
  /// The report on all that was sent for the hop; `nil` if nothing was.
  var transfer: TransferReport? { sent?.report }
  /// The number of bytes of content that were received in answer.
  var receivedBytes: Int64 { sent?.report.downloadSize ?? 0 }
  private var sent: Sent?
  /// The number of bytes of content that the user got from the store, so that they were not transferred.
  var savedBytes: UInt64 = 0
  /// Whether what was served is to be brought up to date when the run is over.
  var isToBeRevalidated = false
  /// Set if the hop came to nothing and is tried again.
  var retry: Retry?
  /// Whether the received content is kept nowhere only because of its size, so that a later run begins anew.
  var losesPart = false
  /// The failure that ends the transfer, if nothing or not all could be delivered.
  var failure: Failure?

  init(response: Response? = nil, cache: CacheReport?, failure: Failure? = nil) {
    self.response = response
    self.cache = cache
    self.failure = failure
  }

  /// Takes over what was reported of certificates when the connection was made, if an earlier request made it.
  func takeCertificates(of earlier: HopOutcome?) {
    guard let transfer, let earlier = earlier?.transfer else { return }
    sent = Sent(transfer.withCertificates(of: earlier))
  }

  /// Adds the report on a request that was sent before those already in the report.
  func prepend(_ earlier: TransferReport) {
    sent = Sent(transfer.map { earlier.followed(by: $0, isAnswered: true) } ?? earlier)
  }

  /// Adds the nanoseconds that passed before anything was sent.
  func delay(by wait: UInt64) {
    guard wait > 0, let transfer else { return }
    sent = Sent(transfer.delayed(byMicroseconds: Int64(clamping: wait / 1_000)))
  }

  // A reference, because a report is large, and a response served from the store has none.
  private final class Sent {
    let report: TransferReport

    init(_ report: TransferReport) { self.report = report }
  }

  func failing(with failure: Failure) -> HopOutcome {
    self.failure = failure
    return self
  }
}

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
