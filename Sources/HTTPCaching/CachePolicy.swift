/// What the user wants of the cache for a request.
package enum CachePolicy: String, Equatable, Sendable, CaseIterable {
  /// RFC 9111: what is fresh is served, what is stale is validated, what is absent is fetched.
  case useProtocol = "protocol"
  /// The origin's answer, unconditionally; it is stored.
  case reload
  /// As `reload`, and caches on the way are asked to step aside too.
  case reloadAll = "reload-all"
  /// A stored response is validated first, however fresh.
  case revalidate
  /// Stored, whatever its age; else fetched.
  case cacheElseLoad = "cache-else-load"
  /// Stored, whatever its age; nothing is ever sent.
  case cacheOnly = "cache-only"
  /// As `cacheOnly`, but what RFC 9111 forbids to serve stale is not served.
  case cacheOnlyStrict = "cache-only-strict"
  /// Fetched; where that fails, stored, whatever its age.
  case networkFirst = "network-first"
  /// Neither looked up nor stored.
  case noStore = "no-store"

  /// Whether a request may leave the machine.
  package var allowsNetwork: Bool { self != .cacheOnly && self != .cacheOnlyStrict }

  /// Whether a request with these directives may go to the origin: "only-if-cached ... indicates that the client only
  /// wishes to obtain a stored response" (RFC 9111 section 5.2.1.7).
  package func allowsSending(_ directives: CacheControl) -> Bool { allowsNetwork && !directives.onlyIfCached }
}
