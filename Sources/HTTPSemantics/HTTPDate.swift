/// The dates of fields (RFC 9110 section 5.6.7).
package enum HTTPDate {
  /// Reads any of the three forms: IMF-fixdate, RFC 850 and asctime.
  ///
  /// The grammar is enforced strictly, except for the case of letters: a text that is nearly a date is refused, because
  /// a wrong guess would widen reuse.
  ///
  /// - Parameter now: decides the century of a two-digit year: the latest that is at most 50 years ahead.
  /// - Returns: `nil` for any other text, or if there is no such moment.
  package static func parse(_ value: FieldValue, now: Timestamp) -> Timestamp? {
    let bytes = value.bytes[...]
    guard let comma = bytes.firstIndex(of: ASCII.comma) else { return asctime(bytes) }
    let weekday = bytes[..<comma]
    if weekday.count == 3 { return imfFixdate(bytes) }
    return weekdays.contains { ASCII.equalIgnoringCase($0.utf8, weekday) }
      ? rfc850(bytes[(comma + 1)...], now: now) : nil
  }

  /// The moment as an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func format(_ timestamp: Timestamp) -> FieldValue {
    let time = CivilTime(timestamp)
    let date = "\(shortWeekdays[time.weekday]), \(CivilTime.padded(time.day)) \(months[Int(time.month) - 1])"
    return FieldValue("\(date) \(CivilTime.padded(time.year, to: 4)) \(time.clockText) GMT")
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  private static func imfFixdate(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
    var scanner = Scanner(rest: bytes)
    guard scanner.skipWeekday(), scanner.skip(ASCII.comma), scanner.skip(ASCII.space), let day = scanner.digits(2),
      scanner.skip(ASCII.space), let month = scanner.month(), scanner.skip(ASCII.space), let year = scanner.digits(4),
      let time = scanner.spacedTimeOfDay(), scanner.spacedGMT(), scanner.isAtEnd
    else { return nil }
    return moment(year, month, day, time)
  }

  /// ` 06-Nov-94 08:49:37 GMT`
  private static func rfc850(_ bytes: ArraySlice<UInt8>, now: Timestamp) -> Timestamp? {
    var scanner = Scanner(rest: bytes)
    guard scanner.skip(ASCII.space), let day = scanner.digits(2), scanner.skip(ASCII.hyphen),
      let month = scanner.month(), scanner.skip(ASCII.hyphen), let shortYear = scanner.digits(2),
      let time = scanner.spacedTimeOfDay(), scanner.spacedGMT(), scanner.isAtEnd
    else { return nil }
    // "Recipients of a timestamp value in rfc850-date format ... MUST interpret a timestamp that appears to be more
    // than 50 years in the future as representing the most recent year in the past that had the same last two digits."
    let today = CivilTime(now)
    let latest = halfCentury(after: today) ?? now
    let thisCentury = today.year - today.year % 100
    for century in [thisCentury + 100, thisCentury, thisCentury - 100] {
      if let moment = moment(century + shortYear, month, day, time), moment <= latest { return moment }
    }
    return nil
  }

  /// - Returns: `nil` if that year is beyond the range of dates.
  private static func halfCentury(after moment: CivilTime) -> Timestamp? {
    // A 29 February has no such day 50 years later.
    let day = moment.month == 2 ? min(moment.day, 28) : moment.day
    return CivilTime(
      year: moment.year + 50, month: moment.month, day: day, hour: moment.hour, minute: moment.minute,
      second: moment.second
    ).timestamp
  }

  /// `Sun Nov  6 08:49:37 1994`
  private static func asctime(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
    guard bytes.count == 24 else { return nil }
    var scanner = Scanner(rest: bytes)
    guard scanner.skipWeekday(), scanner.skip(ASCII.space), let month = scanner.month(), scanner.skip(ASCII.space),
      let day = scanner.skip(ASCII.space) ? scanner.digits(1) : scanner.digits(2),
      let time = scanner.spacedTimeOfDay(), scanner.skip(ASCII.space), let year = scanner.digits(4), scanner.isAtEnd
    else { return nil }
    return moment(year, month, day, time)
  }

  private static func moment(_ year: Int64, _ month: Int64, _ day: Int64, _ time: TimeOfDay) -> Timestamp? {
    CivilTime(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
    ).timestamp
  }

  private typealias TimeOfDay = (hour: Int64, minute: Int64, second: Int64)

  static let shortWeekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads from the front, byte by byte and without a slice for each part, because a listing reads a date for each
  /// entry.
  private struct Scanner {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(rest: ArraySlice<UInt8>) {
      bytes = rest
      index = rest.startIndex
    }

    var isAtEnd: Bool { index == bytes.endIndex }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard !isAtEnd, bytes[index] == byte else { return false }
      index += 1
      return true
    }

    mutating func digits(_ count: Int) -> Int64? {
      guard bytes.endIndex - index >= count else { return nil }
      var value: Int64 = 0
      for position in index..<index + count {
        guard ASCII.isDigit(bytes[position]) else { return nil }
        value = value * 10 + Int64(bytes[position] &- 0x30)
      }
      index += count
      return value
    }

    mutating func skipWeekday() -> Bool { nameIndex(in: "sunmontuewedthufrisat") != nil }

    mutating func month() -> Int64? { nameIndex(in: "janfebmaraprmayjunjulaugsepoctnovdec").map { $0 + 1 } }

    mutating func spacedTimeOfDay() -> TimeOfDay? {
      guard skip(ASCII.space), let hour = digits(2), skip(ASCII.colon), let minute = digits(2), skip(ASCII.colon),
        let second = digits(2)
      else { return nil }
      return (hour, minute, second)
    }

    mutating func spacedGMT() -> Bool { skip(ASCII.space) && nameIndex(in: "gmt") == 0 }

    /// Reads three letters, and returns their index among names of three lower-case letters each.
    private mutating func nameIndex(in names: StaticString) -> Int64? {
      guard bytes.endIndex - index >= 3 else { return nil }
      defer { index += 3 }
      let letters = Self.packed(
        ASCII.lowercased(bytes[index]), ASCII.lowercased(bytes[index + 1]), ASCII.lowercased(bytes[index + 2]))
      return names.withUTF8Buffer { names in
        for number in 0..<names.count / 3
        where Self.packed(names[3 * number], names[3 * number + 1], names[3 * number + 2]) == letters {
          return Int64(number)
        }
        return nil
      }
    }

    /// Packs three letters into one number.
    private static func packed(_ one: UInt8, _ two: UInt8, _ three: UInt8) -> UInt32 {
      UInt32(one) << 16 | UInt32(two) << 8 | UInt32(three)
    }
  }
}
