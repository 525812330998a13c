/// Base32 (RFC 4648 section 6): how digests are spelt in archives.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Encodes with padding.
  static func encode(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    var (bits, bitCount) = (UInt32(0), 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        digits.append(alphabet[Int(bits >> UInt32(bitCount) & 31)])
      }
    }
    if bitCount > 0 { digits.append(alphabet[Int(bits << UInt32(5 - bitCount) & 31)]) }
    while digits.count % 8 != 0 { digits.append(UInt8(ascii: "=")) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Decodes letters of either case, with or without padding.
  ///
  /// - Returns: `nil` if the text has any other character.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, bitCount) = (UInt32(0), 0)
    for digit in text.prefix(while: { $0 != UInt8(ascii: "=") }) {
      // Lower-case letters differ from capitals in one bit.
      let upper = digit >= UInt8(ascii: "a") ? digit & 0xdf : digit
      guard let value = alphabet.firstIndex(of: upper) else { return nil }
      bits = bits << 5 | UInt32(value)
      bitCount += 5
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
    }
    return bytes
  }
}
