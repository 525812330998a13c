package import HTTPSemantics

/// By whose leave a stale response is served (RFC 9111 section 4.2.4).
package enum StaleGrant: String, Equatable, Sendable, CaseIterable {
  /// The request's `max-stale` (RFC 9111 section 5.2.1.2).
  case maxStale = "max-stale"
  /// RFC 5861 section 3.
  case staleWhileRevalidate = "stale-while-revalidate"
  /// RFC 5861 section 4.
  case staleIfError = "stale-if-error"
  /// There is no network to ask.
  case disconnected = "disconnected"
  /// A cache policy that the user chose takes what is stored, whatever its age.
  case userPolicy = "user-policy"
  /// It has come to an equal request of the same run: the user made both at once.
  case collapsed = "collapsed"
}

/// The leave that the user gives of his own accord to serve what is stale, beside what the request and the response
/// say; what prohibits a stale response comes first.
package struct StaleLeave: Equatable, Sendable {
  /// Where the origin fails, as by RFC 5861 section 4.
  package var ifError: CacheControl.Limit?
  /// While the response is brought up to date, as by RFC 5861 section 3.
  package var whileRevalidating: CacheControl.Limit?
  /// Whatever has come since then: it came to an equal request of the run.
  package var answeredSince: Timestamp?

  package init(ifError: CacheControl.Limit? = nil, whileRevalidating: CacheControl.Limit? = nil) {
    self.ifError = ifError
    self.whileRevalidating = whileRevalidating
  }

  package static let none = StaleLeave()
}

/// The one place that answers who may have a stale response.
package enum Staleness {
  /// "A cache MUST NOT generate a stale response if it is prohibited by an explicit in-protocol directive (e.g., by a
  /// no-cache response directive, a must-revalidate response directive ...)" (RFC 9111 section 4.2.4).
  static func isProhibited(by response: CacheControl) -> Bool {
    response.noCache || response.mustRevalidate
  }

  /// The leave to serve a stale response at once, without asking the origin.
  ///
  /// - Parameter revalidatesLater: as for `decideReuse`.
  static func grant(
    for stored: StoredResponse, _ freshness: Freshness, to request: CacheControl, by leave: StaleLeave,
    revalidatesLater: Bool
  ) -> StaleGrant? {
    if isProhibited(by: stored.cacheControl) || !freshness.isDatable { return nil }
    // "Unless the max-stale request directive is also present, the client does not wish to receive a stale response"
    // (RFC 9111 section 5.2.1.1), and with it none that is stale "by more than the specified number of seconds"
    // (section 5.2.1.2).
    let staleness = freshness.staleness
    let hasLimit = request.maxAge != .absent || request.hasMaxStale
    if hasLimit, !(request.maxStale?.permits(staleness: staleness) ?? false) { return nil }
    if let moment = leave.answeredSince, stored.responseTime >= moment { return .collapsed }
    // It comes first: the response is brought up to date besides (RFC 5861 section 3).
    let windows = [stored.cacheControl.staleWhileRevalidate.limit, leave.whileRevalidating]
    if revalidatesLater, windows.contains(where: { $0?.coversAsWindow(staleness: staleness) ?? false }) {
      return .staleWhileRevalidate
    }
    if let limit = request.maxStale, limit.permits(staleness: staleness) { return .maxStale }
    return nil
  }

  /// The leave to serve a stored response where the origin cannot be reached, or answers 500, 502, 503 or 504.
  ///
  /// - Parameter asksOrigin: whether the request wants no other answer than the origin's.
  static func grantOnError(
    for stored: StoredResponse, _ freshness: Freshness, to request: CacheControl, asksOrigin: Bool,
    by leave: StaleLeave, under policy: CachePolicy
  ) -> StaleGrant? {
    if policy.takesStoredOnError {
      // The user's policy is what a stale-if-error of the user's own bounds.
      guard let bound = leave.ifError ?? request.staleIfError.limit else { return .userPolicy }
      let isWithinBound = freshness.isFresh || bound.coversAsWindow(staleness: freshness.staleness)
      return freshness.isDatable && isWithinBound ? .userPolicy : nil
    }
    let response = stored.cacheControl
    // must-revalidate binds "once it has become stale" (RFC 9111 section 5.2.2.2).
    let isProhibited = response.noCache || (response.mustRevalidate && !freshness.isFresh)
    if isProhibited || asksOrigin || !freshness.isDatable { return nil }
    let windows = [response.staleIfError.limit, request.staleIfError.limit, leave.ifError]
    if windows.contains(where: { $0?.coversAsWindow(staleness: freshness.staleness) ?? false }) { return .staleIfError }
    // "A cache MUST NOT generate a stale response unless it is disconnected or doing so is explicitly permitted"; who
    // states how old or stale a response may be, or orders another policy, has said what is to be had instead. That
    // something was not there, or failed, is nothing to fall back on.
    let isPlain =
      policy == .useProtocol && !stored.response.status.isError && request.maxAge == .absent
      && request.minFresh == .absent && request.maxStale == nil
      && request.staleIfError == .absent && leave.ifError == nil
    return isPlain ? .disconnected : nil
  }

  /// Whether a leave that was given for the case of an error holds for what has happened.
  ///
  /// An error is "any situation that would result in a 500, 502, 503, or 504 HTTP response status code being returned"
  /// (RFC 5861 section 4); who has been answered is not disconnected.
  static func covers(_ grant: StaleGrant?, _ outcome: Outcome) -> Bool {
    guard let grant else { return false }
    switch outcome {
    case .disconnected: return true
    case .failure: return grant != .disconnected
    case .answer(let answer):
      return grant != .disconnected && [500, 502, 503, 504].contains(answer.response.status)
    }
  }
}
