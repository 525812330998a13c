import CHash
import HTTPSemantics

/// The hashes in the names of entries, which locks and invalidations use, too: XXH3-128, seed 0.
enum NameHash {
  static func of(_ bytes: [UInt8]) -> (high: UInt64, low: UInt64) {
    let hash = bytes.span.bytes.withUnsafeBytes { chash_xxh3_128($0.baseAddress, $0.count, 0) }
    return (hash.high, hash.low)
  }

  /// Returns the hash as 32 hexadecimal digits, which are those of `Base16`, the higher half first.
  static func digits(of bytes: [UInt8]) -> [UInt8] {
    let hash = of(bytes)
    let digits = (
      eightDigits(hash.high >> 32), eightDigits(hash.high & 0xffff_ffff), eightDigits(hash.low >> 32),
      eightDigits(hash.low & 0xffff_ffff)
    )
    return withUnsafeBytes(of: digits) { [UInt8]($0) }
  }

  /// Returns the eight digits of a 32-bit number as a number whose bytes in memory are these digits in order.
  private static func eightDigits(_ number: UInt64) -> UInt64 {
    // Each of the eight bytes gets its four bits; then all become digits at once.
    var nibbles = (number | number << 16) & 0x0000_ffff_0000_ffff
    nibbles = (nibbles | nibbles << 8) & 0x00ff_00ff_00ff_00ff
    nibbles = (nibbles | nibbles << 4) & 0x0f0f_0f0f_0f0f_0f0f
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let toLetter = UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
    return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* toLetter).bigEndian
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }

  /// Returns the value of the last two digits.
  static func value(ofDigits digits: some Sequence<UInt8>) -> UInt8 {
    digits.reduce(0) { $0 << 4 | (Base16.value(of: $1) ?? 0) }
  }
}
