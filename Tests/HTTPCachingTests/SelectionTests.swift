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

  @Test("What is preferred", arguments: preferences)
  func preference(_ row: Row<Pair, Bool>) {
    #expect(row.subject.one.isPreferred(to: row.subject.other) == row.outcome)
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

  @Test("What is replaced", arguments: replacements)
  func replacement(_ row: Row<(new: StoredResponse, old: StoredResponse), Bool>) {
    #expect(row.subject.new.replaces(row.subject.old) == row.outcome)
  }
}
