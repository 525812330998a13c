import FlagTable
import HTTPSemantics

/// The syntax of sets of status codes.
enum StatusCodes {
  /// Reads `200,404` and `2xx`.
  static func ranges(_ text: ArgumentText) throws(InvalidValue) -> [ClosedRange<UInt16>] {
    var ranges: [ClosedRange<UInt16>] = []
    for member in text.bytes.split(separator: ASCII.comma, omittingEmptySubsequences: false) {
      guard let range = range(ASCII.trimmed(member)) else {
        throw .expected("status codes such as 200,404 or 2xx")
      }
      ranges.append(range)
    }
    return ranges
  }

  /// Reads one member of such a list.
  private static func range(_ code: ArraySlice<UInt8>) -> ClosedRange<UInt16>? {
    // "Values outside the range 100..599 are invalid" (RFC 9110 section 15).
    guard code.count == 3, let first = code.first, (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(first) else {
      return nil
    }
    let hundreds = UInt16(first - ASCII.zero) * 100
    let rest = code.dropFirst()
    if rest.allSatisfy({ $0 | 0x20 == UInt8(ascii: "x") }) { return hundreds...(hundreds + 99) }
    guard rest.allSatisfy(ASCII.isDigit) else { return nil }
    let number = rest.reduce(UInt16(first - ASCII.zero)) { $0 * 10 + UInt16($1 - ASCII.zero) }
    return number...number
  }
}
