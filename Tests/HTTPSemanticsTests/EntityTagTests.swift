import HTTPSemantics
import TestTraits
import Testing

@Suite("Entity tags: RFC 9110 section 8.8.3")
struct EntityTagTests {
  static let syntax: [Row<FieldValue, Bool>] = [
    Row("a strong tag is quoted", "\"xyzzy\"", true),
    Row("a weak tag begins with W/", "W/\"xyzzy\"", true),
    Row("the empty tag is valid", "\"\"", true),
    Row("bytes above 0x7f are valid", FieldValue([0x22, 0xfe, 0x22]), true),
    Row("a backslash is an ordinary byte", "\"a\\b\"", true),
    Row("a tag without quotes is invalid", "xyzzy", false),
    Row("a tag with one quote is invalid", "\"xyzzy", false),
    Row("a lone quote is invalid", "\"", false),
    Row("the weakness prefix is case-sensitive", "w/\"xyzzy\"", false),
    Row("a space behind the prefix is invalid", "W/ \"xyzzy\"", false),
    Row("a space within the tag is invalid", "\"a b\"", false),
    Row("a quote within the tag is invalid", "\"a\"b\"", false),
    Row("a control character within the tag is invalid", "\"a\u{7f}\"", false),
    Row("characters behind the tag are invalid", "\"a\" ", false),
    Row("a prefix alone is invalid", "W/", false),
  ]

  @Test("An entity tag is a quoted text, weak or strong", arguments: syntax)
  func parsing(_ row: Row<FieldValue, Bool>) {
    #expect((EntityTag(row.subject) != nil) == row.outcome)
  }

  /// The table of RFC 9110 section 8.8.3.2. Each pair is compared in both directions.
  static let comparisons: [Row<(FieldValue, FieldValue), (strong: Bool, weak: Bool)>] = [
    Row("two equal weak tags match only weakly", ("W/\"1\"", "W/\"1\""), (false, true)),
    Row("different weak tags do not match", ("W/\"1\"", "W/\"2\""), (false, false)),
    Row("a weak and a strong tag match only weakly", ("W/\"1\"", "\"1\""), (false, true)),
    Row("two strong tags match strongly", ("\"1\"", "\"1\""), (true, true)),
    Row("different strong tags do not match", ("\"1\"", "\"2\""), (false, false)),
    Row("tags are case-sensitive", ("\"a\"", "\"A\""), (false, false)),
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
    Row("a list contains its tags", ["\"a\", W/\"b\""], 2),
    Row("several lines are combined", ["\"a\"", "\"b\", \"c\""], 3),
    Row("a comma within a tag separates nothing", ["\"a,b\""], 1),
    Row("an invalid tag is ignored", ["a, \"b\""], 1),
    Row("an empty field is a condition that nothing meets", [""], 0),
    Row("an asterisk among tags is ignored", ["*, \"a\""], 1),
  ]

  @Test("If-None-Match is a list of tags: RFC 9110 section 13.1", arguments: conditions)
  func condition(_ row: Row<[FieldValue], Int?>) {
    let fields = Fields(row.subject.map { Field(.ifNoneMatch, $0) })
    switch EntityTagCondition(.ifNoneMatch, of: fields) {
    case nil: #expect(row.outcome == nil)
    case .any?: Issue.record("no star was given")
    case .tags(let tags)?: #expect(tags.count == row.outcome)
    }
  }

  @Test("An asterisk alone stands for any representation")
  func star() {
    #expect(EntityTagCondition(.ifMatch, of: ["If-Match": " * "]) == .any)
    #expect(EntityTagCondition(.ifMatch, of: ["If-None-Match": "*"]) == nil)
  }

  @Test("Hostile bytes never trap, and a valid tag is written as it was read")
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
