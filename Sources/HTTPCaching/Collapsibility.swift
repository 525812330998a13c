package import HTTPSemantics

/// The requests among which one may stand for the others.
package enum CollapsingScope: Equatable, Sendable {
  /// All runs that want the same response. Each gets only what a cache may serve without asking the origin.
  case everybody
  /// The requests of one run, which its user has made at once. Each gets the response that came to one of them, even if
  /// it was stale on arrival, unless a directive prohibits that.
  case run
}

extension ReuseDecision {
  /// Whether the request may wait for the response that another request for the same key brings into the store.
  ///
  /// "A cache can use a response that is stored or storable to satisfy multiple requests, provided that it is allowed
  /// to reuse that response for the requests in question. This enables a cache to 'collapse requests'" (RFC 9111
  /// section 4). A request that must ask the origin in any case, or whose answer is not stored, would lose time by
  /// waiting, and others would by waiting for it.
  package func mayCollapse(
    for request: Request, _ selection: Selection, under policy: CachePolicy, among scope: CollapsingScope
  ) -> Bool {
    guard policy.mayWaitForOthers, request.hasStorableAnswer else { return false }
    if case .resume = self { return false }
    switch forwardReason {
    case .uriMiss, .varyMiss, .stale, .partial: break
    case .bypass, .method, .request, nil: return false
    }
    // A request with a range or a condition is answered 206, 304 or 412, which is of use to its sender alone.
    guard Validation.isPlain(request) else { return false }
    // A response that may not be used without validation is validated by each request, and in parallel rather than one
    // after the other.
    return selection.stored?.isOfUse(among: scope) ?? true
  }
}

extension Conclusion {
  /// Whether requests for the same response gain by waiting until this conclusion is carried out.
  package func isAwaited(under policy: CachePolicy, among scope: CollapsingScope) -> Bool {
    if delivery == .unconditionalRequest { return true }
    switch change {
    case .freshen: return true
    case .insert(let stored) where stored.isOfEndlessType: return false
    case .insert(let stored):
      // Otherwise the waiting requests would ask for the whole response again.
      return stored.fields.hasValidator || policy == .cacheElseLoad || stored.isOfUse(among: scope)
    case .remove, .removeOutdatedByPart, .none: return false
    }
  }

  /// Whether the head tells how long the awaited content is. If it does not, the content may have no end.
  package var tellsLength: Bool {
    guard case .insert(let stored) = change else { return true }
    return stored.fields.contains(.contentLength)
  }
}

extension StoredResponse {
  /// Whether the content is of a media type for messages that go on until the client leaves: no request gains by
  /// waiting for their end.
  fileprivate var isOfEndlessType: Bool {
    guard let type = fields[.contentType] else { return false }
    let name = ListSyntax.withoutParameters(type.bytes[...])
    return ["text/event-stream", "multipart/x-mixed-replace"].contains { ASCII.equalIgnoringCase(name, $0.utf8) }
  }

  /// Whether there is, or was, a time in which the response may answer other requests without validation.
  fileprivate func isOfUse(among scope: CollapsingScope) -> Bool {
    if !isOfKnownVariant { return false }
    let control = cacheControl
    if scope == .run, !Staleness.isProhibited(by: control) { return true }
    let lifetime = FreshnessLifetime(of: response, cacheControl: control, receivedAt: responseTime)
    return !control.noCache && lifetime.seconds > 0
  }
}
