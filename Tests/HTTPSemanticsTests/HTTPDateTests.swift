import HTTPSemantics
import TestTraits
import Testing

@Suite("Dates: RFC 9110 section 5.6.7")
struct HTTPDateTests {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, the moment that RFC 9110 writes in three forms.
  static let example = Timestamp(secondsSinceEpoch: 784_111_777)

  static let texts: [Row<FieldValue, Timestamp?>] = [
    Row("IMF-fixdate is read", "Sun, 06 Nov 1994 08:49:37 GMT", example),
    Row("the obsolete RFC 850 form is read", "Sunday, 06-Nov-94 08:49:37 GMT", example),
    Row("the obsolete asctime form is read", "Sun Nov  6 08:49:37 1994", example),
    Row("asctime with a day of two digits is read", "Wed Nov 16 08:49:37 1994", example.advanced(bySeconds: 864_000)),
    Row("the case of letters is ignored", "sUN, 06 nOV 1994 08:49:37 gmt", example),
    Row("a leap second is the next minute's first", "Sun, 06 Nov 1994 08:49:60 GMT", example.advanced(bySeconds: 23)),
    Row("the day before the epoch is negative", "Wed, 31 Dec 1969 23:59:59 GMT", Timestamp(secondsSinceEpoch: -1)),
    Row(
      "29 February exists in a leap year", "Thu, 29 Feb 2024 00:00:00 GMT",
      Timestamp(secondsSinceEpoch: 1_709_164_800)),
    Row("29 February does not exist in 2023", "Wed, 29 Feb 2023 00:00:00 GMT", nil),
    Row("29 February does not exist in 1900", "Thu, 29 Feb 1900 00:00:00 GMT", nil),
    Row("31 April does not exist", "Fri, 31 Apr 2026 00:00:00 GMT", nil),
    Row("day 0 does not exist", "Sun, 00 Nov 1994 08:49:37 GMT", nil),
    Row("hour 24 does not exist", "Sun, 06 Nov 1994 24:00:00 GMT", nil),
    Row("minute 60 does not exist", "Sun, 06 Nov 1994 08:60:00 GMT", nil),
    Row("second 61 does not exist", "Sun, 06 Nov 1994 08:49:61 GMT", nil),
    Row("0 is no date", "0", nil),
    Row("-1 is no date", "-1", nil),
    Row("an empty value is no date", "", nil),
    Row("another zone is refused, even UTC", "Sun, 06 Nov 1994 08:49:37 UTC", nil),
    Row("a numeric zone is refused", "Sun, 06 Nov 1994 08:49:37 +0000", nil),
    Row("a missing zone is refused", "Sun, 06 Nov 1994 08:49:37", nil),
    Row("a missing weekday is refused", "06 Nov 1994 08:49:37 GMT", nil),
    Row("an unknown weekday is refused", "Xun, 06 Nov 1994 08:49:37 GMT", nil),
    Row("an unknown month is refused", "Sun, 06 Nox 1994 08:49:37 GMT", nil),
    Row("a day of one digit is refused", "Sun, 6 Nov 1994 08:49:37 GMT", nil),
    Row("a year of two digits is refused in an IMF-fixdate", "Sun, 06 Nov 94 08:49:37 GMT", nil),
    Row("a year of four digits is refused in the RFC 850 form", "Sunday, 06-Nov-1994 08:49:37 GMT", nil),
    Row("an hour of one digit is refused", "Sun, 06 Nov 1994 8:49:37 GMT", nil),
    Row("a missing second is refused", "Sun, 06 Nov 1994 08:49 GMT", nil),
    Row("two spaces are refused", "Sun, 06 Nov  1994 08:49:37 GMT", nil),
    Row("hyphens are refused in an IMF-fixdate", "Sun, 06-Nov-1994 08:49:37 GMT", nil),
    Row("text behind the zone is refused", "Sun, 06 Nov 1994 08:49:37 GMT+1", nil),
    Row("text behind the year is refused in asctime", "Sun Nov  6 08:49:37 1994 GMT", nil),
    Row("a short weekday is refused in the RFC 850 form", "Sun, 06-Nov-94 08:49:37 GMT", nil),
    Row("two dates are refused", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", nil),
    Row("digits of another script are refused", "Sun, ٠٦ Nov 1994 08:49:37 GMT", nil),
  ]

  @Test("The lenient parser reads dates that differ slightly from the three forms", arguments: nearTexts)
  func leniently(_ row: Row<FieldValue, Timestamp?>) {
    #expect(HTTPDate.parseLeniently(row.subject, now: Self.example) == row.outcome)
    #expect(row.outcome == nil || HTTPDate.parse(row.subject, now: Self.example) == nil)
  }

  static let nearTexts: [Row<FieldValue, Timestamp?>] = [
    Row("another zone", "Sun, 06 Nov 1994 08:49:37 UTC", example),
    Row("a numeric zone", "Sun, 06 Nov 1994 09:49:37 +0100", example),
    Row("a zone to the west", "Sun, 06 Nov 1994 06:19:37 -0230", example),
    Row("a zone by name", "Sun, 06 Nov 1994 03:49:37 EST", example),
    Row("an unknown zone", "Sun, 06 Nov 1994 03:49:37 XYZ", nil),
    Row("no zone", "Sun, 06 Nov 1994 08:49:37", example),
    Row("no weekday, and a day of one digit", "6 Nov 1994 08:49:37 GMT", example),
    Row("hyphens", "Sun, 06-Nov-1994 08:49:37 GMT", example),
    Row("two spaces, and no comma", "Sun  06 November 1994 8:49:37 Z", example),
    Row("a missing second", "Sun, 06 Nov 1994 08:49 GMT", example.advanced(bySeconds: -37)),
    Row("two times", "Sun, 06 Nov 1994 08:49:37 08:49:37", nil),
    Row("two months", "Sun, 06 Nov Dec 1994 08:49:37", nil),
    Row("no year", "Sun, 06 Nov 08:49:37 GMT", nil),
    Row("an invalid day", "31 Nov 1994 08:49:37", nil),
    Row("an invalid time", "30 Nov 1994 08:99:37", nil),
    Row("an unknown word", "Sun, 06 Nov 1994 at 08:49:37", nil),
    Row("a number", "0", nil), Row("nothing", "", nil), Row("hyphens alone", "--", nil),
    Row("a time without digits", "06 Nov 1994 :", nil),
  ]

  @Test("The strict parser reads a date in its three forms only", arguments: texts)
  func parsing(_ row: Row<FieldValue, Timestamp?>) {
    #expect(HTTPDate.parse(row.subject, now: .newYear2026) == row.outcome)
  }

  static let centuries: [Row<(shortYear: Int64, thisYear: Int64), Int64>] = [
    Row("last year's digits are in this century", (25, 2026), 2025),
    Row("this year's digits are in this century", (26, 2026), 2026),
    Row("a year 49 years ahead is in the future", (75, 2026), 2075),
    Row("a year 51 years ahead is in the past", (77, 2026), 1977),
    Row("94 is 1994", (94, 2026), 1994),
    Row("00, read in 1999, is the year after", (0, 1999), 2000),
    Row("99, read in 2000, is the year before", (99, 2000), 1999),
  ]

  @Test("A two-digit year that seems more than 50 years ahead lies in the past", arguments: centuries)
  func century(_ row: Row<(shortYear: Int64, thisYear: Int64), Int64>) throws {
    let now = try #require(Self.newYear(row.subject.thisYear))
    let digits = row.subject.shortYear < 10 ? "0\(row.subject.shortYear)" : "\(row.subject.shortYear)"
    let parsed = HTTPDate.parse(FieldValue("Sunday, 01-Jan-\(digits) 00:00:00 GMT"), now: now)
    #expect(parsed == Self.newYear(row.outcome))
  }

  @Test("The limit of 50 years is exact to the second, whatever leap years lie between", arguments: [2023, 2024, 2046])
  func halfCentury(_ year: Int64) throws {
    let now = try #require(CivilTime(year: year, month: 1, day: 19, hour: 18, minute: 40, second: 0).timestamp)
    let digits = (year + 50) % 100
    for (second, expected) in [("00", year + 50), ("01", year - 50)] {
      let parsed = HTTPDate.parse(FieldValue("Friday, 19-Jan-\(digits) 18:40:\(second) GMT"), now: now)
      #expect(parsed.map { CivilTime($0).year } == expected)
    }
    let leapDay = try #require(CivilTime(year: 2024, month: 2, day: 29, hour: 0, minute: 0, second: 0).timestamp)
    #expect(HTTPDate.parse("Friday, 01-Mar-74 00:00:00 GMT", now: leapDay).map { CivilTime($0).year } == 1974)
  }

  @Test("The limit of 50 years is exact to the day")
  func halfCenturyOfDays() throws {
    let now = try #require(Self.newYear(2026))
    let then = try #require(Self.newYear(2076))
    #expect(HTTPDate.parse("Wednesday, 01-Jan-76 00:00:00 GMT", now: now) == then)
    let past = try #require(Self.newYear(1976))
    #expect(HTTPDate.parse("Friday, 02-Jan-76 00:00:00 GMT", now: now) == past.advanced(bySeconds: 86400))
  }

  private static func newYear(_ year: Int64) -> Timestamp? {
    CivilTime(year: year, month: 1, day: 1, hour: 0, minute: 0, second: 0).timestamp
  }

  @Test("Dates are written as IMF-fixdate")
  func format() {
    #expect(HTTPDate.format(Self.example) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.format(Timestamp(secondsSinceEpoch: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.format(.newYear2026) == "Thu, 01 Jan 2026 00:00:00 GMT")
  }

  @Test("A written date is read back, for a moment every five days over five centuries")
  func roundTrip() {
    var moment = Timestamp(secondsSinceEpoch: -5_000_000_000)
    var weekdays: [Substring: Int] = [:]
    while moment.secondsSinceEpoch < 12_000_000_000 {
      let text = HTTPDate.format(moment)
      if HTTPDate.parse(text, now: .newYear2026) != moment { Issue.record("\(text.text) is not \(moment)") }
      weekdays[text.text.prefix(3), default: 0] += 1
      moment = moment.advanced(bySeconds: 5 * 86400 + 4321)
    }
    #expect(weekdays.count == 7)
  }

  @Test("Hostile bytes never trap")
  func hostile() {
    let moments = [Int64.min, -1, 0, Timestamp.newYear2026.secondsSinceEpoch, .max]
    var readable: Set<String> = []
    for now in moments.map(Timestamp.init(secondsSinceEpoch:)) {
      for value in Hostile.values where HTTPDate.parse(value, now: now) != nil { readable.insert(value.text) }
      #expect(!HTTPDate.format(now).bytes.isEmpty)
    }
    #expect(readable == ["Sunday, 06-Nov-94 08:49:37 GMT"])
  }
}
