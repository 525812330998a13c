package import HTTPSemantics

/// Request fields that say who asks: those that are known, and those that the user lists.
///
/// The one list for all that follows from it: what is part of the key, what does not go on to another origin, and what
/// is neither shown nor kept readable.
package struct CredentialFields: Equatable, Sendable {
  package var listed: [FieldName]

  package init(listed: [FieldName] = []) {
    self.listed = listed
  }

  package func contains(_ name: FieldName) -> Bool {
    Self.isKnown(name) || listed.contains(name)
  }

  /// Words that betray a credential in the name of a field: Authorization, Proxy-Authorization, X-Api-Key,
  /// Private-Token, X-Amz-Security-Token, X-CSRFToken, X-Hub-Signature and whatever else is named so.
  private static let tellingWords = [
    "auth", "bearer", "cookie", "credential", "csrf", "hmac", "impersonate", "jwt", "key", "passw", "pwd", "saml",
    "secret", "session", "signature", "sudo", "token", "username", "xsrf",
  ]

  /// Fields that say who asks in other words: certificates and one-time codes, and accounts that an answer is for.
  private static let names: [FieldName] = [
    "DPoP", "Client-Cert", "Client-Cert-Chain", "X-SSL-Client-Cert", "X-Forwarded-Client-Cert", "X-GitHub-OTP",
    "X-SSL-Client-DN", "X-OTP", "X-PIN", "X-PAT",
    "CF-Access-Client-Id", "Remote-User", "X-Remote-User", "X-Forwarded-User", "X-Forwarded-Email", "X-User-Id",
    "X-Tenant-Id", "Stripe-Account", "OpenAI-Organization", "OpenAI-Project",
  ]

  private static func isKnown(_ name: FieldName) -> Bool {
    // Most requests have these two, and no other.
    if name == .accept || name == .userAgent { return false }
    if names.contains(name) { return true }
    let lowercased = Array(name.lowercased.utf8)
    // Loops, and a look at one letter first: each field of each request comes here.
    for word in tellingWords {
      let first = word.utf8.first
      for index in 0..<lowercased.count
      where lowercased[index] == first && lowercased[index...].starts(with: word.utf8) {
        return true
      }
    }
    return false
  }
}
