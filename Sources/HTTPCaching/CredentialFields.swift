package import HTTPSemantics

/// Request fields that say who asks: those that are known, and those that the user lists.
///
/// The one list for all that follows from it: what is part of the key, what does not go on to another origin, and what
/// is neither shown nor kept readable.
package struct CredentialFields: Hashable, Sendable {
  package var listed: [FieldName]

  package init(listed: [FieldName] = []) {
    self.listed = listed
  }

  package func contains(_ name: FieldName) -> Bool {
    Self.isKnown(name) || listed.contains(name)
  }

  // What clients drop on a redirect, what kits for APIs name, and what programs that keep logs blot out.
  private static let names: [FieldName] = [
    .authorization, .cookie, .proxyAuthorization, "Cookie2", "X-Api-Key", "Api-Key", "ApiKey", "X-Auth-Token",
    "X-Access-Token", "X-Auth-Key", "X-Auth-Email", "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token",
    "X-Goog-Api-Key", "X-Goog-IAM-Authorization-Token", "X-Functions-Key", "X-Shopify-Access-Token", "X-Vault-Token",
    "X-Gitlab-Token", "Private-Token", "Job-Token", "Deploy-Token", "Ocp-Apim-Subscription-Key", "X-RapidAPI-Key",
    "X-Figma-Token", "DD-API-KEY", "DD-APPLICATION-KEY", "Fastly-Key", "Client-Secret", "X-Client-Secret", "DPoP",
    "Signature", "Signature-Input", "Client-Cert", "Client-Cert-Chain", "X-SSL-Client-Cert", "X-Forwarded-Client-Cert",
    "CF-Access-Client-Id", "X-GitHub-OTP", "X-Remote-User", "X-Forwarded-User", "X-Forwarded-Email", "Remote-User",
    "X-User-Id", "X-Tenant-Id", "Stripe-Account", "OpenAI-Organization", "OpenAI-Project",
  ]

  /// Words that betray a credential in a field that nobody listed.
  private static let tellingWords = [
    "auth", "bearer", "credential", "csrf", "hmac", "jwt", "key", "passw", "pwd", "saml", "secret", "session",
    "signature", "token", "xsrf",
  ]

  private static func isKnown(_ name: FieldName) -> Bool {
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
