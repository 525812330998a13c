/// The dates of archives and JSON: `2026-11-21T06:45:47Z`, with or without a fraction or an offset (RFC 3339 section
/// 5.6).
package enum InternetDate {
  /// - Returns: `nil` for anything else. A fraction of a second is cut off.
  package static func parse(_ bytes: [UInt8]) -> Timestamp? {
    var rest = bytes[...]
    guard let year = digits(4, of: &rest), skip("-", in: &rest), let month = digits(2, of: &rest),
      skip("-", in: &rest), let day = digits(2, of: &rest), skip("T", in: &rest) || skip("t", in: &rest),
      let hour = digits(2, of: &rest), skip(":", in: &rest), let minute = digits(2, of: &rest), skip(":", in: &rest),
      let second = digits(2, of: &rest)
    else { return nil }
    if skip(".", in: &rest) {
      let fraction = rest.prefix(while: ASCII.isDigit)
      guard !fraction.isEmpty else { return nil }
      rest = rest[fraction.endIndex...]
    }
    let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    guard let local = civil.timestamp, let offset = offsetSeconds(rest) else { return nil }
    return local.advanced(bySeconds: -offset)
  }

  /// The moment in UTC, without a fraction: `2026-11-21T06:45:47Z`.
  package static func format(_ timestamp: Timestamp) -> String {
    let time = CivilTime(timestamp)
    return "\(CivilTime.padded(time.year, to: 4))-\(CivilTime.padded(time.month))-\(CivilTime.padded(time.day))T"
      + "\(time.clockText)Z"
  }

  private static func offsetSeconds(_ zone: ArraySlice<UInt8>) -> Int64? {
    if zone.elementsEqual("Z".utf8) || zone.elementsEqual("z".utf8) { return 0 }
    var rest = zone
    let isWest = skip("-", in: &rest)
    guard isWest || skip("+", in: &rest), let hours = digits(2, of: &rest) else { return nil }
    _ = skip(":", in: &rest)
    guard let minutes = digits(2, of: &rest), rest.isEmpty, hours < 24, minutes < 60 else { return nil }
    return (hours * 60 + minutes) * (isWest ? -60 : 60)
  }

  private static func digits(_ count: Int, of rest: inout ArraySlice<UInt8>) -> Int64? {
    guard rest.count >= count, let value = ASCII.decimalInt64(rest.prefix(count)) else { return nil }
    rest.removeFirst(count)
    return value
  }

  private static func skip(_ character: Unicode.Scalar, in rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }
}
