/// The part of a representation that a message carries: `bytes 0-9/100` (RFC 9110 section 14.4).
package struct ContentRange: Equatable, Sendable {
  /// Never empty.
  package let bytes: Range<UInt64>
  /// The length of the whole representation; `nil` if it is not known (`*`).
  package let completeLength: UInt64?

  /// The number of bytes that the message carries.
  package var length: UInt64 { bytes.length }

  /// - Returns: `nil` for another unit, for the answer to a range that cannot be satisfied, and if "the last-pos value
  ///   is less than the first-pos value, or the complete-length is less than or equal to the last-pos".
  package init?(_ value: FieldValue) {
    let unit = "bytes ".utf8
    guard value.bytes.count > unit.count, ASCII.equalIgnoringCase(value.bytes.prefix(unit.count), unit) else {
      return nil
    }
    let parts = value.bytes[unit.count...].split(
      separator: ASCII.slash, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let positions = parts[0].split(separator: ASCII.hyphen, maxSplits: 1, omittingEmptySubsequences: false)
    guard positions.count == 2, let first = ASCII.decimal(positions[0], as: UInt64.self),
      let last = ASCII.decimal(positions[1], as: UInt64.self), first <= last, last < .max
    else { return nil }
    bytes = first..<(last + 1)
    if parts[1].elementsEqual("*".utf8) {
      completeLength = nil
    } else {
      guard let length = ASCII.decimal(parts[1], as: UInt64.self), last < length else { return nil }
      completeLength = length
    }
  }

  /// Returns the length of the representation from the answer to a range that cannot be satisfied: `bytes */100` (RFC
  /// 9110 section 14.4); `nil` for any other value.
  package static func unsatisfiedLength(_ value: FieldValue) -> UInt64? {
    let range = "bytes */".utf8
    guard ASCII.equalIgnoringCase(value.bytes.prefix(range.count), range) else { return nil }
    return ASCII.decimalUInt64(value.bytes.dropFirst(range.count))
  }
}

extension Range<UInt64> {
  /// The number of bytes in a range of bytes. Unlike `count`, it need not fit an `Int`.
  package var length: UInt64 { upperBound - lowerBound }
}
