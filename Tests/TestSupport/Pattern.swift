/// Reproducible content of any length, in which no two blocks are equal.
package enum Pattern {
  /// The length of a block. Blocks differ only in the number at their start.
  package static let blockCount = 1 << 16
  private static let numberCount = 8

  private static let block: [UInt8] = (0..<UInt32(blockCount)).map { position in
    let mixed = (position &+ 1) &* 0x9E37_79B9
    return UInt8(truncatingIfNeeded: (mixed ^ (mixed >> 15)) >> 8)
  }

  /// The first bytes of the pattern.
  package static func bytes(count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var number: UInt64 = 0
    while bytes.count < count {
      bytes += block(number).prefix(count - bytes.count)
      number += 1
    }
    return bytes
  }

  /// Returns a whole block: its number, least byte first, then the bytes that all blocks have in common.
  static func block(_ number: UInt64) -> [UInt8] {
    var bytes = block
    for place in 0..<numberCount { bytes[place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return bytes
  }
}
