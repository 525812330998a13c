import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Collapsing of requests: RFC 9111 section 4")
struct CollapsingTests {
  /// A request at 100 seconds; the stored response, if there is one, came at 0.
  struct Case: Sendable {
    var request = get()
    var stored: StoredResponse?
    var policy = CachePolicy.useProtocol
    var scope = CollapsingScope.everybody
  }

  private static let stale = stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])

  static let cases: [Row<Case, Bool>] = [
    Row("a request for an absent response may wait", Case(), true),
    Row("a request for a stale response may wait", Case(stored: stale), true),
    Row(
      "a request for a stale response without validator may wait",
      Case(stored: stored(["Cache-Control": "max-age=60"])),
      true),
    Row(
      "a request that would continue a stored part may wait",
      Case(stored: part(["Cache-Control": "max-age=60", "ETag": "\"a\""])), true),
    Row(
      "a request that is served from the store does not wait", Case(stored: stored(["Cache-Control": "max-age=600"])),
      false),
    Row(
      "a request that is served a stale response does not wait",
      Case(stored: stored(["Cache-Control": "max-age=60, stale-while-revalidate=60"])), false),
    Row(
      "a request that may not ask the origin does not wait", Case(request: get(["Cache-Control": "only-if-cached"])),
      false),
    Row(
      "a response with no-cache is validated by each run itself",
      Case(stored: stored(["Cache-Control": "no-cache", "ETag": "\"a\""])), false),
    Row(
      "a response that is never fresh is validated by each run itself",
      Case(stored: stored(["Cache-Control": "max-age=0", "ETag": "\"a\""])), false),
    Row(
      "requests of one run share the validation of a response that is never fresh",
      Case(stored: stored(["Cache-Control": "max-age=0", "ETag": "\"a\""]), scope: .run), true),
    Row(
      "requests of one run do not share it if must-revalidate prohibits that",
      Case(stored: stored(["Cache-Control": "max-age=0, must-revalidate", "ETag": "\"a\""]), scope: .run), false),
    Row(
      "requests of one run do not share the validation of a response with no-cache",
      Case(stored: stored(["Cache-Control": "no-cache", "ETag": "\"a\""]), scope: .run), false),
    Row("a query may wait", Case(request: Request(.query, .example, fields: [:])), true),
    Row("a HEAD does not wait, because it stores nothing", Case(request: head()), false),
    Row("a POST does not wait, because it is not answered from the store", Case(request: post()), false),
    Row("a Range request does not wait", Case(request: get(["Range": "bytes=0-1"])), false),
    Row("a request with If-None-Match does not wait", Case(request: get(["If-None-Match": "\"a\""])), false),
    Row("a request with If-Match does not wait", Case(request: get(["If-Match": "\"a\""])), false),
    Row("a request with no-cache does not wait", Case(request: get(["Cache-Control": "no-cache"])), false),
    Row("a request with Pragma: no-cache does not wait", Case(request: get(["Pragma": "no-cache"])), false),
    Row("a request with no-store does not wait", Case(request: get(["Cache-Control": "no-store"])), false),
    Row(
      "a request with max-age never waits", Case(request: get(["Cache-Control": "max-age=50"]), stored: stale), false),
    Row("the policy cache-else-load may wait", Case(policy: .cacheElseLoad), true),
    Row("the policy reload does not wait", Case(policy: .reload), false),
    Row("the policy reload-all does not wait", Case(policy: .reloadAll), false),
    Row("the policy revalidate does not wait", Case(stored: stale, policy: .revalidate), false),
    Row("the policy network-first does not wait", Case(policy: .networkFirst), false),
    Row("the policy no-store does not wait", Case(policy: .noStore), false),
    Row("the policy cache-only does not wait", Case(policy: .cacheOnly), false),
  ]

  @Test("A request waits for another run's answer only if it could use that answer", arguments: cases)
  func waiting(_ row: Row<Case, Bool>) {
    let (subject, now) = (row.subject, Timestamp.at(100))
    let selection = subject.stored.map(Selection.selected) ?? .uriMiss
    let decision = decideReuse(of: selection, for: subject.request, under: ReuseTerms(subject.policy), at: now)
    #expect(
      decision.mayCollapse(for: subject.request, selection, under: subject.policy, among: subject.scope)
        == row.outcome)
  }

  @Test("A request for a variant that is not stored may wait for another run's answer")
  func otherVariant() {
    let decision = decideReuse(of: .varyMiss, for: get(), under: ReuseTerms(.useProtocol), at: .start)
    #expect(decision.forwardReason == .varyMiss)
    #expect(decision.mayCollapse(for: get(), .varyMiss, under: .useProtocol, among: .everybody))
  }

  struct Answered: Sendable {
    let answer: Answer
    let stored: StoredResponse?
    let policy: CachePolicy
    let scope: CollapsingScope

    init(
      _ answer: Answer, _ stored: StoredResponse?, _ policy: CachePolicy, among scope: CollapsingScope = .everybody
    ) {
      (self.answer, self.stored, self.policy, self.scope) = (answer, stored, policy, scope)
    }
  }

  static let answers: [Row<Answered, Bool>] = [
    Row(
      "an answer that will be fresh is worth waiting for",
      Answered(answer(200, ["Cache-Control": "max-age=60"]), nil, .useProtocol), true
    ),
    Row(
      "an answer that can be validated is worth waiting for",
      Answered(answer(200, ["Cache-Control": "no-cache", "ETag": "\"a\""]), nil, .useProtocol), true
    ),
    Row(
      "an answer that is not stored is not worth waiting for",
      Answered(answer(200, ["Cache-Control": "no-store"]), nil, .useProtocol), false),
    Row("an error that is not stored is not worth waiting for", Answered(answer(500), nil, .useProtocol), false),
    Row("an answer without lifetime and validator is not", Answered(answer(200), nil, .useProtocol), false),
    Row(
      "requests of one run share an answer without lifetime and validator",
      Answered(answer(200), nil, .useProtocol, among: .run), true),
    Row(
      "requests of one run do not share it if must-revalidate prohibits that",
      Answered(answer(200, ["Cache-Control": "must-revalidate"]), nil, .useProtocol, among: .run), false),
    Row(
      "a stream of events is not worth waiting for, because it does not end",
      Answered(
        answer(200, ["Cache-Control": "max-age=60", "Content-Type": "Text/Event-Stream; charset=utf-8"]), nil,
        .useProtocol), false),
    Row(
      "requests of one run do not wait for parts of which each replaces the one before",
      Answered(
        answer(200, ["ETag": "\"a\"", "Content-Type": "multipart/x-mixed-replace;boundary=b"]), nil, .useProtocol,
        among: .run), false),
    Row(
      "an answer of another multipart type is worth waiting for",
      Answered(answer(200, ["ETag": "\"a\"", "Content-Type": "multipart/mixed; boundary=b"]), nil, .useProtocol), true),
    Row(
      "under cache-else-load an answer of any age is worth waiting for", Answered(answer(200), nil, .cacheElseLoad),
      true),
    Row(
      "a 304 that freshens the stored response is worth waiting for",
      Answered(answer(304, at: 100), stale, .useProtocol), true),
    Row(
      "a 304 with another tag is, because a full answer follows",
      Answered(answer(304, ["ETag": "\"b\""], at: 100), stale, .useProtocol), true),
    Row(
      "an answer that removes the stored response is not",
      Answered(answer(404, ["Cache-Control": "no-store"], at: 100), stale, .useProtocol), false),
  ]

  @Test("An answer that is stored tells its length by Content-Length alone")
  func length() {
    let fields: Fields = ["Cache-Control": "max-age=60"]
    #expect(!conclude(get(), nil, answer(200, fields)).tellsLength)
    #expect(conclude(get(), nil, answer(200, ["Cache-Control": "max-age=60", "Content-Length": "4"])).tellsLength)
    #expect(conclude(get(), Self.stale, answer(304, at: 100), at: 100).tellsLength)
  }

  @Test("Waiting requests go on waiting if the answer will be usable for them", arguments: answers)
  func awaited(_ row: Row<Answered, Bool>) {
    let subject = row.subject
    let conclusion = conclude(get(), subject.stored, subject.answer, subject.policy, at: 100)
    #expect(conclusion.isAwaited(under: subject.policy, among: subject.scope) == row.outcome)
  }
}
