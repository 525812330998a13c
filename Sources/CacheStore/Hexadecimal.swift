import CHash

/// Bytes as text.
enum Hexadecimal {
  static func digits(of bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return digits
  }

  /// 32 digits of XXH3-128, seed 0, the higher half first.
  static func digits(ofHash bytes: [UInt8]) -> [UInt8] {
    let hash = bytes.span.bytes.withUnsafeBytes { chash_xxh3_128($0.baseAddress, $0.count, 0) }
    return [UInt8](unsafeUninitializedCapacity: 32) { digits, count in
      for place in 0..<16 {
        let shift = UInt64(60 - 4 * place)
        digits[place] = digit(UInt8(truncatingIfNeeded: hash.high >> shift) & 15)
        digits[place + 16] = digit(UInt8(truncatingIfNeeded: hash.low >> shift) & 15)
      }
      count = 32
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }

  /// Of digits that are some; the last two count.
  static func value(ofDigits digits: some Sequence<UInt8>) -> UInt8 {
    digits.reduce(0) { value, digit in
      value << 4 | (digit <= UInt8(ascii: "9") ? digit &- UInt8(ascii: "0") : digit &- UInt8(ascii: "a") &+ 10)
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
