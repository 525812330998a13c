import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Storing responses: RFC 9111 section 3")
struct StoringTests {
  /// `nil` as outcome: it is stored.
  static let responses: [Row<Answer, NotStored?>] = [
    Row("a 200 is stored without any word about it", answer(200), nil),
    Row("a heuristically cacheable status is stored without any word about it", answer(404), nil),
    Row("another status is not", answer(302), .nothingAllowsIt),
    Row("an unknown status is not", answer(299), .nothingAllowsIt),
    Row("max-age allows any final status", answer(302, ["Cache-Control": "max-age=60"]), nil),
    Row("max-age allows an unknown status", answer(599, ["Cache-Control": "max-age=60"]), nil),
    Row("Expires allows any final status", answer(500, ["Expires": .date(60)]), nil),
    Row("public allows any final status", answer(403, ["Cache-Control": "public"]), nil),
    Row("private allows any final status, in a cache of one's own", answer(403, ["Cache-Control": "private"]), nil),
    Row("private with names allows it too", answer(403, ["Cache-Control": "private=\"x\""]), nil),
    Row("public with an argument allows nothing", answer(503, ["Cache-Control": "public=x"]), .nothingAllowsIt),
    Row("private with an empty one neither", answer(503, ["Cache-Control": "private="]), .nothingAllowsIt),
    Row("nor does a max-age that is no number", answer(503, ["Cache-Control": "max-age=abc"]), .nothingAllowsIt),
    Row("nor one without a number", answer(503, ["Cache-Control": "max-age"]), .nothingAllowsIt),
    Row("nor two that differ", answer(503, ["Cache-Control": "max-age=1, max-age=2"]), .nothingAllowsIt),
    Row(
      "must-understand with an argument takes nothing from no-store",
      answer(200, ["Cache-Control": "max-age=60, no-store, must-understand=x"]), .noStore),
    Row("s-maxage allows a private cache nothing", answer(302, ["Cache-Control": "s-maxage=60"]), .nothingAllowsIt),
    Row(
      "must-revalidate allows nothing by itself", answer(302, ["Cache-Control": "must-revalidate"]), .nothingAllowsIt),
    Row("no-store forbids it", answer(200, ["Cache-Control": "max-age=60, no-store"]), .noStore),
    Row(
      "no-store forbids it from any line and in any case",
      answer(200, ["Cache-Control": "public", "cache-control": "No-Store"]), .noStore),
    Row(
      "no-store with an argument forbids it all the same", answer(200, ["Cache-Control": "no-store=\"x\""]), .noStore),
    Row(
      "no-store behind a quote that is never closed forbids it",
      answer(200, ["Cache-Control": "max-age=60, x=\"a, no-store"]), .noStore),
    Row("no-store within a quoted string is none", answer(200, ["Cache-Control": "x=\"no-store\""]), nil),
    Row("no-cache does not forbid it", answer(200, ["Cache-Control": "no-cache"]), nil),
    Row("Pragma: no-cache in a response means nothing", answer(200, ["Pragma": "no-cache"]), nil),
    Row("an interim status is never stored", answer(103, ["Cache-Control": "max-age=60"]), .interimStatus),
    Row("a 304 is no response to store", answer(304, ["Cache-Control": "max-age=60", "ETag": "\"a\""]), .notModified),
    Row(
      "a 206 that nobody asked for is not stored",
      answer(206, ["Content-Range": "bytes 0-1/2", "Cache-Control": "max-age=60"]),
      .partialContent),
    Row("a 206 without Content-Range is not stored", answer(206, ["Cache-Control": "max-age=60"]), .partialContent),
    Row(
      "another status with a Content-Range may be a part of something",
      answer(404, ["Content-Range": "bytes 0-1/2", "Cache-Control": "max-age=60"]), .partialContent),
    Row("a 200 with a stray Content-Range is whole", answer(200, ["Content-Range": "x"]), nil),
    Row("a response that varies on everything is not stored", answer(200, ["Vary": "*"]), .varyAnything),
    Row(
      "a response of doubtful framing is not stored", answer(200, ["Cache-Control": "max-age=60"], isSound: false),
      .framing),
    Row("an expired response is stored, to be validated", answer(200, ["Expires": "0"]), nil),
    Row("max-age=0 is stored, to be validated", answer(200, ["Cache-Control": "max-age=0"]), nil),
  ]

  @Test("A cache must not store a response unless ...", arguments: responses)
  func storing(_ row: Row<Answer, NotStored?>) {
    let conclusion = conclude(get(), nil, row.subject)
    #expect(conclusion.change.refusal == row.outcome)
    #expect((conclusion.change.inserted == nil) == (row.outcome != nil))
    #expect(conclusion.delivery == .answer)
  }

  /// RFC 9111 section 5.2.2.3.
  static let mustUnderstand: [Row<Answer, NotStored?>] = [
    Row("an understood status is stored", answer(200, ["Cache-Control": "must-understand"]), nil),
    Row(
      "an understood status is stored in spite of no-store",
      answer(200, ["Cache-Control": "no-store, must-understand, max-age=60"]), nil),
    Row(
      "a status not understood is not stored", answer(599, ["Cache-Control": "must-understand, max-age=60"]),
      .statusNotUnderstood),
    Row(
      "a status not understood is not stored, no-store or not",
      answer(599, ["Cache-Control": "no-store, must-understand, max-age=60"]), .statusNotUnderstood),
    Row(
      "a 206 that nobody asked for is not stored either", answer(206, ["Cache-Control": "must-understand, max-age=60"]),
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
    Row("no-cache in the request does not keep it from being stored", get(["Cache-Control": "no-cache"]), nil),
    Row("no-store in the request does", get(["Cache-Control": "no-store"]), .requestNoStore),
    Row("a whole answer to a Range request is stored", get(["Range": "bytes=0-1"]), nil),
    Row("a whole answer to a conditional request is stored", get(["If-None-Match": "\"a\""]), nil),
    Row("an answer to HEAD has no content to be stored", head(), .method),
    Row("an answer to POST is not stored", post(), .method),
    Row("an answer to an unknown method is not stored", Request(Method("get".utf8) ?? .get, .example), .method),
  ]

  @Test("The method and the directives of the request", arguments: requests)
  func request(_ row: Row<Request, NotStored?>) {
    let conclusion = conclude(row.subject, nil, answer(200, ["Cache-Control": "max-age=60"]))
    #expect(conclusion.change.refusal == row.outcome)
  }

  @Test(
    "What answers a range or a precondition of one request answers no other", arguments: [412, 416] as [StatusCode])
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
    "What speaks of the client alone is not stored, whatever it allows",
    arguments: [407, 428, 429, 431, 511] as [StatusCode])
  func statusForbidsStoring(_ status: StatusCode) {
    let fields: Fields = ["Cache-Control": "public, max-age=60"]
    #expect(conclude(get(), nil, answer(status, fields)).change.refusal == .statusForbidsIt)
    let archived = ArchivedStorability.refusal(of: Response(status, fields: fields), to: .get, heedsOrigin: false)
    #expect(archived == .statusForbidsIt)
  }

  @Test("What is stored is the head, the key, the selecting fields and the times")
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

  /// RFC 9110 section 9.3.3.
  static let posted: [Row<Answer, Bool>] = [
    Row(
      "with a lifetime and the target's Content-Location it is",
      answer(200, ["Cache-Control": "max-age=60", "Content-Location": "/a?b"]), true),
    Row("an Expires is a lifetime too", answer(200, ["Expires": .date(60), "Content-Location": "?b"]), true),
    Row("without a lifetime it is not", answer(200, ["ETag": "\"a\"", "Content-Location": "/a?b"]), false),
    Row("without Content-Location it is not", answer(200, ["Cache-Control": "max-age=60"]), false),
    Row(
      "of another resource it is not", answer(200, ["Cache-Control": "max-age=60", "Content-Location": "/b"]), false),
    Row(
      "of two resources it is not",
      answer(
        200,
        Fields([
          Field(.cacheControl, "max-age=60"), Field("Content-Location", "/a?b"), Field("Content-Location", "/b"),
        ])), false),
    Row(
      "of another origin's it is not",
      answer(200, ["Cache-Control": "max-age=60", "Content-Location": "https://example.org/a?b"]), false),
    Row(
      "a report of what was made is not",
      answer(201, ["Cache-Control": "max-age=60", "Content-Location": "/a?b"]), false),
    Row(
      "no-store forbids it",
      answer(200, ["Cache-Control": "max-age=60, no-store", "Content-Location": "/a?b"]), false),
  ]

  @Test("An answer to POST, stored for a later GET", arguments: posted)
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

  @Test("A response that varies on a secret is not stored where secrets cannot be concealed")
  func unconcealable() {
    let conclusion = conclude(
      .forward(get(), because: .uriMiss, onError: nil), .answer(answer(200, ["Vary": "X-Token"])),
      for: get(["X-Token": "s"]), .uriMiss,
      under: ConclusionTerms(.useProtocol, key: .example, concealing: { _ in nil }))
    #expect(conclusion.change == .none(.cannotConceal))
  }

  @Test("What is kept out of the cache says why, whatever the policy")
  func keptOut() {
    for policy in [CachePolicy.useProtocol, .noStore] {
      let conclusion = conclude(
        .forward(get(), because: .uriMiss, onError: nil), .answer(answer(200, ["Cache-Control": "max-age=60"])),
        for: get(), .uriMiss,
        under: ConclusionTerms(policy, keptOut: .contentLeft, key: .example, concealing: { _ in nil }))
      #expect(conclusion.change == .none(.contentLeft))
    }
  }

  static let successions: [Row<Answer, Bool>] = [
    Row("a 200 that may not be stored takes the old response away", answer(200, ["Cache-Control": "no-store"]), true),
    Row("so does a redirection that may not be stored", answer(302), true),
    Row("so does a 404 that may not be stored", answer(404, ["Cache-Control": "no-store"]), true),
    Row("so does a 410 that may not be stored", answer(410, ["Cache-Control": "no-store"]), true),
    Row("a 403 says nothing about the stored response", answer(403), false),
    Row("a 429 says nothing about it", answer(429), false),
    Row("a 500 says nothing about it", answer(500), false),
    Row("a 503 says nothing about it", answer(503), false),
    Row("a part of it takes nothing away", answer(206, ["Content-Range": "bytes 0-1/2"]), false),
  ]

  @Test("What an answer that may not be stored does to what is stored", arguments: successions)
  func succession(_ row: Row<Answer, Bool>) {
    let change = conclude(get(), stored(["Cache-Control": "max-age=1"]), row.subject, at: 60).change
    #expect(change.isRemoval == row.outcome)
    #expect(change.inserted == nil)
  }

  /// What is stored has this status, `nil` for a variant that is not selected; `true`: the error takes its place.
  static let errors: [Row<(stored: StatusCode?, came: Answer), Bool>] = [
    Row("without a lifetime it leaves a 200", (200, answer(403, ["Cache-Control": "private"])), false),
    Row("a heuristically cacheable one, too", (200, answer(501)), false),
    Row("one with a validator, too", (200, answer(403, ["Cache-Control": "private", "ETag": "\"b\""])), false),
    Row("one that is stale, too", (200, answer(503, ["Cache-Control": "max-age=0, private"])), false),
    Row("one that must be validated, too", (200, answer(500, ["Cache-Control": "no-cache, max-age=60"])), false),
    Row("with a lifetime it takes the place", (200, answer(503, ["Cache-Control": "max-age=60"])), true),
    Row("a 404 says that the resource is gone", (200, answer(404)), true),
    Row("it leaves a 404, too", (404, answer(403, ["Cache-Control": "private"])), false),
    Row("and takes the place of an error of its kind", (503, answer(403, ["Cache-Control": "private"])), true),
    Row("it leaves other variants", (nil, answer(403, ["Cache-Control": "private"])), false),
  ]

  @Test("What an error that may be stored does to what is stored", arguments: errors)
  func error(_ row: Row<(stored: StatusCode?, came: Answer), Bool>) {
    let old = row.subject.stored.map { stored(["Cache-Control": "max-age=0"], status: $0) }
    let change = conclude(
      .forward(get(), because: .stale, onError: nil), .answer(row.subject.came), for: get(),
      old.map(Selection.selected) ?? .varyMiss,
      under: ConclusionTerms(.useProtocol, key: .example, concealing: conceal)
    ).change
    #expect(change.refusal == (row.outcome ? nil : .worthLess) && !change.isRemoval)
    #expect((change.inserted != nil) == row.outcome)
  }

  @Test("A request with no-store leaves what is stored as it is, whatever comes", arguments: [200, 302, 404, 410, 503])
  func passedBy(_ status: UInt16) {
    let request = get(["Cache-Control": "no-store"])
    let change = conclude(request, stored(["ETag": "\"a\""]), answer(StatusCode(rawValue: status)), at: 60).change
    #expect(change == .none(.requestNoStore))
  }
}

/// RFC 9110 section 15.1 and what garner understands of the other codes.
@Suite("Status codes and caching")
struct StatusCachingTests {
  @Test("Heuristically cacheable are the codes that RFC 9110 section 15.1 lists, and no others")
  func heuristicallyCacheable() {
    let codes = (UInt16(100)...999).filter { StatusCode(rawValue: $0).isHeuristicallyCacheable }
    #expect(codes == [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])
  }

  @Test("Neither a 304, nor an interim or an unregistered status is understood")
  func understood() {
    let codes = (UInt16(100)...999).filter { StatusCode(rawValue: $0).isUnderstood }
    #expect(codes.allSatisfy { (200..<600).contains($0) && $0 != 304 && $0 != 306 && $0 != 418 })
    #expect(Set([200, 301, 308, 404, 410, 501]).isSubset(of: codes))
  }
}
