import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Freshening stored responses upon validation: RFC 9111 sections 4.3.3 and 4.3.4")
struct FresheningTests {
  static let base: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X": "1", "Date": .date(0), "Age": "5"]

  @Test("A 304 yields the stored response with the 304's fields, its age counted anew")
  func freshened() throws {
    let response = stored(Self.base, length: 7)
    let notModified = answer(304, ["ETag": "\"a\"", "X": "2", "Date": .date(100)], at: 100)
    let conclusion = conclude(get(), response, notModified, at: 100)
    let fresh = try #require(conclusion.change.freshened)
    #expect(fresh.fields == ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X": "2", "Date": .date(100)])
    #expect(fresh.response.status == 200)
    #expect(fresh.contentLength == 7)
    #expect(fresh.responseTime == .at(100))
    #expect(conclusion.delivery.reuse?.stored == fresh)
    #expect(conclusion.delivery.reuse?.grant == nil)
    #expect(conclusion.delivery.reuse?.form == .whole)
    #expect(decide(get(), fresh, at: 159).verdict == .served)
    #expect(decide(get(), fresh, at: 160).verdict == .validated(.stale))
  }

  @Test("Fields that no-cache names are there for the request that was validated, and are not kept")
  func lent() throws {
    let base: Fields = [
      "Cache-Control": "max-age=0, no-cache=\"x, connection, date\"", "ETag": "\"a\"", "Date": .date(0),
    ]
    let fields: Fields = ["ETag": "\"a\"", "X": "2", "Y": "3", "Z": "4", "Connection": "z", "Date": .date(100)]
    let conclusion = conclude(get(), stored(base), answer(304, fields, at: 100), at: 100)
    let delivered = try #require(conclusion.delivery.reuse?.stored.fields)
    #expect(delivered.values(of: "X") == ["2"] && delivered.values(of: .date) == [.date(100)])
    #expect(delivered.contains("Y") && !delivered.contains("Z") && !delivered.contains(.connection))
    let kept = try #require(conclusion.change.freshened?.fields)
    #expect(!kept.contains("X") && kept.contains("Y"))
  }

  @Test("A 304 without Date or Age leaves neither of the old ones behind: its Date is when it came")
  func oldDate() throws {
    let fresh = try #require(conclude(get(), stored(Self.base), answer(304, at: 100), at: 100).change.freshened)
    #expect(fresh.fields.values(of: .date) == [.date(100)])
    #expect(!fresh.fields.contains(.age))
    #expect(Freshness(of: fresh, at: .at(100)).age.seconds == 0)
  }

  @Test("A 304 ends the doubt about a stored response")
  func doubt() throws {
    let doubtful = stored(Self.base, isDoubtful: true)
    let fresh = try #require(conclude(get(), doubtful, answer(304, at: 1), at: 1).change.freshened)
    #expect(!fresh.isDoubtful)
    #expect(decide(get(), fresh, at: 1).verdict == .served)
  }

  /// Whether the 304 speaks of the stored response, so that it is served.
  static let selections: [Row<(stored: Fields, notModified: Fields), Bool>] = [
    Row("an equal strong tag does", (["ETag": "\"a\""], ["ETag": "\"a\""]), true),
    Row("another strong tag does not", (["ETag": "\"a\""], ["ETag": "\"b\""]), false),
    Row("an equal weak tag does", (["ETag": "W/\"a\""], ["ETag": "W/\"a\""]), true),
    Row("another weak tag does not", (["ETag": "W/\"a\""], ["ETag": "W/\"b\""]), false),
    Row("a weak tag may stand for the strong one", (["ETag": "\"a\""], ["ETag": "W/\"a\""]), true),
    Row(
      "a strong tag says nothing of a response without one", (["Last-Modified": .date(-9)], ["ETag": "\"a\""]), false),
    Row("an equal date does", (["Last-Modified": .date(-9)], ["Last-Modified": .date(-9)]), true),
    Row("another date does not", (["Last-Modified": .date(-9)], ["Last-Modified": .date(-8)]), false),
    Row("a date says nothing of a response without one", (["ETag": "\"a\""], ["Last-Modified": .date(-9)]), false),
    Row("no validator at all does", (["ETag": "\"a\""], [:]), true),
    Row("a tag without quotes that is the stored one does", (["ETag": "a"], ["ETag": "a"]), true),
    Row("another tag without quotes does not", (["ETag": "a"], ["ETag": "b"]), false),
    Row("a tag without quotes says nothing of one that has them", (["ETag": "\"a\""], ["ETag": "a"]), false),
    Row(
      "the tag decides, whatever the date",
      (["ETag": "\"a\"", "Last-Modified": .date(-9)], ["ETag": "\"b\"", "Last-Modified": .date(-9)]), false),
  ]

  @Test("Which 304 speaks of the stored response", arguments: selections)
  func selection(_ row: Row<(stored: Fields, notModified: Fields), Bool>) {
    let conclusion = conclude(get(), stored(row.subject.stored), answer(304, row.subject.notModified), at: 100)
    #expect((conclusion.delivery.reuse != nil) == row.outcome)
    #expect((conclusion.change.freshened != nil) == row.outcome)
    #expect((conclusion.delivery == .unconditionalRequest) == !row.outcome)
  }

  @Test("A strong tag in the place of the weak one that was asked about confirms the response, and updates nothing")
  func confirmation() {
    let response = stored(["ETag": "W/\"a\""])
    let conclusion = conclude(get(), response, answer(304, ["ETag": "\"a\"", "Cache-Control": "max-age=60"]), at: 100)
    #expect(conclusion.delivery.reuse?.stored == response)
    #expect(conclusion.change == .none(.notModified))
    let last = conclude(get(), response, answer(304, ["ETag": "\"a\"", "Cache-Control": "no-store"]), at: 100)
    #expect(last.delivery.reuse?.stored == response && last.change == .remove(.noStore))
    let other = conclude(get(), response, answer(304, ["ETag": "\"b\""]), at: 100)
    #expect(other.delivery == .unconditionalRequest)
  }

  static let preconditions: [Row<Fields, Bool>] = [
    Row("the cache's own", [:], true),
    Row("the user's, which the cache evaluates", ["If-None-Match": "\"a\""], false),
    Row("the user's, which only the origin does", ["If-Match": "\"a\""], false),
  ]

  @Test("A precondition that has failed is an answer to whom it is of", arguments: preconditions)
  func failedPrecondition(_ row: Row<Fields, Bool>) {
    let conclusion = conclude(get(row.subject), stored(["ETag": "\"a\""]), answer(412, [:]), at: 100)
    #expect((conclusion.delivery == .unconditionalRequest) == row.outcome)
    #expect((conclusion.delivery == .answer) == !row.outcome)
    #expect(conclusion.change == .none(.requestBound))
  }

  /// The stored response varies on Accept.
  static let variances: [Row<Fields, Bool>] = [
    Row("a 304 that names what is known already does", ["Vary": "accept"], true),
    Row("a 304 that names nothing does", [:], true),
    Row("a 304 that adds a field does not: nobody knows its value then", ["Vary": "Accept, Accept-Language"], false),
    Row("a 304 that varies on everything does not", ["Vary": "*"], false),
  ]

  @Test("A 304 speaks of the stored response only where that stays selected by what is known", arguments: variances)
  func variance(_ row: Row<Fields, Bool>) {
    let base: Fields = ["ETag": "\"a\"", "Vary": "Accept"]
    let response = stored(base, varying: [.accept], with: get(["Accept": "x"]))
    let fields = Fields([Field(.etag, "\"a\"")] + row.subject.lines)
    let conclusion = conclude(get(["Accept": "x"]), response, answer(304, fields), at: 100)
    #expect((conclusion.change.freshened != nil) == row.outcome)
    #expect((conclusion.delivery == .unconditionalRequest) == !row.outcome)
    let headChange = conclude(head(["Accept": "x"]), response, answer(200, fields), at: 100).change
    #expect((headChange.freshened != nil) == row.outcome)
    #expect(headChange.isRemoval == !row.outcome)
  }

  static let prohibitions: [Row<FieldValue, Bool>] = [
    Row("no-store in the 304 takes the response away once it is delivered", "no-store", true),
    Row("must-understand overrules it for a status that is understood", "no-store, must-understand", false),
    Row("no-cache in the 304 leaves it to be validated", "no-cache", false),
  ]

  @Test("What a 304 adds may forbid to keep the response", arguments: prohibitions)
  func prohibition(_ row: Row<FieldValue, Bool>) {
    let conclusion = conclude(get(), stored(Self.base), answer(304, ["Cache-Control": row.subject]), at: 100)
    #expect(conclusion.delivery.reuse?.form == .whole)
    #expect(conclusion.change.isRemoval == row.outcome)
  }

  /// What a validation is answered with, if not with 304 (RFC 9111 section 4.3.3).
  static let answers: [Row<Answer, Bool>] = [
    Row("a full response replaces the stored one", answer(200, ["ETag": "\"b\""]), true),
    Row("a 404 replaces it", answer(404), true),
    Row("a 403 is delivered and leaves it", answer(403), false),
    Row("a server error is delivered and leaves it, without a grant", answer(503), false),
  ]

  @Test("A validation answered otherwise delivers the answer", arguments: answers)
  func otherAnswers(_ row: Row<Answer, Bool>) {
    let conclusion = conclude(get(), stored(Self.base), row.subject, at: 100)
    #expect(conclusion.delivery == .answer)
    #expect((conclusion.change.inserted != nil) == row.outcome)
    #expect(!conclusion.change.isRemoval)
  }

  typealias OwnCondition = (request: Fields, notModified: Fields)

  /// Whether the cache learns from a 304 that answers the user's own condition.
  static let ownConditions: [Row<OwnCondition, Bool>] = [
    Row("a tag equal to the stored one freshens", (["If-None-Match": "\"a\""], ["ETag": "\"a\""]), true),
    Row("another tag freshens nothing", (["If-None-Match": "\"b\""], ["ETag": "\"b\""]), false),
    Row("without a validator it says nothing of what is stored", (["If-None-Match": "\"b\""], [:]), false),
    Row("a tag without quotes freshens nothing that has them", (["If-None-Match": "a"], ["ETag": "a"]), false),
    Row(
      "no-store in the request forbids to learn from it",
      (["If-None-Match": "\"a\"", "Cache-Control": "no-store"], ["ETag": "\"a\""]), false),
    Row(
      "no-store in the 304 forbids it too",
      (["If-None-Match": "\"a\""], ["ETag": "\"a\"", "Cache-Control": "no-store"]), false),
  ]

  @Test("A 304 to the user's own condition is the user's", arguments: ownConditions)
  func ownCondition(_ row: Row<OwnCondition, Bool>) {
    let conclusion = conclude(
      get(row.subject.request), stored(Self.base), answer(304, row.subject.notModified), at: 100)
    #expect(conclusion.delivery == .answer)
    #expect((conclusion.change.freshened != nil) == row.outcome)
  }

  @Test("A 304 to no condition at all freshens nothing")
  func unasked() {
    let notModified = answer(304, ["ETag": "\"a\""], at: 100)
    for request in [get(["Range": "bytes=0-0"]), head()] {
      let conclusion = conclude(request, stored(Self.base), notModified, at: 100)
      #expect(conclusion == Conclusion(.answer, .none(.notModified)))
    }
    #expect(conclude(get(), stored(Self.base), notModified, .reload) == Conclusion(.answer, .none(.notModified)))
  }

  @Test("Under no-store a 304 to the user's own condition freshens nothing")
  func ownConditionNoStore() {
    let conclusion = conclude(
      get(["If-None-Match": "\"a\""]), stored(Self.base), answer(304, ["ETag": "\"a\""]), .noStore, at: 100)
    #expect(conclusion == Conclusion(.answer, .none(.notModified)))
  }
}

@Suite("Freshening responses with HEAD: RFC 9111 section 4.3.5")
struct HeadTests {
  static let base: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Last-Modified": .date(-9), "X": "1"]

  @Test("A HEAD is answered from a stored GET")
  func served() {
    #expect(decide(head(), stored(Self.base), at: 59).verdict == .served)
    #expect(decide(head(), stored(Self.base), at: 60).verdict == .forwarded(.stale))
  }

  /// `true`: updated; `false`: no longer held to be what the origin has.
  static let updates: [Row<Fields, Bool>] = [
    Row(
      "equal validators and length update", ["ETag": "\"a\"", "Last-Modified": .date(-9), "Content-Length": "100"], true
    ),
    Row("an equal tag alone updates", ["ETag": "\"a\""], true),
    Row("an equal date alone updates", ["Last-Modified": .date(-9)], true),
    Row("another tag ends it", ["ETag": "\"b\"", "Last-Modified": .date(-9)], false),
    Row("another date ends it", ["ETag": "\"a\"", "Last-Modified": .date(-8)], false),
    Row("another length ends it", ["ETag": "\"a\"", "Content-Length": "99"], false),
    Row("a length that is no number ends it", ["ETag": "\"a\"", "Content-Length": "x"], false),
    Row("another length alone ends it", ["Content-Length": "99"], false),
  ]

  @Test("A HEAD's 200 updates the stored response or ends it", arguments: updates)
  func update(_ row: Row<Fields, Bool>) throws {
    let came = answer(200, Fields(row.subject.lines + [Field("X", "2")]), at: 100)
    let conclusion = conclude(head(), stored(Self.base, length: 100), came, at: 100)
    #expect(conclusion.delivery == .answer)
    #expect(conclusion.change.isRemoval == !row.outcome)
    guard row.outcome else { return }
    let fresh = try #require(conclusion.change.freshened)
    #expect(fresh.fields["X"] == "2")
    #expect(fresh.contentLength == 100)
    #expect(fresh.requestMethod == .get)
    #expect(decide(get(), fresh, at: 159).verdict == .served)
  }

  /// `true`: updated; `false`: left as it is.
  static let unnamed: [Row<(stored: Fields, came: Fields), Bool>] = [
    Row("an equal length updates a response that has no validator", ([:], ["Content-Length": "100"]), true),
    Row("and leaves one that has", (["ETag": "\"a\""], ["Content-Length": "100"]), false),
    Row("nothing at all says nothing", ([:], ["X": "2"]), false),
  ]

  /// nginx answers so to who accepts a coding: it is what the GET would bring, and not what is stored.
  static let otherForms: [Row<(stored: Fields, came: Fields), Bool>] = [
    Row("a weakened tag", (["ETag": "\"a\""], ["ETag": "W/\"a\"", "Content-Length": "99"]), true),
    Row("a strong one for a weak one", (["ETag": "W/\"a\""], ["ETag": "\"a\""]), true),
    Row("another coding", (["ETag": "\"a\""], ["ETag": "\"b\"", "Content-Encoding": "gzip"]), true),
    Row("none any more", (["ETag": "\"a\"", "Content-Encoding": "gzip"], ["ETag": "\"b\""]), true),
    Row("another tag is no form of it", (["ETag": "\"a\""], ["ETag": "W/\"b\""]), false),
  ]

  @Test("A HEAD's 200 that speaks of another form says nothing of the stored response", arguments: otherForms)
  func otherForm(_ row: Row<(stored: Fields, came: Fields), Bool>) {
    let response = stored(row.subject.stored, length: 100)
    let change = conclude(head(), response, answer(200, row.subject.came), at: 100).change
    #expect((change == .none(.method)) == row.outcome)
    #expect(change.isRemoval == !row.outcome)
  }

  @Test("A HEAD's 200 without validators", arguments: unnamed)
  func withoutValidators(_ row: Row<(stored: Fields, came: Fields), Bool>) {
    let change = conclude(head(), stored(row.subject.stored), answer(200, row.subject.came), at: 100).change
    #expect((change.freshened != nil) == row.outcome)
    #expect(!change.isRemoval)
  }

  @Test("A HEAD's answer is never stored for a GET, whatever it allows")
  func neverInserted() {
    for response in [nil, stored(Self.base)] {
      for policy in CachePolicy.allCases {
        let came = answer(200, ["Cache-Control": "public, max-age=600", "ETag": "\"z\""])
        let decision = ReuseDecision.forward(head(), because: .uriMiss, onError: nil)
        let selection = response.map(Selection.selected) ?? .uriMiss
        let conclusion = conclude(
          decision, .answer(came), for: head(), selection,
          under: ConclusionTerms(policy, key: .example, concealing: conceal))
        #expect(conclusion.change.inserted == nil)
        #expect(conclusion.delivery == .answer)
      }
    }
  }

  @Test(
    "A HEAD's other statuses say nothing of the stored response",
    arguments: [204, 206, 301, 403, 404, 500] as [StatusCode])
  func otherStatus(_ status: StatusCode) {
    #expect(conclude(head(), stored(Self.base), answer(status, ["ETag": "\"a\""]), at: 100).change == .none(.method))
  }

  @Test("A HEAD's 200 ends what is stored with another status, whatever it brings", arguments: [203, 301, 404])
  func otherStoredStatus(_ status: UInt16) {
    let old = stored(Self.base, status: StatusCode(rawValue: status), length: 100)
    for fields in [[:], ["Content-Length": "100"], ["ETag": "\"a\"", "Cache-Control": "no-store"]] as [Fields] {
      #expect(conclude(head(), old, answer(200, fields), at: 100).change == .remove(.method))
    }
  }

  @Test("no-store, in the request or in the answer, forbids to keep anything of a HEAD's answer")
  func noStore() {
    let request = head(["Cache-Control": "no-store"])
    #expect(conclude(request, stored(Self.base), answer(200, ["ETag": "\"a\""]), at: 100).change.freshened == nil)
    let came = answer(200, ["ETag": "\"a\"", "Cache-Control": "no-store"])
    #expect(conclude(head(), stored(Self.base), came, at: 100).change.freshened == nil)
    #expect(
      conclude(head(), stored(Self.base), answer(200, ["ETag": "\"a\""]), .noStore, at: 100).change.freshened == nil)
  }
}
