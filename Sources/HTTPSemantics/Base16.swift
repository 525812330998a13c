/// Base16, hexadecimal digits (RFC 4648 section 8).
package enum Base16 {
  /// Encodes in lower case, as sha256sum and the like print digests.
  package static func encode(_ bytes: [UInt8]) -> String { String(decoding: encoded(bytes), as: UTF8.self) }

  /// Encodes as `encode` does, into bytes.
  package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for byte in bytes { append(byte, to: &digits) }
    return digits
  }

  /// Appends the two digits of a byte.
  ///
  /// - Parameter ten: the digit for 10, a small letter or a capital.
  package static func append(_ byte: UInt8, to digits: inout [UInt8], ten: UInt8 = UInt8(ascii: "a")) {
    let digit = { (value: UInt8) in value < 10 ? ASCII.zero + value : ten + value - 10 }
    digits.append(digit(byte >> 4))
    digits.append(digit(byte & 15))
  }

  /// Decodes digits of either case.
  ///
  /// - Returns: `nil` for an odd number of digits, or for anything else than digits.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text {
      guard let value = value(of: digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }

  /// Returns the value of a digit of either case; `nil` for any other byte.
  package static func value(of digit: UInt8) -> UInt8? {
    if ASCII.isDigit(digit) { return digit & 15 }
    let letter = ASCII.lowercased(digit)
    return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) ? letter - UInt8(ascii: "a") + 10 : nil
  }
}
