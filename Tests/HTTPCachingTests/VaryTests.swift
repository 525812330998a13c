import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Selecting header fields: RFC 9111 section 4.1")
struct VaryTests {
  static let names: [Row<Fields, Vary>] = [
    Row("no Vary names nothing", [:], .names([])),
    Row("an empty Vary names nothing", ["Vary": ""], .names([])),
    Row("names on several lines are combined", ["Vary": "A, b", "vary": "C"], .names(["A", "B", "C"])),
    Row("a star is anything", ["Vary": "*"], .anything),
    Row("a star among names is anything", ["Vary": "Accept, *"], .anything),
    Row("a star on a second line is anything", ["Vary": "Accept", "Vary": "*"], .anything),
    Row("a repeated name counts once", ["Vary": "A, b, a"], .names(["A", "b"])),
    Row(
      "more than 64 names are anything", ["Vary": FieldValue((0...64).map { "a\($0)" }.joined(separator: ","))],
      .anything),
    Row("an invalid name is anything", ["Vary": "Accept Encoding"], .anything),
  ]

  @Test("Vary names fields, or stands for anything", arguments: names)
  func vary(_ row: Row<Fields, Vary>) {
    #expect(Vary(of: row.subject) == row.outcome)
  }

  /// Whether the response to the first request answers the second.
  static let matches: [Row<(vary: FieldName, stored: Fields, presented: Fields), Bool>] = [
    Row("equal values match", ("Foo", ["Foo": "1"], ["Foo": "1"]), true),
    Row("different values do not match", ("Foo", ["Foo": "1"], ["Foo": "2"]), false),
    Row("the field's name is not case-sensitive", ("Foo", ["FOO": "1"], ["foo": "1"]), true),
    Row("a value is case-sensitive", ("Foo", ["Foo": "a"], ["Foo": "A"]), false),
    Row("absent in both matches", ("Foo", [:], ["Bar": "1"]), true),
    Row("absent in the stored request does not match", ("Foo", [:], ["Foo": "1"]), false),
    Row("absent in the presented request does not match", ("Foo", ["Foo": "1"], [:]), false),
    Row("empty is not absent", ("Foo", ["Foo": ""], [:]), false),
    Row("other fields do not matter", ("Foo", ["Foo": "1", "Bar": "2"], ["Foo": "1", "Bar": "3"]), true),
    Row("lines may be combined", ("Accept", ["Accept": "a/a", "Accept": "b/b"], ["Accept": "a/a, b/b"]), true),
    Row(
      "whitespace around commas does not matter in a list",
      ("Accept", ["Accept": "a/a,b/b"], ["Accept": "a/a ,\t b/b"]), true),
    Row(
      "whitespace around semicolons does not matter", ("Accept", ["Accept": "a/a;q=1"], ["Accept": "a/a ; q=1"]), true),
    Row("whitespace in quotes matters", ("Accept", ["Accept": "a/a;x=\"1 ; 2\""], ["Accept": "a/a;x=\"1;2\""]), false),
    Row("an empty member of a list is ignored", ("Accept", ["Accept": "a/a,, b/b,"], ["Accept": "a/a, b/b"]), true),
    Row("an empty member of an unknown field counts", ("Foo", ["Foo": "1,,3"], ["Foo": "1,3"]), false),
    Row(
      "whitespace around an unknown field's commas does not matter", ("Foo", ["Foo": "a, b ;c"], ["Foo": "a,b;c"]), true
    ),
    Row("a comma is not an empty value", ("Foo", ["Foo": ","], ["Foo": ""]), false),
    Row("lines of an unknown field may be combined", ("Foo", ["Foo": "1", "Foo": "2"], ["Foo": "1, 2"]), true),
    Row("the order of members matters", ("Accept", ["Accept": "a/a, b/b"], ["Accept": "b/b, a/a"]), false),
    Row(
      "an encoding is not case-sensitive",
      ("Accept-Encoding", ["Accept-Encoding": "GZIP"], ["Accept-Encoding": "gzip"]), true
    ),
    Row(
      "different encodings do not match", ("Accept-Encoding", ["Accept-Encoding": "gzip"], ["Accept-Encoding": "br"]),
      false),
    Row("an absent encoding does not match an empty one", ("Accept-Encoding", [:], ["Accept-Encoding": ""]), false),
    Row(
      "a language is not case-sensitive",
      ("Accept-Language", ["Accept-Language": "de-AT"], ["Accept-Language": "DE-at"]), true),
    Row(
      "different weights do not match",
      ("Accept-Language", ["Accept-Language": "de;q=1, en;q=0.5"], ["Accept-Language": "de;q=0.5, en;q=1"]), false),
    Row(
      "different cookies do not match, though they are concealed", ("Cookie", ["Cookie": "s=1"], ["Cookie": "s=2"]),
      false),
    Row("equal cookies match", ("Cookie", ["Cookie": "s=1"], ["Cookie": "s=1"]), true),
  ]

  @Test("Two requests match if their selecting fields have equal values", arguments: matches)
  func match(_ row: Row<(vary: FieldName, stored: Fields, presented: Fields), Bool>) throws {
    let (vary, stored, presented) = row.subject
    let selecting = try #require(SelectingFields([vary], of: stored, concealing: conceal))
    #expect(selecting.match(presented, concealing: conceal) == row.outcome)
  }

  @Test("All selecting fields must match")
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

  @Test("Only the values of negotiation fields are stored readable")
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

  @Test("An absent secret needs no concealing, and a present one that cannot be concealed matches nothing")
  func noConcealer() throws {
    #expect(SelectingFields(["Cookie"], of: ["Cookie": "a"], concealing: { _ in nil }) == nil)
    let absent = try #require(SelectingFields(["Cookie"], of: [:], concealing: { _ in nil }))
    #expect(absent.match([:], concealing: { _ in nil }))
    #expect(!absent.match(["Cookie": "a"], concealing: { _ in nil }))
  }

  @Test("The reason for forwarding tells a missing target from a missing variant")
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

  // MARK: Responses of an unknown variant

  /// A response as an archive contains it: it has Vary but no selecting fields, so any request selects it.
  private static func archived(_ changes: Fields = [:]) -> StoredResponse {
    var fields: Fields = ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "Last-Modified": .date(-1000)]
    for change in changes.lines { fields.set(change.name, change.value) }
    return stored(fields)
  }

  private static let tagged: Fields = ["ETag": "\"a\""]

  static let policies: [Row<CachePolicy, Verdict>] = [
    Row("protocol validates it, however fresh it is", .useProtocol, .validated(.varyMiss)),
    Row("revalidate validates it", .revalidate, .validated(.request)),
    Row("network-first validates it", .networkFirst, .validated(.request)),
    Row("cache-else-load serves it by the user's policy", .cacheElseLoad, .granted(.userPolicy)),
    Row("cache-only serves it by the user's policy", .cacheOnly, .granted(.userPolicy)),
    Row("cache-only-strict serves it because there is no network", .cacheOnlyStrict, .granted(.disconnected)),
  ]

  @Test(
    "A response of an unknown variant is validated, unless the policy serves any stored response", arguments: policies)
  func unknownVariant(_ row: Row<CachePolicy, Verdict>) {
    for control in ["max-age=60", "max-age=60, immutable"] as [FieldValue] {
      let response = Self.archived(["ETag": "\"a\"", "Cache-Control": control])
      #expect(!response.isOfKnownVariant && decide(get(), response, row.subject, at: 10).verdict == row.outcome)
    }
  }

  @Test("A response with a Vary that names fields but without selecting fields is of an unknown variant")
  func knownVariant() {
    #expect(stored([:]).isOfKnownVariant && stored(["Vary": ""]).isOfKnownVariant)
    #expect(stored(["Vary": "Accept"], varying: [.accept]).isOfKnownVariant)
    #expect(!stored(["Vary": "Accept"]).isOfKnownVariant && !stored(["Vary": "*"]).isOfKnownVariant)
  }

  @Test("A response of an unknown variant is validated by its tag only, because variants may share a date")
  func validatingUnknownVariant() {
    #expect(decide(get(), Self.archived(Self.tagged), at: 10).sent?.fields == ["If-None-Match": "\"a\""])
    let decision = decide(get(), Self.archived(), at: 10)
    #expect(decision.verdict == .forwarded(.varyMiss) && decision.sent == get())
    #expect(decision.onError?.grant == .disconnected)
    let only = get(["Cache-Control": "only-if-cached"])
    #expect(decide(only, Self.archived(Self.tagged), at: 10).verdict == .unsatisfiable(.varyMiss))
  }

  @Test("A 304 freshens a response of an unknown variant if the tag matches and Vary names no further field")
  func freshenedUnknownVariant() {
    let response = Self.archived(Self.tagged)
    var fields: Fields = ["ETag": "\"a\"", "Vary": "accept-language", "Cache-Control": "max-age=7"]
    let conclusion = conclude(get(), response, answer(304, fields, at: 20), at: 10)
    #expect(conclusion.delivery.reuse?.stored.fields[.cacheControl] == "max-age=7")
    #expect(conclusion.change.freshened?.isOfKnownVariant == false)
    fields.set(.vary, "Accept-Language, X")
    #expect(conclude(get(), response, answer(304, fields, at: 20), at: 10).delivery == .unconditionalRequest)
    // A 304 to the user's own condition.
    let since = get(["If-Modified-Since": .date(-1000)])
    let same = answer(304, ["Last-Modified": .date(-1000), "Vary": "Accept-Language"], at: 20)
    #expect(conclude(since, response, same, at: 10).change == .none(.notModified))
  }

  @Test("An answer to HEAD that differs leaves a response of an unknown variant")
  func headOfUnknownVariant() {
    for fields in [["ETag": "\"b\""], ["Content-Length": "7"]] as [Fields] {
      #expect(conclude(head(), Self.archived(Self.tagged), answer(200, fields), at: 10).change == .none(.method))
    }
    let same: Fields = ["ETag": "\"a\"", "Vary": "Accept-Language"]
    #expect(conclude(head(), Self.archived(Self.tagged), answer(200, same), at: 10).change.freshened != nil)
  }

  @Test("Runs do not share the validation of a response of an unknown variant")
  func collapsingUnknownVariant() {
    let response = Self.archived(Self.tagged)
    let decision = decide(get(), response, at: 10)
    for scope in [CollapsingScope.everybody, .run] {
      #expect(!decision.mayCollapse(for: get(), .selected(response), under: .useProtocol, among: scope))
    }
  }
}
