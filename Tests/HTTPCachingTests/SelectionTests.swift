import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Which of several stored responses counts: RFC 9111 section 4.1")
struct SelectionTests {
  typealias Pair = (one: Selection, other: Selection)

  private static func found(at seconds: Int64, _ extent: StoredResponse.Extent = .whole) -> Selection {
    .selected(stored([:], responseTime: seconds, extent: extent))
  }

  static let preferences: [Row<Pair, Bool>] = [
    Row("the newer", (found(at: 2), found(at: 1)), true),
    Row("not the older", (found(at: 1), found(at: 2)), false),
    Row("of the same time, this one", (found(at: 1), found(at: 1)), true),
    Row("a response rather than none", (found(at: 1), .varyMiss), true),
    Row("not none rather than a response", (.varyMiss, found(at: 1)), false),
    Row("the whole rather than a part", (found(at: 1), found(at: 2, .part(0..<4, of: 8))), true),
    Row("not a part rather than the whole", (found(at: 2, .part(0..<4, of: 8)), found(at: 1)), false),
    Row("other variants rather than nothing", (.varyMiss, .uriMiss), true),
    Row("not nothing rather than other variants", (.uriMiss, .varyMiss), false),
    Row("of nothing twice, this one", (.uriMiss, .uriMiss), true),
  ]

  @Test("Of two that match, the one with the later Date is preferred", arguments: preferences)
  func preference(_ row: Row<Pair, Bool>) {
    #expect(row.subject.one.isPreferred(to: row.subject.other) == row.outcome)
  }

  /// What is stored, and what is to be stored, that was asked for at 5 and came at 8; it is 20 by now.
  static let rivals: [Row<(stored: StoredResponse, new: StoredResponse), Bool>] = [
    Row("what came meanwhile, of a later Date", (at(4, 7, dated: 7), at(5, 8, dated: 6)), true),
    Row("what came behind it", (at(9, 10, dated: 10), at(5, 8, dated: 6)), true),
    Row("of the same Date, what came later", (at(9, 10, dated: 6), at(5, 8, dated: 6)), true),
    Row("of the same Date, not what came earlier", (at(4, 7, dated: 6), at(5, 8, dated: 6)), false),
    Row("not what is of an earlier Date", (at(9, 10, dated: 5), at(5, 8, dated: 6)), false),
    Row("not what was there when it was asked for", (at(4, 5, dated: 9), at(5, 8, dated: 6)), false),
    Row("not what comes from the future", (at(20, 21, dated: 30), at(5, 8, dated: 6)), false),
    Row(
      "not what nobody knows the age of",
      (stored(["Date": .date(10)], requestTime: 9, responseTime: 10, isDoubtful: true), at(5, 8, dated: 6)), false),
    Row(
      "a part overtakes nothing",
      (stored(["Date": .date(10)], responseTime: 10, extent: .part(0..<4, of: 8)), at(5, 8, dated: 6)), false),
  ]

  private static func at(_ requestTime: Int64, _ responseTime: Int64, dated date: Int64) -> StoredResponse {
    stored(["Date": .date(date)], requestTime: requestTime, responseTime: responseTime)
  }

  @Test("What stays, though another one has come: RFC 9111 section 4", arguments: rivals)
  func overtaking(_ row: Row<(stored: StoredResponse, new: StoredResponse), Bool>) {
    #expect(row.subject.new.isOvertaken(by: row.subject.stored, over: nil, at: .at(20)) == row.outcome)
  }

  /// What is stored came in the second in which the other one was asked for.
  static let ofOneSecond: [Row<(known: Selection?, date: Int64), Bool>] = [
    Row("where nobody has looked, it was there", (nil, 9), false),
    Row("where nothing was found, it was not", (.uriMiss, 6), true),
    Row("nor where another one was", (.selected(at(1, 2, dated: 2)), 6), true),
    Row("it may have been where other variants were", (.varyMiss, 9), false),
    Row("of an earlier Date it overtakes nothing", (.uriMiss, 5), false),
    Row("what was found was there", (.selected(at(4, 5, dated: 6)), 6), false),
  ]

  @Test("Of one second, what a look-up had found tells what was there", arguments: ofOneSecond)
  func overtakingWithinASecond(_ row: Row<(known: Selection?, date: Int64), Bool>) {
    let (known, date) = row.subject
    let isOvertaken = Self.at(5, 5, dated: 6).isOvertaken(by: Self.at(4, 5, dated: date), over: known, at: .at(20))
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
    Row("what is selected by the same fields", (german, german), true),
    Row("no other variant", (german, english), false),
    Row("variants by what does not vary", (stored([:]), english), true),
    Row("what does not vary by a variant", (german, stored([:])), true),
    Row("nothing of another key", (foreign, stored([:])), false),
    Row("nothing by a part", (part([:]), stored([:])), false),
  ]

  @Test("A response replaces what the same fields select, and what does not vary as it does", arguments: replacements)
  func replacement(_ row: Row<(new: StoredResponse, old: StoredResponse), Bool>) {
    #expect(row.subject.new.replaces(row.subject.old) == row.outcome)
  }

  /// By an answer that was asked for at 5 and came at 8, dated 6; it is 20 by now, and the request is for German.
  static let superseded: [Row<StoredResponse, Bool>] = [
    Row("what the request selects", german, true),
    Row("no other variant", english, false),
    Row("what was selected before the request was changed", selectedBefore, true),
    Row("nothing of another key", foreign, false),
    Row("a part", part([:]), true),
    Row("not what has come meanwhile and is more recent", at(9, 10, dated: 10), false),
    Row("what has come meanwhile and is older", at(9, 10, dated: 5), true),
  ]

  private static let selectedBefore = stored([:], varying: [.accept], with: get(["Accept": "text/plain"]))

  @Test("What goes when an answer supersedes it and is not stored", arguments: superseded)
  func supersession(_ row: Row<StoredResponse, Bool>) {
    let answer = Answer(
      Response(200, reason: "OK", fields: ["Date": .date(6)]), requestTime: .at(5), responseTime: .at(8))
    #expect(Self.supersession(by: answer).covers(row.subject) == row.outcome)
  }

  @Test("Where no answer has come, nothing is more recent")
  func supersessionWithoutAnswer() {
    #expect(Self.supersession(by: nil).covers(Self.at(9, 10, dated: 10)))
    #expect(!Self.supersession(by: nil).covers(Self.english))
  }

  private static func supersession(by answer: Answer?) -> Supersession {
    Supersession(
      of: selectedBefore, under: .example, selectedBy: ["Accept-Language": "de"], by: answer, at: .at(20)
    ) { _ in nil }
  }
}
