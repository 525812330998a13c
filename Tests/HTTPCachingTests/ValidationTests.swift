import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Sending a validation request: RFC 9111 section 4.3.1")
struct ValidationRequestTests {
  /// The fields that go to the origin for a stale response; `nil` where the request goes as it is.
  static let cases: [Row<(request: Fields, response: Fields), Fields?>] = [
    Row("an entity tag goes into If-None-Match", ([:], ["ETag": "\"a\""]), ["If-None-Match": "\"a\""]),
    Row("a weak one too", ([:], ["ETag": "W/\"a\""]), ["If-None-Match": "W/\"a\""]),
    Row(
      "Last-Modified goes into If-Modified-Since", ([:], ["Last-Modified": .date(-9)]), ["If-Modified-Since": .date(-9)]
    ),
    Row(
      "both go side by side", ([:], ["Last-Modified": .date(-9), "ETag": "\"a\""]),
      ["If-None-Match": "\"a\"", "If-Modified-Since": .date(-9)]),
    Row("a tag that is none goes as it came", ([:], ["ETag": "abc"]), ["If-None-Match": "abc"]),
    Row(
      "a Last-Modified that is no date goes as it came", ([:], ["Last-Modified": "yesterday"]),
      ["If-Modified-Since": "yesterday"]),
    Row(
      "the request's other fields go along", (["Abc": "1"], ["ETag": "\"a\""]), ["Abc": "1", "If-None-Match": "\"a\""]),
    Row("without a validator the request goes as it is", (["Abc": "1"], [:]), nil),
    Row("an empty validator is none", ([:], ["ETag": ""]), nil),
    Row("an asterisk is none: it would match anything", ([:], ["ETag": "*"]), nil),
    Row("a condition of the user's own goes as it is", (["If-None-Match": "\"u\""], ["ETag": "\"a\""]), nil),
    Row("a date of the user's own goes as it is", (["If-Modified-Since": .date(-5)], ["ETag": "\"a\""]), nil),
    Row("a part is asked for without a condition", (["Range": "bytes=0-1"], ["ETag": "\"a\""]), nil),
    Row("If-Match goes to the origin as it is", (["If-Match": "\"a\""], ["ETag": "\"a\""]), nil),
  ]

  @Test("What a stale response is validated with", arguments: cases)
  func request(_ row: Row<(request: Fields, response: Fields), Fields?>) {
    let request = get(row.subject.request)
    let decision = decide(request, stored(row.subject.response), at: 100)
    #expect(decision.sent == Request(.get, .example, fields: row.outcome ?? row.subject.request))
    if case .validate = decision { #expect(row.outcome != nil) } else { #expect(row.outcome == nil) }
  }

  @Test("A HEAD goes to the origin as it is")
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
    Row("comparison is weak", (["If-None-Match": "W/\"a\""], ["ETag": "\"a\""]), .notModified),
    Row("either way round", (["If-None-Match": "\"a\""], ["ETag": "W/\"a\""]), .notModified),
    Row("one of several tags is enough", (["If-None-Match": "\"b\", \"a\""], ["ETag": "\"a\""]), .notModified),
    Row("on whichever line", (["If-None-Match": "\"b\"", "if-none-match": "\"a\""], ["ETag": "\"a\""]), .notModified),
    Row("a star matches any representation", (["If-None-Match": "*"], [:]), .notModified),
    Row("another tag is answered whole", (["If-None-Match": "\"b\""], ["ETag": "\"a\""]), .whole),
    Row("a tag without quotes matches nothing", (["If-None-Match": "a"], ["ETag": "\"a\""]), .whole),
    Row("no stored tag matches none", (["If-None-Match": "\"a\""], [:]), .whole),
    Row(
      "an equal date is answered 304", (["If-Modified-Since": .date(-9)], ["Last-Modified": .date(-9)]), .notModified),
    Row("a later date too", (["If-Modified-Since": .date(-8)], ["Last-Modified": .date(-9)]), .notModified),
    Row("an earlier one is answered whole", (["If-Modified-Since": .date(-10)], ["Last-Modified": .date(-9)]), .whole),
    Row("no date is no condition", (["If-Modified-Since": "x"], ["Last-Modified": .date(-9)]), .whole),
    Row("without Last-Modified the Date counts", (["If-Modified-Since": .date(-5)], ["Date": .date(-5)]), .notModified),
    Row("without either, when it came", (["If-Modified-Since": .date(0)], [:]), .notModified),
    Row("and not earlier", (["If-Modified-Since": .date(-1)], [:]), .whole),
    Row(
      "a tag that matches beats a date that does not",
      (["If-None-Match": "\"a\"", "If-Modified-Since": .date(-99)], ["ETag": "\"a\"", "Last-Modified": .date(-9)]),
      .notModified),
    Row(
      "a tag that does not match beats a date that does",
      (["If-None-Match": "\"b\"", "If-Modified-Since": .date(0)], ["ETag": "\"a\"", "Last-Modified": .date(-9)]), .whole
    ),
  ]

  @Test("A condition of the user's own, answered by a fresh response", arguments: cases)
  func condition(_ row: Row<Case, Reuse.Form>) {
    let response = stored(Fields(row.subject.response.lines + [Field(.cacheControl, "max-age=600")]))
    for method in [Method.get, .head] {
      let decision = decide(Request(method, .example, fields: row.subject.request), response, at: 100)
      #expect(decision.reuse?.form == row.outcome)
    }
  }

  @Test("Only a 200 is answered 304: a stored 404 is itself")
  func otherStatus() {
    let response = stored(["Cache-Control": "max-age=600", "ETag": "\"a\""], status: 404)
    #expect(decide(get(["If-None-Match": "\"a\""]), response, at: 100).reuse?.form == .whole)
  }

  @Test(
    "Preconditions against lost updates are the origin's to evaluate",
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
    Row("a range is answered by a part", (["Range": "bytes=10-19"], validators), .part(10..<20)),
    Row("a suffix by the end", (["Range": "bytes=-10"], validators), .part(90..<100)),
    Row("a range beyond the end is unsatisfiable", (["Range": "bytes=100-"], validators), .unsatisfiableRange),
    Row(
      "a condition that does not hold leaves the range",
      (["Range": "bytes=0-1", "If-None-Match": "\"b\""], validators),
      .part(0..<2)),
    Row(
      "be it a date", (["Range": "bytes=0-1", "If-Modified-Since": .date(-99)], validators), .part(0..<2)),
    Row(
      "one that holds does not", (["Range": "bytes=0-1", "If-None-Match": "\"a\""], validators), .notModified),
    Row("If-Range with the tag holds", (["Range": "bytes=0-1", "If-Range": "\"a\""], validators), .part(0..<2)),
    Row("If-Range with another tag does not", (["Range": "bytes=0-1", "If-Range": "\"b\""], validators), .whole),
    Row("If-Range compares strongly", (["Range": "bytes=0-1", "If-Range": "W/\"a\""], validators), .whole),
    Row(
      "a weak stored tag is no strong one",
      (["Range": "bytes=0-1", "If-Range": "\"a\""], ["Cache-Control": "max-age=600", "ETag": "W/\"a\""]), .whole),
    Row(
      "If-Range with the date holds where it is strong", (["Range": "bytes=0-1", "If-Range": .date(-9)], validators),
      .part(0..<2)),
    Row("If-Range with another date does not", (["Range": "bytes=0-1", "If-Range": .date(-8)], validators), .whole),
    Row(
      "nor where the date is as young as the response",
      (
        ["Range": "bytes=0-1", "If-Range": .date(0)],
        ["Cache-Control": "max-age=600", "Date": .date(0), "Last-Modified": .date(0)]
      ), .whole),
    Row(
      "nor where the response has no Date",
      (["Range": "bytes=0-1", "If-Range": .date(-9)], ["Cache-Control": "max-age=600", "Last-Modified": .date(-9)]),
      .whole),
    Row("If-Range with neither is answered whole", (["Range": "bytes=0-1", "If-Range": "x"], validators), .whole),
    Row("If-Range without Range is nothing", (["If-Range": "\"b\""], validators), .whole),
  ]

  @Test("A range, answered by a complete stored response", arguments: cases)
  func range(_ row: Row<(request: Fields, response: Fields), Reuse.Form>) {
    #expect(decide(get(row.subject.request), stored(row.subject.response), at: 100).reuse?.form == row.outcome)
  }

  @Test(
    "What is no single range of bytes is the origin's to answer; all of it comes where that is not to be asked",
    arguments: ["bytes=0-1,5-6", "items=0-1", "bytes=9-1"] as [FieldValue])
  func originsOwn(_ range: FieldValue) {
    let response = stored(Self.validators)
    #expect(decide(get(["Range": range]), response, at: 1).verdict == .forwarded(.request))
    for policy in [CachePolicy.cacheElseLoad, .cacheOnly, .cacheOnlyStrict] {
      #expect(decide(get(["Range": range]), response, policy, at: 1).reuse?.form == .whole)
    }
    let onlyIfCached = get(["Range": range, "Cache-Control": "only-if-cached"])
    #expect(decide(onlyIfCached, response, at: 1).reuse?.form == .whole)
    // Where the origin fails, or is asked for more than this, it is as for any other request.
    let lenient = stored(["Cache-Control": "max-age=60, stale-if-error=600"])
    #expect(decide(get(["Range": range]), lenient, at: 100).onError?.form == .whole)
    #expect(decide(get(["Range": range]), response, .networkFirst, at: 1).onError?.form == .whole)
    #expect(decide(get(["Range": range]), response, .revalidate, at: 1).sent?.fields[.cacheControl] == "max-age=0")
    #expect(decide(get(["Range": range]), response, .reloadAll, at: 1).sent?.fields[.cacheControl] == "no-cache")
    // The condition comes first.
    let condition = get(["Range": range, "If-None-Match": "\"a\""])
    #expect(decide(condition, response, at: 1).reuse?.form == .notModified)
    #expect(decide(head(["Range": range]), response, at: 1).reuse?.form == .whole)
  }

  @Test("A range means something for GET and for a 200 alone")
  func elsewhere() {
    #expect(decide(head(["Range": "bytes=0-1"]), stored(Self.validators), at: 1).reuse?.form == .whole)
    // "... with a non-zero suffix-length" is satisfiable.
    let empty = stored(Self.validators, length: 0)
    #expect(decide(get(["Range": "bytes=-5"]), empty, at: 1).reuse?.form == .whole)
    #expect(decide(get(["Range": "bytes=-0"]), empty, at: 1).reuse?.form == .unsatisfiableRange)
    #expect(decide(get(["Range": "bytes=0-"]), empty, at: 1).reuse?.form == .unsatisfiableRange)
    let missing = stored(Self.validators, status: 404)
    #expect(decide(get(["Range": "bytes=0-1"]), missing, at: 1).reuse?.form == .whole)
  }
}
