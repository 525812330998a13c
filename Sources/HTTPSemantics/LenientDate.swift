extension HTTPDate {
  /// Reads dates as `parse` does, and also texts that are nearly dates: with another zone or none, with a day of one
  /// digit, with hyphens or without a weekday, in any order.
  ///
  /// Only for uses in which a wrong guess does no harm; how long a response is fresh is not one of them.
  ///
  /// - Parameter now: as in `parse`.
  /// - Returns: `nil` for a text with anything else in it, without a day, a month, a year or a time, or with two of one
  ///   of these.
  package static func parseLeniently(_ value: FieldValue, now: Timestamp) -> Timestamp? {
    if let exact = parse(value, now: now) { return exact }
    var date = DateParts()
    for word in value.bytes.split(whereSeparator: { $0 == ASCII.space || $0 == ASCII.comma }) {
      guard date.take(word) else { return nil }
    }
    return date.moment
  }
}

/// The parts of a date that have been found.
private struct DateParts {
  private var day: Int64?
  private var month: Int64?
  private var year: Int64?
  private var time: [Int64]?
  /// The offset of the zone from UTC, in seconds to the east.
  private var offset: Int64 = 0

  /// The zones of RFC 5322 section 4.3, and UTC, in hours to the east.
  private static let zones: [(name: String, hours: Int64)] = [
    ("gmt", 0), ("utc", 0), ("ut", 0), ("z", 0), ("est", -5), ("edt", -4), ("cst", -6), ("cdt", -5), ("mst", -7),
    ("mdt", -6), ("pst", -8), ("pdt", -7),
  ]

  /// - Returns: `false` for a word that is no part of a date, or a part that is there already.
  mutating func take(_ word: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: ASCII.lowercased(Array(word)), as: UTF8.self)
    if let number = ASCII.decimalInt64(word) { return take(number, digits: word.count) }
    if text.utf8.contains(ASCII.colon) { return takeTime(text) }
    if let first = word.first, first == ASCII.plus || first == ASCII.hyphen { return takeOffset(word) }
    if text.utf8.contains(ASCII.hyphen) {
      return word.split(separator: ASCII.hyphen).reduce(true) { $0 && take($1) }
    }
    if let index = Self.nameIndex(of: word, in: HTTPDate.months) {
      if month != nil { return false }
      month = index + 1
      return true
    }
    if let zone = Self.zones.first(where: { $0.name == text }) {
      offset = zone.hours * 3_600
      return true
    }
    return Self.nameIndex(of: word, in: HTTPDate.shortWeekdays) != nil
  }

  private mutating func take(_ number: Int64, digits: Int) -> Bool {
    switch digits {
    case 1...2 where day == nil: day = number
    case 4 where year == nil: year = number
    default: return false
    }
    return true
  }

  /// `HH:MM` or `HH:MM:SS`
  private mutating func takeTime(_ text: String) -> Bool {
    let numbers = text.utf8.split(separator: ASCII.colon).map { $0.count <= 2 ? ASCII.decimalInt64(Array($0)) : nil }
    guard time == nil, (2...3).contains(numbers.count), !numbers.contains(nil) else { return false }
    time = numbers.compactMap { $0 }
    return true
  }

  /// `+HHMM` or `-HHMM`
  private mutating func takeOffset(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.count == 5, let number = ASCII.decimalInt64(word.dropFirst()), number <= 1_459 else {
      return false
    }
    offset = (number / 100 * 3_600 + number % 100 * 60) * (word.first == ASCII.hyphen ? -1 : 1)
    return true
  }

  /// - Parameter names: names of three letters. The word need only begin with one.
  private static func nameIndex(of word: ArraySlice<UInt8>, in names: [String]) -> Int64? {
    guard word.count >= 3, word.allSatisfy(ASCII.isLetter) else { return nil }
    return names.firstIndex { ASCII.equalIgnoringCase($0.utf8, word.prefix(3)) }.map { Int64($0) }
  }

  var moment: Timestamp? {
    guard let day, let month, let year, let time else { return nil }
    return CivilTime(
      year: year, month: month, day: day, hour: time[0], minute: time[1], second: time.count > 2 ? time[2] : 0
    ).timestamp?.advanced(bySeconds: -offset)
  }
}
