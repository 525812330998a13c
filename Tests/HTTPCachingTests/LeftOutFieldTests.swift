import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Fields that the user leaves out of requests")
struct LeftOutFieldTests {
  private static let stale = stored(["Cache-Control": "max-age=1", "ETag": "\"a\"", "Last-Modified": .date(-1_000)])
  private static let interrupted = part(["Cache-Control": "max-age=600", "ETag": "\"a\""])

  private static func request(without names: [FieldName]) -> Request {
    var request = get()
    request.leftOut = names
    return request
  }

  typealias Case = (policy: CachePolicy, leftOut: [FieldName], stored: StoredResponse)

  static let cases: [Row<Case, Fields>] = [
    Row(
      "the date alone validates without If-None-Match", (.useProtocol, [.ifNoneMatch], stale),
      ["If-Modified-Since": .date(-1_000)]),
    Row(
      "the entity tag alone validates without If-Modified-Since", (.useProtocol, ["if-modified-since"], stale),
      ["If-None-Match": "\"a\""]),
    Row(
      "a request without both is unconditional", (.useProtocol, [.ifNoneMatch, .ifModifiedSince], stale), [:]),
    Row(
      "revalidate adds only conditions to a request without Cache-Control", (.revalidate, [.cacheControl], stale),
      ["If-None-Match": "\"a\"", "If-Modified-Since": .date(-1_000)]),
    Row(
      "reload-all adds only Pragma to a request without Cache-Control", (.reloadAll, [.cacheControl], stale),
      ["Pragma": "no-cache"]),
    Row(
      "reload-all adds only Cache-Control to a request without Pragma", (.reloadAll, [.pragma], stale),
      ["Cache-Control": "no-cache"]),
    Row("a part is not continued without Range", (.useProtocol, [.range], interrupted), [:]),
    Row("a part is not continued without If-Range", (.useProtocol, [.ifRange], interrupted), [:]),
  ]

  @Test("No rule adds a field that the user leaves out", arguments: cases)
  func adding(_ row: Row<Case, Fields>) {
    let subject = row.subject
    let decision = decide(Self.request(without: subject.leftOut), subject.stored, subject.policy, at: 100)
    #expect(decision.sent?.fields == row.outcome)
  }

  @Test("Without conditions, a 200 replaces the stored response, and a 304 says nothing about it")
  func unconditional() {
    let request = Self.request(without: [.ifNoneMatch, .ifModifiedSince])
    #expect(decide(request, Self.stale, at: 100).verdict == .forwarded(.stale))
    let whole = answer(200, ["Cache-Control": "max-age=60", "ETag": "\"b\""], at: 100)
    #expect(conclude(request, Self.stale, whole, at: 100).change.inserted?.fields[.etag] == "\"b\"")
    let unasked = conclude(request, Self.stale, answer(304, ["ETag": "\"a\""], at: 100), at: 100)
    #expect(unasked.delivery == .answer && unasked.change == .none(.notModified))
  }

  @Test("Directives of the user's that are not sent count all the same")
  func directives() {
    let (request, fresh) = (Self.request(without: [.cacheControl]), stored(["Cache-Control": "max-age=600"]))
    var terms = ReuseTerms(.useProtocol)
    terms.unsentDirectives = "max-age=5"
    #expect(decideReuse(of: .selected(fresh), for: request, under: terms, at: .at(5)).verdict == .served)
    let asked = decideReuse(of: .selected(fresh), for: request, under: terms, at: .at(6))
    #expect(asked.verdict == .forwarded(.request) && asked.sent?.fields == [:])
    let explanation = Explanation(of: .selected(fresh), for: request, under: terms, at: .at(6))
    #expect(explanation.findings.contains { $0.sentence == "max-age=5: an older response is not accepted" })
  }
}
