import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Storing responses: RFC 9111 section 3")
struct StoringTests {
  /// The reason not to store; `nil` if the response is stored.
  static let responses: [Row<Answer, NotStored?>] = [
    Row("a 200 is stored without any directive", answer(200), nil),
    Row("a heuristically cacheable status is stored without any directive", answer(404), nil),
    Row("another status is not stored without a directive", answer(302), .notCacheable),
    Row("an unknown status is not stored without a directive", answer(299), .notCacheable),
    Row("max-age allows any final status", answer(302, ["Cache-Control": "max-age=60"]), nil),
    Row("max-age allows an unknown status", answer(599, ["Cache-Control": "max-age=60"]), nil),
    Row(
      "a status code of 600 is none of HTTP's, whatever the fields say", answer(600, ["Cache-Control": "max-age=60"]),
      .statusOutOfRange),
    Row("a status code of 0 is none of HTTP's", answer(0, ["Cache-Control": "public"]), .statusOutOfRange),
    Row("Expires allows any final status", answer(500, ["Expires": .date(60)]), nil),
    Row("public allows any final status", answer(403, ["Cache-Control": "public"]), nil),
    Row("private allows any final status in a private cache", answer(403, ["Cache-Control": "private"]), nil),
    Row("private with names allows any final status", answer(403, ["Cache-Control": "private=\"x\""]), nil),
    Row("public with an argument allows nothing", answer(503, ["Cache-Control": "public=x"]), .notCacheable),
    Row("private with an empty argument allows nothing", answer(503, ["Cache-Control": "private="]), .notCacheable),
    Row("a max-age that is no number allows nothing", answer(503, ["Cache-Control": "max-age=abc"]), .notCacheable),
    Row("a max-age without a number allows nothing", answer(503, ["Cache-Control": "max-age"]), .notCacheable),
    Row(
      "two different max-age allow nothing", answer(503, ["Cache-Control": "max-age=1, max-age=2"]), .notCacheable),
    Row(
      "must-understand with an argument does not override no-store",
      answer(200, ["Cache-Control": "max-age=60, no-store, must-understand=x"]), .noStore),
    Row("s-maxage allows a private cache nothing", answer(302, ["Cache-Control": "s-maxage=60"]), .notCacheable),
    Row(
      "must-revalidate allows nothing by itself", answer(302, ["Cache-Control": "must-revalidate"]), .notCacheable),
    Row("no-store forbids it", answer(200, ["Cache-Control": "max-age=60, no-store"]), .noStore),
    Row(
      "no-store counts in any line and in any case",
      answer(200, ["Cache-Control": "public", "cache-control": "No-Store"]), .noStore),
    Row(
      "no-store with an argument forbids storing all the same", answer(200, ["Cache-Control": "no-store=\"x\""]),
      .noStore),
    Row(
      "no-store behind an unterminated quote forbids storing",
      answer(200, ["Cache-Control": "max-age=60, x=\"a, no-store"]), .noStore),
    Row("no-store within a quoted string is ignored", answer(200, ["Cache-Control": "x=\"no-store\""]), nil),
    Row("no-cache does not forbid it", answer(200, ["Cache-Control": "no-cache"]), nil),
    Row("Pragma: no-cache in a response is ignored", answer(200, ["Pragma": "no-cache"]), nil),
    Row("an interim status is never stored", answer(103, ["Cache-Control": "max-age=60"]), .interimStatus),
    Row("a 304 is no response to store", answer(304, ["Cache-Control": "max-age=60", "ETag": "\"a\""]), .notModified),
    Row(
      "a 206 to a request without Range is not stored",
      answer(206, ["Content-Range": "bytes 0-1/2", "Cache-Control": "max-age=60"]),
      .partialContent),
    Row("a 206 without Content-Range is not stored", answer(206, ["Cache-Control": "max-age=60"]), .partialContent),
    Row(
      "another status with a Content-Range is not stored",
      answer(404, ["Content-Range": "bytes 0-1/2", "Cache-Control": "max-age=60"]), .partialContent),
    Row("a 200 with an invalid Content-Range is stored as a whole", answer(200, ["Content-Range": "x"]), nil),
    Row("a response that varies on everything is not stored", answer(200, ["Vary": "*"]), .varyAnything),
    Row(
      "a response of doubtful framing is not stored", answer(200, ["Cache-Control": "max-age=60"], isSound: false),
      .framing),
    Row("an expired response is stored, to be validated", answer(200, ["Expires": "0"]), nil),
    Row("max-age=0 is stored, to be validated", answer(200, ["Cache-Control": "max-age=0"]), nil),
  ]

  @Test("A response is stored if its status and its directives allow that", arguments: responses)
  func storing(_ row: Row<Answer, NotStored?>) {
    let conclusion = conclude(get(), nil, row.subject)
    #expect(conclusion.change.refusal == row.outcome)
    #expect((conclusion.change.inserted == nil) == (row.outcome != nil))
    #expect(conclusion.delivery == .answer)
  }

  /// must-understand: RFC 9111 section 5.2.2.3.
  static let mustUnderstand: [Row<Answer, NotStored?>] = [
    Row("an understood status is stored", answer(200, ["Cache-Control": "must-understand"]), nil),
    Row(
      "an understood status is stored in spite of no-store",
      answer(200, ["Cache-Control": "no-store, must-understand, max-age=60"]), nil),
    Row(
      "a status that is not understood is not stored", answer(599, ["Cache-Control": "must-understand, max-age=60"]),
      .statusNotUnderstood),
    Row(
      "a status that is not understood is not stored, even with no-store",
      answer(599, ["Cache-Control": "no-store, must-understand, max-age=60"]), .statusNotUnderstood),
    Row(
      "a 206 to a request without Range is not stored either",
      answer(206, ["Cache-Control": "must-understand, max-age=60"]),
      .partialContent),
  ]

  @Test("must-understand overrides no-store where the status is understood", arguments: mustUnderstand)
  func understanding(_ row: Row<Answer, NotStored?>) {
    #expect(conclude(get(), nil, row.subject).change.refusal == row.outcome)
  }

  static let requests: [Row<Request, NotStored?>] = [
    Row("an answer to GET is stored", get(), nil),
    Row(
      "an answer to a request with Authorization is stored by a private cache", get(["Authorization": "Basic eA=="]),
      nil),
    Row("no-cache in the request allows storing", get(["Cache-Control": "no-cache"]), nil),
    Row("no-store in the request forbids storing", get(["Cache-Control": "no-store"]), .requestNoStore),
    Row("a whole answer to a Range request is stored", get(["Range": "bytes=0-1"]), nil),
    Row("a whole answer to a conditional request is stored", get(["If-None-Match": "\"a\""]), nil),
    Row("an answer to HEAD is not stored, because it has no content", head(), .method),
    Row("an answer to POST is not stored", post(), .method),
    Row("an answer to an unknown method is not stored", Request(Method("get".utf8) ?? .get, .example), .method),
  ]

  @Test("The request's method and directives decide whether an answer is stored", arguments: requests)
  func request(_ row: Row<Request, NotStored?>) {
    let conclusion = conclude(row.subject, nil, answer(200, ["Cache-Control": "max-age=60"]))
    #expect(conclusion.change.refusal == row.outcome)
  }

  @Test(
    "A 412 or 416 is not stored, because it answers only the one request", arguments: [412, 416] as [StatusCode])
  func requestBound(_ status: StatusCode) {
    let heads: [Fields] = [
      ["Cache-Control": "max-age=60"], ["Cache-Control": "max-age=60", "Content-Range": "bytes */7"],
    ]
    for fields in heads {
      let change = conclude(get(["Range": "bytes=7-"]), nil, answer(status, fields)).change
      #expect(change.refusal == .requestBound)
    }
  }

  @Test(
    "A status that concerns the client alone is not stored, whatever its directives allow",
    arguments: [407, 428, 429, 431, 511] as [StatusCode])
  func statusForbidsStoring(_ status: StatusCode) {
    let fields: Fields = ["Cache-Control": "public, max-age=60"]
    #expect(conclude(get(), nil, answer(status, fields)).change.refusal == .statusForbidsStoring)
    let archived = ArchivedStorability.refusal(of: Response(status, fields: fields), to: .get, respectsOrigin: false)
    #expect(archived == .statusForbidsStoring)
  }

  @Test("A response is stored with its head, key, selecting fields and times")
  func inserted() throws {
    let request = get(["Accept": "a", "Cookie": "s=1"])
    let came = Answer(
      Response(200, fields: ["Vary": "Accept, Cookie", "ETag": "\"a\"", "Connection": "close"]),
      requestTime: .at(5), responseTime: .at(7))
    let inserted = try #require(conclude(request, nil, came).change.inserted)
    let fields: Fields = ["Vary": "Accept, Cookie", "ETag": "\"a\"", "Date": .date(7)]
    #expect(inserted.response == Response(200, fields: fields))
    #expect(inserted.key == .example)
    #expect(inserted.requestMethod == .get)
    #expect(inserted.requestTime == .at(5))
    #expect(inserted.responseTime == .at(7))
    #expect(!inserted.isDoubtful)
    #expect(inserted.selecting.match(request.fields, concealing: conceal))
    #expect(inserted.selecting.members.map(\.name) == ["Accept", "Cookie"])
  }

  /// Answers to POST: RFC 9110 section 9.3.3.
  static let posted: [Row<Answer, Bool>] = [
    Row(
      "it is stored with a lifetime and the target's Content-Location",
      answer(200, ["Cache-Control": "max-age=60", "Content-Location": "/a?b"]), true),
    Row(
      "it is stored with Expires as its lifetime", answer(200, ["Expires": .date(60), "Content-Location": "?b"]), true),
    Row("it is not stored without a lifetime", answer(200, ["ETag": "\"a\"", "Content-Location": "/a?b"]), false),
    Row("it is not stored without Content-Location", answer(200, ["Cache-Control": "max-age=60"]), false),
    Row(
      "it is not stored with another Content-Location",
      answer(200, ["Cache-Control": "max-age=60", "Content-Location": "/b"]), false),
    Row(
      "it is not stored with two Content-Location fields",
      answer(
        200,
        Fields([
          Field(.cacheControl, "max-age=60"), Field("Content-Location", "/a?b"), Field("Content-Location", "/b"),
        ])), false),
    Row(
      "it is not stored with the Content-Location of another origin",
      answer(200, ["Cache-Control": "max-age=60", "Content-Location": "https://example.org/a?b"]), false),
    Row(
      "a 201 is not stored",
      answer(201, ["Cache-Control": "max-age=60", "Content-Location": "/a?b"]), false),
    Row(
      "no-store forbids it",
      answer(200, ["Cache-Control": "max-age=60, no-store", "Content-Location": "/a?b"]), false),
  ]

  @Test(
    "An answer to POST is stored for a later GET if it has a lifetime and names the target as its location",
    arguments: posted)
  func posting(_ row: Row<Answer, Bool>) throws {
    let request = post()
    let conclusion = conclude(request, nil, row.subject)
    #expect(conclusion.delivery == .answer)
    #expect(conclusion.invalidated.first == .example)
    #expect((conclusion.change.inserted != nil) == row.outcome)
    guard row.outcome else { return }
    let inserted = try #require(conclusion.change.inserted)
    #expect(inserted.requestMethod == .post)
    #expect(decide(get(), inserted, at: 1).verdict == .served)
    #expect(decide(head(), inserted, at: 1).verdict == .served)
    #expect(decide(request, inserted, at: 1).verdict == .forwarded(.method))
  }

  @Test("A response that varies on a secret field is not stored if its value cannot be concealed")
  func unconcealable() {
    let conclusion = conclude(
      .forward(get(), because: .uriMiss, onError: nil), .answer(answer(200, ["Vary": "X-Token"])),
      for: get(["X-Token": "s"]), .uriMiss,
      under: ConclusionTerms(.useProtocol, key: .example, concealing: { _ in nil }))
    #expect(conclusion.change == .none(.cannotConceal))
  }

  @Test("An answer to a request that bypasses the cache has the reason for that, whatever the policy")
  func bypassReason() {
    for policy in [CachePolicy.useProtocol, .noStore] {
      let conclusion = conclude(
        .forward(get(), because: .uriMiss, onError: nil), .answer(answer(200, ["Cache-Control": "max-age=60"])),
        for: get(), .uriMiss,
        under: ConclusionTerms(policy, bypassReason: .contentSkipped, key: .example, concealing: { _ in nil }))
      #expect(conclusion.change == .none(.contentSkipped))
    }
  }

  static let successions: [Row<Answer, Bool>] = [
    Row("a 200 with no-store removes the stored response", answer(200, ["Cache-Control": "no-store"]), true),
    Row("a redirection that may not be stored removes it", answer(302), true),
    Row("a 404 with no-store removes it", answer(404, ["Cache-Control": "no-store"]), true),
    Row("a 410 with no-store removes it", answer(410, ["Cache-Control": "no-store"]), true),
    Row("a 403 leaves the stored response", answer(403), false),
    Row("a 429 leaves it", answer(429), false),
    Row("a 500 leaves it", answer(500), false),
    Row("a 503 leaves it", answer(503), false),
    Row("a part leaves it", answer(206, ["Content-Range": "bytes 0-1/2"]), false),
  ]

  @Test(
    "An answer that may not be stored removes the stored response unless it is an error that leaves it",
    arguments: successions)
  func succession(_ row: Row<Answer, Bool>) {
    let change = conclude(get(), stored(["Cache-Control": "max-age=1"]), row.subject, at: 60).change
    #expect(change.isRemoval == row.outcome)
    #expect(change.inserted == nil)
  }

  /// The status of the stored response, `nil` for a variant that is not selected. `true`: the error replaces it.
  static let errors: [Row<(stored: StatusCode?, came: Answer), Bool>] = [
    Row("an error without a lifetime leaves a 200", (200, answer(403, ["Cache-Control": "private"])), false),
    Row("a heuristically cacheable error leaves a 200", (200, answer(501)), false),
    Row(
      "an error with a validator leaves a 200", (200, answer(403, ["Cache-Control": "private", "ETag": "\"b\""])), false
    ),
    Row("a stale error leaves a 200", (200, answer(503, ["Cache-Control": "max-age=0, private"])), false),
    Row("an error with no-cache leaves a 200", (200, answer(500, ["Cache-Control": "no-cache, max-age=60"])), false),
    Row("an error with a lifetime replaces a 200", (200, answer(503, ["Cache-Control": "max-age=60"])), true),
    Row("a 404 replaces a 200", (200, answer(404)), true),
    Row("a 403 without a lifetime leaves a 404", (404, answer(403, ["Cache-Control": "private"])), false),
    Row("a 403 without a lifetime replaces a 503", (503, answer(403, ["Cache-Control": "private"])), true),
    Row("an error leaves other variants", (nil, answer(403, ["Cache-Control": "private"])), false),
  ]

  @Test(
    "An error that may be stored replaces a stored success only if it has a lifetime or says that it is gone",
    arguments: errors)
  func error(_ row: Row<(stored: StatusCode?, came: Answer), Bool>) {
    let old = row.subject.stored.map { stored(["Cache-Control": "max-age=0"], status: $0) }
    let change = conclude(
      .forward(get(), because: .stale, onError: nil), .answer(row.subject.came), for: get(),
      old.map(Selection.selected) ?? .varyMiss,
      under: ConclusionTerms(.useProtocol, key: .example, concealing: conceal)
    ).change
    #expect(change.refusal == (row.outcome ? nil : .errorWithoutLifetime) && !change.isRemoval)
    #expect((change.inserted != nil) == row.outcome)
  }

  @Test(
    "A request with no-store leaves the stored response as it is, whatever the answer",
    arguments: [200, 302, 404, 410, 503])
  func passedBy(_ status: UInt16) {
    let request = get(["Cache-Control": "no-store"])
    let change = conclude(request, stored(["ETag": "\"a\""]), answer(StatusCode(rawValue: status)), at: 60).change
    #expect(change == .none(.requestNoStore))
  }
}

/// The statuses of RFC 9110 section 15.1, and those that garner understands.
@Suite("Status codes and caching")
struct StatusCachingTests {
  @Test("The heuristically cacheable statuses are those that RFC 9110 section 15.1 lists")
  func heuristicallyCacheable() {
    let codes = (UInt16(100)...999).filter { StatusCode(rawValue: $0).isHeuristicallyCacheable }
    #expect(codes == [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])
  }

  @Test("A 304, an interim status and an unregistered status are not understood")
  func understood() {
    let codes = (UInt16(100)...999).filter { StatusCode(rawValue: $0).isUnderstood }
    #expect(codes.allSatisfy { (200..<600).contains($0) && $0 != 304 && $0 != 306 && $0 != 418 })
    #expect(Set([200, 301, 308, 404, 410, 501]).isSubset(of: codes))
  }
}
