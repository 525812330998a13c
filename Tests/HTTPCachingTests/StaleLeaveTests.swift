import HTTPCaching
import HTTPSemantics
import Testing

@Suite("The user's own leave to serve what is stale")
struct StaleLeaveTests {
  struct Situation: Sendable {
    var response: FieldValue
    var leave: StaleLeave
    var policy = CachePolicy.useProtocol
    var request: Fields = [:]
  }

  /// At 100 seconds, the lifetime being 10.
  private func decision(_ situation: Situation) -> ReuseDecision {
    decideReuse(
      of: .selected(stored(["Cache-Control": situation.response, "ETag": "\"a\""])), for: get(situation.request),
      under: ReuseTerms(situation.policy, leave: situation.leave), at: .at(100))
  }

  static let atOnce: [Row<Situation, Verdict>] = [
    Row(
      "stale while it is validated", Situation(response: "max-age=10", leave: .init(whileRevalidating: .seconds(91))),
      .granted(.staleWhileRevalidate)),
    Row(
      "too stale for that", Situation(response: "max-age=10", leave: .init(whileRevalidating: .seconds(90))),
      .validated(.stale)),
    Row(
      "0 is no leave", Situation(response: "max-age=100", leave: .init(whileRevalidating: .seconds(0))),
      .validated(.stale)),
    Row(
      "however stale", Situation(response: "max-age=10", leave: .init(whileRevalidating: .unlimited)),
      .granted(.staleWhileRevalidate)),
    Row(
      "must-revalidate wins",
      Situation(response: "max-age=10, must-revalidate", leave: .init(whileRevalidating: .unlimited)),
      .validated(.stale)),
    Row(
      "no-cache wins",
      Situation(response: "max-age=1000, no-cache", leave: .init(whileRevalidating: .unlimited)),
      .validated(.stale)),
    Row(
      "the request's no-cache wins",
      Situation(
        response: "max-age=10", leave: .init(whileRevalidating: .unlimited),
        request: ["Cache-Control": "no-cache"]),
      .validated(.request)),
    Row(
      "the policy revalidate wins",
      Situation(
        response: "max-age=10", leave: .init(whileRevalidating: .unlimited), policy: .revalidate),
      .validated(.request)),
    Row(
      "only-if-cached validates nothing later",
      Situation(
        response: "max-age=10", leave: .init(whileRevalidating: .unlimited),
        request: ["Cache-Control": "only-if-cached"]),
      .unsatisfiable(.stale)),
    Row(
      "leave in the case of an error is none before",
      Situation(response: "max-age=10", leave: .init(ifError: .seconds(91))),
      .validated(.stale)),
  ]

  @Test("Nothing is served while it is validated where it cannot be validated later")
  func neverLater() {
    for (response, request, verdict) in [
      ("max-age=10, stale-while-revalidate=1000", [:], .validated(.stale)), ("max-age=10", [:], .validated(.stale)),
      ("max-age=10, stale-while-revalidate=1000", ["Cache-Control": "max-stale"], .granted(.maxStale)),
      ("max-age=1000, stale-while-revalidate=1000", [:], .served),
    ] as [(FieldValue, Fields, Verdict)] {
      let terms = ReuseTerms(.useProtocol, leave: .init(whileRevalidating: .unlimited), revalidatesLater: false)
      let decision = decideReuse(
        of: .selected(stored(["Cache-Control": response, "ETag": "\"a\""])), for: get(request), under: terms,
        at: .at(100))
      #expect(decision.verdict == verdict, "\(response)")
    }
  }

  @Test("What the user gives leave to serve stale is served at once", arguments: atOnce)
  func served(_ row: Row<Situation, Verdict>) {
    #expect(decision(row.subject).verdict == row.outcome)
  }

  static let onError: [Row<Situation, StaleGrant?>] = [
    Row("within it", Situation(response: "max-age=10", leave: .init(ifError: .seconds(91))), .staleIfError),
    Row(
      "beyond it, not even for want of a network",
      Situation(response: "max-age=10", leave: .init(ifError: .seconds(90))), nil),
    Row(
      "however stale", Situation(response: "max-age=10", leave: .init(ifError: .unlimited)),
      .staleIfError),
    Row(
      "the origin's own window counts beside it",
      Situation(response: "max-age=10, stale-if-error=91", leave: .init(ifError: .seconds(1))), .staleIfError),
    Row(
      "must-revalidate wins",
      Situation(response: "max-age=10, must-revalidate", leave: .init(ifError: .unlimited)), nil),
    Row(
      "no-cache wins", Situation(response: "no-cache", leave: .init(ifError: .unlimited)), nil),
    Row(
      "under the policy revalidate, too",
      Situation(response: "max-age=10", leave: .init(ifError: .seconds(91)), policy: .revalidate), .staleIfError),
    Row(
      "it bounds network-first",
      Situation(response: "max-age=10", leave: .init(ifError: .seconds(90)), policy: .networkFirst),
      nil),
    Row(
      "within it, network-first is the user's own policy",
      Situation(response: "max-age=10, must-revalidate", leave: .init(ifError: .seconds(91)), policy: .networkFirst),
      .userPolicy),
    Row(
      "which holds for what is stale",
      Situation(response: "max-age=200", leave: .init(ifError: .seconds(0)), policy: .networkFirst), .userPolicy),
    Row(
      "0 is no leave, not even for what went stale this second",
      Situation(response: "max-age=100", leave: .init(ifError: .seconds(0))), nil),
    Row(
      "nor for a response that is fresh, and to be validated",
      Situation(response: "max-age=200", leave: .init(ifError: .seconds(0)), policy: .revalidate), nil),
    Row(
      "without TIME, network-first has no bound",
      Situation(response: "max-age=10", leave: .init(ifError: .unlimited), policy: .networkFirst),
      .userPolicy),
    Row("without leave, for want of a network only", Situation(response: "max-age=10", leave: .none), .disconnected),
  ]

  @Test("Where the origin fails, what the user gives leave to is served", arguments: onError)
  func failed(_ row: Row<Situation, StaleGrant?>) {
    #expect(decision(row.subject).onError?.grant == row.outcome)
  }

  @Test("Cache explain names the leave that the user gives")
  func explained() {
    let leave = StaleLeave(ifError: .seconds(5), whileRevalidating: .unlimited)
    let explanation = Explanation(of: .uriMiss, for: get(), under: ReuseTerms(.useProtocol, leave: leave), at: .at(0))
    let sentences = explanation.findings.map(\.sentence)
    #expect(sentences.contains("it may be stale, however long, while it is validated"))
    #expect(sentences.contains("it may be stale for 5 s where the origin fails"))
  }
}
