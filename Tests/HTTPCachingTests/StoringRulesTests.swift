import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("The user's rules for storing")
struct StoringRulesTests {
  typealias Order = (rules: StoringRules, status: StatusCode, fields: Fields)

  /// - Returns: the change of the store by the answer to a GET.
  private func change(_ order: Order, replacing old: StoredResponse? = nil, at seconds: Int64 = 0) -> Conclusion.Change
  {
    let came = Answer(
      Response(order.status, fields: order.fields), requestTime: .at(seconds), responseTime: .at(seconds))
    return conclusion(order.rules, .answer(came), old, at: seconds).change
  }

  private func conclusion(
    _ rules: StoringRules, _ outcome: ForwardingOutcome, _ old: StoredResponse? = nil, _ request: Request = get(),
    at seconds: Int64 = 0
  ) -> Conclusion {
    let selection = old.map(Selection.selected) ?? .uriMiss
    return conclude(
      decide(request, old, at: seconds), outcome, for: request, selection,
      under: ConclusionTerms(.useProtocol, storing: rules, key: .example, concealing: conceal))
  }

  static let refused: [Row<Order, NotStored?>] = [
    Row(
      "a lifetime does not override no-store", (StoringRules(lifetime: 60), 200, ["Cache-Control": "no-store"]),
      .noStore
    ),
    Row(
      "a no-store that is stripped is ignored",
      (StoringRules(stripped: [.cacheControl]), 200, ["Cache-Control": "no-store"]), nil),
    Row(
      "a no-store that is replaced is ignored",
      (StoringRules(replacements: [Field(.cacheControl, "max-age=9")]), 200, ["Cache-Control": "no-store"]), nil),
    Row(
      "a no-store that is added counts", (StoringRules(replacements: [Field(.cacheControl, "no-store")]), 200, [:]),
      .noStore),
    Row("a redirection without lifetime is not stored", (.none, 302, [:]), .notCacheable),
    Row("a redirection is stored with a lifetime of the user's", (StoringRules(lifetime: 60), 302, [:]), nil),
    Row("a 503 is not stored by the user's lifetime alone", (StoringRules(lifetime: 60), 503, [:]), .notCacheable),
    Row(
      "a 503 is stored with a lifetime if the origin allows storing",
      (StoringRules(lifetime: 60), 503, ["Expires": "0"]), nil),
    Row(
      "a replaced Cache-Control allows storing",
      (StoringRules(replacements: [Field(.cacheControl, "max-age=1")]), 418, [:]), nil),
    Row("a status in the list is stored", (StoringRules(statuses: [200...200, 404...404]), 404, [:]), nil),
    Row("a status outside the list is not stored", (StoringRules(statuses: [200...200]), 404, [:]), .status),
    Row("a status in a range of the list is stored", (StoringRules(statuses: [200...299]), 203, [:]), nil),
    Row(
      "an error is not stored if errors are excluded",
      (StoringRules(statuses: [404...404], omitsErrors: true), 404, [:]), .status),
    Row("a redirection is stored if errors are excluded", (StoringRules(omitsErrors: true), 301, [:]), nil),
    Row("a Vary that is stripped is ignored", (StoringRules(stripped: [.vary]), 200, ["Vary": "*"]), nil),
    Row(
      "a listed status does not override no-store",
      (StoringRules(statuses: [200...200]), 200, ["Cache-Control": "no-store"]),
      .noStore),
  ]

  @Test("The rules of RFC 9111 apply to the changed head", arguments: refused)
  func refusals(_ row: Row<Order, NotStored?>) {
    #expect(change(row.subject).refusal == row.outcome)
  }

  static let fields: [Row<(StoringRules, Fields), Fields>] = [
    Row(
      "a replacement replaces all lines of its name",
      (StoringRules(replacements: [Field("X-A", "3"), Field("X-A", "4")]), ["X-A": "1", "X-B": "2", "x-a": "2"]),
      ["X-B": "2", "X-A": "3", "X-A": "4"]),
    Row("a stripped field is left out", (StoringRules(stripped: ["x-a"]), ["X-A": "1", "X-B": "2"]), ["X-B": "2"]),
    Row(
      "a lifetime replaces the origin's, and no-cache",
      (
        StoringRules(lifetime: 60),
        ["Cache-Control": "no-cache, private", "Cache-Control": "MAX-AGE=0, must-revalidate"]
      ),
      ["Cache-Control": "max-age=60, private, must-revalidate"]),
    Row(
      "a qualified no-cache stays", (StoringRules(lifetime: 60), ["Cache-Control": "no-cache=\"x-a, x-b\""]),
      ["Cache-Control": "max-age=60, no-cache=\"x-a, x-b\""]),
    Row(
      "a lifetime counts from the arrival, whatever the response's age",
      (StoringRules(lifetime: 60), ["Age": "100"]), ["Age": "100", "Cache-Control": "max-age=160"]),
    Row(
      "a lifetime replaces that of a replaced Cache-Control",
      (StoringRules(replacements: [Field(.cacheControl, "max-age=5, immutable")], lifetime: 60), [:]),
      ["Cache-Control": "max-age=60, immutable"]),
    Row(
      "a lifetime precedes an unterminated quoted string",
      (StoringRules(lifetime: 60), ["Cache-Control": "foo=\"bar"]), ["Cache-Control": "max-age=60, foo=\"bar"]),
  ]

  @Test("The head is stored with the changes that the user orders", arguments: fields)
  func storedHead(_ row: Row<(StoringRules, Fields), Fields>) {
    var kept = change((row.subject.0, 200, row.subject.1)).inserted?.fields
    kept?.removeAll(.date)
    #expect(kept == row.outcome)
  }

  @Test("A response with a lifetime of the user's is served for that time, and not a second longer")
  func lifetime() {
    let order: Order = (
      StoringRules(lifetime: 60), 200, ["Cache-Control": "no-cache", "Age": "7", "Expires": "0", "ETag": "\"a\""]
    )
    let inserted = change(order).inserted
    #expect(decide(get(), inserted, at: 59).verdict == .served)
    #expect(decide(get(), inserted, at: 60).verdict == .validated(.stale))
  }

  @Test("The selecting fields follow the changed head")
  func selecting() {
    let rules = StoringRules(replacements: [Field(.vary, "Accept")])
    #expect(change((rules, 200, [:])).inserted?.selecting.members.map(\.name) == [.accept])
  }

  @Test("The rules apply to the head that a 304 freshens, and the lifetime starts anew")
  func freshened() {
    let old = stored(["ETag": "\"a\"", "Cache-Control": "max-age=1", "X-A": "1"])
    let rules = StoringRules(replacements: [Field("X-B", "2")], stripped: ["X-A"], lifetime: 60)
    let confirmed = answer(304, ["ETag": "\"a\"", "Cache-Control": "max-age=1", "X-B": "1"], at: 10)
    let fresh = conclusion(rules, .answer(confirmed), old, at: 10).change.freshened
    #expect(fresh?.fields[.cacheControl] == "max-age=60" && fresh?.fields["X-B"] == "2")
    #expect(fresh?.fields.contains("X-A") == false)
    #expect(decide(get(), fresh, at: 69).verdict == .served)
    // A no-store that the rules strip forbids nothing.
    let forbidding = answer(304, ["ETag": "\"a\"", "Cache-Control": "no-store"], at: 10)
    #expect(conclusion(.none, .answer(forbidding), old, at: 10).change == .remove(.noStore))
    let stripping = StoringRules(stripped: [.cacheControl])
    #expect(conclusion(stripping, .answer(forbidding), old, at: 10).change.freshened != nil)
  }

  @Test("The list of statuses applies to a joined whole as to a 200, and does not apply to freshening")
  func statusesOfParts() {
    let rules = StoringRules(statuses: [404...404])
    let fields: Fields = ["ETag": "\"a\"", "Cache-Control": "max-age=1"]
    let rest = Fields(fields.lines + [Field(.contentRange, "bytes 40-99/100")])
    let joined = conclusion(rules, .answer(answer(206, rest, at: 10)), part(fields), at: 10)
    #expect(joined.change == .none(.status) && joined.delivery != .answer)
    let first = Fields(fields.lines + [Field(.contentRange, "bytes 0-9/100")])
    let ranged = get(["Range": "bytes=0-9"])
    #expect(conclusion(rules, .answer(answer(206, first, at: 10)), nil, ranged, at: 10).change == .none(.status))
    let old = stored(fields)
    for (request, came) in [(get(), answer(304, fields, at: 10)), (ranged, answer(206, first, at: 10))] {
      #expect(conclusion(rules, .answer(came), old, request, at: 10).change.freshened != nil)
    }
  }

  /// `asksHook`: whether a hook decides again about the stored response, which has no Vary, when the origin sends its
  /// Vary again.
  @Test(
    "A Vary that a 304, HEAD or 206 adds does not conflict with the stored response if a hook is asked again",
    arguments: [true, false])
  func varyOfHook(_ asksHook: Bool) {
    let rules = StoringRules(asksHook: asksHook)
    let kept: Fields = ["ETag": "\"a\"", "Cache-Control": "max-age=1"]
    let came = Fields(kept.lines + [Field(.vary, "User-Agent")])
    let confirmed = conclusion(rules, .answer(answer(304, came, at: 10)), stored(kept), at: 10)
    #expect((confirmed.change.freshened?.fields.contains(.vary) == true) == asksHook)
    #expect((confirmed.delivery == .unconditionalRequest) == !asksHook)
    let headed = conclusion(rules, .answer(answer(200, came, at: 10)), stored(kept), head(), at: 10)
    #expect((headed.change.freshened != nil) == asksHook && headed.change.isRemoval == !asksHook)
    let rest = Fields(came.lines + [Field(.contentRange, "bytes 40-99/100")])
    let joined = conclusion(rules, .answer(answer(206, rest, at: 10)), part(kept), at: 10)
    #expect((joined.change.inserted?.isPart == false) == asksHook)
  }

  static let forgotten: [Row<StatusCode, Bool>] = [
    Row("a server error removes it", 500, true), Row("a 403 removes it", 403, true),
    Row("a 200 replaces it", 200, false),
    Row("an error that is stored replaces it", 404, false),
  ]

  @Test("An error removes the stored response if the user orders that", arguments: forgotten)
  func forgetting(_ row: Row<StatusCode, Bool>) {
    let old = stored(["Cache-Control": "max-age=1, must-revalidate"])
    let rules = StoringRules(forgetsOnError: true)
    #expect(conclusion(rules, .answer(answer(row.subject, [:], at: 9)), old, at: 9).change.isRemoval == row.outcome)
    #expect(!conclusion(.none, .answer(answer(row.subject, [:], at: 9)), old, at: 9).change.isRemoval)
  }

  @Test("A stale response that is served in place of an error is not removed")
  func servedInstead() {
    let old = stored(["Cache-Control": "max-age=1, stale-if-error=60"])
    let concluded = conclusion(StoringRules(forgetsOnError: true), .answer(answer(500, [:], at: 9)), old, at: 9)
    #expect(concluded.delivery.reuse?.grant == .staleIfError && !concluded.change.isRemoval)
  }
}
