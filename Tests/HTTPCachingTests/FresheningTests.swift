import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Freshening stored responses upon validation: RFC 9111 sections 4.3.3 and 4.3.4")
struct FresheningTests {
  static let base: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X": "1", "Date": .date(0), "Age": "5"]

  @Test("After a 304 the stored response is served with the 304's fields, and its age counts from then")
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

  @Test("Fields of a 304 that no-cache names are delivered with the validated response, but not stored")
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

  @Test("A 304 without Date and Age removes the stored ones, and the time of arrival becomes the Date")
  func oldDate() throws {
    let fresh = try #require(conclude(get(), stored(Self.base), answer(304, at: 100), at: 100).change.freshened)
    #expect(fresh.fields.values(of: .date) == [.date(100)])
    #expect(!fresh.fields.contains(.age))
    #expect(Freshness(of: fresh, at: .at(100)).age.seconds == 0)
  }

  @Test("A 304 ends the doubt about a response whose update was interrupted")
  func doubt() throws {
    let doubtful = stored(Self.base, isDoubtful: true)
    let fresh = try #require(conclude(get(), doubtful, answer(304, at: 1), at: 1).change.freshened)
    #expect(!fresh.isDoubtful)
    #expect(decide(get(), fresh, at: 1).verdict == .served)
  }

  /// Whether the 304 is about the stored response, so that this is served.
  static let selections: [Row<(stored: Fields, notModified: Fields), Bool>] = [
    Row("an equal strong tag matches", (["ETag": "\"a\""], ["ETag": "\"a\""]), true),
    Row("another strong tag does not match", (["ETag": "\"a\""], ["ETag": "\"b\""]), false),
    Row("an equal weak tag matches", (["ETag": "W/\"a\""], ["ETag": "W/\"a\""]), true),
    Row("another weak tag does not match", (["ETag": "W/\"a\""], ["ETag": "W/\"b\""]), false),
    Row("a weak tag matches the strong one that is stored", (["ETag": "\"a\""], ["ETag": "W/\"a\""]), true),
    Row(
      "a strong tag does not match a response without one", (["Last-Modified": .date(-9)], ["ETag": "\"a\""]), false),
    Row("an equal date matches", (["Last-Modified": .date(-9)], ["Last-Modified": .date(-9)]), true),
    Row("another date does not match", (["Last-Modified": .date(-9)], ["Last-Modified": .date(-8)]), false),
    Row("a date does not match a response without one", (["ETag": "\"a\""], ["Last-Modified": .date(-9)]), false),
    Row("a 304 without a validator matches", (["ETag": "\"a\""], [:]), true),
    Row("a tag without quotes matches the same stored tag", (["ETag": "a"], ["ETag": "a"]), true),
    Row("another tag without quotes does not match", (["ETag": "a"], ["ETag": "b"]), false),
    Row("a tag without quotes does not match one with quotes", (["ETag": "\"a\""], ["ETag": "a"]), false),
    Row(
      "the tag decides, even if the dates are equal",
      (["ETag": "\"a\"", "Last-Modified": .date(-9)], ["ETag": "\"b\"", "Last-Modified": .date(-9)]), false),
  ]

  @Test("A 304 freshens and delivers the stored response if their validators match", arguments: selections)
  func selection(_ row: Row<(stored: Fields, notModified: Fields), Bool>) {
    let conclusion = conclude(get(), stored(row.subject.stored), answer(304, row.subject.notModified), at: 100)
    #expect((conclusion.delivery.reuse != nil) == row.outcome)
    #expect((conclusion.change.freshened != nil) == row.outcome)
    #expect((conclusion.delivery == .unconditionalRequest) == !row.outcome)
  }

  @Test("A 304 with a strong tag in place of the stored weak one confirms the response, and does not update it")
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
    Row("the cache's own condition", [:], true),
    Row("the user's condition that the cache evaluates", ["If-None-Match": "\"a\""], false),
    Row("the user's condition that only the origin evaluates", ["If-Match": "\"a\""], false),
  ]

  @Test(
    "A 412 is delivered if the condition was the user's, and the request is repeated if it was the cache's",
    arguments: preconditions)
  func failedPrecondition(_ row: Row<Fields, Bool>) {
    let conclusion = conclude(get(row.subject), stored(["ETag": "\"a\""]), answer(412, [:]), at: 100)
    #expect((conclusion.delivery == .unconditionalRequest) == row.outcome)
    #expect((conclusion.delivery == .answer) == !row.outcome)
    #expect(conclusion.change == .none(.requestBound))
  }

  /// The stored response varies on Accept.
  static let variances: [Row<Fields, Bool>] = [
    Row("a 304 that varies on the known field does", ["Vary": "accept"], true),
    Row("a 304 without Vary does", [:], true),
    Row("a 304 that varies on a further field does not", ["Vary": "Accept, Accept-Language"], false),
    Row("a 304 that varies on everything does not", ["Vary": "*"], false),
  ]

  @Test("A 304 freshens the stored response only if its Vary names no further field", arguments: variances)
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
    Row("no-store in the 304 removes the response once it is delivered", "no-store", true),
    Row("must-understand overrides no-store for an understood status", "no-store, must-understand", false),
    Row("no-cache in the 304 leaves the response to be validated", "no-cache", false),
  ]

  @Test("A 304 with no-store removes the stored response after its delivery", arguments: prohibitions)
  func prohibition(_ row: Row<FieldValue, Bool>) {
    let conclusion = conclude(get(), stored(Self.base), answer(304, ["Cache-Control": row.subject]), at: 100)
    #expect(conclusion.delivery.reuse?.form == .whole)
    #expect(conclusion.change.isRemoval == row.outcome)
  }

  /// Answers to a validation other than 304 (RFC 9111 section 4.3.3).
  static let answers: [Row<Answer, Bool>] = [
    Row("a full response replaces the stored one", answer(200, ["ETag": "\"b\""]), true),
    Row("a 404 replaces the stored response", answer(404), true),
    Row("a 403 is delivered and leaves the stored response", answer(403), false),
    Row("without a grant a 503 is delivered and leaves the stored response", answer(503), false),
  ]

  @Test("An answer to a validation other than 304 is delivered", arguments: answers)
  func otherAnswers(_ row: Row<Answer, Bool>) {
    let conclusion = conclude(get(), stored(Self.base), row.subject, at: 100)
    #expect(conclusion.delivery == .answer)
    #expect((conclusion.change.inserted != nil) == row.outcome)
    #expect(!conclusion.change.isRemoval)
  }

  typealias OwnCondition = (request: Fields, notModified: Fields)

  /// Whether a 304 that answers the user's own condition freshens the stored response.
  static let ownConditions: [Row<OwnCondition, Bool>] = [
    Row("a tag equal to the stored one freshens", (["If-None-Match": "\"a\""], ["ETag": "\"a\""]), true),
    Row("another tag freshens nothing", (["If-None-Match": "\"b\""], ["ETag": "\"b\""]), false),
    Row("a 304 without a validator freshens nothing", (["If-None-Match": "\"b\""], [:]), false),
    Row("a tag without quotes does not freshen one with quotes", (["If-None-Match": "a"], ["ETag": "a"]), false),
    Row(
      "no-store in the request forbids freshening",
      (["If-None-Match": "\"a\"", "Cache-Control": "no-store"], ["ETag": "\"a\""]), false),
    Row(
      "no-store in the 304 forbids freshening",
      (["If-None-Match": "\"a\""], ["ETag": "\"a\"", "Cache-Control": "no-store"]), false),
  ]

  @Test(
    "A 304 to the user's own condition is delivered, and freshens a stored response with its tag",
    arguments: ownConditions)
  func ownCondition(_ row: Row<OwnCondition, Bool>) {
    let conclusion = conclude(
      get(row.subject.request), stored(Self.base), answer(304, row.subject.notModified), at: 100)
    #expect(conclusion.delivery == .answer)
    #expect((conclusion.change.freshened != nil) == row.outcome)
  }

  @Test("A 304 to a request without any condition freshens nothing")
  func unasked() {
    let notModified = answer(304, ["ETag": "\"a\""], at: 100)
    for request in [get(["Range": "bytes=0-0"]), head()] {
      let conclusion = conclude(request, stored(Self.base), notModified, at: 100)
      #expect(conclusion == Conclusion(.answer, .none(.notModified)))
    }
    #expect(conclude(get(), stored(Self.base), notModified, .reload) == Conclusion(.answer, .none(.notModified)))
  }

  @Test("Under the policy no-store a 304 to the user's own condition freshens nothing")
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

  /// `true`: the stored response is updated; `false`: it is removed as outdated.
  static let updates: [Row<Fields, Bool>] = [
    Row(
      "equal validators and an equal length update",
      ["ETag": "\"a\"", "Last-Modified": .date(-9), "Content-Length": "100"], true
    ),
    Row("an equal tag alone updates", ["ETag": "\"a\""], true),
    Row("an equal date alone updates", ["Last-Modified": .date(-9)], true),
    Row("another tag removes", ["ETag": "\"b\"", "Last-Modified": .date(-9)], false),
    Row("another date removes", ["ETag": "\"a\"", "Last-Modified": .date(-8)], false),
    Row("another length removes", ["ETag": "\"a\"", "Content-Length": "99"], false),
    Row("a length that is no number removes", ["ETag": "\"a\"", "Content-Length": "x"], false),
    Row("another length alone removes", ["Content-Length": "99"], false),
  ]

  @Test("A 200 to HEAD updates the stored response, or removes it as outdated", arguments: updates)
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

  /// `true`: the stored response is updated; `false`: it is left as it is.
  static let unnamed: [Row<(stored: Fields, came: Fields), Bool>] = [
    Row("an equal length updates a response without validator", ([:], ["Content-Length": "100"]), true),
    Row("an equal length leaves a response with a validator", (["ETag": "\"a\""], ["Content-Length": "100"]), false),
    Row("an answer without length and validator leaves the response", ([:], ["X": "2"]), false),
  ]

  /// nginx sends such answers if the client accepts a coding: they describe what GET would return, not what is stored.
  static let otherForms: [Row<(stored: Fields, came: Fields), Bool>] = [
    Row("a weakened tag", (["ETag": "\"a\""], ["ETag": "W/\"a\"", "Content-Length": "99"]), true),
    Row("a strong tag for a weak one", (["ETag": "W/\"a\""], ["ETag": "\"a\""]), true),
    Row("another coding", (["ETag": "\"a\""], ["ETag": "\"b\"", "Content-Encoding": "gzip"]), true),
    Row("no coding for a coded response", (["ETag": "\"a\"", "Content-Encoding": "gzip"], ["ETag": "\"b\""]), true),
    Row("another tag, which is no other form", (["ETag": "\"a\""], ["ETag": "W/\"b\""]), false),
  ]

  @Test("A 200 to HEAD that describes another form leaves the stored response", arguments: otherForms)
  func otherForm(_ row: Row<(stored: Fields, came: Fields), Bool>) {
    let response = stored(row.subject.stored, length: 100)
    let change = conclude(head(), response, answer(200, row.subject.came), at: 100).change
    #expect((change == .none(.method)) == row.outcome)
    #expect(change.isRemoval == !row.outcome)
  }

  @Test(
    "A 200 to HEAD without validators updates a response without validator if the length is equal", arguments: unnamed)
  func withoutValidators(_ row: Row<(stored: Fields, came: Fields), Bool>) {
    let change = conclude(head(), stored(row.subject.stored), answer(200, row.subject.came), at: 100).change
    #expect((change.freshened != nil) == row.outcome)
    #expect(!change.isRemoval)
  }

  @Test("An answer to HEAD is never stored for a GET, whatever its fields allow")
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
    "An answer to HEAD of another status leaves the stored response",
    arguments: [204, 206, 301, 403, 404, 500] as [StatusCode])
  func otherStatus(_ status: StatusCode) {
    #expect(conclude(head(), stored(Self.base), answer(status, ["ETag": "\"a\""]), at: 100).change == .none(.method))
  }

  @Test("A 200 to HEAD removes a stored response of another status", arguments: [203, 301, 404])
  func otherStoredStatus(_ status: UInt16) {
    let old = stored(Self.base, status: StatusCode(rawValue: status), length: 100)
    for fields in [[:], ["Content-Length": "100"], ["ETag": "\"a\"", "Cache-Control": "no-store"]] as [Fields] {
      #expect(conclude(head(), old, answer(200, fields), at: 100).change == .remove(.method))
    }
  }

  @Test("With no-store in the request, the answer or the policy, an answer to HEAD freshens nothing")
  func noStore() {
    let request = head(["Cache-Control": "no-store"])
    #expect(conclude(request, stored(Self.base), answer(200, ["ETag": "\"a\""]), at: 100).change.freshened == nil)
    let came = answer(200, ["ETag": "\"a\"", "Cache-Control": "no-store"])
    #expect(conclude(head(), stored(Self.base), came, at: 100).change.freshened == nil)
    #expect(
      conclude(head(), stored(Self.base), answer(200, ["ETag": "\"a\""]), .noStore, at: 100).change.freshened == nil)
  }
}
