import HTTPCaching
import HTTPSemantics
import Testing

/// All combinations of what can be asked, stored and answered, held against what must always be true.
@Suite("Invariants over all combinations")
struct InvariantTests {
  struct Situation: CustomStringConvertible {
    let request: Request
    let stored: StoredResponse?
    let policy: CachePolicy
    let now: Int64

    var selection: Selection { stored.map(Selection.selected) ?? .uriMiss }
    var directives: CacheControl { CacheControl(of: request.fields) }
    var decision: ReuseDecision { decideReuse(of: selection, for: request, under: policy, at: .at(now)) }

    var description: String {
      "\(request) under \(policy.rawValue) at +\(now), stored: \(stored?.fields.lines ?? [])"
    }

    func conclusion(on outcome: Outcome) -> Conclusion {
      conclude(decision, outcome, for: request, selection, under: policy, key: .example, concealing: conceal)
    }
  }

  static let requestDirectives: [FieldValue?] = [
    nil, "no-cache", "no-store", "only-if-cached", "max-age=20", "max-stale", "max-stale=5", "min-fresh=20",
    "stale-if-error=1000", "stale-if-error=5", "max-age=0, max-stale", "only-if-cached, max-stale=5",
  ]
  static let requestConditions: [Fields] = [
    [:], ["If-None-Match": "\"a\""], ["Range": "bytes=0-9"], ["If-Match": "\"a\""],
  ]
  static let moments: [Int64] = [-5, 10, 40]

  static let responses: [StoredResponse?] = {
    let lifetimes: [FieldValue] = ["max-age=0", "max-age=30", "max-age=x"]
    let directives: [FieldValue?] = [
      nil, "no-cache", "must-revalidate, stale-if-error=50", "immutable, stale-if-error=50",
      "no-cache, stale-if-error=50, stale-while-revalidate=50",
    ]
    let controlled = lifetimes.flatMap { lifetime in
      directives.map { directive in
        let lines = [lifetime, directive].compactMap { $0 }.map { Field(.cacheControl, $0) }
        return stored(Fields(lines + [Field(.etag, "\"a\"")]))
      }
    }
    return controlled + otherResponses
  }()

  static let otherResponses: [StoredResponse?] = [
    nil, stored([:]), stored(["Last-Modified": .date(-1000)]), stored(["Cache-Control": "max-age=30"]),
    stored(["Cache-Control": "max-age=30", "ETag": "\"a\""], isDoubtful: true),
    stored(["Cache-Control": "max-age=30"], status: 404),
    stored(["Cache-Control": "max-age=30", "ETag": "\"a\"", "Vary": "Accept"], varying: [.accept]),
    stored(["Cache-Control": "max-age=30, stale-if-error=50", "ETag": "\"a\""]),
    part(["Cache-Control": "max-age=30", "ETag": "\"a\""]), part(["Cache-Control": "max-age=30"], 0..<5),
    part(["Cache-Control": "max-age=30, stale-if-error=50", "ETag": "\"a\""], 0..<20, of: nil),
    part(["Cache-Control": "max-age=30, no-cache", "ETag": "\"a\""], 5..<50),
  ]

  static let answers: [Answer] = [
    answer(200, ["Cache-Control": "max-age=30"], at: 600), answer(200, ["Cache-Control": "no-store"], at: 600),
    answer(200, ["Cache-Control": "no-store, must-understand, max-age=9"], at: 600),
    answer(200, ["Vary": "*", "ETag": "\"a\""], at: 600), answer(206, ["Content-Range": "bytes 0-9/100"], at: 600),
    answer(206, ["Content-Range": "bytes 40-99/100", "ETag": "\"a\""], at: 600),
    answer(206, ["Content-Range": "bytes 40-99/100", "ETag": "\"z\""], at: 600),
    answer(206, ["Content-Range": "bytes 20-99/100", "ETag": "\"a\"", "Cache-Control": "no-store"], at: 600),
    answer(200, ["Cache-Control": "max-age=30", "Content-Location": "/a?b"], at: 600),
    answer(200, ["Cache-Control": "max-age=30", "Content-Length": "100", "Age": "7;x"], at: 600),
    answer(302, at: 600), answer(304, at: 600), answer(304, ["ETag": "\"a\""], at: 600),
    answer(304, ["ETag": "\"z\""], at: 600), answer(304, ["ETag": "\"a\"", "Cache-Control": "no-store"], at: 600),
    answer(404, at: 600), answer(412, ["Cache-Control": "max-age=30"], at: 600),
    answer(416, ["Cache-Control": "max-age=30"], at: 600), answer(503, ["Cache-Control": "max-age=30"], at: 600),
    answer(599, ["Cache-Control": "must-understand, max-age=30"], at: 600),
    answer(200, ["Cache-Control": "max-age=30"], at: 600, isSound: false),
  ]

  static func requests(_ method: Method, _ directives: [FieldValue?]) -> [Request] {
    directives.flatMap { directives in
      requestConditions.map { condition in
        let control = directives.map { [Field(.cacheControl, $0)] } ?? []
        return Request(method, .example, fields: Fields(control + condition.lines))
      }
    }
  }

  /// Records a handful of the situations about which `complaint` has something to say.
  private func forAll(
    _ policy: CachePolicy, _ requests: [Request], _ responses: [StoredResponse?], at moments: [Int64],
    _ complaint: (Situation) -> String?
  ) {
    var broken = 0
    for request in requests {
      for response in responses {
        for now in moments {
          let situation = Situation(request: request, stored: response, policy: policy, now: now)
          guard let complaint = complaint(situation) else { continue }
          broken += 1
          if broken <= 5 { Issue.record(Comment(rawValue: "\(complaint): \(situation)")) }
        }
      }
    }
    #expect(broken == 0)
  }

  @Test("Deciding", arguments: CachePolicy.allCases, [Method.get, .head, .post])
  func decisions(_ policy: CachePolicy, _ method: Method) {
    let requests = Self.requests(method, Self.requestDirectives)
    forAll(policy, requests, Self.responses, at: Self.moments) { situation in
      let decision = situation.decision
      for reuse in [decision.reuse, decision.onError].compactMap({ $0 }) {
        if let complaint = Self.complaint(about: reuse, in: situation) { return complaint }
      }
      return Self.complaint(about: decision, in: situation) ?? Self.complaintAboutFresh(decision, in: situation)
    }
  }

  private static func complaint(about decision: ReuseDecision, in situation: Situation) -> String? {
    let (directives, policy, method) = (situation.directives, situation.policy, situation.request.method)
    if decision.sent != nil, directives.onlyIfCached || !policy.allowsNetwork { return "sent, and nothing may be" }
    if let sent = decision.sent, sent.method != method { return "another method is sent" }
    if [.reload, .reloadAll].contains(policy) {
      switch decision {
      case .serve, .validate, .complete: return "a reload is served or made conditional"
      case .unsatisfiable: if !directives.onlyIfCached { return "a reload is not forwarded" }
      case .forward, .resume: break
      }
    }
    if policy == .noStore || directives.noStore || ![.get, .head].contains(method) {
      switch decision {
      case .serve, .validate, .complete: return "what passes the cache by is served or validated"
      case .forward, .resume, .unsatisfiable:
        if decision.onError != nil { return "what passes the cache by has a fallback" }
      }
    }
    if case .complete(let stored, let sent) = decision {
      if stored != situation.stored || stored.extent == .whole { return "what is not the stored part is continued" }
      if !sent.fields.contains(.ifRange) { return "a part is continued without If-Range" }
    }
    if case .validate(let stored, let sent, _, _) = decision {
      if method != .get || !situation.request.fields.lines.allSatisfy({ sent.fields.lines.contains($0) }) {
        return "a validation loses a field or is no GET"
      }
      if stored != situation.stored { return "another response is validated" }
    }
    return nil
  }

  private static func complaint(about reuse: Reuse, in situation: Situation) -> String? {
    let freshness = Freshness(of: reuse.stored, at: .at(situation.now))
    let response = reuse.stored.cacheControl
    if reuse.stored != situation.stored { return "another response is served" }
    if reuse.freshness != freshness { return "another freshness is reported" }
    if !freshness.isFresh, reuse.grant == nil { return "stale without a grant" }
    if response.noCache, reuse.grant == nil { return "not validated, and no grant" }
    if response.noCache || response.mustRevalidate && !freshness.isFresh, reuse.grant != .userPolicy {
      return "served against a prohibition that nobody overruled by name"
    }
    if reuse.grant == .userPolicy, ![.cacheElseLoad, .cacheOnly, .networkFirst].contains(situation.policy) {
      return "a leave that the user did not give"
    }
    if reuse.grant == .userPolicy, situation.policy == .networkFirst,
      let bound = situation.directives.staleIfError.seconds, !freshness.isFresh, freshness.staleness >= bound
    {
      return "staler than the user takes it"
    }
    if reuse.grant == .disconnected, ![.cacheOnlyStrict, .useProtocol].contains(situation.policy) {
      return "disconnected by a policy that has an order of its own"
    }
    if reuse.grant == .maxStale, situation.directives.maxStale == nil { return "max-stale out of nothing" }
    if case .part(let range) = reuse.form {
      if range.clamped(to: reuse.stored.heldBytes) != range { return "a part beyond what is there" }
    } else if reuse.stored.isPart {
      return "a part in the place of the whole"
    }
    return nil
  }

  /// Under `protocol`, without a word against it, a fresh stored response answers GET and HEAD.
  private static func complaintAboutFresh(_ decision: ReuseDecision, in situation: Situation) -> String? {
    guard situation.policy == .useProtocol, [.get, .head].contains(situation.request.method),
      !situation.request.fields.contains(.cacheControl), !situation.request.fields.contains(.ifMatch),
      let stored = situation.stored, !stored.isPart, !stored.cacheControl.noCache,
      Freshness(of: stored, at: .at(situation.now)).isFresh
    else { return nil }
    return decision.reuse?.grant == nil && decision.reuse != nil ? nil : "fresh, and not served"
  }

  @Test("Concluding on an answer", arguments: CachePolicy.allCases, [Method.get, .head, .post])
  func conclusions(_ policy: CachePolicy, _ method: Method) {
    let requests = Self.requests(method, [nil, "no-store", "max-stale=5"])
    forAll(policy, requests, Self.otherResponses, at: [40]) { situation in
      if situation.decision.sent == nil { return nil }
      for came in Self.answers {
        let conclusion = situation.conclusion(on: .answer(came))
        let complaint =
          Self.complaint(aboutChange: conclusion.change, after: came, in: situation)
          ?? Self.complaint(aboutDelivery: conclusion, after: came, in: situation)
        if let complaint { return "\(complaint), after \(came.response.status) \(came.response.fields.lines)" }
      }
      return nil
    }
  }

  private static func complaint(
    aboutChange change: Conclusion.Change, after came: Answer, in situation: Situation
  ) -> String? {
    let answered = CacheControl(of: came.response.fields)
    let status = came.response.status
    if let inserted = change.inserted {
      if ![.get, .post].contains(situation.request.method) { return "stored, and no GET" }
      if situation.request.method == .post, came.response.fields[.contentLocation] == nil {
        return "stored for GET, and a POST's own"
      }
      if situation.policy == .noStore || situation.directives.noStore { return "stored against the request's word" }
      if answered.noStore && !answered.mustUnderstand { return "stored against no-store" }
      if answered.mustUnderstand && !status.isUnderstood { return "stored without understanding" }
      if [304, 412, 416].contains(status.rawValue) { return "stored, and no answer to any other request" }
      if !came.isSoundlyFramed { return "stored, and of doubtful framing" }
      if Vary(of: came.response.fields) == .anything { return "stored, and never to be selected" }
      if status == 206 { return complaint(aboutPart: inserted, in: situation) }
      if inserted.response.status != status { return "stored under another status" }
      // What was just stored answers the same request, if it is fresh for any time at all.
      let freshness = Freshness(of: inserted, at: came.responseTime)
      let again = decideReuse(of: .selected(inserted), for: get(), under: .useProtocol, at: came.responseTime)
      if freshness.isFresh, again.verdict != .served { return "stored and fresh, and not served" }
    }
    if change.isRemoval, situation.policy == .noStore || situation.directives.noStore { return "removed in passing by" }
    if let freshened = change.freshened {
      if !situation.request.method.isSafe { return "freshened by what is unsafe" }
      if situation.policy == .noStore || situation.directives.noStore { return "freshened against the request's word" }
      if answered.noStore && !answered.mustUnderstand { return "freshened against no-store" }
      if freshened.contentLength != situation.stored?.contentLength { return "freshened, and of another length" }
      if freshened.response.status != situation.stored?.response.status { return "freshened into another status" }
    }
    return nil
  }

  /// What a 206 leaves has the head of the whole, and is a part unless it is the end of one.
  private static func complaint(aboutPart inserted: StoredResponse, in situation: Situation) -> String? {
    if inserted.response.status != 200 || inserted.fields.contains(.contentRange) { return "a part with its own head" }
    if inserted.isPart { return situation.request.fields.contains(.range) ? nil : "an unasked part is stored" }
    guard case .complete(let part, _) = situation.decision else { return "a part is stored as a whole" }
    return part.fields[.etag] == inserted.fields[.etag] ? nil : "parts of two representations are joined"
  }

  private static func complaint(
    aboutDelivery conclusion: Conclusion, after came: Answer, in situation: Situation
  ) -> String? {
    let status = came.response.status
    let isInvalidating = !situation.request.method.isSafe && (200..<400).contains(status.rawValue)
    if conclusion.invalidated.contains(.example) != isInvalidating { return "invalidation is wrong" }
    switch conclusion.delivery {
    case .failure:
      return "an answer is a failure"
    case .answer:
      // A 304 reaches only who asked a question that it answers, or whom the cache did not speak for.
      if case .validate = situation.decision, status == 304 {
        return "a 304 to a condition of the cache's is delivered"
      }
    case .joined(let whole):
      guard case .complete(let part, _) = situation.decision, status == 206 else { return "joined with nothing" }
      if whole.isPart || part.fields[.etag] != came.response.fields[.etag] { return "wrongly joined" }
    case .unconditionalRequest:
      switch situation.decision {
      case .validate where status == 304: break
      case .complete where [206, 304, 416].contains(status): break
      default: return "asked again without need"
      }
    case .stored(let reuse):
      if status == 304 {
        guard case .validate(let stored, _, _, _) = situation.decision else {
          return "a stored body for the user's 304"
        }
        if came.response.fields[.etag] == "\"z\"" { return "a 304 about something else delivers the stored body" }
        if reuse.stored.contentLength != stored.contentLength { return "another body" }
      } else if reuse != situation.decision.onError || status != 503 {
        return "a stored response in place of an answer"
      }
    }
    return nil
  }

  @Test("Concluding on a failure", arguments: CachePolicy.allCases, [Method.get, .head, .post])
  func failures(_ policy: CachePolicy, _ method: Method) {
    let requests = Self.requests(method, [nil, "no-cache", "stale-if-error=1000"])
    forAll(policy, requests, Self.responses, at: [10, 40]) { situation in
      let decision = situation.decision
      if decision.sent == nil { return nil }
      let conclusion = situation.conclusion(on: .failure)
      if conclusion.change != .none(.incomplete) || !conclusion.invalidated.isEmpty {
        return "a failure changes something"
      }
      guard let reuse = decision.onError else {
        return conclusion.delivery == .failure ? nil : "a failure is served without a grant"
      }
      if reuse.grant == nil { return "a fallback without a grant" }
      if situation.conclusion(on: .disconnected).delivery != .stored(reuse) { return "the fallback is not served" }
      // Who was answered, however badly, is not disconnected.
      let expected = reuse.grant == .disconnected ? Conclusion.Delivered.failure : .stored(reuse)
      return conclusion.delivery == expected ? nil : "the fallback is for something else"
    }
  }
}
