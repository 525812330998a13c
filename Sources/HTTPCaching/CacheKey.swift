package import HTTPSemantics

/// Under what a response is stored and looked up (RFC 9111 section 2).
///
/// The primary part is the target URI alone, so that whatever invalidates a URI finds every response to it: the store
/// names entries by a hash of the target, then of the audience, and can remove a target with all its audiences and
/// variants. Who asked, and how far the connection was trusted, is the second part: it keeps one user's, token's or
/// trust level's responses from another. What was asked with content is the third: one query's answer is not another's.
package struct CacheKey: Hashable, Sendable, CustomStringConvertible {
  package let target: TargetURI
  /// A keyed digest of what `Audience` holds; `nil` for a request without credentials over a verified connection.
  package let audience: [UInt8]?
  /// A keyed digest of what `QueryContent` holds; `nil` for a request whose content says nothing.
  package let content: [UInt8]?

  package init(_ target: TargetURI, audience: [UInt8]? = nil, content: [UInt8]? = nil) {
    self.target = target
    self.audience = audience
    self.content = content
  }

  /// The URI, and the beginning of each digest that there is.
  package var description: String {
    var text = target.description
    if let audience { text += " (for \(Self.digits(of: audience)))" }
    if let content { text += " (content \(Self.digits(of: content)))" }
    return text
  }

  private static func digits(of digest: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(digest.prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

/// What makes a response somebody's own: the credentials of the request and the trust in the connection.
package struct Audience: Hashable, Sendable {
  package var credentials: [Field]
  /// Each setting that makes a connection less or otherwise verified than the system's own, as one line of text.
  package var trust: [[UInt8]]

  package init(of request: Request, trust: [[UInt8]] = []) {
    credentials = request.fields.lines.filter { CredentialFields.contains($0.name) }
    self.trust = trust
    // Another Host asks another authority than the one that the URI names.
    for host in request.fields.values(of: .host)
    where !ASCII.equalIgnoringCase(host.bytes, request.target.origin.authority.utf8) {
      self.trust.append(Array("host ".utf8) + ASCII.lowercased(host.bytes))
    }
  }

  /// What is to be digested; `nil` where the response is anybody's.
  package var canonicalBytes: [UInt8]? {
    if credentials.isEmpty && trust.isEmpty { return nil }
    var bytes: [UInt8] = []
    let lines = credentials.map { Array($0.name.lowercased.utf8) + [ASCII.colon] + $0.value.bytes }
    for line in lines.sorted(by: { $0.lexicographicallyPrecedes($1) }) + trust {
      bytes += line
      bytes.append(ASCII.lineFeed)
    }
    return bytes
  }
}

/// Request fields that say who asks.
package enum CredentialFields {
  private static let names: [FieldName] = [
    .authorization, .cookie, .proxyAuthorization, "Cookie2", "X-Api-Key", "Api-Key", "ApiKey", "X-Auth-Token",
    "X-Access-Token", "X-Auth-Key", "X-Auth-Email", "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token",
    "X-Goog-Api-Key", "X-Goog-IAM-Authorization-Token", "X-Functions-Key", "X-Shopify-Access-Token", "X-Vault-Token",
    "X-Gitlab-Token", "Private-Token", "Job-Token", "Deploy-Token", "Ocp-Apim-Subscription-Key", "X-RapidAPI-Key",
    "X-Figma-Token", "DD-API-KEY", "DD-APPLICATION-KEY", "Fastly-Key", "Client-Secret", "X-Client-Secret",
  ]

  /// Words that betray a credential in a field that nobody listed.
  private static let tellingWords = [
    "auth", "bearer", "credential", "jwt", "key", "passw", "secret", "session", "token",
  ]

  package static func contains(_ name: FieldName) -> Bool {
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
