import HTTPSemantics
import TestTraits
import Testing

@Suite("Byte ranges: RFC 9110 section 14.1.2")
struct ByteRangeTests {
  static let syntax: [Row<FieldValue, ByteRange?>] = [
    Row("first and last", "bytes=0-499", .from(0, through: 499)),
    Row("first alone", "bytes=9500-", .from(9500, through: nil)),
    Row("a suffix", "bytes=-500", .suffix(500)),
    Row("one byte", "bytes=0-0", .from(0, through: 0)),
    Row("the unit is not case-sensitive", "BYTES=1-2", .from(1, through: 2)),
    Row("whitespace around the range is ignored", "bytes= 1-2 ", .from(1, through: 2)),
    Row("the greatest numbers", "bytes=18446744073709551614-18446744073709551615", .from(.max - 1, through: .max)),
    Row(
      "a last position that is too large is the greatest number", "bytes=0-18446744073709551616",
      .from(0, through: .max)),
    Row(
      "a first position that is too large is the greatest number", "bytes=99999999999999999999-",
      .from(.max, through: nil)),
    Row("a suffix that is too large is the greatest number", "bytes=-99999999999999999999", .suffix(.max)),
    Row(
      "both positions that are too large are the greatest number", "bytes=99999999999999999999-99999999999999999999",
      .from(.max, through: .max)),
    Row("a character other than a digit is invalid", "bytes=0-99999999999999999999x", nil),
    Row("last before first is invalid", "bytes=2-1", nil),
    Row("another unit is not read", "items=0-1", nil),
    Row("several ranges are not a single one", "bytes=0-0,5-6", nil),
    Row("an empty range is invalid", "bytes=", nil),
    Row("a hyphen alone is invalid", "bytes=-", nil),
    Row("a number without a hyphen is invalid", "bytes=5", nil),
    Row("a sign is invalid", "bytes=+1-2", nil),
    Row("two hyphens are invalid", "bytes=--1", nil),
    Row("whitespace within the range is invalid", "bytes=1 - 2", nil),
    Row("a unit alone is invalid", "bytes", nil),
  ]

  @Test("A Range of one range of bytes is read", arguments: syntax)
  func parsing(_ row: Row<FieldValue, ByteRange?>) {
    #expect(ByteRange(row.subject) == row.outcome)
  }

  static let resolutions: [Row<(range: ByteRange, length: UInt64), Range<UInt64>?>] = [
    Row("a range within the content is unchanged", (.from(2, through: 4), 10), 2..<5),
    Row("a last position beyond the end is cut to the end", (.from(2, through: 400), 10), 2..<10),
    Row("a last position at the end is kept", (.from(2, through: 9), 10), 2..<10),
    Row("without a last position the range extends to the end", (.from(2, through: nil), 10), 2..<10),
    Row("a first position at the end is unsatisfiable", (.from(10, through: nil), 10), nil),
    Row("a suffix counts from the end", (.suffix(3), 10), 7..<10),
    Row("a suffix longer than the content is the whole content", (.suffix(30), 10), 0..<10),
    Row("a suffix of nothing is unsatisfiable", (.suffix(0), 10), nil),
    Row("a range of empty content is unsatisfiable", (.from(0, through: nil), 0), nil),
    Row("a suffix of empty content is unsatisfiable", (.suffix(1), 0), nil),
    Row("the greatest last does not trap", (.from(0, through: .max), .max), 0..<(.max)),
    Row("the greatest suffix does not trap", (.suffix(.max), .max), 0..<(.max)),
  ]

  @Test("A range lies within the content, or is not satisfiable", arguments: resolutions)
  func resolution(_ row: Row<(range: ByteRange, length: UInt64), Range<UInt64>?>) {
    #expect(row.subject.range.resolved(in: row.subject.length) == row.outcome)
  }

  @Test("Hostile bytes never trap, and a resolved range lies within the content")
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
