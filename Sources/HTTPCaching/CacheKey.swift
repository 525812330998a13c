package import HTTPSemantics

/// Under what a response is stored and looked up (RFC 9111 section 2).
///
/// The primary part is the target URI alone, so that whatever invalidates a URI finds every response to it: the store
/// names entries by a hash of the target, then of the audience, and can remove a target with all its audiences and
/// variants. Who asked, and how far the connection was trusted, is the second part: it keeps one user's, token's or
/// trust level's responses from another. What was asked with content is the third: one query's answer is not another's.
package struct CacheKey: Hashable, Sendable, CustomStringConvertible {
  package let primary: PrimaryKey
  /// A keyed digest of what `Audience` holds; `nil` for a request without credentials over a verified connection.
  package let audience: [UInt8]?
  /// `nil` for a request whose content says nothing.
  package let content: SentContent?

  package init(_ primary: PrimaryKey, audience: [UInt8]? = nil, content: SentContent? = nil) {
    self.primary = primary
    self.audience = audience
    self.content = content
  }

  package init(_ target: TargetURI, audience: [UInt8]? = nil, content: SentContent? = nil) {
    self.init(.target(target), audience: audience, content: content)
  }

  /// The target URI, as far as it is known: under a text of the user's that of the request, or of the response that is
  /// stored there.
  package var target: TargetURI { primary.target }

  /// Whether it answers those alone who have said the same of their keys, partitions aside.
  package var isOfUser: Bool {
    if case .post = content { return true }
    if case .target = primary { return false }
    return true
  }

  /// The primary part, and the beginning of each digest that there is.
  package var description: String { description(masked: false) }

  /// - Parameter isMasked: whether what gives access is hidden, in the target URI or in the user's text.
  package func description(masked isMasked: Bool) -> String {
    var text = primary.description(masked: isMasked)
    if let audience { text += " (for \(Base16.encode(Array(audience.prefix(8)))))" }
    if let content { text += " (content \(Base16.encode(Array(content.digest.prefix(8)))))" }
    return text
  }
}

/// What a key calls the resource.
///
/// Indirect: keys are handed on and kept by many.
package indirect enum PrimaryKey: Hashable, Sendable {
  case target(TargetURI)
  /// What the user's parameters leave of the target URI. Whoever leaves out others has said something else: each set
  /// of parameters has keys of its own.
  case reduced(TargetURI, without: IgnoredParameters)
  /// A text of the user's in the place of a target URI. The URI is no part of it but for its scheme: what came over
  /// plain http answers nobody who asks for https.
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
    // Not by `combine`, which is generic: keys are looked up a dozen times for each URL.
    case .target(let target), .reduced(let target, without: _): target.hash(into: &hasher)
    case .chosen(let text, for: _): hasher.combine(text)
    }
  }

  /// Whether what is stored under it is a response for that target URI, as far as can be known: under a text of the
  /// user's, it is one for the URI that brought it.
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
