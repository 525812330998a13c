import HTTPCaching
import HTTPSemantics

extension FuzzTarget {
  /// The fields of a request, a stored response and an answer, each ended by an empty line. The first bytes are their
  /// times. The rules decide, and nothing overflows.
  static let rules = FuzzTarget("rules", longestInput: 1_024) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let choices = input.byte()
    let moments = (0..<3).map { _ in Timestamp(secondsSinceEpoch: Int64(bitPattern: input.number())) }
    let statuses = [input.byte(), input.byte()].map { StatusCode(rawValue: 200 + UInt16($0)) }
    let method = [Method.get, .head, .post, .query][Int(choices & 3)]
    let request = Request(method, key.target, fields: TextHead.fields(&input))
    var stored = StoredResponse(
      Response(statuses[0], fields: TextHead.fields(&input)), under: key, requestTime: moments[0],
      responseTime: moments[1], contentLength: UInt64(choices))
    stored.isDoubtful = choices & 4 != 0
    if choices & 8 != 0 { stored.extent = .part(0..<UInt64(choices), of: choices & 16 == 0 ? nil : 300) }
    let answer = Answer(
      Response(statuses[1], fields: TextHead.fields(&input)), requestTime: moments[1], responseTime: moments[2],
      isSoundlyFramed: choices & 32 == 0)
    let selection = Selection.selected(stored)
    for policy in CachePolicy.allCases {
      let decision = decideReuse(of: selection, for: request, under: ReuseTerms(policy), at: moments[2])
      try check(decision, selection, request, policy)
      for outcome in [ForwardingOutcome.answer(answer), .disconnected, .failure] {
        let conclusion = conclude(
          decision, outcome, for: request, selection,
          under: ConclusionTerms(policy, key: key, concealing: { $0 }))
        try check(conclusion, request, policy)
      }
    }
    _ = Explanation(of: selection, for: request, under: ReuseTerms(.useProtocol), at: moments[2])
    _ = OriginInvalidation(by: answer.response, to: request, isVerified: true)?.covers(stored)
  }

  private static let key = CacheKey(
    TargetURI(origin: TargetURI.Origin(scheme: .https, host: "example.org", port: 443), pathAndQuery: "/a?b"))

  private static func check(
    _ decision: ReuseDecision, _ selection: Selection, _ request: Request, _ policy: CachePolicy
  ) throws(Violation) {
    switch decision {
    case .serve(let reuse):
      try require(policy != .noStore && policy != .reload && policy != .reloadAll, "\(policy) serves what is stored")
      try require(reuse.freshness.age.seconds >= 0, "an age is negative")
      if case .part(let range) = reuse.form {
        try require(range.clamped(to: reuse.stored.heldBytes) == range, "a part is served that is not there")
      }
      let allowed = reuse.grant != nil || reuse.freshness.isFresh || reuse.stored.isPart == false
      try require(allowed, "a part is served stale without permission")
    case .validate, .forward, .complete, .resume:
      try require(policy.allowsNetwork, "\(policy) sends something")
      let forbids = CacheControl(of: request.fields).onlyIfCached && policy == .useProtocol
      try require(!forbids, "only-if-cached sends something")
    case .unsatisfiable: break
    }
  }

  private static func check(
    _ conclusion: Conclusion, _ request: Request, _ policy: CachePolicy
  ) throws(Violation) {
    if case .insert(let stored) = conclusion.change {
      try require(policy != .noStore, "no-store stores")
      try require(!CacheControl(of: request.fields).noStore, "a request's no-store stores")
      let held = stored.heldBytes
      try require(held.upperBound >= held.lowerBound, "what is held is negative")
    }
  }
}
