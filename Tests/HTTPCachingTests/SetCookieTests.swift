import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Stored responses that set cookies")
struct SetCookieTests {
  typealias Case = (fields: Fields, takesCookies: Bool, policy: CachePolicy, request: Fields)

  private static let setting: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Set-Cookie": "a=b"]

  static let cases: [Row<Case, Verdict>] = [
    Row("if cookies are taken, the origin is asked anew", (setting, true, .useProtocol, [:]), .forwarded(.request)),
    Row("if no cookies are taken, the response is served", (setting, false, .useProtocol, [:]), .served),
    Row(
      "a response that sets no cookies is served", (["Cache-Control": "max-age=60"], true, .useProtocol, [:]), .served),
    Row("without a network, the response is served", (setting, true, .cacheOnlyStrict, [:]), .served),
    Row(
      "only-if-cached accepts the response", (setting, true, .useProtocol, ["Cache-Control": "only-if-cached"]), .served
    ),
    Row("a policy that takes what is stored serves it", (setting, true, .cacheElseLoad, [:]), .served),
  ]

  @Test("A fresh response that sets cookies is fetched anew if they are wanted, and can be had", arguments: cases)
  func ruling(_ row: Row<Case, Verdict>) {
    var terms = ReuseTerms(row.subject.policy)
    terms.takesCookies = row.subject.takesCookies
    let selection = Selection.selected(stored(row.subject.fields))
    let decision = decideReuse(of: selection, for: get(row.subject.request), under: terms, at: .at(1))
    #expect(decision.verdict == row.outcome)
  }
}
