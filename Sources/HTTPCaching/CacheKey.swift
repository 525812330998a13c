package import HTTPSemantics

/// The key under which a response is stored and looked up (RFC 9111 section 2).
///
/// The primary part is the target URI alone, so that an invalidation finds every response for a URI: the store names
/// entries by a hash of the target, then of the audience, and can remove a target with all its audiences and variants.
/// The audience, which is the client's identity and how far the connection was trusted, keeps the responses of one
/// user, token or trust level from another. The content keeps the answer to one query from another query.
package struct CacheKey: Hashable, Sendable, CustomStringConvertible {
  package let primary: PrimaryKey
  /// A keyed digest of what `Audience` holds; `nil` for a request without credentials over a verified connection.
  package let audience: [UInt8]?
  /// `nil` for a request whose content is no part of the question.
  package let content: SentContent?

  package init(_ primary: PrimaryKey, audience: [UInt8]? = nil, content: SentContent? = nil) {
    self.primary = primary
    self.audience = audience
    self.content = content
  }

  package init(_ target: TargetURI, audience: [UInt8]? = nil, content: SentContent? = nil) {
    self.init(.target(target), audience: audience, content: content)
  }

  /// The target URI. Under a text that the user chose as the key, it is the URI of the request at hand, or of the
  /// response that is stored.
  package var target: TargetURI { primary.target }

  /// Whether the user's options have changed the primary part, so that it only matches requests with the same options.
  package var isOfUser: Bool {
    if case .target = primary { false } else { true }
  }

  /// The primary part, followed by the first 8 bytes of each digest.
  package var description: String { description(masked: false) }

  /// - Parameter isMasked: whether values that give access are hidden, in the target URI or in the user's text.
  package func description(masked isMasked: Bool) -> String {
    var text = primary.description(masked: isMasked)
    if let audience { text += " (for \(Base16.encode(Array(audience.prefix(8)))))" }
    if let content { text += " (content \(Base16.encode(Array(content.digest.prefix(8)))))" }
    return text
  }
}

/// The part of a key that names the resource.
///
/// Indirect, because keys are passed on and held in many places.
package indirect enum PrimaryKey: Hashable, Sendable {
  case target(TargetURI)
  /// The target URI without the query parameters that the user ignores. Each set of ignored parameters has keys of its
  /// own.
  case reduced(TargetURI, without: IgnoredParameters)
  /// A text of the user's in place of the target URI. Only the scheme of the URI counts, so that a response that came
  /// over plain http never answers a request for https.
  case chosen([UInt8], for: TargetURI)

  package var target: TargetURI {
    switch self {
    case .target(let target), .reduced(let target, without: _), .chosen(_, for: let target): target
    }
  }

  package var isChosen: Bool {
    if case .chosen = self { true } else { false }
  }

  package static func == (one: PrimaryKey, other: PrimaryKey) -> Bool {
    switch (one, other) {
    case (.target(let target), .target(let other)): target == other
    case (.reduced(let target, let ignored), .reduced(let other, let others)): target == other && ignored == others
    case (.chosen(let text, let target), .chosen(let otherText, let other)):
      text == otherText && target.origin.scheme == other.origin.scheme
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    // Calls `hash(into:)` and not the generic `combine`, because keys are looked up a dozen times for each URL.
    case .target(let target), .reduced(let target, without: _): target.hash(into: &hasher)
    case .chosen(let text, for: _): hasher.combine(text)
    }
  }

  /// Whether a response stored under this key is one for the target URI. Under a text of the user's, it is known to be
  /// one only for the URI that it was fetched from.
  package func concerns(_ target: TargetURI) -> Bool {
    switch self {
    case .target(let own), .chosen(_, for: let own): own == target
    case .reduced(let own, let ignored): ignored.removed(from: target) == own
    }
  }

  fileprivate func description(masked isMasked: Bool) -> String {
    let words = words(masked: isMasked)
    return switch self {
    case .target: words
    case .reduced(_, let ignored): "\(words) (without \(ignored))"
    case .chosen(_, for: let target): "\(words) (chosen, \(target.origin.scheme.rawValue))"
    }
  }

  /// The target URI, or the text in its place.
  package func words(masked isMasked: Bool) -> String {
    switch self {
    case .target(let target), .reduced(let target, without: _):
      return isMasked ? CredentialParameters.masked(target) : target.description
    case .chosen(let bytes, for: _):
      let text = String(decoding: bytes, as: UTF8.self)
      return isMasked ? CredentialParameters.maskedKey(text) : text
    }
  }
}
