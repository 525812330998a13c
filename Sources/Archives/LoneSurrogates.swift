import HTTPSemantics

/// Lone surrogates: escapes of a JSON text that are half of a surrogate pair, without the other half.
///
/// yajl combines any high surrogate with the escape behind it. So lone surrogates are marked before yajl reads them.
///
/// - Source: RFC 8259 section 8.2: "the ABNF in this specification allows member names and string values to contain bit
///   sequences that cannot encode Unicode characters".
enum LoneSurrogates {
  /// The digits that every lone surrogate gets. yajl turns that escape into three bytes that do not occur in UTF-8.
  private static let mark = Array("dc00".utf8)
  private static let escapeBytes = 6

  /// Replaces the digits of each lone surrogate by `mark`. The length of the text stays the same.
  ///
  /// - Parameter text: must not begin within an escape.
  /// - Returns: how many bytes are settled: those before an escape at the end that is too incomplete to be judged, else
  ///   all.
  static func mark(in text: inout [UInt8]) -> Int {
    var index = 0
    while index < text.count {
      let start = index
      index += 1
      guard text[start] == ASCII.backslash else { continue }
      guard index < text.count else { return start }
      index += 1
      guard text[start + 1] == UInt8(ascii: "u") else { continue }
      guard start + escapeBytes <= text.count else { return start }
      guard let unit = codeUnit(in: text, at: start), unit & 0xf800 == 0xd800 else { continue }
      index = start + escapeBytes
      if unit < 0xdc00 {
        let hasMore = index + escapeBytes <= text.count
        // No slice of `text` is kept: each write would copy the whole text.
        if !hasMore, zip(text[index...], [ASCII.backslash, UInt8(ascii: "u")]).allSatisfy(==) { return start }
        if hasMore, let low = codeUnit(in: text, at: index), low & 0xfc00 == 0xdc00 {
          index += escapeBytes
          continue
        }
      }
      for offset in mark.indices { text[start + 2 + offset] = mark[offset] }
    }
    return text.count
  }

  /// Returns the code unit of the escape at `index`; `nil` if there is none.
  ///
  /// - Parameter index: at least `escapeBytes` before the end of `text`.
  private static func codeUnit(in text: [UInt8], at index: Int) -> UInt16? {
    guard text[index] == ASCII.backslash, text[index + 1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for digit in text[(index + 2)..<(index + escapeBytes)] {
      guard let value = Base16.value(of: digit) else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  /// Replaces by U+FFFD each lone surrogate that has been marked, and each surrogate that the file holds as bytes
  /// instead of an escape.
  ///
  /// - Returns: whether there was any.
  static func replace(in text: inout [UInt8]) -> Bool {
    var isFound = false
    var index = 0
    while index < text.count {
      let start = index
      index += 1
      // RFC 3629 section 3: UTF-8 encodes no character from U+D800 to U+DFFF.
      guard text[start] == 0xed, start + 2 < text.count, text[index] >= 0xa0 else { continue }
      text.replaceSubrange(start..<start + 3, with: [0xef, 0xbf, 0xbd])
      isFound = true
    }
    return isFound
  }
}
