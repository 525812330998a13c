package import HTTPSemantics

/// Parameters of a URL's query whose values give access. The URL is the key, and kept as it is; what shows it hides
/// them, and the user information of URLs that stand within it.
package enum CredentialParameters {
  /// Stands for what is not shown.
  package static let mask = "***"

  /// A name counts when it ends so, in any case.
  private static let tellingEndings = [
    "token", "secret", "password", "passwd", "pwd", "key", "apikey", "signature", "sig", "auth", "credential",
    "session", "sessionid", "sid", "jwt", "code",
  ]
  /// Names that are one word of several.
  private static let tellingNames = ["accesstoken", "authtoken", "apitoken", "clientsecret", "x-amz-signature"]

  package static func masked(_ target: TargetURI) -> String { masked(target.description) }

  /// - Parameter text: with a URL, or its end; the query begins at the first question mark, and has values to its end.
  package static func masked(_ text: String) -> String {
    guard mayHaveParameters(text) else { return withoutUserInformation(text) }
    return withoutUserInformation(ParameterScan(bytes: Array(text.utf8), isWithinText: false).masked ?? text)
  }

  /// Quickly: a listing has thousands of URLs, and nearly none of them has a secret.
  private static func mayHaveParameters(_ text: String) -> Bool {
    let bytes = text.utf8.span
    var isInQuery = false
    for index in bytes.indices {
      let byte = bytes[index]
      // A letter, mostly.
      if byte > ASCII.questionMark { continue }
      if byte == ASCII.percent || (isInQuery && byte == ASCII.equals) { return true }
      if byte == ASCII.questionMark { isInQuery = true }
    }
    return false
  }

  private static func withoutUserInformation(_ text: String) -> String {
    UserInformation.replaced(in: text, by: mask + "@")
  }

  /// Fields that hold URLs, or texts with URLs in them.
  package static let fields: [FieldName] = [.location, .contentLocation, .referer, "Link", "Refresh"]

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
    tellingEndings.contains { isEnding($0.utf8, of: name) }
      || tellingNames.contains { ASCII.equalIgnoringCase($0.utf8, name) }
  }

  /// Whether it is the whole name, or its last word.
  private static func isEnding(_ ending: String.UTF8View, of name: [UInt8]) -> Bool {
    let start = name.count - ending.count
    // Mostly the last letter says that it is not.
    guard start >= 0, let last = name.last, ending.last == ASCII.lowercased(last),
      ASCII.equalIgnoringCase(name.suffix(ending.count), ending)
    else { return false }
    guard let separator = name.prefix(start).last else { return true }
    return separator == ASCII.underscore || separator == ASCII.hyphen
  }
}

/// Finds the values that give access in a query, and in those of the URLs that are its values: as they are, or
/// percent-encoded, as often as one is nested in another.
private struct ParameterScan {
  let bytes: [UInt8]
  /// Whether the URLs have something before and behind them.
  let isWithinText: Bool

  /// `nil` where nothing is to be hidden.
  var masked: String? {
    var result: [UInt8] = []
    var (place, taken) = (isWithinText ? 0 : queryStart, 0)
    while place < bytes.count {
      let separator = character(at: place)
      place += separator.length
      guard "?&#".utf8.contains(separator.byte), let equals = equals(behindNameAt: place) else { continue }
      let equalsLength = character(at: equals).length
      result += bytes[taken..<(equals + equalsLength)] + CredentialParameters.mask.utf8
      taken = end(ofValueAt: equals + equalsLength, equalsLength)
      place = taken
    }
    return taken == 0 ? nil : String(decoding: result + bytes[taken...], as: UTF8.self)
  }

  private var queryStart: Int {
    var place = 0
    while place < bytes.count {
      let next = character(at: place)
      if next.byte == ASCII.questionMark { break }
      place += next.length
    }
    return place
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
  private func equals(behindNameAt start: Int) -> Int? {
    var name: [UInt8] = []
    var place = start
    while place < bytes.count, !(isWithinText && ">\"' ".utf8.contains(bytes[place])) {
      let next = character(at: place)
      if "?&#".utf8.contains(next.byte) { return nil }
      if next.byte == ASCII.equals {
        if CredentialParameters.isTelling(name) { return place }
        // One that is encoded may be part of the name.
        if next.length == 1 { return nil }
      }
      name.append(next.byte)
      place += next.length
    }
    return nil
  }

  /// No other character that a value may hold ends it: a comma and an apostrophe are such, and what is encoded deeper
  /// than the equals sign before it.
  private func end(ofValueAt start: Int, _ equalsLength: Int) -> Int {
    var place = start
    while place < bytes.count, !(isWithinText && "#>\" ".utf8.contains(bytes[place])) {
      let next = character(at: place)
      if next.byte == UInt8(ascii: "&"), next.length <= equalsLength { break }
      place += next.length
    }
    return place
  }
}
