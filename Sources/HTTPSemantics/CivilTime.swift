/// A moment as a date and a time of day in UTC, in the proleptic Gregorian calendar.
package struct CivilTime: Equatable, Sendable {
  package let year: Int64
  /// 1 to 12.
  package let month: Int64
  package let day: Int64
  package let hour: Int64
  package let minute: Int64
  package let second: Int64

  package init(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  package init(_ timestamp: Timestamp) {
    let seconds = timestamp.secondsSinceEpoch
    let (days, secondOfDay) = Self.floorDivision(seconds, 86400)
    // Years are counted from March, so that the leap day is the last of its year, in eras of 400 years.
    let (era, dayOfEra) = Self.floorDivision(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = secondOfDay / 3600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60
  }

  /// - Returns: `nil` if no such day or time of day exists. Second 60, a leap second, counts as second 0 of the next
  ///   minute.
  package var timestamp: Timestamp? {
    guard (1...12).contains(month), day >= 1, day <= daysInMonth, (0..<24).contains(hour),
      (0..<60).contains(minute), (0...60).contains(second), (0...9999).contains(year)
    else { return nil }
    return Timestamp(
      secondsSinceEpoch: daysSinceEpoch * 86400 + hour * 3600 + minute * 60 + second)
  }

  /// The time of day: `06:45:47`.
  package var clockText: String { "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))" }

  /// Returns the number with leading zeros, in at least `width` digits.
  package static func padded(_ number: Int64, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// 0 is Sunday.
  package var weekday: Int { Int(Self.floorDivision(daysSinceEpoch + 4, 7).remainder) }

  private var daysInMonth: Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private var daysSinceEpoch: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = Self.floorDivision(shiftedYear, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
