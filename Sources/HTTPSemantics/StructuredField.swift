/// The structured fields that garner reads: lists of strings and dictionaries of byte sequences (RFC 9651).
///
/// Parsing is strict, as the RFC asks: a field that breaks the grammar anywhere, or that holds something of another
/// type, counts as absent. Parameters are skipped. Display strings and inner lists are expected nowhere, and count as
/// such a break, too.
package enum StructuredField {
  /// The strings of a list (RFC 9651 section 4.2.1).
  ///
  /// - Returns: `nil` if the field is malformed or has a member that is no string.
  package static func strings(_ value: FieldValue) -> [[UInt8]]? {
    var reader = StructuredFieldReader(value.bytes)
    return reader.members { reader in
      guard case .string(let string) = reader.item() else { return nil }
      return string
    }
  }

  /// The byte sequences of a dictionary, by their keys (RFC 9651 section 4.2.2). If a key comes twice, the last counts.
  ///
  /// - Returns: `nil` if the field is malformed or has a member that is no byte sequence.
  package static func byteSequences(_ value: FieldValue) -> [String: [UInt8]]? {
    var reader = StructuredFieldReader(value.bytes)
    let members: [(String, [UInt8])]? = reader.members { reader in
      guard let key = reader.key(), reader.take(ASCII.equals), case .bytes(let bytes) = reader.item() else {
        return nil
      }
      return (key, bytes)
    }
    return members.map { Dictionary($0) { _, last in last } }
  }
}

private struct StructuredFieldReader {
  enum Item {
    case string([UInt8])
    case bytes([UInt8])
    /// A number, a token, a boolean or a date: valid, but of no use here.
    case other
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
    skip { $0 == ASCII.space }
  }

  // MARK: Members

  mutating func members<Member>(_ member: (inout Self) -> Member?) -> [Member]? {
    var members: [Member] = []
    while !rest.isEmpty {
      guard let next = member(&self) else { return nil }
      members.append(next)
      skip(ASCII.isWhitespace)
      if rest.isEmpty { return members }
      guard take(ASCII.comma) else { return nil }
      skip(ASCII.isWhitespace)
      // A comma with nothing behind it is malformed.
      if rest.isEmpty { return nil }
    }
    return members
  }

  mutating func key() -> String? {
    guard let first = rest.first, Self.isLowercase(first) || first == ASCII.asterisk else { return nil }
    return String(decoding: takeAll(Self.isKeyCharacter), as: UTF8.self)
  }

  /// A bare item and its parameters.
  mutating func item() -> Item? {
    guard let item = bareItem() else { return nil }
    while take(ASCII.semicolon) {
      skip { $0 == ASCII.space }
      guard key() != nil else { return nil }
      if take(ASCII.equals), bareItem() == nil { return nil }
    }
    return item
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  // MARK: Bare items

  private mutating func bareItem() -> Item? {
    guard let first = rest.first else { return nil }
    switch first {
    case ASCII.quote: return string()
    case ASCII.colon: return byteSequence()
    case ASCII.questionMark: return boolean()
    case ASCII.at:
      rest = rest.dropFirst()
      return number(allowingFraction: false)
    case ASCII.asterisk: return token()
    default:
      if ASCII.isLetter(first) { return token() }
      return number(allowingFraction: true)
    }
  }

  private mutating func string() -> Item? {
    var string: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case ASCII.quote:
        return .string(string)
      case ASCII.backslash:
        guard let escaped = rest.popFirst(), escaped == ASCII.quote || escaped == ASCII.backslash else { return nil }
        string.append(escaped)
      case 0x20...0x7e:
        string.append(byte)
      default:
        return nil
      }
    }
    return nil
  }

  private mutating func byteSequence() -> Item? {
    rest = rest.dropFirst()
    guard let end = rest.firstIndex(of: ASCII.colon), let bytes = Base64.decode(rest[..<end]) else { return nil }
    rest = rest[(end + 1)...]
    return .bytes(bytes)
  }

  private mutating func boolean() -> Item? {
    rest = rest.dropFirst()
    guard let value = rest.popFirst(), value == ASCII.zero || value == UInt8(ascii: "1") else { return nil }
    return .other
  }

  private mutating func token() -> Item? {
    _ = takeAll { ASCII.isTokenCharacter($0) || $0 == ASCII.colon || $0 == ASCII.slash }
    return .other
  }

  /// "up to 15 digits", or up to 12 before the point and 3 behind it (RFC 9651 section 4.2.4).
  private mutating func number(allowingFraction: Bool) -> Item? {
    _ = take(ASCII.hyphen)
    let whole = takeAll(ASCII.isDigit)
    guard (1...15).contains(whole.count) else { return nil }
    guard allowingFraction, take(ASCII.period) else { return .other }
    let fraction = takeAll(ASCII.isDigit)
    return whole.count <= 12 && (1...3).contains(fraction.count) ? .other : nil
  }

  // MARK: Bytes

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) { _ = takeAll(isSkipped) }

  private mutating func takeAll(_ isTaken: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: isTaken)
    rest = rest[taken.endIndex...]
    return taken
  }

  private static func isLowercase(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) && ASCII.lowercased(byte) == byte }

  private static func isKeyCharacter(_ byte: UInt8) -> Bool {
    if isLowercase(byte) || ASCII.isDigit(byte) { return true }
    switch byte {
    case ASCII.underscore, ASCII.hyphen, ASCII.period, ASCII.asterisk: return true
    default: return false
    }
  }
}
