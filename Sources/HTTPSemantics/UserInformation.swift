/// What stands before the `@` of an authority (RFC 3986 section 3.2.1). Whoever shows a text, or hands it on, takes it
/// off here.
package enum UserInformation {
  /// The text with `replacement` in the place of all user information, and of its `@`, wherever a URL stands in it.
  ///
  /// - Parameter text: with URLs of any form, malformed ones, too; rather too much is replaced than too little.
  package static func replaced(in text: String, by replacement: String) -> String {
    // Nearly always.
    guard text.utf8.contains(at) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    // What is before the first one has been looked at; what is before the second one has been taken.
    var (place, taken) = (0, 0)
    while let found = bytes[place...].firstIndex(of: slash) {
      place = bytes[found...].firstIndex { $0 != slash } ?? bytes.count
      // An empty segment in the middle of a path begins no authority; as curl does, more slashes are taken for two.
      guard place - found > 1, found == 0 || !isOfName(bytes[found - 1]) else { continue }
      guard let end = end(atFrontOf: bytes[place...]) else { continue }
      result += bytes[taken..<place] + replacement.utf8
      (place, taken) = (end, end)
    }
    return taken == 0 ? text : String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  /// Whether what the text begins with is a host, perhaps with a port, so that an `@` behind it is in the path.
  package static func isMissing(atFrontOf text: Substring) -> Bool { isMissing(atFrontOf: Array(text.utf8)[...]) }

  /// What looks like a port and is none is a password, in which a slash was not encoded.
  private static func isMissing(atFrontOf text: ArraySlice<UInt8>) -> Bool {
    let authority = authority(atFrontOf: text)
    if authority.contains(at) { return false }
    guard authority.first != UInt8(ascii: "["), let colon = authority.firstIndex(of: ASCII.colon) else { return true }
    return authority[(colon + 1)...].allSatisfy(ASCII.isDigit)
  }

  /// The end of the user information, behind its `@`, of what begins with an authority; `nil` where there is none.
  private static func end(atFrontOf text: ArraySlice<UInt8>) -> Int? {
    let url = text.prefix { $0 != UInt8(ascii: ">") && $0 != ASCII.quote }
    if isMissing(atFrontOf: url) { return nil }
    guard let found = authority(atFrontOf: url).lastIndex(of: at) else { return url.lastIndex(of: at).map { $0 + 1 } }
    // What is behind it has to be a host, too.
    return end(atFrontOf: url[(found + 1)...]) ?? found + 1
  }

  private static func authority(atFrontOf text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.prefix { !"/?#".utf8.contains($0) }
  }

  /// What a path has before a slash, and a scheme, a mark or a blank has not.
  private static func isOfName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~%".utf8.contains(byte)
  }

  private static let at = UInt8(ascii: "@")
  private static let slash = UInt8(ascii: "/")
}
