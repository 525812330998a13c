package import HTTPSemantics

/// Parameters of a URL's query, and of its path, whose values give access. The URL is the key, and kept as it is; what
/// shows it hides them, and the user information of URLs that stand within it.
package enum CredentialParameters {
  /// Stands for what is not shown.
  package static let mask = "***"

  /// A name counts when one of these is a word of it, in any case, or a part of a word in camel case.
  private static let tellingWords = [
    "secret", "secrets", "passwd", "passkey", "pass", "pin", "rlkey", "sessid", "verifier", "passphrase", "passcode",
    "pwd", "pw", "key", "apikey", "authkey",
    "accesskey", "secretkey", "sessionkey", "privatekey", "sig", "hmac", "auth", "credential", "credentials",
    "session", "sessionid", "sid", "jwt", "code", "bearer", "otp", "ticket", "assertion", "samlresponse",
    "phpsessid", "jsessionid", "clientsecret",
  ]

  /// Likewise when a word ends so: `csrftoken`.
  private static let tellingEnds = ["token", "password", "signature"]

  package static func masked(_ target: TargetURI) -> String { masked(target.description) }

  /// - Parameter text: a URL, or its end; the query begins at the first question mark, and has values to its end.
  package static func masked(_ text: String) -> String {
    guard mayHaveParameters(text) else { return withoutUserInformation(text) }
    return withoutUserInformation(ParameterScan(bytes: Array(text.utf8), isWithinText: false).masked ?? text)
  }

  /// Quickly: a listing has thousands of URLs, and nearly none of them has a secret.
  private static func mayHaveParameters(_ text: String) -> Bool {
    let bytes = text.utf8.span
    var isInParameters = false
    for index in bytes.indices {
      let byte = bytes[index]
      // A letter, mostly.
      if byte > ASCII.questionMark { continue }
      if byte == ASCII.percent || (isInParameters && byte == ASCII.equals) { return true }
      if byte == ASCII.questionMark || byte == ASCII.semicolon { isInParameters = true }
    }
    return false
  }

  private static func withoutUserInformation(_ text: String) -> String {
    UserInformation.replaced(in: text, by: mask + "@")
  }

  /// Fields that hold references, which need not say their scheme.
  private static let fields: [FieldName] = [.location, .contentLocation, .referer, "Link", "Refresh"]

  /// Whether what a field says is a URL, or may have one in it.
  package static func mayHoldURL(_ value: ArraySlice<UInt8>, of name: FieldName) -> Bool {
    if fields.contains(name) { return true }
    var rest = value
    while let colon = rest.firstIndex(of: ASCII.colon) {
      rest = rest[(colon + 1)...]
      if rest.starts(with: "//".utf8) { return true }
    }
    return false
  }

  /// - Parameter text: with URLs anywhere in it; those of their fragments are masked, too.
  package static func masked(within text: String) -> String {
    withoutUserInformation(ParameterScan(bytes: Array(text.utf8), isWithinText: true).masked ?? text)
  }

  /// As `masked(within:)`, with what stands before the `@` hidden in what has no scheme, too, or is no URL.
  ///
  /// - Parameters:
  ///   - text: ought to be a URL.
  ///   - isMalformed: whether it is known to be none.
  package static func withoutUserInfo(_ text: String, isMalformed: Bool = false) -> String {
    let text = masked(within: text)
    let scheme = text.prefix { $0 != "/" && $0 != "@" }
    let start = scheme.hasSuffix(":") ? "\(scheme)//" : ""
    guard let at = text.lastIndex(of: "@") else { return text }
    // An `@` in the path; what other URLs have is hidden by now.
    let rest = text.dropFirst(start.count)
    if !start.isEmpty, UserInformation.isMissing(atFrontOf: rest, isMalformed: isMalformed) { return text }
    return start + mask + text[at...]
  }

  /// A key of the user's: an `@` in what is no URL stands for nothing.
  package static func maskedKey(_ text: String) -> String {
    let scheme = text.prefix { $0 != "/" && $0 != "@" }
    let isURL = scheme.hasSuffix(":") && text.dropFirst(scheme.count).hasPrefix("//")
    return isURL ? withoutUserInfo(text) : masked(within: text)
  }

  /// Whether the value of a parameter of that name gives access.
  fileprivate static func isTelling(_ name: [UInt8]) -> Bool {
    var start = 0
    for end in 0...name.count where end == name.count || !isPartOfWord(name[end]) {
      if isTellingWord(name[start..<end]) || hasTellingPart(name[start..<end]) { return true }
      start = end + 1
    }
    return false
  }

  /// Whether a part of a word is telling that begins with a capital letter, or comes before one: `refreshToken`.
  private static func hasTellingPart(_ word: ArraySlice<UInt8>) -> Bool {
    var start = word.startIndex
    for index in word.indices.dropFirst() where isCapital(word[index]) {
      let isBehindSmall = !isCapital(word[index - 1])
      let isBeforeSmall = index + 1 < word.endIndex && !isCapital(word[index + 1])
      guard isBehindSmall || isBeforeSmall else { continue }
      if isTellingWord(word[start..<index]) { return true }
      start = index
    }
    return start > word.startIndex && isTellingWord(word[start...])
  }

  private static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

  private static func isTellingWord(_ word: ArraySlice<UInt8>) -> Bool {
    tellingWords.contains { $0.utf8.count == word.count && ASCII.equalIgnoringCase(word, $0.utf8) }
      || tellingEnds.contains { ASCII.equalIgnoringCase(word.suffix($0.utf8.count), $0.utf8) }
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80
  }
}

/// Finds the values that give access in a query, in a path, and in those of the URLs that are values of a query: as
/// they are, or percent-encoded, as often as one is nested in another.
private struct ParameterScan {
  /// Where in a URL something stands.
  private enum Part { case authority, path, query }

  let bytes: [UInt8]
  /// Whether the URLs have something before and behind them.
  let isWithinText: Bool

  /// `nil` where nothing is to be hidden.
  var masked: String? {
    var result: [UInt8] = []
    var (place, taken) = (0, 0)
    var part = Part.path
    while place < bytes.count {
      let separator = character(at: place)
      part = self.part(at: place, separator.byte, behind: part)
      place += separator.length
      guard separates(separator.byte, in: part), let equals = equals(behindNameAt: place, in: part) else { continue }
      let equalsLength = character(at: equals).length
      result += bytes[taken..<(equals + equalsLength)] + CredentialParameters.mask.utf8
      taken = end(ofValueAt: equals + equalsLength, equalsLength, in: part)
      place = taken
    }
    return taken == 0 ? nil : String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  private func part(at place: Int, _ byte: UInt8, behind part: Part) -> Part {
    if isWithinText, "<>\"' ".utf8.contains(bytes[place]) { return .path }
    switch byte {
    case ASCII.questionMark: return .query
    case UInt8(ascii: "&"), UInt8(ascii: "#"): return isWithinText ? .query : part
    case UInt8(ascii: ":") where part == .path:
      return bytes[(place + 1)...].starts(with: "//".utf8) ? .authority : .path
    // The second one before an authority has nothing between it and the first.
    case ASCII.slash where part == .authority && !isWithinSlashes(place): return .path
    default: return part
    }
  }

  private func isWithinSlashes(_ place: Int) -> Bool {
    bytes[place - 1] == UInt8(ascii: ":") || bytes[..<place].suffix(2).elementsEqual(":/".utf8)
  }

  /// A semicolon begins a parameter of a segment of a path; in a query some take it for an ampersand.
  private func separates(_ byte: UInt8, in part: Part) -> Bool {
    switch byte {
    case ASCII.questionMark: true
    case ASCII.semicolon: part != .authority
    case UInt8(ascii: "&"), UInt8(ascii: "#"): part == .query || isWithinText
    default: false
    }
  }

  /// - Returns: what it stands for when everything is decoded, and how many bytes it takes: the more, the deeper the
  ///   URL is nested that it is part of.
  private func character(at place: Int) -> (byte: UInt8, length: Int) {
    var (byte, length) = (bytes[place], 1)
    while byte == ASCII.percent, place + length + 1 < bytes.count,
      let high = Base16.value(of: bytes[place + length]), let low = Base16.value(of: bytes[place + length + 1])
    {
      byte = high << 4 | low
      length += 2
    }
    return (byte, length)
  }

  /// Where the equals sign is before a value that gives access.
  private func equals(behindNameAt start: Int, in part: Part) -> Int? {
    var name: [UInt8] = []
    var place = start
    while place < bytes.count, !(isWithinText && ">\"' ".utf8.contains(bytes[place])) {
      let next = character(at: place)
      if "?&#;".utf8.contains(next.byte) || (part == .path && next.byte == ASCII.slash) { return nil }
      if next.byte == ASCII.equals {
        if CredentialParameters.isTelling(name) { return place }
        if next.length == 1 { return nil }
        // One that is encoded may be part of the name, and is not of a word: what is before it need not be looked at
        // again.
        name.removeAll(keepingCapacity: true)
      } else {
        name.append(next.byte)
      }
      place += next.length
    }
    return nil
  }

  /// No other character that a value may hold ends it: a comma, a semicolon and an apostrophe are such, and what is
  /// encoded deeper than the equals sign before it.
  private func end(ofValueAt start: Int, _ equalsLength: Int, in part: Part) -> Int {
    var place = start
    while place < bytes.count, !(isWithinText && "#>\" ".utf8.contains(bytes[place])) {
      let next = character(at: place)
      if next.length <= equalsLength, isEnd(next.byte, in: part) { break }
      place += next.length
    }
    return place
  }

  private func isEnd(_ byte: UInt8, in part: Part) -> Bool {
    switch byte {
    case UInt8(ascii: "&"): part == .query
    case ASCII.slash, ASCII.questionMark, UInt8(ascii: "#"): part == .path
    default: false
    }
  }
}
