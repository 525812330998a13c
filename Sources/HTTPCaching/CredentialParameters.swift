package import HTTPSemantics

/// The parameters of a URL's query and path whose values give access. The URL is the key and is stored as it is;
/// whatever shows it masks these values, and the user information of URLs inside it.
package enum CredentialParameters {
  /// The text shown in place of a hidden value.
  package static let mask = "***"

  /// Words that mark a parameter as one that gives access. One must be a whole word of its name, in any case, or a part
  /// of a word in camel case.
  ///
  /// What gives access in a field (`CredentialFields`) does so here. What only tells who the client is does not: a
  /// name, an account, a certificate.
  private static let tellingWords = [
    "secret", "secrets", "passwd", "passkey", "pass", "pin", "rlkey", "sessid", "verifier", "passphrase", "passcode",
    "pwd", "pw", "psk", "key", "apikey", "authkey", "accesskey", "secretkey", "sessionkey", "privatekey", "sharekey",
    "sig", "hmac", "auth", "xauth", "authorization", "credential", "credentials", "cookie", "csrf", "xsrf",
    "session", "sessionid", "sid", "jwt", "code", "bearer", "otp", "totp", "2fa", "mfa", "pat", "wsse", "ticket",
    "assertion", "samlresponse", "samlart", "phpsessid", "jsessionid", "clientsecret",
    // Tokens in the URLs of content delivery networks.
    "hdnts", "hdnea", "hdntl", "gda",
  ]

  /// Endings of words that mark it likewise: `csrftoken`.
  private static let tellingEnds = ["token", "password", "signature"]

  package static func masked(_ target: TargetURI) -> String { masked(target.description) }

  /// - Parameter text: a URL, or the end of one. Its query begins at the first question mark and goes on to the end.
  package static func masked(_ text: String) -> String {
    guard mayHaveParameters(text) else { return withoutUserInformation(text) }
    return withoutUserInformation(ParameterScan(bytes: Array(text.utf8), isWithinText: false).masked ?? text)
  }

  /// A quick check, because a listing has thousands of URLs, and nearly none of them has a secret.
  private static func mayHaveParameters(_ text: String) -> Bool {
    let bytes = text.utf8.span
    var isInParameters = false
    for index in bytes.indices {
      let byte = bytes[index]
      // Most bytes are letters, which are above the question mark.
      if byte > ASCII.questionMark { continue }
      if byte == ASCII.percent || (isInParameters && byte == ASCII.equals) { return true }
      if byte == ASCII.questionMark || byte == ASCII.semicolon { isInParameters = true }
    }
    return false
  }

  private static func withoutUserInformation(_ text: String) -> String {
    UserInformation.replaced(in: text, by: mask + "@")
  }

  /// Fields that hold references, which need not have a scheme.
  private static let fields: [FieldName] = [.location, .contentLocation, .referer, "Link", "Refresh"]

  /// Whether the value of a field is a URL, or may have one in it.
  package static func mayHoldURL(_ value: ArraySlice<UInt8>, of name: FieldName) -> Bool {
    fields.contains(name) || holdsURL(value)
  }

  /// Whether a text has a URL with a scheme in it.
  package static func holdsURL(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while let colon = rest.firstIndex(of: ASCII.colon) {
      rest = rest[(colon + 1)...]
      if rest.starts(with: "//".utf8) { return true }
    }
    return false
  }

  /// - Parameter text: a text with URLs anywhere in it. Parameters in their fragments are masked, too.
  package static func masked(within text: String) -> String {
    withoutUserInformation(ParameterScan(bytes: Array(text.utf8), isWithinText: true).masked ?? text)
  }

  /// Masks the URLs among the words of a text. Each ends with its word, so that what stands before the `@` of a mail
  /// address behind it is not taken for its user information.
  package static func masked(inWordsOf text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      holdsURL(Array(word.utf8)[...]) ? masked(within: String(word)) : String(word)
    }.joined(separator: " ")
  }

  /// Masks as `masked(within:)` does, and also hides what stands before the `@` in a text that has no scheme or is not
  /// a URL.
  ///
  /// - Parameters:
  ///   - text: what should be a URL.
  ///   - isMalformed: whether it is known not to be a URL.
  package static func withoutUserInfo(_ text: String, isMalformed: Bool = false) -> String {
    let text = masked(within: text)
    let scheme = text.prefix { $0 != "/" && $0 != "@" }
    let start = scheme.hasSuffix(":") ? "\(scheme)//" : ""
    guard let at = text.lastIndex(of: "@") else { return text }
    // This `@` is in the path; the user information of URLs inside the text is hidden already.
    let rest = text.dropFirst(start.count)
    if !start.isEmpty, UserInformation.isMissing(atFrontOf: rest, isMalformed: isMalformed) { return text }
    return start + mask + text[at...]
  }

  /// Masks a key that the user chose. In a key that is not a URL, an `@` means nothing.
  package static func maskedKey(_ text: String) -> String {
    let scheme = text.prefix { $0 != "/" && $0 != "@" }
    let isURL = scheme.hasSuffix(":") && text.dropFirst(scheme.count).hasPrefix("//")
    return isURL ? withoutUserInfo(text) : masked(within: text)
  }

  /// Whether the value of a parameter with this name gives access.
  fileprivate static func isTelling(_ name: [UInt8]) -> Bool {
    var start = 0
    for end in 0...name.count where end == name.count || !isPartOfWord(name[end]) {
      if isTellingWord(name[start..<end]) || hasTellingPart(name[start..<end]) { return true }
      start = end + 1
    }
    return false
  }

  /// Whether a camel-case part of a word is telling, such as `Token` in `refreshToken`.
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

/// A scan for the values that give access: in a query, in a path, and in URLs that are themselves values of a query.
/// These may be plain, or percent-encoded once for each level of nesting.
private struct ParameterScan {
  /// The component of a URL that a byte belongs to.
  private enum Part { case authority, path, query }

  let bytes: [UInt8]
  /// Whether the bytes are a text that contains URLs, and not one URL.
  let isWithinText: Bool

  /// The text with the values masked; `nil` if nothing is to be hidden.
  var masked: String? {
    var result: [UInt8] = []
    var (place, taken) = (0, 0)
    var part = Part.path
    while place < bytes.count {
      let separator = character(at: place)
      part = self.part(at: place, separator.byte, after: part)
      place += separator.length
      guard separates(separator.byte, in: part), let equals = equals(afterNameAt: place, in: part) else { continue }
      let equalsLength = character(at: equals).length
      result += bytes[taken..<(equals + equalsLength)] + CredentialParameters.mask.utf8
      taken = end(ofValueAt: equals + equalsLength, equalsLength, in: part)
      place = taken
    }
    return taken == 0 ? nil : String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  private func part(at place: Int, _ byte: UInt8, after part: Part) -> Part {
    if isWithinText, "<>\"' ".utf8.contains(bytes[place]) { return .path }
    switch byte {
    case ASCII.questionMark: return .query
    case UInt8(ascii: "&"), UInt8(ascii: "#"): return isWithinText ? .query : part
    case UInt8(ascii: ":") where part == .path:
      return bytes[(place + 1)...].starts(with: "//".utf8) ? .authority : .path
    // The two slashes before an authority do not end it; the next one does.
    case ASCII.slash where part == .authority && !isWithinSlashes(place): return .path
    default: return part
    }
  }

  private func isWithinSlashes(_ place: Int) -> Bool {
    bytes[place - 1] == UInt8(ascii: ":") || bytes[..<place].suffix(2).elementsEqual(":/".utf8)
  }

  /// Whether a byte begins a parameter. A semicolon does so in a segment of a path, and some take it for an ampersand
  /// in a query.
  private func separates(_ byte: UInt8, in part: Part) -> Bool {
    switch byte {
    case ASCII.questionMark: true
    case ASCII.semicolon: part != .authority
    case UInt8(ascii: "&"), UInt8(ascii: "#"): part == .query || isWithinText
    default: false
    }
  }

  /// - Returns: the byte when everything is decoded, and the number of bytes that encode it, which grows with the depth
  ///   at which the URL is nested.
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

  /// Returns the place of the equals sign before a value that gives access; `nil` if there is none.
  private func equals(afterNameAt start: Int, in part: Part) -> Int? {
    var name: [UInt8] = []
    var place = start
    while place < bytes.count, !(isWithinText && ">\"' ".utf8.contains(bytes[place])) {
      let next = character(at: place)
      if "?&#;".utf8.contains(next.byte) || (part == .path && next.byte == ASCII.slash) { return nil }
      if next.byte == ASCII.equals {
        if CredentialParameters.isTelling(name) { return place }
        if next.length == 1 { return nil }
        // An encoded equals sign may be part of the name, but of no word: the bytes before it need not be looked at
        // again.
        name.removeAll(keepingCapacity: true)
      } else {
        name.append(next.byte)
      }
      place += next.length
    }
    return nil
  }

  /// Returns the end of a value. Only delimiters that a value cannot hold end it: a comma, a semicolon or an apostrophe
  /// does not, nor does a delimiter that is encoded more deeply than the equals sign before the value.
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
