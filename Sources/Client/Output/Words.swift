import HTTPSemantics

/// Numbers and times for people and for programs.
enum Words {
  /// `2026-11-21T06:45:47Z` (RFC 3339).
  static func rfc3339(_ timestamp: Timestamp) -> String {
    let time = CivilTime(timestamp)
    return "\(padded(time.year, 4))-\(padded(time.month))-\(padded(time.day))T"
      + "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))Z"
  }

  /// `3 s`, `5 min`, `7 h`, `12 d`: the greatest unit of which there are two, rounded down.
  static func duration(_ seconds: Int64) -> String {
    let seconds = max(0, seconds)
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 2 * 3600 { return "\(seconds / 60) min" }
    if seconds < 2 * 86400 { return "\(seconds / 3600) h" }
    return "\(seconds / 86400) d"
  }

  /// As sha256sum prints a digest.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func padded(_ number: Int64, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
