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

  /// - Parameter text: with a URL, or its end; the query begins at the first question mark.
  package static func masked(_ text: String) -> String { withoutUserInformation(withoutSecretValues(text)) }

  private static func withoutUserInformation(_ text: String) -> String {
    UserInformation.replaced(in: text, by: mask + "@")
  }

  private static func withoutSecretValues(_ text: String) -> String {
    // Nearly always, and quickly: a listing has thousands of them.
    guard let start = text.utf8.firstIndex(of: ASCII.questionMark), text.utf8[start...].contains(ASCII.equals) else {
      return text
    }
    let query = text[text.utf8.index(after: start)...]
    let parameters = query.split(separator: "&", omittingEmptySubsequences: false)
    guard parameters.contains(where: { valueOfTelling($0) != nil }) else { return text }
    let masked = parameters.map { parameter -> String in
      guard let value = valueOfTelling(parameter) else { return String(parameter) }
      return parameter[..<value] + mask
    }
    return text[...start] + masked.joined(separator: "&")
  }

  /// Fields that hold URLs, or texts with URLs in them.
  package static let fields: [FieldName] = [.location, .contentLocation, .referer, "Link", "Refresh"]

  /// - Parameter text: with URLs anywhere in it; those of their fragments are masked, too.
  package static func masked(within text: String) -> String {
    var result = ""
    var rest = text[...]
    while let separator = rest.utf8.firstIndex(where: { "?&#".utf8.contains($0) }) {
      let start = rest.utf8.index(after: separator)
      result += rest[..<start]
      rest = rest[start...]
      guard let equals = rest.utf8.firstIndex(where: { "=&?#>\"' ".utf8.contains($0) }),
        rest.utf8[equals] == ASCII.equals, isTelling(rest.utf8[..<equals])
      else { continue }
      // No other character that a value may hold ends it: a comma and an apostrophe are such.
      let end = rest.utf8[equals...].firstIndex { "&#>\" ".utf8.contains($0) } ?? rest.endIndex
      result += rest[...equals] + mask
      rest = rest[end...]
    }
    return withoutUserInformation(result + rest)
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

  /// Where the value of a parameter begins that gives access.
  private static func valueOfTelling(_ parameter: Substring) -> Substring.Index? {
    guard let equals = parameter.utf8.firstIndex(of: ASCII.equals), isTelling(parameter.utf8[..<equals]) else {
      return nil
    }
    return parameter.utf8.index(after: equals)
  }

  /// Whether the value of a parameter of that name gives access.
  package static func isTelling(_ name: Substring.UTF8View.SubSequence) -> Bool {
    tellingEndings.contains { isEnding($0.utf8, of: name) }
      || tellingNames.contains { ASCII.equalIgnoringCase($0.utf8, name) }
  }

  /// Whether it is the whole name, or its last word.
  private static func isEnding(_ ending: String.UTF8View, of name: Substring.UTF8View.SubSequence) -> Bool {
    let start = name.count - ending.count
    guard start >= 0, ASCII.equalIgnoringCase(name.suffix(ending.count), ending) else { return false }
    guard let separator = name.prefix(start).last else { return true }
    return separator == ASCII.underscore || separator == ASCII.hyphen
  }
}
