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

  /// A sentence of libcurl's, fit for a terminal: the URL of a proxy that it quotes may have a password, which may have
  /// a quotation mark.
  static func quoting(_ sentence: String) -> String {
    let visible = Escaping.visible(sentence)
    guard let first = visible.firstIndex(of: "'"), let last = visible.lastIndex(of: "'"), first < last else {
      return visible
    }
    let quoted = visible[visible.index(after: first)..<last]
    guard quoted.utf8.contains(UInt8(ascii: "@")) else { return visible }
    return visible[...first] + withoutUserInfo(String(quoted)) + visible[last...]
  }

  static func masked(_ target: TargetURI) -> String { CredentialParameters.masked(target) }
}
