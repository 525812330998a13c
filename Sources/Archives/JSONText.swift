import HTTPSemantics

/// A JSON text under construction (RFC 8259).
package struct JSONText {
  private(set) var bytes: [UInt8] = []
  /// Whether a comma is due before the next member or element.
  private var isCommaDue = false

  mutating func beginObject() { begin("{") }
  mutating func endObject() { end("}") }
  mutating func beginArray() { begin("[") }
  mutating func endArray() { end("]") }

  mutating func key(_ name: String) {
    separate()
    Self.append(Array(name.utf8)[...], to: &bytes)
    bytes.append(ASCII.colon)
    isCommaDue = false
  }

  mutating func string(_ text: some Sequence<UInt8>) {
    separate()
    Self.append(Array(text)[...], to: &bytes)
  }

  mutating func number(_ value: some BinaryInteger) {
    separate()
    bytes += String(value).utf8
  }

  mutating func member(_ name: String, _ text: some Sequence<UInt8>) {
    key(name)
    string(text)
  }

  mutating func member(_ name: String, _ text: String) { member(name, text.utf8) }

  mutating func member(_ name: String, _ value: some BinaryInteger) {
    key(name)
    number(value)
  }

  /// Begins a string whose text the caller writes to its output by itself, before `closeString`.
  mutating func openString() {
    separate()
    bytes.append(ASCII.quote)
  }

  mutating func closeString() { bytes.append(ASCII.quote) }

  /// Returns the text made so far, and clears it.
  mutating func take() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    return taken
  }

  private mutating func begin(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    isCommaDue = false
  }

  private mutating func end(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    isCommaDue = true
  }

  private mutating func separate() {
    if isCommaDue { bytes.append(ASCII.comma) }
    isCommaDue = true
  }

  /// Returns `text` as a JSON string, with its quotation marks.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(Array(text.utf8)[...], to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends `text` as a JSON string. Bytes that are not UTF-8 are read as ISO 8859-1, as browsers read field values.
  /// Invisible characters, and those that a terminal would obey when it shows the JSON, are escaped.
  private static func append(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    let isUnicode = String(validating: text, as: UTF8.self) != nil
    bytes.append(ASCII.quote)
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case ASCII.quote, ASCII.backslash: bytes += [ASCII.backslash, byte]
      case ASCII.lineFeed: bytes += "\\n".utf8
      case ASCII.carriageReturn: bytes += "\\r".utf8
      case ASCII.horizontalTab: bytes += "\\t".utf8
      case 0..<ASCII.space, 0x7f: appendEscaped(Unicode.Scalar(byte), to: &bytes)
      case 0x80...0xff:
        let scalar = isUnicode ? takeScalar(byte, &rest) : Unicode.Scalar(byte)
        if scalar.isInvisible { appendEscaped(scalar, to: &bytes) } else { bytes += UTF8.encode(scalar) ?? .init() }
      default: bytes.append(byte)
      }
    }
    bytes.append(ASCII.quote)
  }

  /// - Parameter rest: begins with the bytes that follow the first one in UTF-8; they are removed from it.
  private static func takeScalar(_ first: UInt8, _ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
    let length = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3
    var value = UInt32(first) & (0x3f >> UInt32(length))
    for byte in rest.prefix(length) { value = value << 6 | UInt32(byte & 0x3f) }
    rest = rest.dropFirst(length)
    return Unicode.Scalar(value) ?? "\u{fffd}"
  }

  private static func appendEscaped(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    for unit in UTF16.encode(scalar) ?? .init() {
      bytes += "\\u".utf8
      Base16.append(UInt8(unit >> 8), to: &bytes)
      Base16.append(UInt8(truncatingIfNeeded: unit), to: &bytes)
    }
  }
}
