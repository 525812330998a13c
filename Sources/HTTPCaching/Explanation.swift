package import HTTPSemantics

/// A fact that bears on a decision, with its figures and the rule that makes it count.
package struct Finding: Equatable, Sendable {
  package enum Value: Equatable, Sendable {
    case seconds(Int64)
    case text(String)
    case flag(Bool)
  }

  package struct Figure: Equatable, Sendable {
    /// In snake_case, as in JSON.
    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  package enum Subject: String, Equatable, Sendable {
    case method
    case request
    case stored
    case age
    case lifetime
    case freshness
    case validators
    case response
  }

  package let subject: Subject
  package let sentence: String
  /// The rule, in the form `RFC 9111 section 4.2`.
  package let source: String
  package let figures: [Figure]

  init(_ subject: Subject, _ sentence: String, _ source: String, _ figures: [Figure] = []) {
    self.subject = subject
    self.sentence = sentence
    self.source = source
    self.figures = figures
  }
}

/// The decision that a cache policy would take on a request, and the deciding rule.
package struct PolicyVerdict: Equatable, Sendable {
  package let policy: CachePolicy
  package let ruling: Ruling
  /// The fields that the request to the origin has and the user's has not.
  package let addedFields: [Field]

  init(_ policy: CachePolicy, _ ruling: Ruling, for request: Request) {
    self.policy = policy
    self.ruling = ruling
    addedFields = ruling.decision.sent?.fields.lines.filter { !request.fields.lines.contains($0) } ?? []
  }

  /// The grant by which a stored response is served without asking the origin, if it needs one.
  package var grant: StaleGrant? {
    if case .serve(let reuse) = ruling.decision { reuse.grant } else { nil }
  }

  /// The section that states the deciding rule; `nil` if no standard does.
  package var source: String? { grant?.source ?? ruling.rule.source }
}

/// The explanation of how a request would be answered: the findings that the rules go by, and the verdict under each
/// policy.
package struct Explanation: Equatable, Sendable {
  /// In the order in which the rules look at them.
  package let findings: [Finding]
  package let verdicts: [PolicyVerdict]

  /// - Parameters:
  ///   - terms: the terms, in which each policy in turn replaces the policy.
  ///   - isBypassing: whether the request bypasses the cache under each policy that may send it, because its response
  ///     cannot be stored.
  package init(
    of selection: Selection, for request: Request, under terms: ReuseTerms, at now: Timestamp, isBypassing: Bool = false
  ) {
    let asked = terms.directives(of: request)
    var findings = RequestFindings(request: request, asked: asked, stalePermission: terms.stalePermission).findings
    // For other methods, nothing is looked up in the store.
    if request.isAnsweredFromCache { findings.append(Self.finding(of: selection)) }
    if let stored = selection.stored {
      findings +=
        ResponseFindings(stored: stored, asked: asked, stalePermission: terms.stalePermission, now: now).findings
    }
    self.findings = findings
    verdicts = CachePolicy.allCases.map { policy in
      var terms = terms
      let bypasses = isBypassing && policy.allowsNetwork && policy != .noStore
      terms.policy = bypasses ? .noStore : policy
      let decided = ruling(on: selection, for: request, under: terms, at: now)
      return PolicyVerdict(policy, bypasses ? Ruling(.notStored, decided.decision) : decided, for: request)
    }
  }

  private static func finding(of selection: Selection) -> Finding {
    switch selection {
    case .uriMiss:
      Finding(.stored, "no response is stored for this request: only the origin can answer", "RFC 9111 section 2")
    case .varyMiss:
      Finding(
        .stored, "the stored responses for the URL are for other request fields: only the origin can answer",
        "RFC 9111 section 4.1")
    case .selected(let stored) where stored.isPart:
      Finding(
        .stored,
        "a part is stored: bytes \(stored.heldBytes.lowerBound) to \(stored.heldBytes.upperBound - 1) of "
          + (stored.completeLength.map(String.init) ?? "an unknown number"),
        "RFC 9111 section 3.3")
    case .selected(let stored):
      Finding(
        .stored,
        !stored.isOfKnownVariant
          ? "a response is stored that varies, but the request that it answered is unknown"
          : stored.selecting.members.isEmpty
            ? "a response is stored, and it does not depend on the request's fields"
            : "a response is stored, and the request's fields select it", "RFC 9111 section 4.1")
    }
  }
}

extension StaleGrant {
  fileprivate var source: String? {
    switch self {
    case .maxStale: "RFC 9111 section 5.2.1.2"
    case .staleWhileRevalidate: "RFC 5861 section 3"
    case .staleIfError: "RFC 5861 section 4"
    case .disconnected, .collapsed: "RFC 9111 section 4.2.4"
    case .userPolicy: nil
    }
  }
}

extension ReuseRule {
  /// A clause that states what the rule found.
  package var sentence: String {
    switch self {
    case .policy: "the policy says so"
    case .notStored: "the response is not stored"
    case .requestNoStore: "the request says no-store"
    case .method: "the method is not answered from the cache"
    case .uriMiss: "no response is stored for this request"
    case .varyMiss: "the stored responses are for other request fields"
    case .part: "only a part is stored"
    case .preconditions: "only the origin can evaluate the request's preconditions"
    case .ranges: "only the origin can answer the request's Range"
    case .immutable: "it is fresh and immutable"
    case .requestNoCache: "the request says no-cache"
    case .requestPragma: "the request says Pragma: no-cache"
    case .requestMaxAge: "it is older than the request's max-age allows"
    case .requestMinFresh: "it is not fresh for as long as the request's min-fresh demands"
    case .responseNoCache: "the response says no-cache"
    case .variantUnknown: "it varies, but the request that it answered is unknown"
    case .setCookie: "it sets cookies, which are taken only from the origin"
    case .fresh: "it is fresh"
    case .staleGrant: "it may still be served"
    case .staleProhibited: "must-revalidate or no-cache forbids serving it without asking the origin"
    case .stale: "it is stale"
    }
  }

  /// The section that states the rule; `nil` if no standard does.
  package var source: String? {
    switch self {
    case .policy, .notStored, .setCookie: nil
    case .requestNoStore: "RFC 9111 section 5.2.1.5"
    case .method: "RFC 9111 section 4"
    case .uriMiss: "RFC 9111 section 2"
    case .varyMiss, .variantUnknown: "RFC 9111 section 4.1"
    case .part: "RFC 9111 section 3.3"
    case .preconditions: "RFC 9111 section 4.3.2"
    case .ranges: "RFC 9110 section 14.2"
    case .immutable: "RFC 8246 section 2"
    case .requestNoCache: "RFC 9111 section 5.2.1.4"
    case .requestPragma: "RFC 9111 section 5.4"
    case .requestMaxAge: "RFC 9111 section 5.2.1.1"
    case .requestMinFresh: "RFC 9111 section 5.2.1.3"
    case .responseNoCache: "RFC 9111 section 5.2.2.4"
    case .fresh: "RFC 9111 section 4.2"
    case .staleGrant, .staleProhibited: "RFC 9111 section 4.2.4"
    case .stale: "RFC 9111 section 4.3"
    }
  }
}
