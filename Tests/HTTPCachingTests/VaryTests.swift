import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Selecting header fields: RFC 9111 section 4.1")
struct VaryTests {
  static let names: [Row<Fields, Vary>] = [
    Row("no Vary names nothing", [:], .names([])),
    Row("an empty Vary names nothing", ["Vary": ""], .names([])),
    Row("names add up over lines", ["Vary": "A, b", "vary": "C"], .names(["A", "B", "C"])),
    Row("a star is anything", ["Vary": "*"], .anything),
    Row("a star among names is anything", ["Vary": "Accept, *"], .anything),
    Row("a star on a second line is anything", ["Vary": "Accept", "Vary": "*"], .anything),
    Row("a name counts once", ["Vary": "A, b, a"], .names(["A", "b"])),
    Row(
      "so many names are anything", ["Vary": FieldValue((0...64).map { "a\($0)" }.joined(separator: ","))], .anything),
    Row("what is no name is anything", ["Vary": "Accept Encoding"], .anything),
  ]

  @Test("A request selects what matches in the fields that Vary names", arguments: names)
  func vary(_ row: Row<Fields, Vary>) {
    #expect(Vary(of: row.subject) == row.outcome)
  }

  /// Whether the second request is answered by what the first one brought.
  static let matches: [Row<(vary: FieldName, stored: Fields, presented: Fields), Bool>] = [
    Row("equal values match", ("Foo", ["Foo": "1"], ["Foo": "1"]), true),
    Row("other values do not", ("Foo", ["Foo": "1"], ["Foo": "2"]), false),
    Row("the field's name has no case", ("Foo", ["FOO": "1"], ["foo": "1"]), true),
    Row("a value's case counts", ("Foo", ["Foo": "a"], ["Foo": "A"]), false),
    Row("absent in both matches", ("Foo", [:], ["Bar": "1"]), true),
    Row("absent in the stored request does not match", ("Foo", [:], ["Foo": "1"]), false),
    Row("absent in the presented request does not match", ("Foo", ["Foo": "1"], [:]), false),
    Row("empty is not absent", ("Foo", ["Foo": ""], [:]), false),
    Row("other fields do not matter", ("Foo", ["Foo": "1", "Bar": "2"], ["Foo": "1", "Bar": "3"]), true),
    Row("lines may be combined", ("Accept", ["Accept": "a/a", "Accept": "b/b"], ["Accept": "a/a, b/b"]), true),
    Row(
      "whitespace around commas does not matter in a list",
      ("Accept", ["Accept": "a/a,b/b"], ["Accept": "a/a ,\t b/b"]), true),
    Row("nor around semicolons", ("Accept", ["Accept": "a/a;q=1"], ["Accept": "a/a ; q=1"]), true),
    Row("whitespace within quotes does", ("Accept", ["Accept": "a/a;x=\"1 ; 2\""], ["Accept": "a/a;x=\"1;2\""]), false),
    Row("an empty member of a list is none", ("Accept", ["Accept": "a/a,, b/b,"], ["Accept": "a/a, b/b"]), true),
    Row("nobody knows that a field is a list", ("Foo", ["Foo": "1,,3"], ["Foo": "1,3"]), false),
    Row("whitespace around its commas may go", ("Foo", ["Foo": "a, b ;c"], ["Foo": "a,b;c"]), true),
    Row("a comma is not nothing", ("Foo", ["Foo": ","], ["Foo": ""]), false),
    Row("lines of any field may be combined", ("Foo", ["Foo": "1", "Foo": "2"], ["Foo": "1, 2"]), true),
    Row("the order of members counts", ("Accept", ["Accept": "a/a, b/b"], ["Accept": "b/b, a/a"]), false),
    Row(
      "an encoding's case does not", ("Accept-Encoding", ["Accept-Encoding": "GZIP"], ["Accept-Encoding": "gzip"]), true
    ),
    Row(
      "another encoding is another", ("Accept-Encoding", ["Accept-Encoding": "gzip"], ["Accept-Encoding": "br"]),
      false),
    Row("no encoding is not the empty one", ("Accept-Encoding", [:], ["Accept-Encoding": ""]), false),
    Row(
      "a language's case does not matter",
      ("Accept-Language", ["Accept-Language": "de-AT"], ["Accept-Language": "DE-at"]), true),
    Row(
      "another weight is another wish",
      ("Accept-Language", ["Accept-Language": "de;q=1, en;q=0.5"], ["Accept-Language": "de;q=0.5, en;q=1"]), false),
    Row("a cookie's value is compared, concealed as it is", ("Cookie", ["Cookie": "s=1"], ["Cookie": "s=2"]), false),
    Row("equal cookies match", ("Cookie", ["Cookie": "s=1"], ["Cookie": "s=1"]), true),
  ]

  @Test("Two requests match if ...", arguments: matches)
  func match(_ row: Row<(vary: FieldName, stored: Fields, presented: Fields), Bool>) throws {
    let (vary, stored, presented) = row.subject
    let selecting = try #require(SelectingFields([vary], of: stored, concealing: conceal))
    #expect(selecting.match(presented, concealing: conceal) == row.outcome)
  }

  @Test("All of several fields must match")
  func several() throws {
    let request: Fields = ["A": "1", "B": "2", "C": "3"]
    let selecting = try #require(SelectingFields(["C", "a", "B", "A"], of: request, concealing: conceal))
    #expect(selecting.members.map(\.name) == ["A", "B", "C"])
    #expect(selecting.match(["C": "3", "B": "2", "A": "1"], concealing: conceal))
    for name in ["A", "B", "C"] as [FieldName] {
      var other = request
      other.set(name, "4")
      #expect(!selecting.match(other, concealing: conceal))
    }
  }

  @Test("A response that does not vary is selected by any request")
  func none() {
    #expect(SelectingFields.none.match(["Accept": "x"], concealing: conceal))
    #expect(SelectingFields.none.members.isEmpty)
  }

  @Test("Only fields of negotiation are kept readable")
  func concealment() throws {
    let names: [FieldName] = [
      "Accept", "Accept-Encoding", "Accept-Language", "User-Agent", "Cookie", "Authorization", "X",
    ]
    let request = Fields(names.map { Field($0, "secret") })
    let selecting = try #require(SelectingFields(names, of: request, concealing: conceal))
    for member in selecting.members {
      switch member.value {
      case .plain(let bytes):
        #expect(["Accept", "Accept-Encoding", "Accept-Language", "User-Agent"].contains(member.name))
        #expect(bytes == Array("secret".utf8))
      case .concealed(let bytes):
        #expect(["Cookie", "Authorization", "X"].contains(member.name))
        #expect(bytes == conceal(Array("secret".utf8)))
      case .absent:
        Issue.record("\(member.name) was there")
      }
    }
  }

  @Test("An absent secret needs no concealing; a present one that cannot be concealed matches nothing")
  func noConcealer() throws {
    #expect(SelectingFields(["Cookie"], of: ["Cookie": "a"], concealing: { _ in nil }) == nil)
    let absent = try #require(SelectingFields(["Cookie"], of: [:], concealing: { _ in nil }))
    #expect(absent.match([:], concealing: { _ in nil }))
    #expect(!absent.match(["Cookie": "a"], concealing: { _ in nil }))
  }

  @Test("A look-up that finds nothing to select says why")
  func misses() {
    #expect(
      decideReuse(of: .uriMiss, for: get(), under: ReuseTerms(.useProtocol), at: .start).verdict == .forwarded(.uriMiss)
    )
    #expect(
      decideReuse(of: .varyMiss, for: get(), under: ReuseTerms(.useProtocol), at: .start).verdict
        == .forwarded(.varyMiss))
    #expect(Selection.selected(stored([:])).stored == stored([:]))
    #expect(Selection.varyMiss.stored == nil)
  }

  // MARK: What nobody knows the selecting fields of

  /// As out of an archive: it varies, and any request selects it.
  private static func archived(_ changes: Fields = [:]) -> StoredResponse {
    var fields: Fields = ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "Last-Modified": .date(-1000)]
    for change in changes.lines { fields.set(change.name, change.value) }
    return stored(fields)
  }

  private static let tagged: Fields = ["ETag": "\"a\""]

  static let policies: [Row<CachePolicy, Verdict>] = [
    Row("it is validated however fresh", .useProtocol, .validated(.varyMiss)),
    Row("and where that is ordered", .revalidate, .validated(.request)),
    Row("and where the network comes first", .networkFirst, .validated(.request)),
    Row("who takes whatever is stored takes it", .cacheElseLoad, .granted(.userPolicy)),
    Row("offline, too", .cacheOnly, .granted(.userPolicy)),
    Row("and strictly so, for want of a network", .cacheOnlyStrict, .granted(.disconnected)),
  ]

  @Test("Of a response of an unknown variant, ...", arguments: policies)
  func unknownVariant(_ row: Row<CachePolicy, Verdict>) {
    for control in ["max-age=60", "max-age=60, immutable"] as [FieldValue] {
      let response = Self.archived(["ETag": "\"a\"", "Cache-Control": control])
      #expect(!response.isOfKnownVariant && decide(get(), response, row.subject, at: 10).verdict == row.outcome)
    }
  }

  @Test("A response that varies is of an unknown variant where nothing selects it, and Vary names something")
  func knownVariant() {
    #expect(stored([:]).isOfKnownVariant && stored(["Vary": ""]).isOfKnownVariant)
    #expect(stored(["Vary": "Accept"], varying: [.accept]).isOfKnownVariant)
    #expect(!stored(["Vary": "Accept"]).isOfKnownVariant && !stored(["Vary": "*"]).isOfKnownVariant)
  }

  @Test("It is validated by its entity tag; its time would be that of other variants, too")
  func validatingUnknownVariant() {
    #expect(decide(get(), Self.archived(Self.tagged), at: 10).sent?.fields == ["If-None-Match": "\"a\""])
    let decision = decide(get(), Self.archived(), at: 10)
    #expect(decision.verdict == .forwarded(.varyMiss) && decision.sent == get())
    #expect(decision.onError?.grant == .disconnected)
    let only = get(["Cache-Control": "only-if-cached"])
    #expect(decide(only, Self.archived(Self.tagged), at: 10).verdict == .unsatisfiable(.varyMiss))
  }

  @Test("A 304 freshens it by its entity tag, where it varies on no further field")
  func freshenedUnknownVariant() {
    let response = Self.archived(Self.tagged)
    var fields: Fields = ["ETag": "\"a\"", "Vary": "accept-language", "Cache-Control": "max-age=7"]
    let conclusion = conclude(get(), response, answer(304, fields, at: 20), at: 10)
    #expect(conclusion.delivery.reuse?.stored.fields[.cacheControl] == "max-age=7")
    #expect(conclusion.change.freshened?.isOfKnownVariant == false)
    fields.set(.vary, "Accept-Language, X")
    #expect(conclude(get(), response, answer(304, fields, at: 20), at: 10).delivery == .unconditionalRequest)
    // To the user's own condition.
    let since = get(["If-Modified-Since": .date(-1000)])
    let same = answer(304, ["Last-Modified": .date(-1000), "Vary": "Accept-Language"], at: 20)
    #expect(conclude(since, response, same, at: 10).change == .none(.notModified))
  }

  @Test("A HEAD's answer that is another's says nothing of it")
  func headOfUnknownVariant() {
    for fields in [["ETag": "\"b\""], ["Content-Length": "7"]] as [Fields] {
      #expect(conclude(head(), Self.archived(Self.tagged), answer(200, fields), at: 10).change == .none(.method))
    }
    let same: Fields = ["ETag": "\"a\"", "Vary": "Accept-Language"]
    #expect(conclude(head(), Self.archived(Self.tagged), answer(200, same), at: 10).change.freshened != nil)
  }

  @Test("Nobody waits for others with it: each validates it")
  func collapsingUnknownVariant() {
    let response = Self.archived(Self.tagged)
    let decision = decide(get(), response, at: 10)
    for scope in [CollapsingScope.everybody, .run] {
      #expect(!decision.mayCollapse(for: get(), .selected(response), under: .useProtocol, among: scope))
    }
  }
}
