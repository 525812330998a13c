/// One argument as the process received it: bytes, which need not be UTF-8.
package struct ArgumentText: Equatable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    self.bytes = Array(text.utf8)
  }

  /// The argument as text; `nil` if it is not valid UTF-8.
  package var string: String? {
    // The usual case. It avoids the generic decoder, whose conformances the runtime would look up.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The argument in single quotes, safe to print on one line of a terminal, and cut after `longestQuotation`
  /// characters.
  package var quoted: String { "'" + abridged + "'" }

  /// The argument as the name of an input file, for messages: `-` is standard input.
  package var inputName: String { self == "-" ? "standard input" : visible }

  /// As `quoted`, without the quotes.
  var abridged: String { Self.abridged(visible) }

  /// The argument, safe to print on one line of a terminal. A character that could control the terminal becomes `\xNN`
  /// if it is ASCII, else `\u{N}`. If the argument is not UTF-8, all bytes but printable ASCII become `\xNN`.
  package var visible: String {
    // The usual case. It needs no look at Unicode scalars.
    if bytes.allSatisfy(Self.isPrintable) { return String(decoding: bytes, as: UTF8.self) }
    guard let string else { return bytes.reduce(into: "") { $0 += Self.visible(byte: $1) } }
    return string.unicodeScalars.reduce(into: "") { text, scalar in
      guard Self.isHidden(scalar) else { return text.unicodeScalars.append(scalar) }
      text += scalar.isASCII ? Self.visible(byte: UInt8(ascii: scalar)) : "\\u{" + String(scalar.value, radix: 16) + "}"
    }
  }

  /// Whether the scalar is of Unicode's category Cc, Cf, Zl, Zp or Co. The ranges are listed here, because the tables
  /// that tell all categories take 33 KB of the binary.
  ///
  /// `isInvisible` in HTTPSemantics, which this module may not know of, has other ranges: it tells what nobody sees in
  /// a text. This one tells what a terminal could obey or show in its own way. So it has the characters for private
  /// use, too, but no fillers.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f, 0xad, 0x600...0x605, 0x61c, 0x6dd, 0x70f, 0x890...0x891, 0x8e2, 0x180e,
      0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xe000...0xf8ff, 0xfeff, 0xfff9...0xfffb, 0x110bd, 0x110cd,
      0x13430...0x1343f, 0x1bca0...0x1bca3, 0x1d173...0x1d17a, 0xe0000...0x10ffff:
      true
    default: false
    }
  }

  /// The most characters of an argument that a message repeats: an error is one line, and the value of `--data` may be
  /// a megabyte.
  static let longestQuotation = 60

  /// Returns the text, cut after `length` characters.
  package static func abridged(_ text: String, to length: Int = longestQuotation) -> String {
    // The usual case. It needs no look at where characters begin.
    if text.utf8.count <= length { return text }
    return text.count <= length ? text : text.prefix(length) + "..."
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

  private static func visible(byte: UInt8) -> String {
    guard !isPrintable(byte) else { return String(UnicodeScalar(byte)) }
    let digits = String(byte, radix: 16)
    return (byte < 0x10 ? "\\x0" : "\\x") + digits
  }
}

extension ArgumentText: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.init(text)
  }
}
