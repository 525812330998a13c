import HTTPCaching
import HTTPSemantics

/// A request, a stored response, a policy and a time, with the decision about them.
struct Situation: CustomStringConvertible {
  let request: Request
  /// The directives of the request.
  let directives: CacheControl
  let stored: StoredResponse?
  let policy: CachePolicy
  let now: Timestamp
  let decision: ReuseDecision

  init(_ request: Request, _ directives: CacheControl, _ stored: StoredResponse?, _ policy: CachePolicy, at now: Int64)
  {
    self.request = request
    self.directives = directives
    self.stored = stored
    self.policy = policy
    self.now = .at(now)
    decision = decideReuse(of: Self.selection(of: stored), for: request, under: ReuseTerms(policy), at: self.now)
  }

  private static func selection(of stored: StoredResponse?) -> Selection { stored.map(Selection.selected) ?? .uriMiss }

  /// Whether the request bypasses the cache.
  var passesBy: Bool { policy == .noStore || directives.noStore }

  var description: String {
    let known = stored.map { "\($0.response.status), \($0.extent), \(shown($0.fields))" } ?? "nothing"
    return "\(request.method) with [\(shown(request.fields))] under \(policy.rawValue)"
      + " at +\(now.secondsSinceEpoch - Timestamp.at(0).secondsSinceEpoch) s; stored: \(known)"
  }

  func conclusion(on outcome: ForwardingOutcome) -> Conclusion {
    conclude(
      decision, outcome, for: request, Self.selection(of: stored),
      under: ConclusionTerms(policy, key: .example, concealing: conceal))
  }
}

private func shown(_ fields: Fields) -> String {
  fields.lines.map { "\($0.name): \(String(decoding: $0.value.bytes, as: UTF8.self))" }.joined(separator: "; ")
}

/// A response that is served, or would be if the origin failed.
struct Served: CustomStringConvertible {
  let reuse: Reuse
  let situation: Situation
  let freshness: Freshness
  /// The directives of the served response.
  let control: CacheControl

  init(_ reuse: Reuse, in situation: Situation) {
    self.reuse = reuse
    self.situation = situation
    freshness = Freshness(of: reuse.stored, at: situation.now)
    control = reuse.stored.cacheControl
  }

  var description: String { "\(reuse.grant.map { "\($0)" } ?? "no grant"): \(situation)" }
}

/// An origin's answer with its directives.
struct Came: Sendable {
  let answer: Answer
  let control: CacheControl

  init(_ answer: Answer) {
    self.answer = answer
    control = CacheControl(of: answer.response.fields)
  }

  var status: StatusCode { answer.response.status }
  var fields: Fields { answer.response.fields }
  var keepsOut: Bool { control.noStore && !control.mustUnderstand }
  var shownFields: String { shown(fields) }
}

/// The conclusion that an answer leads to.
struct Concluded: CustomStringConvertible {
  let conclusion: Conclusion
  let came: Came
  let situation: Situation

  var inserted: StoredResponse? { conclusion.change.inserted }
  var freshened: StoredResponse? { conclusion.change.freshened }

  /// The stored part that the origin was asked to continue.
  var continued: StoredResponse? {
    if case .complete(let part, _) = situation.decision { part } else { nil }
  }

  /// The stored response that the origin was asked to validate.
  var validated: StoredResponse? {
    if case .validate(let stored, _, _, _) = situation.decision { stored } else { nil }
  }

  var description: String { "\(came.status) with [\(came.shownFields)] after \(situation)" }
}

/// The conclusions that two kinds of failure lead to.
struct Failed: CustomStringConvertible {
  let situation: Situation
  let answered: Conclusion
  let disconnected: Conclusion

  init(in situation: Situation) {
    self.situation = situation
    answered = situation.conclusion(on: .failure)
    disconnected = situation.conclusion(on: .disconnected)
  }

  var description: String { situation.description }
}

/// The invariants, grouped by what they are about.
enum Invariants {}

// MARK: Decisions

extension Invariants {
  static let ofServed: [Invariant<Served>] = [
    .init("The response that is served is the stored one", "RFC 9111 section 4") {
      $0.reuse.stored == $0.situation.stored
    },
    .init("The freshness is computed for the present moment", "RFC 9111 section 4.2") {
      $0.reuse.freshness == $0.freshness
    },
    .init("A stale response is served only with a grant", "RFC 9111 section 4.2.4") {
      $0.freshness.isFresh || $0.reuse.grant != nil
    },
    .init("A response with no-cache is served only with a grant", "RFC 9111 section 5.2.2.4") {
      !$0.control.noCache || $0.reuse.grant != nil
    },
    .init("no-cache is overruled only by a policy of the user", "RFC 9111 section 5.2.2.4") {
      !$0.control.noCache || $0.reuse.grant == .userPolicy
    },
    .init("must-revalidate is overruled only by a policy of the user", "RFC 9111 section 5.2.2.2") {
      !$0.control.mustRevalidate || $0.freshness.isFresh || $0.reuse.grant == .userPolicy
    },
    .init("The grant of the user's policy comes from a policy that gives it", "docs/caching.md, The cache policies") {
      $0.reuse.grant != .userPolicy || [.cacheElseLoad, .cacheOnly, .networkFirst].contains($0.situation.policy)
    },
    .init(
      "network-first serves nothing staler than the request's stale-if-error", "docs/caching.md, How old and how stale"
    ) {
      guard $0.reuse.grant == .userPolicy, $0.situation.policy == .networkFirst, !$0.freshness.isFresh,
        let bound = $0.situation.directives.staleIfError.seconds
      else { return true }
      return $0.freshness.staleness < bound
    },
    .init("Only protocol and cache-only-strict serve stale because of a disconnection", "RFC 9111 section 4.2.4") {
      $0.reuse.grant != .disconnected || [.cacheOnlyStrict, .useProtocol].contains($0.situation.policy)
    },
    .init("The grant max-stale comes from the request", "RFC 9111 section 5.2.1.2") {
      $0.reuse.grant != .maxStale || $0.situation.directives.maxStale != nil
    },
    .init("A range that is served lies within the stored bytes", "RFC 9110 section 14.2") {
      guard case .part(let range) = $0.reuse.form else { return true }
      return range.clamped(to: $0.reuse.stored.heldBytes) == range
    },
    .init("A stored part is not served as the whole response", "RFC 9111 section 3.3") {
      if case .part = $0.reuse.form { true } else { !$0.reuse.stored.isPart }
    },
  ]
}

extension Invariants {
  static let ofDecision: [Invariant<Situation>] = [
    .init("only-if-cached sends nothing", "RFC 9111 section 5.2.1.7") {
      !$0.directives.onlyIfCached || $0.decision.sent == nil
    },
    .init("A policy without the network sends nothing", "docs/caching.md, The cache policies") {
      $0.policy.allowsNetwork || $0.decision.sent == nil
    },
    .init("The request is sent with its own method", "RFC 9111 section 4") {
      $0.decision.sent.map(\.method) ?? $0.request.method == $0.request.method
    },
    .init("A reload is forwarded, unless no request may be sent", "docs/caching.md, The cache policies") {
      guard [.reload, .reloadAll].contains($0.policy) else { return true }
      switch $0.decision {
      case .serve, .validate, .complete: return false
      case .unsatisfiable: return $0.directives.onlyIfCached
      case .forward, .resume: return true
      }
    },
    .init(
      "A request that bypasses the cache is neither served nor validated, and has no fallback",
      "RFC 9111 section 5.2.1.5"
    ) {
      guard $0.passesBy || ![.get, .head].contains($0.request.method) else { return true }
      switch $0.decision {
      case .serve, .validate, .complete: return false
      case .forward, .resume, .unsatisfiable: return $0.decision.onError == nil
      }
    },
    .init("Only the stored part is continued", "RFC 9111 section 3.4") {
      guard case .complete(let part, _) = $0.decision else { return true }
      return part == $0.stored && part.extent != .whole
    },
    .init("A part is continued with If-Range", "RFC 9111 section 3.4") {
      guard case .complete(_, let sent) = $0.decision else { return true }
      return sent.fields.contains(.ifRange)
    },
    .init("Only the stored response is validated", "RFC 9111 section 4.3.1") {
      guard case .validate(let stored, _, _, _) = $0.decision else { return true }
      return stored == $0.stored
    },
    .init("A validation is a GET with all fields of the request", "RFC 9111 section 4.3.1") { situation in
      guard case .validate(_, let sent, _, _) = situation.decision else { return true }
      return situation.request.method == .get
        && situation.request.fields.lines.allSatisfy { sent.fields.lines.contains($0) }
    },
    .init("A fresh response answers a plain GET or HEAD", "RFC 9111 section 4") {
      guard $0.policy == .useProtocol, [.get, .head].contains($0.request.method),
        !$0.request.fields.contains(.cacheControl), !$0.request.fields.contains(.ifMatch),
        let stored = $0.stored, !stored.isPart, !stored.cacheControl.noCache, Freshness(of: stored, at: $0.now).isFresh
      else { return true }
      return $0.decision.reuse?.grant == nil && $0.decision.reuse != nil
    },
  ]
}
