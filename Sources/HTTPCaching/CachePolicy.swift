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

  // Switches, each of them: whoever adds a policy is asked what it does.

  /// Whether a request may leave the machine.
  package var allowsNetwork: Bool {
    switch self {
    case .useProtocol, .reload, .reloadAll, .revalidate, .cacheElseLoad, .networkFirst, .noStore: true
    case .cacheOnly, .cacheOnlyStrict: false
    }
  }

  /// What is asked for of the cache alone, where a fetch under this policy would take it.
  package var withoutNetwork: CachePolicy {
    switch self {
    case .useProtocol, .reload, .reloadAll, .revalidate, .cacheElseLoad, .cacheOnly, .networkFirst, .noStore: .cacheOnly
    case .cacheOnlyStrict: .cacheOnlyStrict
    }
  }

  /// Whether the origin is to send the whole, whatever is stored.
  var asksAnew: Bool {
    switch self {
    case .reload, .reloadAll: true
    case .useProtocol, .revalidate, .cacheElseLoad, .cacheOnly, .cacheOnlyStrict, .networkFirst, .noStore: false
    }
  }

  /// Whether what is stored answers where the origin does not, whatever its age, unless the user bounds that.
  package var takesStoredOnError: Bool {
    switch self {
    case .networkFirst: true
    case .useProtocol, .reload, .reloadAll, .revalidate, .cacheElseLoad, .cacheOnly, .cacheOnlyStrict, .noStore: false
    }
  }

  /// Whether what another run has just stored is as good as an answer of one's own.
  var mayWaitForOthers: Bool {
    switch self {
    case .useProtocol, .cacheElseLoad: true
    case .reload, .reloadAll, .revalidate, .cacheOnly, .cacheOnlyStrict, .networkFirst, .noStore: false
    }
  }

  /// Whether nobody need be asked for what a digest describes. Who orders the origin to be asked has it asked.
  package var heedsDigests: Bool {
    switch self {
    case .useProtocol, .cacheElseLoad, .cacheOnly, .cacheOnlyStrict: true
    case .reload, .reloadAll, .revalidate, .networkFirst, .noStore: false
    }
  }

  /// Whether a request with these directives may go to the origin: "only-if-cached ... indicates that the client only
  /// wishes to obtain a stored response" (RFC 9111 section 5.2.1.7).
  package func allowsSending(_ directives: CacheControl) -> Bool { allowsNetwork && !directives.onlyIfCached }
}
