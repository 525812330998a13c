/// A request for part of a representation: `bytes=...` (RFC 9110 section 14.1.2).
package enum ByteRange: Equatable, Sendable {
  /// `first-last`, or `first-` if `last` is `nil`.
  case from(UInt64, through: UInt64?)
  /// `-length`
  case suffix(UInt64)

  /// Reads a Range field that asks for a single range of bytes; `nil` for anything else.
  ///
  /// A number that does not fit counts as the greatest: "recipients MUST anticipate potentially large decimal numerals
  /// and prevent parsing errors due to integer conversion overflows" (RFC 9110 section 14.1.2).
  package init?(_ value: FieldValue) {
    let prefix = "bytes=".utf8
    guard value.bytes.count > prefix.count, ASCII.equalIgnoringCase(value.bytes.prefix(prefix.count), prefix)
    else { return nil }
    let spec = ASCII.trimmed(value.bytes[prefix.count...])
    guard let dash = spec.firstIndex(of: ASCII.hyphen) else { return nil }
    let first = spec[..<dash]
    let last = spec[(dash + 1)...]
    if first.isEmpty {
      guard let length = Self.number(last) else { return nil }
      self = .suffix(length)
    } else {
      guard let start = Self.number(first) else { return nil }
      if last.isEmpty {
        self = .from(start, through: nil)
      } else {
        guard let end = Self.number(last), end >= start else { return nil }
        self = .from(start, through: end)
      }
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
    return ASCII.decimalUInt64(digits) ?? .max
  }

  /// The value of a Range field that asks for the range.
  package var fieldValue: FieldValue {
    switch self {
    case .from(let first, through: let last): FieldValue("bytes=\(first)-\(last.map { "\($0)" } ?? "")")
    case .suffix(let length): FieldValue("bytes=-\(length)")
    }
  }

  /// Returns the bytes that the range means in a representation of `length` bytes; `nil` if it cannot be satisfied
  /// (416).
  package func resolved(in length: UInt64) -> Range<UInt64>? {
    switch self {
    case .from(let first, let last):
      guard first < length else { return nil }
      guard let last, last < length else { return first..<length }
      return first..<(last + 1)
    case .suffix(let count):
      guard count > 0, length > 0 else { return nil }
      return (length - min(count, length))..<length
    }
  }
}

extension Request {
  /// The single range of bytes that the request asks for; `nil` if it has no Range, or one with another meaning.
  /// Several Range lines have the meaning of one line with all their values (RFC 9110 section 5.3).
  package var byteRange: ByteRange? { fields.combined(.range).flatMap { ByteRange($0) } }
}
