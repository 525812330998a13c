import HTTPCaching
import HTTPSemantics

/// Hides what looks like a secret in a URL that is shown.
enum Masking {
  static let mask = CredentialParameters.mask

  /// A text that ought to be a URL, fit for a terminal, with what stands before its `@` hidden, and
  /// parameters that give access.
  static func withoutUserInfo(_ text: String) -> String {
    let visible = CredentialParameters.masked(Escaping.visible(text))
    guard let at = visible.lastIndex(of: "@") else { return visible }
    let scheme = visible.prefix { $0 != "/" && $0 != "@" }
    let start = scheme.hasSuffix(":") ? "\(scheme)//" : ""
    return start + mask + visible[at...]
  }

  static func masked(_ target: TargetURI) -> String { CredentialParameters.masked(target) }
}
