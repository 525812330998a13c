import HTTPCaching
import HTTPSemantics
import Transport

/// The reuse of content that is known by its digest. A user who types the digest has said all that a cache would have
/// to find out: neither age nor origin say more about the content. docs/decisions/0020 says why this gives nothing
/// away.
extension Exchange {
  /// Serves stored content that has an expected digest.
  ///
  /// If something else is stored for the URL, the hop becomes one that fetches it anew: validation could only confirm
  /// what is not wanted.
  ///
  /// - Returns: `nil` if nothing was served.
  func serveByDigest(_ hop: inout Hop, _ lookup: CachedLookup, into delivery: Delivery) -> HopOutcome? {
    guard hop.policy.servesByDigest else { return nil }
    let extent = DigestSearch(for: hop.request, under: hop.policy)
    return serveMatch(&hop, lookup, into: delivery, searching: extent, insteadOf: nil)
  }

  /// As above, after the origin was asked and the transfer failed.
  ///
  /// - Parameter reason: why it was asked.
  func serveByDigest(
    insteadOf error: TransportError, because reason: ForwardReason, _ attempt: Attempt
  ) -> HopOutcome? {
    var hop = attempt.hop
    guard hop.policy.takesStoredOnError || hop.policy.servesByDigest, attempt.delivery.isUnseen else { return nil }
    return serveMatch(
      &hop, attempt.lookup, into: attempt.delivery, searching: .thorough, insteadOf: (error, reason))
  }

  /// Fetches a response anew that was served without asking the origin, and has another digest than expected.
  ///
  /// A whole response is compared before it is served (`serveByDigest`); a part, or the answer to a condition, is only
  /// compared while it is delivered.
  func refetchIfOtherDigest(_ served: HopOutcome, _ attempt: Attempt) -> HopOutcome {
    var hop = attempt.hop
    guard case .otherContent = served.failure, hop.policy.servesByDigest, hop.policy.allowsNetwork else {
      return served
    }
    hop.policy = .reload
    let decision = decideReuse(
      of: attempt.lookup.selection, for: hop.request, under: hop.reuseTerms, at: clock.timestamp)
    if case .unsatisfiable = decision { return served }
    guard attempt.delivery.makeWayAfterFailure() else { return served }
    return carryOut(Attempt(hop, attempt.lookup, decision, attempt.delivery, found: attempt.found))
  }

  /// Set if the origin was asked: what failed, and why it was asked.
  private typealias Fault = (error: TransportError, reason: ForwardReason)

  private func serveMatch(
    _ hop: inout Hop, _ lookup: CachedLookup, into delivery: Delivery, searching extent: DigestSearch,
    insteadOf fault: Fault?
  ) -> HopOutcome? {
    guard delivery.plan.integrity != nil, hop.request.mayBeAnsweredByDigest else { return nil }
    let match = cache.digestMatch(at: lookup, for: delivery.plan, searching: extent)
    if match?.place != .ofURL, lookup.hasComparableContent, hop.policy.allowsNetwork { hop.policy = .reload }
    guard let match else { return nil }
    if match.place != .hinted { cache.note(match.digest, of: match.stored, storedAs: hop.storage) }
    return serve(match, to: hop, into: delivery, insteadOf: fault)
  }

  private func serve(
    _ match: DigestMatch, to hop: Hop, into delivery: Delivery, insteadOf fault: Fault?
  ) -> HopOutcome {
    let (stored, found) = (match.stored, match.lookup)
    let reuse = Reuse(stored, Freshness(of: stored, at: clock.timestamp), form: .whole)
    let attempt = Attempt(hop, found, .serve(reuse), delivery)
    if let fault {
      let failure = Failure.transport(fault.error, attempt.target)
      diagnostics.warn("\(failure.message); a stored response with the requested digest is served")
      delivery.makeWay()
    }
    delivery.noteKnownDigest(match.digest)
    let report = CacheReport.servedByDigest(reuse, insteadOfAnswer: fault?.reason, key: found.key)
    return serve(reuse, report, attempt)
  }
}

/// A stored response whose content has an expected digest.
struct DigestMatch {
  /// How it was found.
  enum Place {
    /// The look-up for the URL found it.
    case ofURL
    case hinted
    case searched
  }

  /// The response as it is served.
  let stored: StoredResponse
  let digest: [UInt8]
  let lookup: CachedLookup
  let place: Place
}

extension ResponseCache {
  /// Finds stored content that has an expected digest: the response stored for the URL, or else the one that a hint
  /// leads to, or else one that a search through the store finds.
  ///
  /// - Parameter lookup: the one for the URL.
  func digestMatch(at lookup: CachedLookup, for plan: DeliveryPlan, searching extent: DigestSearch) -> DigestMatch? {
    guard let expected = plan.integrity else { return nil }
    if lookup.hasComparableContent, let stored = lookup.selection.stored,
      let digest = lookup.digest(among: expected, deliveredBy: plan)
    {
      return DigestMatch(stored: stored, digest: digest, lookup: lookup, place: .ofURL)
    }
    for digest in expected.digests {
      let found = self.lookup(digest: digest, for: lookup.key)
      guard let stored = found.selection.stored, stored.mayHaveDigest,
        found.digest(among: expected, deliveredBy: plan) == digest
      else { continue }
      return DigestMatch(stored: stored.contentAlone, digest: digest, lookup: found, place: .hinted)
    }
    var digest: [UInt8]?
    let found = search(extent, for: lookup.key) { candidate in
      digest = candidate.digest(among: expected, deliveredBy: plan)
      return digest != nil
    }
    guard let found, let digest, let stored = found.selection.stored else { return nil }
    return DigestMatch(stored: stored.contentAlone, digest: digest, lookup: found, place: .searched)
  }
}

extension CachedLookup {
  /// Whether the look-up has found a response whose digest can be compared.
  var hasComparableContent: Bool { selection.stored?.mayHaveDigest ?? false }
}
