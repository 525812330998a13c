package import HTTPSemantics

/// The invalidation that an answer orders for stored responses of its origin beyond the URI that it answers.
package struct OriginInvalidation: Equatable, Sendable {
  package enum Extent: Equatable, Sendable {
    case everything
    case groups(CacheGroups)
  }

  package let origin: TargetURI.Origin
  package let extent: Extent

  /// - Parameter isVerified: whether it is certain that the origin answered. An answer over plain http, or from a peer
  ///   that was not verified, does not empty the cache.
  /// - Returns: `nil` if the answer orders nothing, as is nearly always so.
  package init?(by response: Response, to request: Request, isVerified: Bool) {
    origin = request.target.origin
    if isVerified, origin.scheme == .https, Self.clearsCache(response.fields) {
      extent = .everything
      return
    }
    // "The Cache-Group-Invalidation header field MUST be ignored on responses to requests that have a safe method"
    // (RFC 9875 section 3).
    guard Invalidation.isCaused(by: request, answered: response),
      let groups = CacheGroups(.cacheGroupInvalidation, of: response.fields)
    else { return nil }
    extent = .groups(groups)
  }

  /// Whether the invalidation covers a stored response. Groups match if they "contain the same string ... when compared
  /// character by character", and "share the same URI origin" (RFC 9875 section 2.1).
  package func covers(_ stored: StoredResponse) -> Bool {
    guard stored.key.target.origin == origin else { return false }
    switch extent {
    case .everything: return true
    case .groups(let groups): return CacheGroups(of: stored)?.meets(groups) ?? false
    }
  }

  /// Whether the invalidation covers everything that is stored under a key.
  package func coversEverything(under key: CacheKey) -> Bool {
    extent == .everything && key.target.origin == origin
  }

  /// Whether Clear-Site-Data orders the cache to be emptied. Its types are quoted strings; a token means nothing.
  private static func clearsCache(_ fields: Fields) -> Bool {
    fields.members(of: .clearSiteData).contains { member in
      member.elementsEqual(#""cache""#.utf8) || member.elementsEqual(#""*""#.utf8)
    }
  }
}

/// The names of cache groups, which stored responses of one origin have in common (RFC 9875 section 2).
package struct CacheGroups: Equatable, Sendable {
  /// "Implementations MUST support at least 32 groups in a field value, with up to at least 32 characters in each
  /// member"; names beyond these limits are ignored.
  private static let maximumCount = 32
  private static let maximumLength = 32

  package let names: [[UInt8]]

  /// - Returns: `nil` if the field is absent, malformed, or names none.
  init?(_ field: FieldName, of fields: Fields) {
    guard let value = fields.combined(field), let strings = StructuredField.strings(value) else { return nil }
    names = strings.prefix(Self.maximumCount).filter { $0.count <= Self.maximumLength }
    if names.isEmpty { return nil }
  }

  package init?(of stored: StoredResponse) { self.init(.cacheGroups, of: stored.fields) }

  func meets(_ other: CacheGroups) -> Bool { names.contains { other.names.contains($0) } }
}
