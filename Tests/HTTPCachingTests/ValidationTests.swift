import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Sending a validation request: RFC 9111 section 4.3.1")
struct ValidationRequestTests {
  /// The fields that are sent to the origin for a stale response; `nil` if the request is sent unchanged.
  static let cases: [Row<(request: Fields, response: Fields), Fields?>] = [
    Row("an entity tag goes into If-None-Match", ([:], ["ETag": "\"a\""]), ["If-None-Match": "\"a\""]),
    Row("a weak tag goes into If-None-Match", ([:], ["ETag": "W/\"a\""]), ["If-None-Match": "W/\"a\""]),
    Row(
      "Last-Modified goes into If-Modified-Since", ([:], ["Last-Modified": .date(-9)]), ["If-Modified-Since": .date(-9)]
    ),
    Row(
      "tag and date are sent together", ([:], ["Last-Modified": .date(-9), "ETag": "\"a\""]),
      ["If-None-Match": "\"a\"", "If-Modified-Since": .date(-9)]),
    Row("a malformed tag is sent as it is", ([:], ["ETag": "abc"]), ["If-None-Match": "abc"]),
    Row(
      "a malformed Last-Modified is sent as it is", ([:], ["Last-Modified": "yesterday"]),
      ["If-Modified-Since": "yesterday"]),
    Row(
      "the request's other fields are sent along", (["Abc": "1"], ["ETag": "\"a\""]),
      ["Abc": "1", "If-None-Match": "\"a\""]),
    Row("without a validator the request is sent unchanged", (["Abc": "1"], [:]), nil),
    Row("an empty tag is no validator", ([:], ["ETag": ""]), nil),
    Row("an asterisk is no validator, because it would match anything", ([:], ["ETag": "*"]), nil),
    Row(
      "a request with a condition of the user's is sent unchanged", (["If-None-Match": "\"u\""], ["ETag": "\"a\""]), nil
    ),
    Row(
      "a request with a date of the user's is sent unchanged", (["If-Modified-Since": .date(-5)], ["ETag": "\"a\""]),
      nil),
    Row("a Range request is sent unchanged", (["Range": "bytes=0-1"], ["ETag": "\"a\""]), nil),
    Row("a request with If-Match is sent unchanged", (["If-Match": "\"a\""], ["ETag": "\"a\""]), nil),
  ]

  @Test(
    "A stale response is validated with its tag and date, unless the request has a condition or a range",
    arguments: cases)
  func request(_ row: Row<(request: Fields, response: Fields), Fields?>) {
    let request = get(row.subject.request)
    let decision = decide(request, stored(row.subject.response), at: 100)
    #expect(decision.sent == Request(.get, .example, fields: row.outcome ?? row.subject.request))
    if case .validate = decision { #expect(row.outcome != nil) } else { #expect(row.outcome == nil) }
  }

  @Test("A HEAD for a stale response is sent unchanged")
  func headRequest() {
    let decision = decide(head(), stored(["ETag": "\"a\""]), at: 100)
    guard case .forward(let sent, because: .stale, onError: _) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(sent == head())
  }
}

@Suite("Handling a received validation request: RFC 9111 section 4.3.2")
struct ReceivedConditionTests {
  typealias Case = (request: Fields, response: Fields)

  static let cases: [Row<Case, Reuse.Form>] = [
    Row("an equal tag is answered 304", (["If-None-Match": "\"a\""], ["ETag": "\"a\""]), .notModified),
    Row("the comparison of tags is weak", (["If-None-Match": "W/\"a\""], ["ETag": "\"a\""]), .notModified),
    Row("a stored weak tag matches, too", (["If-None-Match": "\"a\""], ["ETag": "W/\"a\""]), .notModified),
    Row("one of several tags is enough", (["If-None-Match": "\"b\", \"a\""], ["ETag": "\"a\""]), .notModified),
    Row(
      "a tag on any line is enough", (["If-None-Match": "\"b\"", "if-none-match": "\"a\""], ["ETag": "\"a\""]),
      .notModified),
    Row("a star matches any representation", (["If-None-Match": "*"], [:]), .notModified),
    Row("another tag gets the whole response", (["If-None-Match": "\"b\""], ["ETag": "\"a\""]), .whole),
    Row("a tag without quotes matches nothing", (["If-None-Match": "a"], ["ETag": "\"a\""]), .whole),
    Row("no tag matches a response without one", (["If-None-Match": "\"a\""], [:]), .whole),
    Row(
      "an equal date is answered 304", (["If-Modified-Since": .date(-9)], ["Last-Modified": .date(-9)]), .notModified),
    Row("a later date is answered 304", (["If-Modified-Since": .date(-8)], ["Last-Modified": .date(-9)]), .notModified),
    Row(
      "an earlier date gets the whole response", (["If-Modified-Since": .date(-10)], ["Last-Modified": .date(-9)]),
      .whole),
    Row("an invalid date is ignored", (["If-Modified-Since": "x"], ["Last-Modified": .date(-9)]), .whole),
    Row("without Last-Modified the Date counts", (["If-Modified-Since": .date(-5)], ["Date": .date(-5)]), .notModified),
    Row("without both, the time of arrival counts", (["If-Modified-Since": .date(0)], [:]), .notModified),
    Row("a date before the arrival gets the whole response", (["If-Modified-Since": .date(-1)], [:]), .whole),
    Row(
      "a matching tag overrides a date that does not match",
      (["If-None-Match": "\"a\"", "If-Modified-Since": .date(-99)], ["ETag": "\"a\"", "Last-Modified": .date(-9)]),
      .notModified),
    Row(
      "a tag that does not match overrides a date that does",
      (["If-None-Match": "\"b\"", "If-Modified-Since": .date(0)], ["ETag": "\"a\"", "Last-Modified": .date(-9)]), .whole
    ),
  ]

  @Test(
    "A fresh response is compared with the user's own condition, and answers it with a 304 or whole", arguments: cases)
  func condition(_ row: Row<Case, Reuse.Form>) {
    let response = stored(Fields(row.subject.response.lines + [Field(.cacheControl, "max-age=600")]))
    for method in [Method.get, .head] {
      let decision = decide(Request(method, .example, fields: row.subject.request), response, at: 100)
      #expect(decision.reuse?.form == row.outcome)
    }
  }

  @Test("Only a stored 200 is answered 304, and a stored 404 is served as it is")
  func otherStatus() {
    let response = stored(["Cache-Control": "max-age=600", "ETag": "\"a\""], status: 404)
    #expect(decide(get(["If-None-Match": "\"a\""]), response, at: 100).reuse?.form == .whole)
  }

  @Test(
    "A request with a precondition against lost updates is forwarded to the origin",
    arguments: ["If-Match", "If-Unmodified-Since"] as [FieldName])
  func originsOwn(_ name: FieldName) {
    let response = stored(["Cache-Control": "max-age=600", "ETag": "\"a\""])
    #expect(decide(get([name: "\"a\""]), response, at: 100).verdict == .forwarded(.request))
  }
}

@Suite("Ranges of a stored response: RFC 9110 section 14")
struct RangeTests {
  static let validators: Fields = [
    "Cache-Control": "max-age=600", "ETag": "\"a\"", "Date": .date(0), "Last-Modified": .date(-9),
  ]

  static let cases: [Row<(request: Fields, response: Fields), Reuse.Form>] = [
    Row("a range is answered with that part", (["Range": "bytes=10-19"], validators), .part(10..<20)),
    Row("a suffix range is answered with the end", (["Range": "bytes=-10"], validators), .part(90..<100)),
    Row("a range beyond the end is unsatisfiable", (["Range": "bytes=100-"], validators), .unsatisfiableRange),
    Row(
      "If-None-Match that does not match allows the range",
      (["Range": "bytes=0-1", "If-None-Match": "\"b\""], validators),
      .part(0..<2)),
    Row(
      "If-Modified-Since that does not match allows the range",
      (["Range": "bytes=0-1", "If-Modified-Since": .date(-99)], validators), .part(0..<2)),
    Row(
      "If-None-Match that matches is answered 304", (["Range": "bytes=0-1", "If-None-Match": "\"a\""], validators),
      .notModified),
    Row("If-Range with the tag allows it", (["Range": "bytes=0-1", "If-Range": "\"a\""], validators), .part(0..<2)),
    Row(
      "If-Range with another tag does not allow it", (["Range": "bytes=0-1", "If-Range": "\"b\""], validators), .whole),
    Row("If-Range compares strongly", (["Range": "bytes=0-1", "If-Range": "W/\"a\""], validators), .whole),
    Row(
      "If-Range does not match a stored weak tag",
      (["Range": "bytes=0-1", "If-Range": "\"a\""], ["Cache-Control": "max-age=600", "ETag": "W/\"a\""]), .whole),
    Row(
      "If-Range with a strong date allows the range", (["Range": "bytes=0-1", "If-Range": .date(-9)], validators),
      .part(0..<2)),
    Row(
      "If-Range with another date does not allow it", (["Range": "bytes=0-1", "If-Range": .date(-8)], validators),
      .whole),
    Row(
      "If-Range with a date as young as the response does not allow it",
      (
        ["Range": "bytes=0-1", "If-Range": .date(0)],
        ["Cache-Control": "max-age=600", "Date": .date(0), "Last-Modified": .date(0)]
      ), .whole),
    Row(
      "If-Range with a date does not match a response without Date",
      (["Range": "bytes=0-1", "If-Range": .date(-9)], ["Cache-Control": "max-age=600", "Last-Modified": .date(-9)]),
      .whole),
    Row(
      "If-Range with neither tag nor date does not allow it", (["Range": "bytes=0-1", "If-Range": "x"], validators),
      .whole),
    Row("If-Range without Range is ignored", (["If-Range": "\"b\""], validators), .whole),
  ]

  @Test("A complete stored response answers a single range if the conditions allow it", arguments: cases)
  func range(_ row: Row<(request: Fields, response: Fields), Reuse.Form>) {
    #expect(decide(get(row.subject.request), stored(row.subject.response), at: 100).reuse?.form == row.outcome)
  }

  @Test(
    "Anything but a single range of bytes is forwarded, or answered whole if the origin may not be asked",
    arguments: [
      ["Range": "bytes=0-1,5-6"], ["Range": "items=0-1"], ["Range": "bytes=9-1"],
      ["Range": "bytes=0-1", "Range": "bytes=5-6"],
    ] as [Fields])
  func originsOwn(_ ranges: Fields) {
    func with(_ other: Fields) -> Fields { Fields(ranges.lines + other.lines) }
    let (request, response) = (get(ranges), stored(Self.validators))
    #expect(decide(request, response, at: 1).verdict == .forwarded(.request))
    #expect(decide(request, part(Self.validators), at: 1).verdict == .forwarded(.partial))
    for policy in [CachePolicy.cacheElseLoad, .cacheOnly, .cacheOnlyStrict] {
      #expect(decide(request, response, policy, at: 1).reuse?.form == .whole)
    }
    let onlyIfCached = get(with(["Cache-Control": "only-if-cached"]))
    #expect(decide(onlyIfCached, response, at: 1).reuse?.form == .whole)
    // A fallback, and the fields that a policy adds, are the same as for any other request.
    let lenient = stored(["Cache-Control": "max-age=60, stale-if-error=600"])
    #expect(decide(request, lenient, at: 100).onError?.form == .whole)
    #expect(decide(request, response, .networkFirst, at: 1).onError?.form == .whole)
    #expect(decide(request, response, .revalidate, at: 1).sent?.fields[.cacheControl] == "max-age=0")
    #expect(decide(request, response, .reloadAll, at: 1).sent?.fields[.cacheControl] == "no-cache")
    // Conditions are evaluated before the range.
    let condition = get(with(["If-None-Match": "\"a\""]))
    #expect(decide(condition, response, at: 1).reuse?.form == .notModified)
    #expect(decide(head(ranges), response, at: 1).reuse?.form == .whole)
  }

  @Test("A range counts only for GET and for a stored 200")
  func elsewhere() {
    #expect(decide(head(["Range": "bytes=0-1"]), stored(Self.validators), at: 1).reuse?.form == .whole)
    // A suffix range with a non-zero length is satisfiable even for empty content (RFC 9110 section 14.1.2).
    let empty = stored(Self.validators, length: 0)
    #expect(decide(get(["Range": "bytes=-5"]), empty, at: 1).reuse?.form == .whole)
    #expect(decide(get(["Range": "bytes=-0"]), empty, at: 1).reuse?.form == .unsatisfiableRange)
    #expect(decide(get(["Range": "bytes=0-"]), empty, at: 1).reuse?.form == .unsatisfiableRange)
    let missing = stored(Self.validators, status: 404)
    #expect(decide(get(["Range": "bytes=0-1"]), missing, at: 1).reuse?.form == .whole)
  }
}
