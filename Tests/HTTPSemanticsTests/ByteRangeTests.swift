import HTTPSemantics
import Testing

@Suite("Byte ranges: RFC 9110 section 14.1.2")
struct ByteRangeTests {
  static let syntax: [Row<FieldValue, ByteRange?>] = [
    Row("first and last", "bytes=0-499", .from(0, through: 499)),
    Row("first alone", "bytes=9500-", .from(9500, through: nil)),
    Row("a suffix", "bytes=-500", .suffix(500)),
    Row("one byte", "bytes=0-0", .from(0, through: 0)),
    Row("the unit has no case", "BYTES=1-2", .from(1, through: 2)),
    Row("whitespace around the range is none of it", "bytes= 1-2 ", .from(1, through: 2)),
    Row("the greatest numbers", "bytes=18446744073709551614-18446744073709551615", .from(.max - 1, through: .max)),
    Row("a last that does not fit is the greatest", "bytes=0-18446744073709551616", .from(0, through: .max)),
    Row("so is a first", "bytes=99999999999999999999-", .from(.max, through: nil)),
    Row("so is a suffix", "bytes=-99999999999999999999", .suffix(.max)),
    Row("so are both", "bytes=99999999999999999999-99999999999999999999", .from(.max, through: .max)),
    Row("what has other than digits is no number", "bytes=0-99999999999999999999x", nil),
    Row("last before first is invalid", "bytes=2-1", nil),
    Row("another unit is another matter", "items=0-1", nil),
    Row("several ranges are not a single one", "bytes=0-0,5-6", nil),
    Row("no range is none", "bytes=", nil),
    Row("a hyphen alone is none", "bytes=-", nil),
    Row("no hyphen is none", "bytes=5", nil),
    Row("a sign is no digit", "bytes=+1-2", nil),
    Row("two hyphens are none", "bytes=--1", nil),
    Row("whitespace within is not allowed", "bytes=1 - 2", nil),
    Row("a unit alone is none", "bytes", nil),
  ]

  @Test("A Range of one range of bytes is read", arguments: syntax)
  func parsing(_ row: Row<FieldValue, ByteRange?>) {
    #expect(ByteRange(row.subject) == row.outcome)
  }

  static let resolutions: [Row<(range: ByteRange, length: UInt64), Range<UInt64>?>] = [
    Row("a range within is itself", (.from(2, through: 4), 10), 2..<5),
    Row("a last beyond the end is the end", (.from(2, through: 400), 10), 2..<10),
    Row("a last at the end is the end", (.from(2, through: 9), 10), 2..<10),
    Row("without a last it is the rest", (.from(2, through: nil), 10), 2..<10),
    Row("a first at the end is unsatisfiable", (.from(10, through: nil), 10), nil),
    Row("a suffix counts from the end", (.suffix(3), 10), 7..<10),
    Row("a suffix longer than the whole is the whole", (.suffix(30), 10), 0..<10),
    Row("a suffix of nothing is unsatisfiable", (.suffix(0), 10), nil),
    Row("nothing of nothing can be had", (.from(0, through: nil), 0), nil),
    Row("nor its end", (.suffix(1), 0), nil),
    Row("the greatest last does not trap", (.from(0, through: .max), .max), 0..<(.max)),
    Row("the greatest suffix does not trap", (.suffix(.max), .max), 0..<(.max)),
  ]

  @Test("A range lies within the content, or is not satisfiable", arguments: resolutions)
  func resolution(_ row: Row<(range: ByteRange, length: UInt64), Range<UInt64>?>) {
    #expect(row.subject.range.resolved(in: row.subject.length) == row.outcome)
  }

  @Test("Hostile bytes never trap, and what is resolved lies within")
  func hostile() {
    let specs = ["0-", "-1", "0-18446744073709551615", "-18446744073709551615", "1-1"]
    let values = Hostile.values + specs.map { FieldValue("bytes=" + $0) }
    var resolved = 0
    for range in values.compactMap(ByteRange.init) {
      for length in [0, 1, 10, UInt64.max] {
        guard let bytes = range.resolved(in: length) else { continue }
        #expect(!bytes.isEmpty && bytes.upperBound <= length)
        resolved += 1
      }
    }
    #expect(resolved >= specs.count)
  }
}
