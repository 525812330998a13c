/// The list and parameter syntax that many fields share (RFC 9110 section 5.6).
package enum ListSyntax {
  /// The members of a comma-separated list; a comma within a quoted string separates nothing.
  ///
  /// A quoted string that is never closed runs to the end: what follows it is not read as members of its own.
  package static func members(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var members: [ArraySlice<UInt8>] = []
    forEachMember(of: bytes) { members.append($0) }
    return members
  }

  static func forEachMember(of bytes: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) {
    forEachPart(of: bytes[...], at: ASCII.comma) { part in
      let member = ASCII.trimmed(part)
      if !member.isEmpty { body(member) }
    }
  }

  /// The members of a list of entity tags, which are no quoted strings: a backslash in one escapes nothing
  /// (RFC 9110 section 8.8.3).
  static func entityTags(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var members: [ArraySlice<UInt8>] = []
    forEachPart(of: bytes[...], at: ASCII.comma, hasEscapes: false) { part in
      let member = ASCII.trimmed(part)
      if !member.isEmpty { members.append(member) }
    }
    return members
  }

  /// Returns a media type or a coding without its parameters.
  package static func withoutParameters(_ member: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    member.prefix { $0 != ASCII.semicolon && !ASCII.isWhitespace($0) }
  }

  /// Returns the two halves of `NAME=VALUE`, without the whitespace around them; no value if there is no `=`.
  package static func parameter(_ part: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?) {
    guard let equals = part.firstIndex(of: ASCII.equals) else { return (ASCII.trimmed(part), nil) }
    return (ASCII.trimmed(part[..<equals]), ASCII.trimmed(part[(equals + 1)...]))
  }

  /// Splits at a separator that stands outside quoted strings.
  package static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    forEachPart(of: bytes, at: separator) { parts.append($0) }
    return parts
  }

  private static func forEachPart(
    of bytes: ArraySlice<UInt8>, at separator: UInt8, hasEscapes: Bool = true, _ body: (ArraySlice<UInt8>) -> Void
  ) {
    var start = bytes.startIndex
    var index = start
    var isQuoted = false
    while index < bytes.endIndex {
      let byte = bytes[index]
      if isQuoted, hasEscapes, byte == ASCII.backslash {
        index += 1
      } else if byte == ASCII.quote {
        isQuoted.toggle()
      } else if byte == separator, !isQuoted {
        body(bytes[start..<index])
        start = index + 1
      }
      index += 1
    }
    body(bytes[start...])
  }

  /// Returns the content of a quoted string, or `nil` if `bytes` is not one (RFC 9110 section 5.6.4).
  package static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard bytes.count >= 2, bytes.first == ASCII.quote else { return nil }
    var content: [UInt8] = []
    var index = bytes.startIndex + 1
    while index < bytes.endIndex {
      switch bytes[index] {
      case ASCII.quote:
        return index == bytes.endIndex - 1 ? content : nil
      case ASCII.backslash:
        index += 1
        guard index < bytes.endIndex else { return nil }
        content.append(bytes[index])
      case let byte:
        content.append(byte)
      }
      index += 1
    }
    return nil
  }
}
