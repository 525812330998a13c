import HTTPCaching
import HTTPSemantics
import Transport

/// What is asked for in one hop of a transfer.
struct Hop {
  let terms: TransferTerms
  var request: Request
  var content: OutgoingMessage.Content
  var policy: CachePolicy
  var storage: StoragePolicy
  /// Why it passes the cache by, where that is not the policy's word.
  private(set) var keptOut: NotStored?
  /// Whether a redirection has led to it.
  var isRedirected = false
  /// Whether the origin sees the client's certificate, if it asks for one: as credentials are, it is for the origin
  /// that was typed.
  var showsClientCertificate = true
  /// For this hop.
  var timeLimitMilliseconds: Int?
  /// For how long it has waited for another run, or thread of this one, that asked for the same.
  var waitNanoseconds: UInt64 = 0
  /// What has been tried before, and may be tried after this.
  var retries: RetryBudget?
  /// Set where only the rest of an answer is wanted.
  var resumption: Resumption?

  init(_ plan: TransferPlan) {
    terms = plan.terms
    request = plan.request
    content = plan.content
    policy = plan.policy
    storage = plan.storage
    if let reason = plan.keptOut { keepOut(because: reason) }
  }

  /// Lets the cache alone; who asks nobody else has nothing, then.
  mutating func keepOut(because reason: NotStored) {
    guard policy.allowsNetwork, policy != .noStore else { return }
    (policy, storage, keptOut) = (.noStore, .notAllowed, reason)
  }

  var keyRules: KeyRules { isRedirected ? terms.keyRules.behindRedirection : terms.keyRules }

  var reuseTerms: ReuseTerms { ReuseTerms(policy, leave: terms.leave) }

  var primaryKey: PrimaryKey { keyRules.primaryKey(for: request.target) }

  /// Whether anything may be made on the disk for it: not for what only reads, or stores in memory alone.
  var mayCreate: Bool { policy.allowsNetwork && policy != .noStore && storage == .allowed }

  /// As it is sent.
  ///
  /// - Parameter isLast: whether nothing is sent after it but what the response leads to.
  func message(_ request: Request, isLast: Bool) -> OutgoingMessage {
    var options = terms.options
    options.timeLimitMilliseconds = timeLimitMilliseconds
    if !showsClientCertificate { options.security.removeClientCertificate() }
    return OutgoingMessage(request, content: content, options: options, isLast: isLast)
  }
}

/// What came of a hop.
final class Exchanged {
  /// The response that was delivered, or `nil` where none came.
  let response: Response?
  /// `nil` where neither the store nor the origin had a say.
  let cache: CacheReport?
  /// Of all that was sent for it; `nil` where nothing was.
  var transfer: TransferReport? { sent?.report }
  /// Bytes of content that came in answer to that.
  var receivedBytes: Int64 { sent?.report.downloadSize ?? 0 }
  private var sent: Sent?
  /// Bytes of content that came from the store to somebody, and so were not transferred.
  var savedBytes: UInt64 = 0
  /// Whether what was served is to be brought up to date when the run is over.
  var isToBeRevalidated = false
  /// Where nothing came of it, and it is done again.
  var retry: Retry?
  /// Whether what came is kept by nobody for its size alone, and a later run begins anew.
  var losesPart = false
  /// What ends the transfer, where nothing could be delivered or not all of it.
  var failure: Failure?

  init(response: Response? = nil, cache: CacheReport?, failure: Failure? = nil) {
    self.response = response
    self.cache = cache
    self.failure = failure
  }

  /// Takes over what was told of certificates when the connection was made, where an earlier request has made it.
  func takeCertificates(of earlier: Exchanged?) {
    guard let transfer, let earlier = earlier?.transfer else { return }
    sent = Sent(transfer.withCertificates(of: earlier))
  }

  /// Takes note of a request that was sent before those which have been noted.
  func prepend(_ earlier: TransferReport) {
    sent = Sent(transfer.map { earlier.followed(by: $0, isAnswered: true) } ?? earlier)
  }

  /// Takes note of the nanoseconds that went by before anything was sent.
  func delay(by wait: UInt64) {
    guard wait > 0, let transfer else { return }
    sent = Sent(transfer.delayed(byMicroseconds: Int64(clamping: wait / 1_000)))
  }

  // Large, and what is served from the store has none.
  private final class Sent {
    let report: TransferReport

    init(_ report: TransferReport) { self.report = report }
  }

  func failing(with failure: Failure) -> Exchanged {
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
  /// Held where other runs may wait for this one.
  let lead: Lead?
  /// Why the origin would have been asked, had not another run done so meanwhile.
  let collapsedReason: ForwardReason?
  /// What had been found when this was decided, though it may be passed over: what has come since is another run's.
  let found: Selection

  /// - Parameter found: `nil` where that is what the look-up says.
  init(
    _ hop: Hop, _ lookup: CachedLookup, _ decision: ReuseDecision, _ delivery: Delivery, lead: Lead? = nil,
    collapsedReason: ForwardReason? = nil, found: Selection? = nil
  ) {
    self.hop = hop
    self.lookup = lookup
    self.found = found ?? lookup.selection
    self.decision = decision
    self.delivery = delivery
    self.lead = lead
    self.collapsedReason = collapsedReason
  }

  var target: TargetURI { hop.request.target }

  /// What is done with what came of sending it.
  func conclusion(of outcome: Outcome, in cache: ResponseCache) -> Conclusion {
    conclude(
      decision, outcome, for: hop.request, lookup.selection,
      under: ConclusionTerms(
        hop.policy, keptOut: hop.keptOut, storing: hop.terms.storing, key: lookup.key,
        concealing: cache.concealer(for: hop)))
  }

  /// Whether the answer to a request for a part is of no use, and that for the whole may be.
  func asksForWhole(after answer: Response) -> Bool {
    if case .resume = decision, delivery.asksAnew(after: answer) { return true }
    return needsLength(after: answer)
  }

  /// Whether the answer to a request for what is behind OFFSET leaves open whether that is the end.
  func needsLength(after answer: Response) -> Bool {
    hop.request.fields.contains(.range) && delivery.plan.needsLength(after: answer)
  }

  /// The same, where the origin's answer does not go with what is stored, or with what broke off.
  ///
  /// - Parameter hop: this one's, which may have nothing to continue any more.
  func unconditional(_ hop: Hop) -> Attempt {
    Attempt(
      hop, lookup, decision.unconditional(hop.request), delivery, lead: lead, collapsedReason: collapsedReason,
      found: found)
  }
}
