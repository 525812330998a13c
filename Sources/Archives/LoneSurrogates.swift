import HTTPSemantics

/// Halves of surrogate pairs that stand alone among the escapes of a JSON text.
///
/// yajl makes a pair of any high half and the escape behind it, and so they are marked before it reads them.
///
/// - Source: RFC 8259 section 8.2: "the ABNF in this specification allows member names and string values to contain bit
///   sequences that cannot encode Unicode characters".
enum LoneSurrogates {
  /// The digits of the half that stands for all: yajl makes three bytes of it that are in no UTF-8.
  private static let mark = Array("dc00".utf8)
  private static let escapeBytes = 6

  /// Gives each half that stands alone other digits; nothing moves.
  ///
  /// - Parameter text: begins with no part of an escape.
  /// - Returns: how many bytes stand before an escape of which not all is there that tells what it is.
  static func mark(in text: inout [UInt8]) -> Int {
    var place = 0
    while place < text.count {
      let start = place
      place += 1
      guard text[start] == ASCII.backslash else { continue }
      guard place < text.count else { return start }
      place += 1
      guard text[start + 1] == UInt8(ascii: "u") else { continue }
      guard start + escapeBytes <= text.count else { return start }
      guard let unit = codeUnit(in: text, at: start), unit & 0xf800 == 0xd800 else { continue }
      place = start + escapeBytes
      if unit < 0xdc00 {
        let hasMore = place + escapeBytes <= text.count
        // No slice is kept of what is written to: each half would be written to a copy of all.
        if !hasMore, zip(text[place...], [ASCII.backslash, UInt8(ascii: "u")]).allSatisfy(==) { return start }
        if hasMore, let low = codeUnit(in: text, at: place), low & 0xfc00 == 0xdc00 {
          place += escapeBytes
          continue
        }
      }
      for index in mark.indices { text[start + 2 + index] = mark[index] }
    }
    return text.count
  }

  /// Of the escape that stands at `place`, where there is room for one; `nil` for anything else.
  private static func codeUnit(in text: [UInt8], at place: Int) -> UInt16? {
    guard text[place] == ASCII.backslash, text[place + 1] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for index in (place + 2)..<(place + escapeBytes) {
      guard let value = Base16.value(of: text[index]) else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  /// Writes U+FFFD in the place of each half: of those that were marked, and of what is spelt as one in bytes.
  ///
  /// - Returns: whether there was any.
  static func replace(in text: inout [UInt8]) -> Bool {
    var isFound = false
    var place = 0
    while place < text.count {
      let start = place
      place += 1
      // RFC 3629 section 3: nothing from U+D800 to U+DFFF is encoded.
      guard text[start] == 0xed, start + 2 < text.count, text[place] >= 0xa0 else { continue }
      text.replaceSubrange(start..<start + 3, with: [0xef, 0xbf, 0xbd])
      isFound = true
    }
    return isFound
  }
}
