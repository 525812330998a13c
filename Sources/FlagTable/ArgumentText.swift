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

  /// The argument as text; `nil` where it is not valid UTF-8.
  package var string: String? {
    // Nearly always, and without the generic decoder, whose conformances the runtime looks for.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The argument in single quotes, fit for one line of a terminal; what exceeds `longestQuotation` is left out.
  package var quoted: String { "'" + abridged + "'" }

  /// As the name of what is read, for people: `-` is standard input.
  package var inputName: String { self == "-" ? "standard input" : visible }

  /// As `quoted`, without the quotes.
  var abridged: String { Self.abridged(visible) }

  /// The argument, fit for one line of a terminal: what could steer that becomes `\xNN` where it is ASCII, else
  /// `\u{N}`; of what is not UTF-8, all bytes but those of printable ASCII become `\xNN`.
  package var visible: String {
    // Nearly always, and without a look into Unicode's tables.
    if bytes.allSatisfy(Self.isPrintable) { return String(decoding: bytes, as: UTF8.self) }
    guard let string else { return bytes.reduce(into: "") { $0 += Self.visible(byte: $1) } }
    return string.unicodeScalars.reduce(into: "") { text, scalar in
      guard Self.isHidden(scalar) else { return text.unicodeScalars.append(scalar) }
      text += scalar.isASCII ? Self.visible(byte: UInt8(ascii: scalar)) : "\\u{" + String(scalar.value, radix: 16) + "}"
    }
  }

  /// Unicode's categories Cc, Cf, Zl, Zp and Co: the tables that tell all categories take 33 KB of the binary.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f, 0xad, 0x600...0x605, 0x61c, 0x6dd, 0x70f, 0x890...0x891, 0x8e2, 0x180e,
      0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xe000...0xf8ff, 0xfeff, 0xfff9...0xfffb, 0x110bd, 0x110cd,
      0x13430...0x1343f, 0x1bca0...0x1bca3, 0x1d173...0x1d17a, 0xe0000...0x10ffff:
      true
    default: false
    }
  }

  /// An error is one line, and the value of `--data` may be a megabyte.
  static let longestQuotation = 60

  /// The text; what exceeds `length` is left out.
  package static func abridged(_ text: String, to length: Int = longestQuotation) -> String {
    // Nearly always, and without a look at what is a character.
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
