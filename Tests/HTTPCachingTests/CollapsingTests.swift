import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Collapsing of requests: RFC 9111 section 4")
struct CollapsingTests {
  /// A hundred seconds after the stored response came, where there is one.
  struct Case: Sendable {
    var request = get()
    var stored: StoredResponse?
    var policy = CachePolicy.useProtocol
    var scope = CollapsingScope.everybody
  }

  private static let stale = stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])

  static let cases: [Row<Case, Bool>] = [
    Row("who wants what is absent may wait", Case(), true),
    Row("who wants what is stale may wait", Case(stored: stale), true),
    Row(
      "who wants what is stale and has no validator may wait", Case(stored: stored(["Cache-Control": "max-age=60"])),
      true),
    Row(
      "who wants the rest of a part may wait",
      Case(stored: part(["Cache-Control": "max-age=60", "ETag": "\"a\""])), true),
    Row("who is served does not wait", Case(stored: stored(["Cache-Control": "max-age=600"])), false),
    Row(
      "who is served stale does not wait",
      Case(stored: stored(["Cache-Control": "max-age=60, stale-while-revalidate=60"])), false),
    Row("who may not ask does not wait", Case(request: get(["Cache-Control": "only-if-cached"])), false),
    Row(
      "what must be validated each time is validated side by side",
      Case(stored: stored(["Cache-Control": "no-cache", "ETag": "\"a\""])), false),
    Row(
      "what never is fresh is validated side by side",
      Case(stored: stored(["Cache-Control": "max-age=0", "ETag": "\"a\""])), false),
    Row(
      "but once for all requests of a run",
      Case(stored: stored(["Cache-Control": "max-age=0", "ETag": "\"a\""]), scope: .run), true),
    Row(
      "if that is not prohibited",
      Case(stored: stored(["Cache-Control": "max-age=0, must-revalidate", "ETag": "\"a\""]), scope: .run), false),
    Row(
      "or must be validated each time",
      Case(stored: stored(["Cache-Control": "no-cache", "ETag": "\"a\""]), scope: .run), false),
    Row("a query may wait", Case(request: Request(.query, .example, fields: [:])), true),
    Row("a HEAD brings nothing into the store", Case(request: head()), false),
    Row("a POST is not answered from the store", Case(request: post()), false),
    Row("a range is for who asks for it", Case(request: get(["Range": "bytes=0-1"])), false),
    Row("so is the answer to If-None-Match", Case(request: get(["If-None-Match": "\"a\""])), false),
    Row("so is the answer to If-Match", Case(request: get(["If-Match": "\"a\""])), false),
    Row("who asks for validation gets it", Case(request: get(["Cache-Control": "no-cache"])), false),
    Row("in the words of HTTP/1.0 too", Case(request: get(["Pragma": "no-cache"])), false),
    Row("who does not want to be stored asks alone", Case(request: get(["Cache-Control": "no-store"])), false),
    Row("who wants it young asks alone", Case(request: get(["Cache-Control": "max-age=50"]), stored: stale), false),
    Row("who takes what is stored may wait for it", Case(policy: .cacheElseLoad), true),
    Row("who reloads does not wait", Case(policy: .reload), false),
    Row("nor who reloads from the origin itself", Case(policy: .reloadAll), false),
    Row("nor who validates", Case(stored: stale, policy: .revalidate), false),
    Row("nor who asks the network first", Case(policy: .networkFirst), false),
    Row("nor who has no cache", Case(policy: .noStore), false),
    Row("nor who is offline", Case(policy: .cacheOnly), false),
  ]

  @Test("Who may wait for another's answer", arguments: cases)
  func waiting(_ row: Row<Case, Bool>) {
    let (subject, now) = (row.subject, Timestamp.at(100))
    let selection = subject.stored.map(Selection.selected) ?? .uriMiss
    let decision = decideReuse(of: selection, for: subject.request, under: ReuseTerms(subject.policy), at: now)
    #expect(
      decision.mayCollapse(for: subject.request, selection, under: subject.policy, among: subject.scope)
        == row.outcome)
  }

  @Test("What is stored for other request fields may be waited for")
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
      "what will be fresh is worth waiting for",
      Answered(answer(200, ["Cache-Control": "max-age=60"]), nil, .useProtocol), true
    ),
    Row(
      "what can be validated is",
      Answered(answer(200, ["Cache-Control": "no-cache", "ETag": "\"a\""]), nil, .useProtocol), true
    ),
    Row("what is not stored is not", Answered(answer(200, ["Cache-Control": "no-store"]), nil, .useProtocol), false),
    Row("an error that is not stored is not", Answered(answer(500), nil, .useProtocol), false),
    Row("what has neither lifetime nor validator is not", Answered(answer(200), nil, .useProtocol), false),
    Row(
      "unless by the requests of a run that has made them at once",
      Answered(answer(200), nil, .useProtocol, among: .run), true),
    Row(
      "if that is not prohibited",
      Answered(answer(200, ["Cache-Control": "must-revalidate"]), nil, .useProtocol, among: .run), false),
    Row("and unless it is taken whatever its age", Answered(answer(200), nil, .cacheElseLoad), true),
    Row("a 304 is", Answered(answer(304, at: 100), stale, .useProtocol), true),
    Row(
      "so is what comes after a 304 that names another",
      Answered(answer(304, ["ETag": "\"b\""], at: 100), stale, .useProtocol), true),
    Row(
      "an answer that removes what is stored is not",
      Answered(answer(404, ["Cache-Control": "no-store"], at: 100), stale, .useProtocol), false),
  ]

  @Test("Which answers others wait for", arguments: answers)
  func awaited(_ row: Row<Answered, Bool>) {
    let subject = row.subject
    let conclusion = conclude(get(), subject.stored, subject.answer, subject.policy, at: 100)
    #expect(conclusion.isAwaited(under: subject.policy, among: subject.scope) == row.outcome)
  }
}
