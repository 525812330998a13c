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

  var reuseTerms: ReuseTerms {
    var reuseTerms = ReuseTerms(policy, stalePermission: terms.stalePermission)
    reuseTerms.unsentDirectives = terms.unsentDirectives
    return reuseTerms
  }

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
