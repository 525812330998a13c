import HTTPSemantics

/// Hides what looks like a secret in a URL that is listed.
enum Masking {
  static let mask = "***"

  /// Names of query parameters whose values give access; a name counts when it ends so, in any case.
  private static let tellingEndings = [
    "token", "secret", "password", "passwd", "pwd", "key", "apikey", "signature", "sig", "auth", "credential",
    "session",
    "sessionid", "sid", "jwt", "code",
  ]

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
    let parameters = query.split(separator: "&", omittingEmptySubsequences: false).map { parameter -> String in
      guard let equals = parameter.firstIndex(of: "="), isTelling(parameter[..<equals]) else {
        return String(parameter)
      }
      return parameter[...equals] + mask
    }
    return "\(target.origin)\(target.path)?" + parameters.joined(separator: "&")
  }

  private static func isTelling(_ name: Substring) -> Bool {
    let lowercased = name.lowercased()
    return tellingEndings.contains {
      lowercased == $0 || lowercased.hasSuffix("_\($0)") || lowercased.hasSuffix("-\($0)")
    }
      || ["accesstoken", "authtoken", "apitoken", "clientsecret", "x-amz-signature"].contains(lowercased)
  }
}
