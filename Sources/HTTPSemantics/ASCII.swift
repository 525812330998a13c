/// Byte classes of the HTTP grammar (RFC 9110 section 5.6, RFC 3986 section 2).
///
/// Some members are public and not `package`, because the compiler does not inline `package` ones into another module.
public enum ASCII {
  @inlinable @inline(__always) public static var horizontalTab: UInt8 { UInt8(ascii: "\t") }
  @inlinable @inline(__always) public static var lineFeed: UInt8 { UInt8(ascii: "\n") }
  @inlinable @inline(__always) public static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
  @inlinable @inline(__always) public static var space: UInt8 { UInt8(ascii: " ") }
  @inlinable @inline(__always) public static var quote: UInt8 { UInt8(ascii: "\"") }
  @inlinable @inline(__always) public static var numberSign: UInt8 { UInt8(ascii: "#") }
  @inlinable @inline(__always) public static var percent: UInt8 { UInt8(ascii: "%") }
  @inlinable @inline(__always) public static var asterisk: UInt8 { UInt8(ascii: "*") }
  @inlinable @inline(__always) public static var plus: UInt8 { UInt8(ascii: "+") }
  @inlinable @inline(__always) public static var comma: UInt8 { UInt8(ascii: ",") }
  @inlinable @inline(__always) public static var hyphen: UInt8 { UInt8(ascii: "-") }
  @inlinable @inline(__always) public static var period: UInt8 { UInt8(ascii: ".") }
  @inlinable @inline(__always) public static var slash: UInt8 { UInt8(ascii: "/") }
  @inlinable @inline(__always) public static var zero: UInt8 { UInt8(ascii: "0") }
  @inlinable @inline(__always) public static var colon: UInt8 { UInt8(ascii: ":") }
  @inlinable @inline(__always) public static var semicolon: UInt8 { UInt8(ascii: ";") }
  @inlinable @inline(__always) public static var equals: UInt8 { UInt8(ascii: "=") }
  @inlinable @inline(__always) public static var questionMark: UInt8 { UInt8(ascii: "?") }
  @inlinable @inline(__always) public static var at: UInt8 { UInt8(ascii: "@") }
  @inlinable @inline(__always) public static var openingBracket: UInt8 { UInt8(ascii: "[") }
  @inlinable @inline(__always) public static var backslash: UInt8 { UInt8(ascii: "\\") }
  @inlinable @inline(__always) public static var closingBracket: UInt8 { UInt8(ascii: "]") }
  @inlinable @inline(__always) public static var underscore: UInt8 { UInt8(ascii: "_") }

  @inlinable @inline(__always)
  public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inlinable @inline(__always)
  public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  @inlinable @inline(__always)
  public static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// `OWS = *( SP / HTAB )`, RFC 9110 section 5.6.3.
  @inlinable @inline(__always)
  public static func isWhitespace(_ byte: UInt8) -> Bool { byte == space || byte == horizontalTab }

  /// `tchar`, RFC 9110 section 5.6.2.
  package static func isTokenCharacter(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default:
      return false
    }
  }

  package static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isTokenCharacter)
  }

  /// Returns the bytes without optional whitespace on both sides.
  package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var (start, end) = (bytes.startIndex, bytes.endIndex)
    while start < end, isWhitespace(bytes[start]) { start += 1 }
    while start < end, isWhitespace(bytes[end - 1]) { end -= 1 }
    return bytes[start..<end]
  }

  /// Returns the text of a token from borrowed bytes; `nil` if they are not a token (RFC 9110 section 5.6.2).
  package static func token(_ bytes: Span<UInt8>) -> String? {
    guard !bytes.isEmpty else { return nil }
    for index in bytes.indices where !isTokenCharacter(bytes[index]) { return nil }
    return String(unsafeUninitializedCapacity: bytes.count) { text in
      bytes.withUnsafeBufferPointer { text.initialize(fromContentsOf: $0) }
    }
  }

  /// Returns the range of `bytes` without optional whitespace on both sides.
  package static func trimmedRange(of bytes: Span<UInt8>) -> Range<Int> {
    var (start, end) = (0, bytes.count)
    while start < end, isWhitespace(bytes[start]) { start += 1 }
    while start < end, isWhitespace(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  // Other modules get one function for each type, which the compiler specialises: a function that is generic across
  // modules asks the runtime for conformances, which costs more than the work itself.

  static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] { bytes.map(lowercased) }

  package static func lowercased(_ bytes: [UInt8]) -> [UInt8] { bytes.map(lowercased) }

  package static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map(lowercased) }

  /// Whether both are the same but for the case of their ASCII letters.
  package static func equalIgnoringCase(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    one.count == other.count && one.elementsEqual(other) { lowercased($0) == lowercased($1) }
  }

  /// The same as the generic one, which other modules cannot specialise: the runtime takes long to find what it needs.
  package static func equalIgnoringCase(_ one: ArraySlice<UInt8>, _ other: String.UTF8View) -> Bool {
    equalIgnoringCase(one.span, other.span)
  }

  /// The same for texts, because names of fields are compared dozens of times for each message.
  static func equalIgnoringCase(_ one: String, _ other: String) -> Bool {
    // Most texts are identical or differ in length: neither needs a look at each letter.
    one == other || equalIgnoringCase(one.utf8.span, other.utf8.span)
  }

  private static func equalIgnoringCase(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where lowercased(one[index]) != lowercased(other[index]) { return false }
    return true
  }

  static func equal(_ one: Span<UInt8>, _ other: StaticString) -> Bool {
    guard one.count == other.utf8CodeUnitCount else { return false }
    for index in one.indices where one[index] != other.utf8Start[index] { return false }
    return true
  }

  /// Returns the value of a run of decimal digits; `nil` if it is empty, has anything else in it, or does not fit.
  static func decimal<Value: FixedWidthInteger>(
    _ bytes: some Collection<UInt8>, as type: Value.Type = Value.self
  ) -> Value? {
    guard !bytes.isEmpty else { return nil }
    var value: Value = 0
    for byte in bytes {
      guard isDigit(byte) else { return nil }
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = shifted.addingReportingOverflow(Value(byte &- 0x30))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }

  // These read digits alone, whatever the type: no sign is accepted.

  package static func decimalInt64(_ bytes: ArraySlice<UInt8>) -> Int64? { decimal(bytes) }

  package static func decimalInt64(_ bytes: [UInt8]) -> Int64? { decimal(bytes) }

  package static func decimalUInt64(_ bytes: ArraySlice<UInt8>) -> UInt64? { decimal(bytes) }

  package static func decimalUInt64(_ bytes: [UInt8]) -> UInt64? { decimal(bytes) }
}
