import HTTPSemantics

/// Hides what looks like a secret in a URL that is listed.
enum Masking {
  static let mask = "***"

  /// Names of query parameters whose values give access; a name counts when it ends so, in any case.
  private static let tellingEndings = [
    "token", "secret", "password", "passwd", "pwd", "key", "apikey", "signature", "sig", "auth", "credential",
    "session", "sessionid", "sid", "jwt", "code",
  ]
  /// Names that are one word of several.
  private static let tellingNames = ["accesstoken", "authtoken", "apitoken", "clientsecret", "x-amz-signature"]

  /// A text that ought to be a URL, fit for a terminal, with what stands before its `@` hidden.
  static func withoutUserInfo(_ text: String) -> String {
    let visible = Escaping.visible(text)
    guard let at = visible.lastIndex(of: "@") else { return visible }
    let scheme = visible.prefix { $0 != "/" && $0 != "@" }
    let start = scheme.hasSuffix(":") ? "\(scheme)//" : ""
    return start + mask + visible[at...]
  }

  static func masked(_ target: TargetURI) -> String {
    guard let query = target.query else { return target.description }
    let parameters = query.split(separator: "&", omittingEmptySubsequences: false)
    // Nearly always, and quickly: a listing has thousands of them.
    guard parameters.contains(where: { valueOfTelling($0) != nil }) else { return target.description }
    let masked = parameters.map { parameter -> String in
      guard let value = valueOfTelling(parameter) else { return String(parameter) }
      return parameter[..<value] + mask
    }
    return "\(target.origin)\(target.path)?" + masked.joined(separator: "&")
  }

  /// Where the value of a parameter begins that gives access.
  private static func valueOfTelling(_ parameter: Substring) -> Substring.Index? {
    guard let equals = parameter.utf8.firstIndex(of: ASCII.equals), isTelling(parameter.utf8[..<equals]) else {
      return nil
    }
    return parameter.utf8.index(after: equals)
  }

  static func isTelling(_ name: Substring.UTF8View.SubSequence) -> Bool {
    tellingEndings.contains { isEnding($0.utf8, of: name) }
      || tellingNames.contains { ASCII.equalIgnoringCase($0.utf8, name) }
  }

  /// Whether it is the whole name, or its last word.
  private static func isEnding(_ ending: String.UTF8View, of name: Substring.UTF8View.SubSequence) -> Bool {
    let start = name.count - ending.count
    guard start >= 0, ASCII.equalIgnoringCase(name.suffix(ending.count), ending) else { return false }
    guard let separator = name.prefix(start).last else { return true }
    return separator == UInt8(ascii: "_") || separator == UInt8(ascii: "-")
  }
}
