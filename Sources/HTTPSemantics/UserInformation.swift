/// The user information, which stands before the `@` of an authority (RFC 3986 section 3.2.1). Code that shows a text,
/// or passes it on, removes it here.
package enum UserInformation {
  /// Returns the text with `replacement` in place of all user information, and of its `@`, wherever a URL stands in it.
  ///
  /// - Parameter text: a text with URLs of any form, malformed ones, too, and percent-encoded in the queries of others.
  ///   In doubt, too much is replaced rather than too little.
  package static func replaced(in text: String, by replacement: String) -> String {
    let result = replacedInPlain(text, by: replacement)
    return result.utf8.contains(ASCII.percent) ? replacedInEncoded(Array(result.utf8), by: replacement) : result
  }

  private static func replacedInPlain(_ text: String, by replacement: String) -> String {
    let bytes = Array(text.utf8)
    // Nearly always, there is no `@`.
    guard let lastAt = bytes.lastIndex(of: ASCII.at) else { return text }
    var result: [UInt8] = []
    // The place of the next mark that ends a URL, found once for all URLs that begin before it, and the last `@` before
    // it.
    var (mark, lastBeforeMark) = (0, Int?.none)
    // The bytes before `place` have been looked at; those before `taken` are in the result already.
    var (place, taken) = (0, 0)
    while let found = bytes[place...].firstIndex(of: ASCII.slash) {
      place = bytes[found...].firstIndex { $0 != ASCII.slash } ?? bytes.count
      // An empty segment in the middle of a path does not begin an authority. More than two slashes count as two, as in
      // curl.
      guard place - found > 1, !isWithinPath(bytes[..<found]) else { continue }
      if place > lastAt { break }
      if place >= mark {
        mark = bytes[place...].firstIndex { $0 == UInt8(ascii: ">") || $0 == ASCII.quote } ?? bytes.count
        lastBeforeMark = bytes[place..<mark].lastIndex(of: ASCII.at)
      }
      guard let end = end(atFrontOf: bytes[place..<mark], lastBeforeMark, lastAt) else { continue }
      result += bytes[taken..<place] + replacement.utf8
      (place, taken) = (end, end)
    }
    return taken == 0 ? text : String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  private static func replacedInEncoded(_ bytes: [UInt8], by replacement: String) -> String {
    var result: [UInt8] = []
    var (place, taken) = (0, 0)
    while let found = bytes[place...].firstIndex(of: ASCII.percent) {
      place = found + 1
      guard isEncoded(ASCII.slash, at: found, in: bytes), isEncoded(ASCII.slash, at: found + 3, in: bytes),
        !isWithinPath(bytes[..<found])
      else { continue }
      let start = found + 6
      var end = start
      place = start
      while place < bytes.count, !"/?#&<>\" ".utf8.contains(bytes[place]),
        !"/?#".utf8.contains(where: { isEncoded($0, at: place, in: bytes) })
      {
        let isAt = isEncoded(ASCII.at, at: place, in: bytes)
        place += isAt ? 3 : 1
        if isAt || bytes[place - 1] == ASCII.at { end = place }
      }
      guard end > start else { continue }
      result += bytes[taken..<start] + replacement.utf8
      taken = end
    }
    return String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  private static func isEncoded(_ byte: UInt8, at place: Int, in bytes: [UInt8]) -> Bool {
    guard place + 2 < bytes.count, bytes[place] == ASCII.percent else { return false }
    return PathSyntax.percentDecoded(bytes[place...(place + 2)]) == [byte]
  }

  /// Whether the text begins with a host, perhaps with a port, so that an `@` behind it is in the path.
  ///
  /// - Parameter isMalformed: whether the text is not a URL, so that what looks like a port may be how a password
  ///   begins.
  package static func isMissing(atFrontOf text: Substring, isMalformed: Bool) -> Bool {
    isMissing(atFrontOf: Array(text.utf8)[...], isMalformed: isMalformed)
  }

  /// A text in the place of the port that is not a number is a password, in which a slash was not encoded.
  private static func isMissing(atFrontOf text: ArraySlice<UInt8>, isMalformed: Bool = false) -> Bool {
    let authority = authority(atFrontOf: text)
    if authority.contains(ASCII.at) { return false }
    guard authority.first != ASCII.openingBracket, let colon = authority.firstIndex(of: ASCII.colon) else {
      return true
    }
    return !isMalformed && authority[(colon + 1)...].allSatisfy(ASCII.isDigit)
  }

  /// Returns the end of the user information, behind its `@`, in a text that begins with an authority; `nil` if
  /// there is none.
  ///
  /// - Parameters:
  ///   - url: the text up to a mark, which ends it unless it is part of a password.
  ///   - lastBeforeMark: the last `@` before the mark.
  ///   - last: the last `@` of all.
  private static func end(atFrontOf url: ArraySlice<UInt8>, _ lastBeforeMark: Int?, _ last: Int) -> Int? {
    if isMissing(atFrontOf: url) { return nil }
    let authority = authority(atFrontOf: url)
    guard let found = authority.lastIndex(of: ASCII.at) else {
      if let lastBeforeMark, lastBeforeMark >= url.startIndex { return lastBeforeMark + 1 }
      return authority.endIndex == url.endIndex ? last + 1 : nil
    }
    // What is behind the `@` has to be a host, too: otherwise the user information goes on.
    return end(atFrontOf: url[(found + 1)...], lastBeforeMark, found) ?? found + 1
  }

  private static func authority(atFrontOf text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.prefix { !"/?#".utf8.contains($0) }
  }

  /// Whether slashes behind these bytes are within a path. Before an authority there is a scheme, a mark or a blank.
  private static func isWithinPath(_ before: ArraySlice<UInt8>) -> Bool {
    guard let last = before.last, isOfName(last) else { return false }
    // An encoded colon ends a scheme.
    return
      !(before.suffix(3).first == ASCII.percent && before.suffix(2).first == UInt8(ascii: "3")
      && ASCII.lowercased(last) == UInt8(ascii: "a"))
  }

  /// Whether a path may have the byte before a slash.
  private static func isOfName(_ byte: UInt8) -> Bool {
    PathSyntax.isUnreserved(byte) || byte == ASCII.percent
  }
}
