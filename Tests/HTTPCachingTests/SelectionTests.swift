import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("The choice among several stored responses: RFC 9111 section 4.1")
struct SelectionTests {
  typealias Pair = (one: Selection, other: Selection)

  private static func found(at seconds: Int64, _ extent: StoredResponse.Extent = .whole) -> Selection {
    .selected(stored([:], responseTime: seconds, extent: extent))
  }

  static let preferences: [Row<Pair, Bool>] = [
    Row("the newer is preferred", (found(at: 2), found(at: 1)), true),
    Row("the older is not preferred", (found(at: 1), found(at: 2)), false),
    Row("of two of the same time, the first is preferred", (found(at: 1), found(at: 1)), true),
    Row(
      "of two with the same Date, the one that was requested last is preferred",
      (.selected(at(1, 1, dated: 1)), .selected(at(0, 4, dated: 1))), true),
    Row(
      "of two with the same Date, the one that was requested first is not preferred",
      (.selected(at(0, 4, dated: 1)), .selected(at(1, 1, dated: 1))), false),
    Row(
      "of two with the same Date that were requested in one second, the one that came last is preferred",
      (.selected(at(0, 1, dated: 1)), .selected(at(0, 4, dated: 1))), false),
    Row("a response is preferred to none", (found(at: 1), .varyMiss), true),
    Row("none is not preferred to a response", (.varyMiss, found(at: 1)), false),
    Row("a whole is preferred to a newer part", (found(at: 1), found(at: 2, .part(0..<4, of: 8))), true),
    Row("a newer part is not preferred to a whole", (found(at: 2, .part(0..<4, of: 8)), found(at: 1)), false),
    Row("a miss with other variants is preferred to a plain one", (.varyMiss, .uriMiss), true),
    Row("a plain miss is not preferred to one with variants", (.uriMiss, .varyMiss), false),
    Row("of two plain misses, the first is preferred", (.uriMiss, .uriMiss), true),
  ]

  @Test(
    "A found response is preferred to a miss, a whole to a part, and a newer response to an older one",
    arguments: preferences)
  func preference(_ row: Row<Pair, Bool>) {
    #expect(row.subject.one.isPreferred(to: row.subject.other) == row.outcome)
  }

  /// A stored response, and one to be stored that was requested at 5 and came at 8. The time is 20.
  static let rivals: [Row<(stored: StoredResponse, new: StoredResponse), Bool>] = [
    Row("it was requested later and came earlier", (at(6, 7, dated: 7), at(5, 8, dated: 6)), true),
    Row("it came after the new one", (at(9, 10, dated: 10), at(5, 8, dated: 6)), true),
    Row("it has the same Date and came later", (at(9, 10, dated: 6), at(5, 8, dated: 6)), true),
    Row("it was requested later, although its Date is earlier", (at(6, 7, dated: 7), at(5, 8, dated: 8)), true),
    Row("it was requested later, and neither has a Date", (undated(6, 7), undated(5, 8)), true),
    Row("caches sent both, and it was asked for last", (at(6, 7, dated: 2), at(5, 8, dated: 2)), true),
    Row("both were requested in one second, and it came earlier", (undated(5, 6), undated(5, 8)), true),
    Row("requested in one second, it came first, dated earlier", (at(5, 6, dated: 6), at(5, 8, dated: 8)), true),
    Row("if it was requested earlier it does not", (at(4, 7, dated: 6), at(5, 8, dated: 6)), false),
    Row("if it was requested earlier with a later Date it does not", (at(4, 7, dated: 7), at(5, 8, dated: 6)), false),
    Row("if its Date is earlier than both requests it does not", (at(9, 10, dated: 4), at(5, 8, dated: 6)), false),
    Row("if its Age is as great as that it does not", (undated(9, 10, age: 5), undated(5, 8)), false),
    Row("with a lower Age it does", (undated(9, 10, age: 3), undated(5, 8)), true),
    Row("if caches sent both and it was asked for first it does not", (at(4, 7, dated: 2), at(5, 8, dated: 2)), false),
    Row("requested in one second, if both came in one second it does not", (undated(5, 8), undated(5, 8)), false),
    Row("if it was there at the time of the request it does not", (at(4, 5, dated: 9), at(5, 8, dated: 6)), false),
    Row("if it comes from the future it does not", (at(20, 21, dated: 30), at(5, 8, dated: 6)), false),
    Row(
      "if its age is unknown it does not",
      (stored(["Date": .date(10)], requestTime: 9, responseTime: 10, isDoubtful: true), at(5, 8, dated: 6)), false),
    Row(
      "if it is a part it does not",
      (stored(["Date": .date(10)], responseTime: 10, extent: .part(0..<4, of: 8)), at(5, 8, dated: 6)), false),
  ]

  private static func at(_ requestTime: Int64, _ responseTime: Int64, dated date: Int64) -> StoredResponse {
    stored(["Date": .date(date)], requestTime: requestTime, responseTime: responseTime)
  }

  /// A response whose origin sent no Date, as it is stored: with the time at which it came.
  private static func undated(_ requestTime: Int64, _ responseTime: Int64, age: Int64 = 0) -> StoredResponse {
    stored(
      ["Date": .date(responseTime), "Age": FieldValue("\(age)")], requestTime: requestTime, responseTime: responseTime)
  }

  @Test("A stored response that is more recent than a new one overtakes it: RFC 9111 section 4", arguments: rivals)
  func overtaking(_ row: Row<(stored: StoredResponse, new: StoredResponse), Bool>) {
    #expect(row.subject.new.isOvertaken(by: row.subject.stored, over: nil, at: .at(20)) == row.outcome)
  }

  /// The stored response was requested, and came, in the second in which the new one was requested, and came.
  static let ofOneSecond: [Row<(known: Selection?, date: Int64), Bool>] = [
    Row("without a look-up it counts as there", (nil, 9), false),
    Row("if the look-up found nothing, it was not there", (.uriMiss, 6), true),
    Row("if the look-up found another, it was not there", (.selected(at(1, 2, dated: 2)), 6), true),
    Row("if the look-up found nothing, an equal Date changes nothing", (.uriMiss, 5), true),
    Row("if the look-up found other variants, it may have been", (.varyMiss, 9), false),
    Row("with a Date before the requests it does not overtake", (.uriMiss, 4), false),
    Row("if the look-up found it, it was there", (.selected(at(5, 5, dated: 6)), 6), false),
  ]

  @Test(
    "If a response came in the second of the request, the look-up tells whether it was already there",
    arguments: ofOneSecond)
  func overtakingWithinASecond(_ row: Row<(known: Selection?, date: Int64), Bool>) {
    let (known, date) = row.subject
    let isOvertaken = Self.at(5, 5, dated: 6).isOvertaken(by: Self.at(5, 5, dated: date), over: known, at: .at(20))
    #expect(isOvertaken == row.outcome)
  }

  private static let german = stored([:], varying: [.acceptLanguage], with: get(["Accept-Language": "de"]))
  private static let english = stored([:], varying: [.acceptLanguage], with: get(["Accept-Language": "en"]))

  private static var foreign: StoredResponse {
    var foreign = stored([:])
    foreign.key = CacheKey(.example, audience: [1])
    return foreign
  }

  static let replacements: [Row<(new: StoredResponse, old: StoredResponse), Bool>] = [
    Row("a response replaces one that the same fields select", (german, german), true),
    Row("a variant does not replace another", (german, english), false),
    Row("a response without Vary replaces a variant", (stored([:]), english), true),
    Row("a variant replaces a response without Vary", (german, stored([:])), true),
    Row("a response of another key replaces nothing", (foreign, stored([:])), false),
    Row("a part replaces no whole response", (part([:]), stored([:])), false),
  ]

  @Test(
    "A response replaces those that the same fields select, and those of the other kind if only one has Vary",
    arguments: replacements)
  func replacement(_ row: Row<(new: StoredResponse, old: StoredResponse), Bool>) {
    #expect(row.subject.new.replaces(row.subject.old) == row.outcome)
  }

  /// Whether an answer that was requested at 5, came at 8 and is dated 6 supersedes it. The time is 20, the request is
  /// for German.
  static let superseded: [Row<StoredResponse, Bool>] = [
    Row("the response that the request selects goes", german, true),
    Row("another variant stays", english, false),
    Row("the response selected before the request was changed goes", selectedBefore, true),
    Row("a response of another key stays", foreign, false),
    Row("a part goes", part([:]), true),
    Row("a more recent response that came meanwhile stays", at(9, 10, dated: 10), false),
    Row("a response that was requested later stays, whatever the Dates", at(6, 7, dated: 6), false),
    Row("an older response that came meanwhile goes", at(9, 10, dated: 4), true),
  ]

  private static let selectedBefore = stored([:], varying: [.accept], with: get(["Accept": "text/plain"]))

  @Test("An answer that is not stored removes the stored responses that it supersedes", arguments: superseded)
  func supersession(_ row: Row<StoredResponse, Bool>) {
    let answer = Answer(
      Response(200, reason: "OK", fields: ["Date": .date(6)]), requestTime: .at(5), responseTime: .at(8))
    #expect(Self.supersession(by: answer).covers(row.subject) == row.outcome)
  }

  @Test("Without an answer every stored response that the request selects is superseded")
  func supersessionWithoutAnswer() {
    #expect(Self.supersession(by: nil).covers(Self.at(9, 10, dated: 10)))
    #expect(!Self.supersession(by: nil).covers(Self.english))
  }

  private static func supersession(by answer: Answer?) -> Supersession {
    Supersession(
      of: selectedBefore, under: .example, selectedBy: ["Accept-Language": "de"], by: answer, keeping: nil, at: .at(20)
    ) { _ in nil }
  }
}
