import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Pins and tags of stored responses")
struct MarksTests {
  private static func tags(_ texts: String...) throws -> Tags {
    try #require(Tags(try texts.map { try HTTPCaching.Tag(parsing: $0.utf8) }))
  }

  static let texts: [Row<String, String?>] = [
    Row("a key and a value", "a=b", "a=b"),
    Row("an empty value", "a=", "a="),
    Row("an equals sign in the value", "a=b=c", "a=b=c"),
    Row("blanks around it are dropped", " \ta=b c\t ", "a=b c"),
    Row("text beyond ASCII", "größe=µ", "größe=µ"),
    Row("as long as it may be", "a=" + String(repeating: "b", count: HTTPCaching.Tag.longestBytes - 2), "longest"),
  ]

  @Test("A tag is read from text", arguments: texts)
  func reading(_ row: Row<String, String?>) throws {
    let tag = try HTTPCaching.Tag(parsing: row.subject.utf8)
    #expect(tag.description == (row.outcome == "longest" ? row.subject : row.outcome))
  }

  private static let tooLong = "a=" + String(repeating: "b", count: HTTPCaching.Tag.longestBytes - 1)

  static let faults: [Row<[UInt8], HTTPCaching.Tag.Fault>] = [
    Row("nothing", [], .noKey), Row("no equals sign", Array("a".utf8), .noKey),
    Row("no key", Array("=b".utf8), .noKey),
    Row("too long", Array(tooLong.utf8), .tooLong),
    Row("no UTF-8", [0x61, 0x3d, 0xff], .notText), Row("a line break", Array("a=b\nc".utf8), .notText),
    Row("DEL", Array("a=b\u{7f}".utf8), .notText), Row("the first of C1", Array("a=b\u{80}".utf8), .notText),
    Row("the last of C1", Array("a=b\u{9f}".utf8), .notText), Row("NUL", Array("a=b\0c".utf8), .notText),
  ]

  @Test("What is not a tag is refused with its fault", arguments: faults)
  func refusing(_ row: Row<[UInt8], HTTPCaching.Tag.Fault>) {
    #expect(throws: row.outcome) { try HTTPCaching.Tag(parsing: row.subject) }
  }

  @Test("Tags have each key once, are sorted by key, and are no more than the maximum")
  func limits() throws {
    let sorted = try Self.tags("b=2", "a=1")
    #expect(sorted.all.map(\.description) == ["a=1", "b=2"] && sorted["b"] == "2" && sorted["c"] == nil)
    #expect(Tags(try ["a=1", "a=2"].map { try HTTPCaching.Tag(parsing: $0.utf8) }) == nil)
    let most = try (0..<Tags.maximumCount).map { try HTTPCaching.Tag(parsing: "k\($0)=".utf8) }
    var full = try #require(Tags(most))
    let further = try HTTPCaching.Tag(parsing: "further=".utf8)
    #expect(Tags(most + [further]) == nil)
    #expect(!full.set(further) && full.all.count == Tags.maximumCount && full["further"] == nil)
    #expect(try full.set(HTTPCaching.Tag(parsing: "k0=new".utf8)) && full["k0"] == "new")
    full.remove("k1")
    #expect(full.set(further) && full["further"]?.isEmpty == true)
  }

  @Test("Marks are joined: a pin stays, and tags replace those with the same key")
  func joining() throws {
    let (one, other) = (try Self.tags("a=1", "b=2"), try Self.tags("b=3", "c=4"))
    let joined = try Self.tags("a=1", "b=3", "c=4")
    for isPinned in [false, true] {
      for isOtherPinned in [false, true] {
        let marks = Marks(isPinned: isPinned, tags: one).adding(Marks(isPinned: isOtherPinned, tags: other))
        #expect(marks == Marks(isPinned: isPinned || isOtherPinned, tags: joined))
      }
    }
    #expect(Marks.none.adding(Marks(tags: one)).tags == one && Marks(tags: one).adding(.none).tags == one)
  }

  @Test("Marks include others if adding those changes nothing")
  func including() throws {
    let marks = Marks(isPinned: true, tags: try Self.tags("a=1", "b=2"))
    let unpinned = Marks(tags: marks.tags)
    #expect(marks.include(.none) && Marks.none.include(.none) && marks.include(marks) && marks.include(unpinned))
    let (partly, changing, adding) = (try Self.tags("b=2"), try Self.tags("b=3"), try Self.tags("c=1"))
    #expect(marks.include(Marks(tags: partly)))
    #expect(!unpinned.include(marks) && !Marks.none.include(unpinned))
    #expect(!marks.include(Marks(tags: changing)) && !marks.include(Marks(tags: adding)))
  }
}
