/// The name that the sender of a response suggests for the file in which its content is saved.
///
/// - Source: RFC 6266, with the parameter syntax of RFC 8187.
package struct ContentDisposition: Equatable, Sendable {
  /// The name as the sender states it, decoded. It cannot be trusted: it may be a path, or worse.
  package let filename: [UInt8]

  /// The longest safe name in bytes, which leaves room for a number of two digits behind it (NAME_MAX is 255).
  package static let longestSafeName = 252

  /// The longest name in bytes that is looked at. The rest is ignored, because taking out marks within marks takes time
  /// that grows with the square of the length.
  private static let longestName = 16 * longestSafeName

  /// - Returns: `nil` if the field names no file.
  package init?(_ value: FieldValue) {
    // Many origins leave out the type; "unknown or unhandled disposition types SHOULD be handled by recipients the same
    // way as 'attachment'" (RFC 6266 section 4.2).
    let parameters = ListSyntax.split(value.bytes[...], at: ASCII.semicolon).map(ListSyntax.parameter)
    // "... recipients SHOULD pick 'filename*' and ignore 'filename'" (RFC 6266 section 4.3).
    for parameter in parameters where Self.isName("filename*", parameter.name) {
      guard let decoded = parameter.value.flatMap(Self.extendedValue) else { continue }
      filename = decoded
      return
    }
    let names = parameters.filter { Self.isName("filename", $0.name) }.compactMap { $0.value }
    guard let plain = names.first else { return nil }
    guard plain.first == ASCII.quote else {
      filename = Array(plain)
      return
    }
    guard let quoted = ListSyntax.unquoted(plain) else { return nil }
    filename = Self.isPathOfWindows(plain) ? Array(plain.dropFirst().dropLast()) : quoted
  }

  /// Whether the string is a path of Windows, which begins with a drive or a host, and its separators are not escaped
  /// and so are not quoted pairs. A sender that escapes puts a backslash only before a quotation mark or a backslash.
  private static func isPathOfWindows(_ quoted: ArraySlice<UInt8>) -> Bool {
    let path = quoted.dropFirst().dropLast()
    let root = path.prefix(3)
    let hasHost = root.starts(with: [ASCII.backslash, ASCII.backslash])
    let hasDrive =
      root.first.map(ASCII.isLetter) == true && root.dropFirst().elementsEqual([ASCII.colon, ASCII.backslash])
    guard hasHost || hasDrive else { return false }
    var rest = path
    while let byte = rest.popFirst() {
      guard byte == ASCII.backslash, let escaped = rest.popFirst() else { continue }
      if escaped != ASCII.backslash && escaped != ASCII.quote { return true }
    }
    return false
  }

  private static func isName(_ name: StaticString, _ spelling: ArraySlice<UInt8>) -> Bool {
    name.withUTF8Buffer { ASCII.equalIgnoringCase($0, spelling) }
  }

  /// `ext-value = charset "'" [ language ] "'" value-chars` (RFC 8187 section 3.2).
  ///
  /// - Returns: the value in UTF-8; `nil` for another character set, and for a malformed value.
  private static func extendedValue(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
    if isName("UTF-8", parts[0]) {
      return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
    }
    // RFC 5987 required this character set beside UTF-8.
    guard isName("ISO-8859-1", parts[0]) else { return nil }
    return bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
  }

  /// - Returns: `nil` if a percent sign has no two hexadecimal digits behind it. Unlike a path, such a value is
  ///   malformed.
  private static func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == ASCII.percent else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Base16.value), let low = rest.popFirst().flatMap(Base16.value)
      else { return nil }
      decoded.append(high << 4 | low)
    }
    return decoded
  }
}

// MARK: Names that do no harm

extension ContentDisposition {
  /// The name, made safe for a file.
  package var safeName: [UInt8]? { Self.safeName(filename[...]) }

  /// Returns a name that is safe for a file in a directory of the user's choice: no path, no hidden file, nothing that
  /// a terminal obeys.
  ///
  /// "Recipients MUST NOT be able to write into any location other than one to which they are specifically entitled"
  /// (RFC 6266 section 4.3).
  ///
  /// - Returns: at most `longestSafeName` bytes; `nil` if nothing is left.
  package static func safeName(_ filename: ArraySlice<UInt8>) -> [UInt8]? {
    // The separator of another system's paths counts, too: it is none here, and would only look like one.
    let separators = [ASCII.slash, ASCII.backslash]
    let start = filename.lastIndex { separators.contains($0) }.map { $0 + 1 } ?? filename.startIndex
    let name = withoutMarks(filename[start...].prefix(longestName))
    var kept = name.drop { $0 == ASCII.period || ASCII.isWhitespace($0) }
    if kept.count > longestSafeName {
      let isAmidCharacter = kept[kept.startIndex + longestSafeName] & 0xc0 == 0x80
      kept = kept.prefix(longestSafeName)
      if isAmidCharacter {
        while let last = kept.last, last & 0xc0 == 0x80 { kept.removeLast() }
        if let last = kept.last, last >= 0xc0 { kept.removeLast() }
      }
    }
    while let last = kept.last, ASCII.isWhitespace(last) { kept.removeLast() }
    return kept.isEmpty ? nil : Array(kept)
  }

  private static func isVisible(_ byte: UInt8) -> Bool { byte != ASCII.period && !ASCII.isWhitespace(byte) }

  /// Returns the name without characters that are invisible, that turn the direction of the text, or that a terminal
  /// obeys: a name must not look like another one.
  ///
  /// Bytes that are not UTF-8 stay, except for those that a terminal without UTF-8 reads as C1 controls.
  private static func withoutMarks(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var name = Array(bytes)
    while true {
      var kept: [UInt8] = []
      var parser = Unicode.UTF8.ForwardParser()
      var source = name.makeIterator()
      var position = 0
      parsing: while true {
        switch parser.parseScalar(from: &source) {
        case .emptyInput: break parsing
        case .valid(let encoded):
          let scalar = Unicode.UTF8.decode(encoded)
          if !scalar.isInvisible || (scalar.belongsToLast && kept.last.map(isVisible) == true) { kept += encoded }
          position += encoded.count
        case .error(let length):
          kept += name[position..<position + length].filter { !(0x80...0x9f).contains($0) }
          position += length
        }
      }
      // The bytes on both sides of a removed mark may together be another one.
      if kept.count == name.count { return kept }
      name = kept
    }
  }
}
