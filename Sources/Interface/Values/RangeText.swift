import FlagTable
import HTTPSemantics

/// The value of `--range`: what stands behind `bytes=` in a Range field (RFC 9110 section 14.1.2).
enum RangeText {
  /// Reads `FIRST-LAST`, `FIRST-`, `-COUNT`, or several of them with commas; as in curl, a number alone is `FIRST-`.
  static func parse(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    if !text.bytes.isEmpty, text.bytes.allSatisfy(ASCII.isDigit) {
      return ArgumentText(text.bytes + [ASCII.hyphen])
    }
    let ranges = text.bytes.split(separator: ASCII.comma, omittingEmptySubsequences: false)
    guard ranges.allSatisfy({ isRange(ASCII.trimmed($0)) }) else {
      throw .unacceptable("expected bytes such as 0-499, 500- or -500, or several of these with commas")
    }
    return text
  }

  private static func isRange(_ bytes: ArraySlice<UInt8>) -> Bool {
    let ends = bytes.split(separator: ASCII.hyphen, omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }) else { return false }
    if ends.contains(where: \.isEmpty) { return ends[0].count + ends[1].count > 0 }
    // "An int-range is invalid if the last-pos value is present and less than first-pos" (RFC 9110 section 14.1.1).
    let (first, last) = (ends[0].drop { $0 == ASCII.zero }, ends[1].drop { $0 == ASCII.zero })
    return first.count == last.count ? !last.lexicographicallyPrecedes(first) : first.count < last.count
  }
}
