package import HTTPSemantics

/// The reason for which a request is forwarded to the origin, in the words of RFC 9211 section 2.2.
package enum ForwardReason: String, Equatable, Sendable, CaseIterable {
  case bypass
  case method
  case uriMiss = "uri-miss"
  case varyMiss = "vary-miss"
  case request
  case stale
  case partial
}

/// A stored response about to be served.
package struct Reuse: Equatable, Sendable {
  /// The form in which the stored response answers the request.
  package enum Form: Equatable, Sendable {
    case whole
    /// 304: by its own condition, the request's sender has the response already.
    case notModified
    /// 206
    case part(Range<UInt64>)
    /// 416
    case unsatisfiableRange
  }

  package let stored: StoredResponse
  package let freshness: Freshness
  /// The grant for serving it, if it is stale or may not be used without validation.
  package let grant: StaleGrant?
  package let form: Form

  package init(_ stored: StoredResponse, _ freshness: Freshness, grant: StaleGrant? = nil, form: Form) {
    self.stored = stored
    self.freshness = freshness
    self.grant = grant
    self.form = form
  }
}

/// The rule that decides on the reuse of a stored response.
package enum ReuseRule: String, Equatable, Sendable {
  case policy
  /// The request bypasses the cache, because its response cannot be stored.
  case notStored = "not-stored"
  case requestNoStore = "request-no-store"
  case method
  case uriMiss = "uri-miss"
  case varyMiss = "vary-miss"
  case part
  case preconditions
  case ranges
  case immutable
  case requestNoCache = "request-no-cache"
  case requestPragma = "request-pragma"
  case requestMaxAge = "request-max-age"
  case requestMinFresh = "request-min-fresh"
  case responseNoCache = "no-cache"
  case variantUnknown = "variant-unknown"
  case setCookie = "set-cookie"
  case fresh
  case staleGrant = "stale-grant"
  case staleProhibited = "stale-prohibited"
  case stale
}

/// A decision, and the rule that took it.
package struct Ruling: Equatable, Sendable {
  package let rule: ReuseRule
  package let decision: ReuseDecision

  init(_ rule: ReuseRule, _ decision: ReuseDecision) {
    self.rule = rule
    self.decision = decision
  }
}

/// The terms under which a stored response answers a request.
package struct ReuseTerms: Sendable {
  package var policy: CachePolicy
  /// The user's permission to serve a stale response.
  package var stalePermission: StalePermission
  /// Whether the cookies that an answer sets are kept or sent. A stored response does not set its cookies again.
  package var takesCookies: Bool
  /// Whether a response that is served stale can be revalidated afterwards: without that, stale-while-revalidate grants
  /// nothing (RFC 5861 section 3).
  package var revalidatesLater: Bool
  /// Directives of the user's that count like those of the request, but are not sent, because the user leaves
  /// Cache-Control out.
  package var unsentDirectives: FieldValue?

  package init(_ policy: CachePolicy, stalePermission: StalePermission = .none) {
    self.policy = policy
    self.stalePermission = stalePermission
    takesCookies = false
    revalidatesLater = true
  }

  func directives(of request: Request) -> CacheControl {
    guard let unsentDirectives else { return CacheControl(of: request.fields) }
    var fields = request.fields
    fields.append(.cacheControl, unsentDirectives)
    return CacheControl(of: fields)
  }
}

/// Decides whether a stored response answers the request (RFC 9111 section 4).
package func decideReuse(
  of selection: Selection, for request: Request, under terms: ReuseTerms, at now: Timestamp
) -> ReuseDecision {
  ruling(on: selection, for: request, under: terms, at: now).decision
}

/// Decides as `decideReuse` does, and returns the deciding rule too.
package func ruling(
  on selection: Selection, for request: Request, under terms: ReuseTerms, at now: Timestamp
) -> Ruling {
  ReuseRules(request: request, terms: terms, now: now).ruling(on: selection)
}

private struct ReuseRules {
  let request: Request
  let terms: ReuseTerms
  let now: Timestamp
  let directives: CacheControl

  init(request: Request, terms: ReuseTerms, now: Timestamp) {
    self.request = request
    self.terms = terms
    self.now = now
    directives = terms.directives(of: request)
  }

  private var policy: CachePolicy { terms.policy }

  func ruling(on selection: Selection) -> Ruling {
    if policy == .noStore { return policyBypass }
    if directives.noStore { return Ruling(.requestNoStore, forward(because: .bypass)) }
    guard request.isAnsweredFromCache else {
      return Ruling(.method, forward(because: .method))
    }
    if request.isPostedQuery, Validation.isConditional(request) || request.fields.contains(.range) {
      return Ruling(.preconditions, forward(because: .request))
    }
    switch selection {
    case .uriMiss: return Ruling(.uriMiss, forward(because: .uriMiss))
    case .varyMiss: return Ruling(.varyMiss, forward(because: .varyMiss))
    case .selected(let stored) where !mayUse(stored): return partRuling(on: stored)
    case .selected(let stored):
      let control = stored.cacheControl
      return ruling(on: stored, control, Freshness(of: stored, cacheControl: control, at: now))
    }
  }

  /// "A cache MUST NOT use an incomplete response to answer requests unless the response has been made complete, or the
  /// request is partial and specifies a range wholly within the incomplete response" (RFC 9111 section 3.3).
  private func mayUse(_ stored: StoredResponse) -> Bool {
    !stored.isPart || PartialContent.answeringRange(in: stored, for: request, at: now) != nil
  }

  private func partRuling(on stored: StoredResponse) -> Ruling {
    if policy.asksAnew { return Ruling(.policy, forward(because: .request)) }
    guard mayForward, let rest = PartialContent.continuation(of: request, from: stored) else {
      return Ruling(.part, forward(because: .partial))
    }
    return Ruling(.part, .complete(stored, with: rest))
  }

  /// - Parameter control: the stored response's directives, passed on because `cacheControl` parses them on each call.
  private func ruling(
    on stored: StoredResponse, _ control: CacheControl, _ freshness: Freshness
  ) -> Ruling {
    // Only the origin can evaluate preconditions that guard against lost updates.
    if Validation.needsOrigin(request) { return Ruling(.preconditions, forward(because: .request)) }
    var isUsable: Bool { stored.isUsableUnvalidated(freshness, control) }
    switch policy {
    case .reload, .reloadAll:
      return Ruling(.policy, forward(because: .request))
    case .cacheElseLoad, .cacheOnly:
      if isUsable { return Ruling(.fresh, .serve(reuse(of: stored, freshness))) }
      return Ruling(.policy, .serve(reuse(of: stored, freshness, grant: .userPolicy)))
    case .cacheOnlyStrict:
      if isUsable { return Ruling(.fresh, .serve(reuse(of: stored, freshness))) }
      if Staleness.isProhibited(by: control) { return Ruling(.staleProhibited, .unsatisfiable(.stale)) }
      return Ruling(.staleGrant, .serve(reuse(of: stored, freshness, grant: .disconnected)))
    case _ where mayForward && rangeNeedsOrigin(of: stored):
      return Ruling(.ranges, validate(stored, freshness, because: freshness.isFresh ? .request : .stale))
    case .revalidate:
      // "Clients SHOULD NOT issue a conditional request during the response's freshness lifetime" (RFC 8246 section 2).
      if control.immutable, isUsable, demandOfRequest(on: freshness) == nil {
        return Ruling(.immutable, .serve(reuse(of: stored, freshness)))
      }
      return Ruling(.policy, validate(stored, freshness, because: .request))
    case .networkFirst:
      return Ruling(.policy, validate(stored, freshness, because: freshness.isFresh ? .request : .stale))
    case .useProtocol:
      return protocolRuling(on: stored, control, freshness)
    case .noStore:
      // Not reached: `ruling(on:)` rules on this policy first, whatever is stored.
      return policyBypass
    }
  }

  /// Whether the request asks for a range that only the origin can answer as it is meant: it may send several ranges in
  /// one answer, and know other units than bytes (RFC 9110 section 14.2).
  private func rangeNeedsOrigin(of stored: StoredResponse) -> Bool {
    request.fields.contains(.range) && request.byteRange == nil && request.method.hasStorableAnswer
      && stored.response.status == 200 && !Validation.isNotModified(stored, for: request, at: now)
  }

  private var policyBypass: Ruling { Ruling(.policy, forward(because: .bypass)) }

  /// "When presented with a request, a cache MUST NOT reuse a stored response unless ... the stored response does not
  /// contain the no-cache directive, unless it is successfully validated, and the stored response is one of: fresh,
  /// allowed to be served stale, or successfully validated" (RFC 9111 section 4).
  private func protocolRuling(
    on stored: StoredResponse, _ control: CacheControl, _ freshness: Freshness
  ) -> Ruling {
    // No condition is added, because a 304 need not set the cookies again.
    if terms.takesCookies, mayForward, stored.fields.contains("Set-Cookie") {
      return Ruling(
        .setCookie, .forward(request, because: .request, onError: reuseOnError(of: stored, freshness)))
    }
    if let rule = demandOfRequest(on: freshness) {
      return Ruling(rule, validate(stored, freshness, because: .request))
    }
    if control.noCache { return Ruling(.responseNoCache, validate(stored, freshness, because: .stale)) }
    // "... the cache MUST NOT use that stored response without revalidation unless all the presented request header
    // fields nominated by that Vary field value match those fields in the original request" (RFC 9111 section 4.1).
    if !stored.isOfKnownVariant { return Ruling(.variantUnknown, validate(stored, freshness, because: .varyMiss)) }
    if freshness.isFresh { return Ruling(.fresh, .serve(reuse(of: stored, freshness))) }
    if let grant = Staleness.grant(
      for: stored, freshness, to: directives, by: terms.stalePermission,
      revalidatesLater: terms.revalidatesLater && mayForward)
    {
      return Ruling(.staleGrant, .serve(reuse(of: stored, freshness, grant: grant)))
    }
    return Ruling(.stale, validate(stored, freshness, because: .stale))
  }

  /// Returns the rule by which the request's own directives exclude a response that would do otherwise; `nil` if
  /// none does (RFC 9111 section 5.2.1).
  private func demandOfRequest(on freshness: Freshness) -> ReuseRule? {
    // "... not be used to satisfy the request without successful validation on the origin server" (RFC 9111 section
    // 5.2.1.4).
    if directives.asksOrigin { return .requestNoCache }
    if Validation.pragmaAsksOrigin(request) { return .requestPragma }
    switch directives.maxAge {
    case .seconds(let seconds):
      // A response that has come this second has age 0, but max-age=0 asks for what the origin has now.
      let isTooOld = freshness.age.seconds > seconds || seconds == 0
      let isPermitted = directives.maxStale?.permits(staleness: freshness.age.seconds - seconds) ?? false
      if isTooOld, !isPermitted { return .requestMaxAge }
    case .invalid: return .requestMaxAge
    case .absent: break
    }
    // "... the client wants a response that will still be fresh for at least the specified number of seconds" (RFC 9111
    // section 5.2.1.3).
    switch directives.minFresh {
    case .seconds(let seconds): return freshness.remaining < seconds ? .requestMinFresh : nil
    case .invalid: return .requestMinFresh
    case .absent: return nil
    }
  }

  private var asksOrigin: Bool { directives.asksOrigin || Validation.pragmaAsksOrigin(request) }

  private func validate(
    _ stored: StoredResponse, _ freshness: Freshness, because reason: ForwardReason
  ) -> ReuseDecision {
    let onError = reuseOnError(of: stored, freshness)
    guard mayForward else {
      // A policy that takes the stored response if the network fails also takes it if the network may not be used.
      if policy.takesStoredOnError, let onError { return .serve(onError) }
      return .unsatisfiable(reason)
    }
    // The user's own condition goes through as it is, and a HEAD's answer freshens without any. A range is asked for
    // without a condition: a 304 would be about a whole response that is about to be cut to the range.
    let isPlain =
      request.method.hasStorableAnswer && !Validation.isConditional(request) && !request.fields.contains(.range)
    guard isPlain, let conditional = Validation.conditionalRequest(for: request, validating: stored) else {
      return .forward(validating(request), because: reason, onError: onError)
    }
    return .validate(stored, with: validating(conditional), because: reason, onError: onError)
  }

  /// Returns what is served if the origin cannot be asked.
  private func reuseOnError(of stored: StoredResponse, _ freshness: Freshness) -> Reuse? {
    let grant = Staleness.grantOnError(
      for: stored, freshness, to: directives, asksOrigin: asksOrigin, by: terms.stalePermission, under: policy)
    return grant.map { reuse(of: stored, freshness, grant: $0) }
  }

  /// Returns the request with max-age=0 if the user wants the origin to validate, so that caches on the way validate
  /// too: "the client prefers a response whose age is less than or equal to the specified number of seconds" (RFC 9111
  /// section 5.2.1.1).
  private func validating(_ request: Request) -> Request {
    guard policy == .revalidate, !request.fields.contains(.cacheControl), !request.leavesOut(.cacheControl) else {
      return request
    }
    var sent = request
    sent.fields.append(.cacheControl, "max-age=0")
    return sent
  }

  private func forward(because reason: ForwardReason) -> ReuseDecision {
    guard mayForward else { return .unsatisfiable(reason) }
    var forwarded = request
    if policy == .reloadAll {
      if !directives.noCache, !request.leavesOut(.cacheControl) { forwarded.fields.append(.cacheControl, "no-cache") }
      if !request.leavesOut(.pragma) { forwarded.fields.set(.pragma, "no-cache") }
    }
    return .forward(forwarded, because: reason, onError: nil)
  }

  private var mayForward: Bool { policy.allowsSending(directives) }

  private func reuse(of stored: StoredResponse, _ freshness: Freshness, grant: StaleGrant? = nil) -> Reuse {
    Reuse(stored, freshness, grant: grant, form: form(of: stored))
  }

  private func form(of stored: StoredResponse) -> Reuse.Form {
    if stored.isPart {
      let range = PartialContent.answeringRange(in: stored, for: request, at: now)
      return range.map(Reuse.Form.part) ?? .unsatisfiableRange
    }
    // Conditions come before Range: if they do not lead to a 304, the rest of the request stays as it is (RFC 9110
    // section 13.2.2).
    if Validation.isNotModified(stored, for: request, at: now) { return .notModified }
    // "A server MAY ignore the Range header field": if the origin cannot be asked, the whole response answers a Range
    // that is not a single range of bytes (RFC 9110 section 14.2).
    guard stored.response.status == 200, let range = Validation.applicableRange(of: request, to: stored, at: now)
    else { return .whole }
    // "... a suffix-range with a non-zero suffix-length" is satisfiable, even by content without a byte (RFC 9110
    // section 14.1.2), but no Content-Range can say so.
    if stored.contentLength == 0, case .suffix(1...) = range { return .whole }
    return range.resolved(in: stored.contentLength).map(Reuse.Form.part) ?? .unsatisfiableRange
  }
}
