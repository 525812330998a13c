package import HTTPSemantics

/// The grant by which a stale response is served (RFC 9111 section 4.2.4).
package enum StaleGrant: String, Equatable, Sendable, CaseIterable {
  /// The request's `max-stale` (RFC 9111 section 5.2.1.2).
  case maxStale = "max-stale"
  /// RFC 5861 section 3.
  case staleWhileRevalidate = "stale-while-revalidate"
  /// RFC 5861 section 4.
  case staleIfError = "stale-if-error"
  /// The origin cannot be asked.
  case disconnected = "disconnected"
  /// A cache policy that the user chose takes a stored response, whatever its age.
  case userPolicy = "user-policy"
  /// The response came to an equal request of the same run: the user made both at once.
  case collapsed = "collapsed"
}

/// The user's own permission to serve stale responses, in addition to what the request and the response grant. Whatever
/// prohibits a stale response comes first.
package struct StalePermission: Equatable, Sendable {
  /// How stale a response may be if the origin fails, as by RFC 5861 section 4.
  package var ifError: CacheControl.Limit?
  /// How stale a response may be while it is revalidated, as by RFC 5861 section 3.
  package var whileRevalidating: CacheControl.Limit?
  /// Allows any response that came at this time or later: it came to an equal request of the run.
  package var answeredSince: Timestamp?

  package init(ifError: CacheControl.Limit? = nil, whileRevalidating: CacheControl.Limit? = nil) {
    self.ifError = ifError
    self.whileRevalidating = whileRevalidating
  }

  package static let none = StalePermission()
}

/// The rules for serving stale responses, all in one place.
enum Staleness {
  /// Whether a response's directives prohibit serving it stale: "A cache MUST NOT generate a stale response if it is
  /// prohibited by an explicit in-protocol directive (e.g., by a no-cache response directive, a must-revalidate
  /// response directive ...)" (RFC 9111 section 4.2.4).
  static func isProhibited(by response: CacheControl) -> Bool {
    response.noCache || response.mustRevalidate
  }

  /// Returns the grant for serving a stale response at once, without asking the origin.
  ///
  /// - Parameter revalidatesLater: as in `ReuseTerms`.
  static func grant(
    for stored: StoredResponse, _ freshness: Freshness, to request: CacheControl, by permission: StalePermission,
    revalidatesLater: Bool
  ) -> StaleGrant? {
    if isProhibited(by: stored.cacheControl) || !freshness.isDatable { return nil }
    // "Unless the max-stale request directive is also present, the client does not wish to receive a stale response"
    // (RFC 9111 section 5.2.1.1). With max-stale, it does not wish to receive one that is stale "by more than the
    // specified number of seconds" (section 5.2.1.2).
    let staleness = freshness.staleness
    let hasLimit = request.maxAge != .absent || request.hasMaxStale
    if hasLimit, !(request.maxStale?.permits(staleness: staleness) ?? false) { return nil }
    if let moment = permission.answeredSince, stored.responseTime >= moment { return .collapsed }
    // This grant comes before max-stale, because the response is then revalidated as well (RFC 5861 section 3).
    let windows = [stored.cacheControl.staleWhileRevalidate.limit, permission.whileRevalidating]
    if revalidatesLater, windows.contains(where: { $0?.coversAsWindow(staleness: staleness) ?? false }) {
      return .staleWhileRevalidate
    }
    if let limit = request.maxStale, limit.permits(staleness: staleness) { return .maxStale }
    return nil
  }

  /// Returns the grant for serving a stored response if the origin cannot be reached, or answers 500, 502, 503 or 504.
  ///
  /// - Parameter asksOrigin: whether the request wants no other answer than the origin's.
  static func grantOnError(
    for stored: StoredResponse, _ freshness: Freshness, to request: CacheControl, asksOrigin: Bool,
    by permission: StalePermission, under policy: CachePolicy
  ) -> StaleGrant? {
    if policy.takesStoredOnError {
      // A stale-if-error of the user's own bounds what the user's policy allows.
      guard let bound = permission.ifError ?? request.staleIfError.limit else { return .userPolicy }
      let isWithinBound = freshness.isFresh || bound.coversAsWindow(staleness: freshness.staleness)
      return freshness.isDatable && isWithinBound ? .userPolicy : nil
    }
    let response = stored.cacheControl
    // must-revalidate binds "once it has become stale" (RFC 9111 section 5.2.2.2).
    let isProhibited = response.noCache || (response.mustRevalidate && !freshness.isFresh)
    if isProhibited || asksOrigin || !freshness.isDatable { return nil }
    let windows = [response.staleIfError.limit, request.staleIfError.limit, permission.ifError]
    if windows.contains(where: { $0?.coversAsWindow(staleness: freshness.staleness) ?? false }) { return .staleIfError }
    // "A cache MUST NOT generate a stale response unless it is disconnected or doing so is explicitly permitted". A
    // user who states how old or stale a response may be, or chooses another policy, has said what is to be served
    // instead. A stored error is nothing to fall back on.
    let isPlain =
      policy == .useProtocol && !stored.response.status.isError && request.maxAge == .absent
      && request.minFresh == .absent && request.maxStale == nil
      && request.staleIfError == .absent && permission.ifError == nil
    return isPlain ? .disconnected : nil
  }

  /// Whether a grant for the case of an error covers the outcome.
  ///
  /// An error is "any situation that would result in a 500, 502, 503, or 504 HTTP response status code being returned"
  /// (RFC 5861 section 4). A run that has reached the origin is not disconnected.
  static func covers(_ grant: StaleGrant?, _ outcome: ForwardingOutcome) -> Bool {
    guard let grant else { return false }
    switch outcome {
    case .disconnected: return true
    case .failure: return grant != .disconnected
    case .answer(let answer):
      return grant != .disconnected && [500, 502, 503, 504].contains(answer.response.status)
    }
  }
}
