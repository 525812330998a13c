package import HTTPSemantics

/// Among whom one request stands for several.
package enum CollapsingScope: Equatable, Sendable {
  /// Whoever wants the same: each gets what a cache may give without asking.
  case everybody
  /// The requests of one run, which its user has made at once: each gets what has come to one of them, be it stale on
  /// its arrival, unless that is prohibited.
  case run
}

extension ReuseDecision {
  /// Whether the request may wait for what another one for the same key brings into the store.
  ///
  /// "A cache can use a response that is stored or storable to satisfy multiple requests, provided that it is allowed
  /// to reuse that response for the requests in question. This enables a cache to 'collapse requests'" (RFC 9111
  /// section 4). Who must ask the origin in any case, or gets an answer that is not stored, would lose time by waiting,
  /// and others by waiting for it.
  package func mayCollapse(
    for request: Request, _ selection: Selection, under policy: CachePolicy, among scope: CollapsingScope
  ) -> Bool {
    guard policy.mayWaitForOthers, request.isKept else { return false }
    if case .resume = self { return false }
    switch forwardReason {
    case .uriMiss, .varyMiss, .stale, .partial: break
    case .bypass, .method, .request, nil: return false
    }
    // Others are answered 206, 304 or 412, for their sender alone.
    guard Validation.isPlain(request) else { return false }
    // Each of many validates what nobody may use without: side by side, not one after the other.
    return selection.stored?.isOfUse(among: scope) ?? true
  }
}

extension Conclusion {
  /// Whether others who want the same had better wait until this is carried out.
  package func isAwaited(under policy: CachePolicy, among scope: CollapsingScope) -> Bool {
    if delivery == .unconditionalRequest { return true }
    switch change {
    case .freshen: return true
    case .insert(let stored):
      // They would ask for all of it again.
      return stored.hasValidator || policy == .cacheElseLoad || stored.isOfUse(among: scope)
    case .remove, .removeOutdatedByPart, .none: return false
    }
  }
}

extension StoredResponse {
  /// Whether there is, or was, a time in which it answers others without validation.
  fileprivate func isOfUse(among scope: CollapsingScope) -> Bool {
    if !isOfKnownVariant { return false }
    let control = cacheControl
    if scope == .run, !Staleness.isProhibited(by: control) { return true }
    let lifetime = FreshnessLifetime(of: response, cacheControl: control, receivedAt: responseTime)
    return !control.noCache && lifetime.seconds > 0
  }

  fileprivate var hasValidator: Bool { fields.contains(.etag) || fields.contains(.lastModified) }
}
