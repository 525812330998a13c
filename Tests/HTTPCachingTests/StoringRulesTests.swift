import HTTPCaching
import HTTPSemantics
import Testing

@Suite("What the user orders for what is stored")
struct StoringRulesTests {
  typealias Order = (rules: StoringRules, status: StatusCode, fields: Fields)

  /// - Returns: what is stored of the answer to a GET.
  private func change(_ order: Order, replacing old: StoredResponse? = nil, at seconds: Int64 = 0) -> Conclusion.Change
  {
    let came = Answer(
      Response(order.status, fields: order.fields), requestTime: .at(seconds), responseTime: .at(seconds))
    return conclusion(order.rules, .answer(came), old, at: seconds).change
  }

  private func conclusion(
    _ rules: StoringRules, _ outcome: Outcome, _ old: StoredResponse? = nil, _ request: Request = get(),
    at seconds: Int64 = 0
  ) -> Conclusion {
    let selection = old.map(Selection.selected) ?? .uriMiss
    return conclude(
      decide(request, old, at: seconds), outcome, for: request, selection,
      under: ConclusionTerms(.useProtocol, storing: rules, key: .example, concealing: conceal))
  }

  static let refused: [Row<Order, NotStored?>] = [
    Row(
      "a lifetime makes nothing of no-store", (StoringRules(lifetime: 60), 200, ["Cache-Control": "no-store"]), .noStore
    ),
    Row(
      "no-store that is stripped is not seen",
      (StoringRules(stripped: [.cacheControl]), 200, ["Cache-Control": "no-store"]), nil),
    Row(
      "no-store that is replaced is not seen",
      (StoringRules(replacements: [Field(.cacheControl, "max-age=9")]), 200, ["Cache-Control": "no-store"]), nil),
    Row(
      "no-store that is put in counts", (StoringRules(replacements: [Field(.cacheControl, "no-store")]), 200, [:]),
      .noStore),
    Row("a redirection without lifetime is not stored", (.none, 302, [:]), .nothingAllowsIt),
    Row("but with the user's it is", (StoringRules(lifetime: 60), 302, [:]), nil),
    Row("a fault is not stored for a lifetime of the user's", (StoringRules(lifetime: 60), 503, [:]), .nothingAllowsIt),
    Row("but where its origin allows it", (StoringRules(lifetime: 60), 503, ["Expires": "0"]), nil),
    Row(
      "a replaced Cache-Control makes storable",
      (StoringRules(replacements: [Field(.cacheControl, "max-age=1")]), 418, [:]), nil),
    Row("a status that is wanted", (StoringRules(statuses: [200...200, 404...404]), 404, [:]), nil),
    Row("a status that is not wanted", (StoringRules(statuses: [200...200]), 404, [:]), .status),
    Row("a class of statuses", (StoringRules(statuses: [200...299]), 203, [:]), nil),
    Row("an error where none is wanted", (StoringRules(statuses: [404...404], omitsErrors: true), 404, [:]), .status),
    Row("anything else there", (StoringRules(omitsErrors: true), 301, [:]), nil),
    Row("Vary that is stripped varies nothing", (StoringRules(stripped: [.vary]), 200, ["Vary": "*"]), nil),
    Row(
      "a wanted status is no permission", (StoringRules(statuses: [200...200]), 200, ["Cache-Control": "no-store"]),
      .noStore),
  ]

  @Test("The rules of RFC 9111 see the changed head", arguments: refused)
  func refusals(_ row: Row<Order, NotStored?>) {
    #expect(change(row.subject).refusal == row.outcome)
  }

  static let fields: [Row<(StoringRules, Fields), Fields>] = [
    Row(
      "a field takes the place of all lines of its name",
      (StoringRules(replacements: [Field("X-A", "3"), Field("X-A", "4")]), ["X-A": "1", "X-B": "2", "x-a": "2"]),
      ["X-B": "2", "X-A": "3", "X-A": "4"]),
    Row("a field is left out", (StoringRules(stripped: ["x-a"]), ["X-A": "1", "X-B": "2"]), ["X-B": "2"]),
    Row(
      "a lifetime takes the place of the origin's, and of no-cache",
      (
        StoringRules(lifetime: 60),
        ["Cache-Control": "no-cache, private", "Cache-Control": "MAX-AGE=0, must-revalidate"]
      ),
      ["Cache-Control": "max-age=60, private, must-revalidate"]),
    Row(
      "a no-cache of some fields stays", (StoringRules(lifetime: 60), ["Cache-Control": "no-cache=\"x-a, x-b\""]),
      ["Cache-Control": "max-age=60, no-cache=\"x-a, x-b\""]),
    Row(
      "a lifetime counts from now, though the response is old already",
      (StoringRules(lifetime: 60), ["Age": "100"]), ["Age": "100", "Cache-Control": "max-age=160"]),
    Row(
      "a replaced lifetime is replaced again by one of its own option",
      (StoringRules(replacements: [Field(.cacheControl, "max-age=5, immutable")], lifetime: 60), [:]),
      ["Cache-Control": "max-age=60, immutable"]),
    Row(
      "a quotation mark that is never closed does not take it in",
      (StoringRules(lifetime: 60), ["Cache-Control": "foo=\"bar"]), ["Cache-Control": "max-age=60, foo=\"bar"]),
  ]

  @Test("The head that is stored is the one that the user orders", arguments: fields)
  func storedHead(_ row: Row<(StoringRules, Fields), Fields>) {
    var kept = change((row.subject.0, 200, row.subject.1)).inserted?.fields
    kept?.removeAll(.date)
    #expect(kept == row.outcome)
  }

  @Test("For its lifetime, and not a second longer, the response is served")
  func lifetime() {
    let order: Order = (
      StoringRules(lifetime: 60), 200, ["Cache-Control": "no-cache", "Age": "7", "Expires": "0", "ETag": "\"a\""]
    )
    let inserted = change(order).inserted
    #expect(decide(get(), inserted, at: 59).verdict == .served)
    #expect(decide(get(), inserted, at: 60).verdict == .validated(.stale))
  }

  @Test("What selects a variant is of the changed head")
  func selecting() {
    let rules = StoringRules(replacements: [Field(.vary, "Accept")])
    #expect(change((rules, 200, [:])).inserted?.selecting.members.map(\.name) == [.accept])
  }

  @Test("A 304 leaves what the rules made of the head, and renews the lifetime")
  func freshened() {
    let old = stored(["ETag": "\"a\"", "Cache-Control": "max-age=1", "X-A": "1"])
    let rules = StoringRules(replacements: [Field("X-B", "2")], stripped: ["X-A"], lifetime: 60)
    let confirmed = answer(304, ["ETag": "\"a\"", "Cache-Control": "max-age=1", "X-B": "1"], at: 10)
    let fresh = conclusion(rules, .answer(confirmed), old, at: 10).change.freshened
    #expect(fresh?.fields[.cacheControl] == "max-age=60" && fresh?.fields["X-B"] == "2")
    #expect(fresh?.fields.contains("X-A") == false)
    #expect(decide(get(), fresh, at: 69).verdict == .served)
    // no-store that the rules take out forbids nothing.
    let forbidding = answer(304, ["ETag": "\"a\"", "Cache-Control": "no-store"], at: 10)
    #expect(conclusion(.none, .answer(forbidding), old, at: 10).change == .remove(.noStore))
    let stripping = StoringRules(stripped: [.cacheControl])
    #expect(conclusion(stripping, .answer(forbidding), old, at: 10).change.freshened != nil)
  }

  @Test("A whole that a part is made is a 200; what is stored already is brought up to date, whatever its status")
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

  /// Whether what is stored, without Vary, is kept when the origin's Vary comes again.
  @Test("What a hook has made of Vary, it is asked for again", arguments: [true, false])
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
    Row("an error of the server's", 500, true), Row("a refusal", 403, true), Row("a success", 200, false),
    Row("an error that is stored takes its place", 404, false),
  ]

  @Test("An error removes what is stored, where that is wanted", arguments: forgotten)
  func forgetting(_ row: Row<StatusCode, Bool>) {
    let old = stored(["Cache-Control": "max-age=1, must-revalidate"])
    let rules = StoringRules(forgetsOnError: true)
    #expect(conclusion(rules, .answer(answer(row.subject, [:], at: 9)), old, at: 9).change.isRemoval == row.outcome)
    #expect(!conclusion(.none, .answer(answer(row.subject, [:], at: 9)), old, at: 9).change.isRemoval)
  }

  @Test("What is served in the place of an error is not forgotten")
  func servedInstead() {
    let old = stored(["Cache-Control": "max-age=1, stale-if-error=60"])
    let concluded = conclusion(StoringRules(forgetsOnError: true), .answer(answer(500, [:], at: 9)), old, at: 9)
    #expect(concluded.delivery.reuse?.grant == .staleIfError && !concluded.change.isRemoval)
  }
}
