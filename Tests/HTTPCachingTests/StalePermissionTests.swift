import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("The user's permission to serve stale responses")
struct StalePermissionTests {
  struct Situation: Sendable {
    var response: FieldValue
    var permission: StalePermission
    var policy = CachePolicy.useProtocol
    var request: Fields = [:]
  }

  /// The decision at 100 seconds.
  private func decision(_ situation: Situation) -> ReuseDecision {
    decideReuse(
      of: .selected(stored(["Cache-Control": situation.response, "ETag": "\"a\""])), for: get(situation.request),
      under: ReuseTerms(situation.policy, stalePermission: situation.permission), at: .at(100))
  }

  static let atOnce: [Row<Situation, Verdict>] = [
    Row(
      "stale for less than permitted is served and validated later",
      Situation(response: "max-age=10", permission: .init(whileRevalidating: .seconds(91))),
      .granted(.staleWhileRevalidate)),
    Row(
      "stale for as long as permitted is validated first",
      Situation(response: "max-age=10", permission: .init(whileRevalidating: .seconds(90))),
      .validated(.stale)),
    Row(
      "a permission of 0 permits nothing",
      Situation(response: "max-age=100", permission: .init(whileRevalidating: .seconds(0))),
      .validated(.stale)),
    Row(
      "an unlimited permission serves however stale",
      Situation(response: "max-age=10", permission: .init(whileRevalidating: .unlimited)),
      .granted(.staleWhileRevalidate)),
    Row(
      "must-revalidate overrides the permission",
      Situation(response: "max-age=10, must-revalidate", permission: .init(whileRevalidating: .unlimited)),
      .validated(.stale)),
    Row(
      "no-cache overrides the permission",
      Situation(response: "max-age=1000, no-cache", permission: .init(whileRevalidating: .unlimited)),
      .validated(.stale)),
    Row(
      "the request's no-cache overrides the permission",
      Situation(
        response: "max-age=10", permission: .init(whileRevalidating: .unlimited),
        request: ["Cache-Control": "no-cache"]),
      .validated(.request)),
    Row(
      "the policy revalidate overrides the permission",
      Situation(
        response: "max-age=10", permission: .init(whileRevalidating: .unlimited), policy: .revalidate),
      .validated(.request)),
    Row(
      "only-if-cached forbids it, because nothing may be sent later",
      Situation(
        response: "max-age=10", permission: .init(whileRevalidating: .unlimited),
        request: ["Cache-Control": "only-if-cached"]),
      .unsatisfiable(.stale)),
    Row(
      "a permission for errors does not count without an error",
      Situation(response: "max-age=10", permission: .init(ifError: .seconds(91))),
      .validated(.stale)),
  ]

  @Test("Where no later validation is possible, stale-while-revalidate and the user's permission for it do not count")
  func neverLater() {
    for (response, request, verdict) in [
      ("max-age=10, stale-while-revalidate=1000", [:], .validated(.stale)), ("max-age=10", [:], .validated(.stale)),
      ("max-age=10, stale-while-revalidate=1000", ["Cache-Control": "max-stale"], .granted(.maxStale)),
      ("max-age=1000, stale-while-revalidate=1000", [:], .served),
    ] as [(FieldValue, Fields, Verdict)] {
      var terms = ReuseTerms(.useProtocol, stalePermission: .init(whileRevalidating: .unlimited))
      terms.revalidatesLater = false
      let decision = decideReuse(
        of: .selected(stored(["Cache-Control": response, "ETag": "\"a\""])), for: get(request), under: terms,
        at: .at(100))
      #expect(decision.verdict == verdict, "\(response)")
    }
  }

  @Test("A stale response is served at once if the user permits it while it is validated", arguments: atOnce)
  func served(_ row: Row<Situation, Verdict>) {
    #expect(decision(row.subject).verdict == row.outcome)
  }

  static let onError: [Row<Situation, StaleGrant?>] = [
    Row(
      "stale for less than permitted is served",
      Situation(response: "max-age=10", permission: .init(ifError: .seconds(91))), .staleIfError),
    Row(
      "stale for as long as permitted is not, even without a network",
      Situation(response: "max-age=10", permission: .init(ifError: .seconds(90))), nil),
    Row(
      "an unlimited permission serves however stale",
      Situation(response: "max-age=10", permission: .init(ifError: .unlimited)),
      .staleIfError),
    Row(
      "the origin's own stale-if-error counts, too",
      Situation(response: "max-age=10, stale-if-error=91", permission: .init(ifError: .seconds(1))), .staleIfError),
    Row(
      "must-revalidate overrides the permission",
      Situation(response: "max-age=10, must-revalidate", permission: .init(ifError: .unlimited)), nil),
    Row(
      "no-cache overrides the permission",
      Situation(response: "no-cache", permission: .init(ifError: .unlimited)), nil),
    Row(
      "it counts under the policy revalidate, too",
      Situation(response: "max-age=10", permission: .init(ifError: .seconds(91)), policy: .revalidate), .staleIfError),
    Row(
      "it bounds the policy network-first",
      Situation(response: "max-age=10", permission: .init(ifError: .seconds(90)), policy: .networkFirst),
      nil),
    Row(
      "within it, network-first overrides must-revalidate",
      Situation(
        response: "max-age=10, must-revalidate", permission: .init(ifError: .seconds(91)), policy: .networkFirst),
      .userPolicy),
    Row(
      "the bound does not concern a fresh response",
      Situation(response: "max-age=200", permission: .init(ifError: .seconds(0)), policy: .networkFirst), .userPolicy),
    Row(
      "a permission of 0 does not serve what went stale this second",
      Situation(response: "max-age=100", permission: .init(ifError: .seconds(0))), nil),
    Row(
      "a permission of 0 does not serve what is fresh",
      Situation(response: "max-age=200", permission: .init(ifError: .seconds(0)), policy: .revalidate), nil),
    Row(
      "an unlimited permission does not bound network-first",
      Situation(response: "max-age=10", permission: .init(ifError: .unlimited), policy: .networkFirst),
      .userPolicy),
    Row(
      "without it, a disconnection alone permits it", Situation(response: "max-age=10", permission: .none),
      .disconnected),
  ]

  @Test("If the origin fails, a stale response is served if the user permits it", arguments: onError)
  func failed(_ row: Row<Situation, StaleGrant?>) {
    #expect(decision(row.subject).onError?.grant == row.outcome)
  }

  @Test("cache explain names the permissions that the user gives")
  func explained() {
    let permission = StalePermission(ifError: .seconds(5), whileRevalidating: .unlimited)
    let terms = ReuseTerms(.useProtocol, stalePermission: permission)
    let explanation = Explanation(of: .uriMiss, for: get(), under: terms, at: .at(0))
    let sentences = explanation.findings.map(\.sentence)
    #expect(sentences.contains("the response may be stale for any time while it is validated"))
    #expect(sentences.contains("the response may be stale for 5 s if the origin fails"))
  }
}
