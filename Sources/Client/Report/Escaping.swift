import HTTPSemantics

/// Text from the network and from file names, made fit for a terminal.
enum Escaping {
  /// Control characters, which could move the cursor or set colours, and bytes that are no UTF-8 become `\xNN`.
  ///
  /// C1 controls (U+0080 to U+009F) and the marks that turn the direction of text are escaped too.
  static func visible(_ bytes: some Sequence<UInt8>) -> String {
    visible(String(decoding: Array(bytes), as: UTF8.self))
  }

  /// A head, line by line, each ended by a line feed.
  static func visibleLines(of head: [UInt8]) -> [UInt8] {
    let lines = head.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).dropLast()
    return lines.flatMap { line in
      Array(visible(line.last == ASCII.carriageReturn ? line.dropLast() : line).utf8) + [ASCII.lineFeed]
    }
  }

  static func visible(_ text: String) -> String {
    // Nearly always, and quickly.
    if text.utf8.allSatisfy({ 0x20 <= $0 && $0 < 0x7f }) { return text }
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar) {
        result += scalar.value < 0x100 ? "\\x" : "\\u"
        let digits = String(scalar.value, radix: 16)
        result += digits.utf8.count < 2 ? "0\(digits)" : digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0: true
    case 0x061c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x2069, 0xfeff: true
    default: false
    }
  }
}
