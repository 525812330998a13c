import HTTPSemantics
import Testing

@Suite("Entity tags: RFC 9110 section 8.8.3")
struct EntityTagTests {
  static let syntax: [Row<FieldValue, Bool>] = [
    Row("a strong tag is quoted", "\"xyzzy\"", true),
    Row("a weak tag begins with W/", "W/\"xyzzy\"", true),
    Row("the empty tag is one", "\"\"", true),
    Row("bytes above 0x7f may stand in it", FieldValue([0x22, 0xfe, 0x22]), true),
    Row("a backslash is a byte like another", "\"a\\b\"", true),
    Row("without quotes it is none", "xyzzy", false),
    Row("with one quote it is none", "\"xyzzy", false),
    Row("a lone quote is none", "\"", false),
    Row("the mark of weakness has a case", "w/\"xyzzy\"", false),
    Row("a space behind the mark is not allowed", "W/ \"xyzzy\"", false),
    Row("a space within is not allowed", "\"a b\"", false),
    Row("a quote within is not allowed", "\"a\"b\"", false),
    Row("a control character within is not allowed", "\"a\u{7f}\"", false),
    Row("something behind it is not allowed", "\"a\" ", false),
    Row("a mark alone is none", "W/", false),
  ]

  @Test("An entity tag is a quoted text, weak or strong", arguments: syntax)
  func parsing(_ row: Row<FieldValue, Bool>) {
    #expect((EntityTag(row.subject) != nil) == row.outcome)
  }

  /// The table of RFC 9110 section 8.8.3.2, and each pair the other way round.
  static let comparisons: [Row<(FieldValue, FieldValue), (strong: Bool, weak: Bool)>] = [
    Row("two weak tags match weakly alone", ("W/\"1\"", "W/\"1\""), (false, true)),
    Row("weak tags that differ match in no way", ("W/\"1\"", "W/\"2\""), (false, false)),
    Row("a weak and a strong tag match weakly alone", ("W/\"1\"", "\"1\""), (false, true)),
    Row("two strong tags match strongly", ("\"1\"", "\"1\""), (true, true)),
    Row("strong tags that differ match in no way", ("\"1\"", "\"2\""), (false, false)),
    Row("case counts", ("\"a\"", "\"A\""), (false, false)),
  ]

  @Test("Entity tags are compared weakly or strongly", arguments: comparisons)
  func comparison(_ row: Row<(FieldValue, FieldValue), (strong: Bool, weak: Bool)>) throws {
    let one = try #require(EntityTag(row.subject.0))
    let other = try #require(EntityTag(row.subject.1))
    for (left, right) in [(one, other), (other, one)] {
      #expect(left.matchesStrongly(right) == row.outcome.strong)
      #expect(left.matchesWeakly(right) == row.outcome.weak)
    }
  }

  static let conditions: [Row<[FieldValue], Int?>] = [
    Row("no line is no condition", [], nil),
    Row("a list holds its tags", ["\"a\", W/\"b\""], 2),
    Row("lines add up", ["\"a\"", "\"b\", \"c\""], 3),
    Row("a comma within a tag separates nothing", ["\"a,b\""], 1),
    Row("what is no tag matches nothing and leaves the others", ["a, \"b\""], 1),
    Row("a field of nothing is a condition that nothing meets", [""], 0),
    Row("a star among tags is no star", ["*, \"a\""], 1),
  ]

  @Test("If-None-Match and If-Match: RFC 9110 section 13.1", arguments: conditions)
  func condition(_ row: Row<[FieldValue], Int?>) {
    let fields = Fields(row.subject.map { Field(.ifNoneMatch, $0) })
    switch EntityTagCondition(.ifNoneMatch, of: fields) {
    case nil: #expect(row.outcome == nil)
    case .any?: Issue.record("no star was given")
    case .tags(let tags)?: #expect(tags.count == row.outcome)
    }
  }

  @Test("A star alone is any representation")
  func star() {
    #expect(EntityTagCondition(.ifMatch, of: ["If-Match": " * "]) == .any)
    #expect(EntityTagCondition(.ifMatch, of: ["If-None-Match": "*"]) == nil)
  }

  @Test("Hostile bytes never trap, and a tag that is read is within quotes")
  func hostile() {
    var read = 0
    for value in Hostile.values {
      guard let tag = EntityTag(value) else { continue }
      read += 1
      #expect(value.bytes == (tag.isWeak ? Array("W/".utf8) : []) + [ASCII.quote] + tag.opaque + [ASCII.quote])
    }
    #expect(read > 0)
  }
}
