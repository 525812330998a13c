package import HTTPSemantics

/// The request fields that identify the client: known ones, and those that the user lists.
///
/// This is the only such list. Its fields are part of the key, are not sent on to another origin, and are neither shown
/// nor stored readable.
package struct CredentialFields: Equatable, Sendable {
  package var listed: [FieldName]

  package init(listed: [FieldName] = []) {
    self.listed = listed
  }

  package func contains(_ name: FieldName) -> Bool {
    Self.isKnown(name) || listed.contains(name)
  }

  /// Words that mark a credential anywhere in the name of a field: Authorization, Proxy-Authorization, X-Api-Key,
  /// Private-Token, X-Amz-Security-Token, X-CSRFToken, X-Hub-Signature and the like.
  private static let tellingWords = [
    "auth", "bearer", "cookie", "credential", "csrf", "hmac", "impersonate", "jwt", "key", "oidc", "passcode",
    "passphrase",
    "passw", "pwd", "saml", "secret", "session", "signature", "sudo", "token", "username", "xsrf",
  ]

  /// Words that mark a credential only at the end of a word: X-Client-Cert, X-ARR-ClientCert, X-MS-Client-Principal.
  /// Harmless words may begin with them.
  private static let tellingEnds = ["cert", "certificate", "login", "principal", "ticket"]

  /// Words that mark a credential only as a whole word, for one-time codes, signatures, and accounts that an answer is
  /// for: X-GitHub-OTP, X-SSL-Client-DN, Stripe-Account, X-Grafana-Org-Id, X-Honeycomb-Team.
  private static let words = [
    "2fa", "account", "assertion", "behalf", "consumer", "dn", "identity", "license", "mfa", "org",
    "organization", "orgid", "otp", "pass", "pat", "pin", "role", "sid", "sig", "team", "tenant", "totp", "wsse",
  ]

  /// Names of fields that identify the client and hold none of these words.
  private static let names: [FieldName] = [
    "DPoP", "X-Access", "CF-Access-Client-Id", "Remote-User", "X-Remote-User", "X-Forwarded-User", "X-Forwarded-Email",
    "X-User", "X-User-Id", "X-Hasura-User-Id", "OpenAI-Project", "X-JFrog-Art-Api", "X-Api-User", "X-Client-Id",
    "X-Algolia-Application-Id", "X-WP-Nonce",
  ]

  private static func isKnown(_ name: FieldName) -> Bool {
    // Most requests have these fields and no others.
    if name == .accept || name == .userAgent || name == .acceptEncoding { return false }
    if names.contains(name) { return true }
    let lowercased = Array(name.lowercased.utf8)
    // These are loops, which compare one letter first, because each field of each request comes here.
    for word in tellingWords where holds(lowercased, word, .anywhere) { return true }
    for word in tellingEnds where holds(lowercased, word, .atEndOfWord) { return true }
    for word in words where holds(lowercased, word, .asWord) { return true }
    return false
  }

  private enum Place { case anywhere, atEndOfWord, asWord }

  private static func holds(_ name: [UInt8], _ word: String, _ place: Place) -> Bool {
    let first = word.utf8.first
    for index in 0..<name.count where name[index] == first && name[index...].starts(with: word.utf8) {
      let end = index + word.utf8.count
      let endsWord = end == name.count || !ASCII.isLetter(name[end])
      switch place {
      case .anywhere: return true
      case .atEndOfWord where endsWord: return true
      case .asWord where endsWord && (index == 0 || !ASCII.isLetter(name[index - 1])): return true
      default: break
      }
    }
    return false
  }
}
