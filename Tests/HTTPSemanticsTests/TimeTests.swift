import HTTPSemantics
import TestTraits
import Testing

@Suite("Timestamps and civil times")
struct TimeTests {
  static let moments: [Row<Int64, CivilTime>] = [
    Row("the epoch", 0, CivilTime(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0)),
    Row("the second before the epoch", -1, CivilTime(year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 59)),
    Row(
      "the last second of 32 signed bits", 2_147_483_647,
      CivilTime(year: 2038, month: 1, day: 19, hour: 3, minute: 14, second: 7)),
    Row(
      "the leap day of 2000", 951_782_400, CivilTime(year: 2000, month: 2, day: 29, hour: 0, minute: 0, second: 0)),
    Row(
      "1 March 1900, after a February without leap day", -2_203_891_200,
      CivilTime(year: 1900, month: 3, day: 1, hour: 0, minute: 0, second: 0)),
    Row(
      "the last second of year 9999", 253_402_300_799,
      CivilTime(year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59)),
  ]

  @Test("A timestamp is converted to a civil time and back", arguments: moments)
  func civilTime(_ row: Row<Int64, CivilTime>) {
    let moment = Timestamp(secondsSinceEpoch: row.subject)
    #expect(CivilTime(moment) == row.outcome)
    #expect(row.outcome.timestamp == moment)
  }

  @Test("Every day of 800 years follows the one before, in date and in weekday")
  func consecutiveDays() {
    var previous = CivilTime(Timestamp(secondsSinceEpoch: -400 * 365 * 86400))
    var day = -400 * 365 + 1
    var wrong = 0
    while day < 400 * 365 {
      let time = CivilTime(Timestamp(secondsSinceEpoch: Int64(day) * 86400))
      let isNextDay = time.day == previous.day + 1 && time.month == previous.month && time.year == previous.year
      let isNextMonth = time.day == 1 && time.month == previous.month + 1 && time.year == previous.year
      let isNextYear = time.day == 1 && time.month == 1 && previous.month == 12 && time.year == previous.year + 1
      if !(isNextDay || isNextMonth || isNextYear) || time.weekday != (previous.weekday + 1) % 7 { wrong += 1 }
      if time.timestamp != Timestamp(secondsSinceEpoch: Int64(day) * 86400) { wrong += 1 }
      previous = time
      day += 1
    }
    #expect(wrong == 0)
  }

  @Test(
    "An invalid day has no timestamp",
    arguments: [(2026, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 0, 1), (10000, 1, 1), (-1, 1, 1)])
  func noSuchDay(_ year: Int64, _ month: Int64, _ day: Int64) {
    #expect(CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0).timestamp == nil)
  }

  @Test("Extreme timestamps never trap, and are clamped")
  func extremes() {
    let first = Timestamp(secondsSinceEpoch: .min)
    let last = Timestamp(secondsSinceEpoch: .max)
    #expect(last.seconds(since: first) == .max)
    #expect(first.seconds(since: last) == .min)
    #expect(last.seconds(since: last) == 0)
    #expect(last.advanced(bySeconds: 1) == last)
    #expect(first.advanced(bySeconds: -1) == first)
    #expect(first.advanced(bySeconds: 1) > first)
    #expect(CivilTime(last).second >= 0)
    #expect(CivilTime(first).second >= 0)
    #expect((0..<7).contains(CivilTime(last).weekday))
    #expect((0..<7).contains(CivilTime(first).weekday))
  }

  @Test("The seconds since an earlier moment are positive, and since a later one negative")
  func difference() {
    let now = Timestamp.newYear2026
    #expect(now.advanced(bySeconds: 60).seconds(since: now) == 60)
    #expect(now.seconds(since: now.advanced(bySeconds: 60)) == -60)
    #expect(now < now.advanced(bySeconds: 1))
  }
}

@Suite("Dates of RFC 3339")
struct InternetDateTests {
  @Test(
    "A date has seconds, and may have a fraction and an offset",
    arguments: [
      ("2026-11-21T06:45:47Z", 1_795_243_547), ("2026-11-21T06:45:47.999999999Z", 1_795_243_547),
      ("2026-11-21T07:45:47+01:00", 1_795_243_547), ("2026-11-20T22:15:47.1-08:30", 1_795_243_547),
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00-00:00", 0), ("1970-01-01T23:59:00+23:59", 0),
      ("1970-01-01T00:01:00-2359", 86_400),
    ])
  func dates(text: String, seconds: Int64) {
    #expect(InternetDate.parse(Array(text.utf8)) == Timestamp(secondsSinceEpoch: seconds))
  }

  @Test(
    "An invalid date is refused",
    arguments: [
      "", "2026", "2026-11-21", "2026-11-21T06:45Z", "2026-13-21T06:45:47Z", "2026-11-21T06:45:47", "20261121064547",
      "2026-11-21T06:45:47.Z", "2026-11-21T06:45:47+1:00", "2026-11-21T06:45:47Zx",
      "2026-11-21T06:45:47+24:00", "2026-11-21T06:45:47-24:00", "2026-11-21T06:45:47+23:60",
      "2026-11-21T06:45:47+99:99", "2026-11-21T06:45:47-0060",
    ])
  func noDates(text: String) {
    #expect(InternetDate.parse(Array(text.utf8)) == nil)
  }

  @Test("A date is written in UTC")
  func writtenDate() {
    #expect(InternetDate.format(Timestamp(secondsSinceEpoch: 1_795_243_547)) == "2026-11-21T06:45:47Z")
  }
}
