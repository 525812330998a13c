import HTTPSemantics

extension Timestamp {
  /// 2026-01-01T00:00:00Z, a Thursday.
  static let newYear2026 = Timestamp(secondsSinceEpoch: 1_767_225_600)
}

/// Texts as a hostile origin or a typing error may produce them.
enum Hostile {
  static let values: [FieldValue] = {
    var values: [FieldValue] = [
      "", " ", "\"", "\\", "\"\\", ",", ";", "=", "W/", "W/\"", "*", "-", "bytes=", "://", "[",
    ]
    for byte in UInt8.min...UInt8.max { values.append(FieldValue([byte])) }
    for byte in UInt8.min...UInt8.max { values.append(FieldValue([byte, byte, 0x2f, byte, 0x3a, byte, 0x25])) }
    values += fragments.flatMap { one in fragments.map { FieldValue(one + $0) } }
    return values
  }()

  private static let fragments = [
    "http", "http://", "//", "/", "..", ".", "?", "#", "@", ":", "[", "]", "[::1]", "%", "%4", "%41", "%zz", "\u{0}",
    "\u{7f}", "é", "bytes=", "-", "0", "18446744073709551615", "18446744073709551616", "Sun, ", "06 Nov 1994",
    "Sunday, 06-Nov-94 ", "08:49:37 GMT", "W/", "\"a\"", "\"", "\\", ",", "=", "*", " ", "\t",
  ]
}
