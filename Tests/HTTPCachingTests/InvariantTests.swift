import HTTPCaching
import HTTPSemantics
import Testing

/// Checks the invariants for all combinations of requests, stored responses and answers.
@Suite("Invariants over all combinations")
struct InvariantTests {
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

  static let answers: [Came] = [
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
    answer(429, ["Cache-Control": "max-age=30"], at: 600),
    answer(416, ["Cache-Control": "max-age=30"], at: 600), answer(503, ["Cache-Control": "max-age=30"], at: 600),
    answer(599, ["Cache-Control": "must-understand, max-age=30"], at: 600),
    answer(200, ["Cache-Control": "max-age=30"], at: 600, isSound: false),
  ].map(Came.init)

  static func requests(_ method: Method, _ directives: [FieldValue?]) -> [Request] {
    directives.flatMap { directives in
      requestConditions.map { condition in
        let control = directives.map { [Field(.cacheControl, $0)] } ?? []
        return Request(method, .example, fields: Fields(control + condition.lines))
      }
    }
  }

  private func forAll(
    _ policy: CachePolicy, _ requests: [Request], _ responses: [StoredResponse?], at moments: [Int64],
    _ body: (Situation) -> Void
  ) {
    for request in requests {
      let directives = CacheControl(of: request.fields)
      for response in responses {
        for now in moments { body(Situation(request, directives, response, policy, at: now)) }
      }
    }
  }

  @Test("No decision breaks an invariant", arguments: CachePolicy.allCases, [Method.get, .head, .post])
  func decisions(_ policy: CachePolicy, _ method: Method) {
    var (decided, served) = (Breaches(of: Invariants.ofDecision), Breaches(of: Invariants.ofServed))
    forAll(policy, Self.requests(method, Self.requestDirectives), Self.responses, at: Self.moments) { situation in
      decided.check(situation)
      for reuse in [situation.decision.reuse, situation.decision.onError].compactMap({ $0 }) {
        served.check(Served(reuse, in: situation))
      }
    }
    decided.record()
    served.record()
  }

  @Test(
    "No conclusion from an answer breaks an invariant", arguments: CachePolicy.allCases, [Method.get, .head, .post])
  func conclusions(_ policy: CachePolicy, _ method: Method) {
    var concluded = Breaches(of: Invariants.ofChange + Invariants.ofDelivery)
    let requests = Self.requests(method, [nil, "no-store", "max-stale=5"])
    forAll(policy, requests, Self.otherResponses, at: [40]) { situation in
      if situation.decision.sent == nil { return }
      for came in Self.answers {
        let conclusion = situation.conclusion(on: .answer(came.answer))
        concluded.check(Concluded(conclusion: conclusion, came: came, situation: situation))
      }
    }
    concluded.record()
  }

  @Test(
    "No conclusion from a failure breaks an invariant", arguments: CachePolicy.allCases, [Method.get, .head, .post])
  func failures(_ policy: CachePolicy, _ method: Method) {
    var failed = Breaches(of: Invariants.ofFailure)
    let requests = Self.requests(method, [nil, "no-cache", "stale-if-error=1000"])
    forAll(policy, requests, Self.responses, at: [10, 40]) { situation in
      if situation.decision.sent != nil { failed.check(Failed(in: situation)) }
    }
    failed.record()
  }
}
