/// Base64 (RFC 4648 section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes with padding.
  package static func encode(_ bytes: [UInt8]) -> String { String(decoding: encoded(bytes), as: UTF8.self) }

  /// Encodes as `encode` does, into bytes.
  package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = alphabet
    return [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text, count in
      var start = 0
      while start < bytes.count {
        let groupCount = min(3, bytes.count - start)
        var bits = UInt32(bytes[start]) << 16
        if groupCount > 1 { bits |= UInt32(bytes[start + 1]) << 8 }
        if groupCount > 2 { bits |= UInt32(bytes[start + 2]) }
        text[count] = alphabet[Int(bits >> 18)]
        text[count + 1] = alphabet[Int(bits >> 12 & 63)]
        text[count + 2] = groupCount > 1 ? alphabet[Int(bits >> 6 & 63)] : ASCII.equals
        text[count + 3] = groupCount > 2 ? alphabet[Int(bits & 63)] : ASCII.equals
        count += 4
        start += 3
      }
    }
  }

  /// Decodes text. Missing padding is accepted, and so are bits that are not zero behind the last byte: "parsers SHOULD
  /// NOT fail" on either (RFC 9651 section 4.2.7).
  ///
  /// - Returns: `nil` for text that is not Base64.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var digits = text
    while digits.last == ASCII.equals, text.count - digits.count < 2 { digits = digits.dropLast() }
    let isPadded = digits.count < text.count
    guard digits.count % 4 != 1, !isPadded || text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var (bits, bitCount) = (UInt32(0), 0)
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
    case ASCII.plus: 62
    case ASCII.slash: 63
    default: nil
    }
  }
}
