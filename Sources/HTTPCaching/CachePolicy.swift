/// A cache policy: how the user wants a request to use the cache.
package enum CachePolicy: String, Equatable, Sendable, CaseIterable {
  /// RFC 9111: a fresh response is served, a stale one is validated, an absent one is fetched.
  case useProtocol = "protocol"
  /// Fetches from the origin, unconditionally, and stores the answer.
  case reload
  /// Like `reload`, and sends no-cache, so that caches on the way step aside too.
  case reloadAll = "reload-all"
  /// Validates a stored response before serving it, even a fresh one, unless that is immutable.
  case revalidate
  /// Serves a stored response, whatever its age; fetches if there is none.
  case cacheElseLoad = "cache-else-load"
  /// Serves a stored response, whatever its age; never sends anything.
  case cacheOnly = "cache-only"
  /// Like `cacheOnly`, but does not serve a response that RFC 9111 forbids to serve without validation.
  case cacheOnlyStrict = "cache-only-strict"
  /// Fetches; if that fails, serves a stored response, whatever its age.
  case networkFirst = "network-first"
  /// Neither looks up nor stores.
  case noStore = "no-store"

  // Each property is an exhaustive switch, so that a new policy does not compile before each of them has a value for
  // it.

  /// Whether a request may be sent.
  package var allowsNetwork: Bool {
    switch self {
    case .useProtocol, .reload, .reloadAll, .revalidate, .cacheElseLoad, .networkFirst, .noStore: true
    case .cacheOnly, .cacheOnlyStrict: false
    }
  }

  /// The policy that finds out whether the cache alone could answer a fetch under this policy.
  package var withoutNetwork: CachePolicy {
    switch self {
    case .useProtocol, .reload, .reloadAll, .revalidate, .cacheElseLoad, .cacheOnly, .networkFirst, .noStore: .cacheOnly
    case .cacheOnlyStrict: .cacheOnlyStrict
    }
  }

  /// Whether the origin is asked for the whole response, whatever is stored.
  var asksAnew: Bool {
    switch self {
    case .reload, .reloadAll: true
    case .useProtocol, .revalidate, .cacheElseLoad, .cacheOnly, .cacheOnlyStrict, .networkFirst, .noStore: false
    }
  }

  /// Whether a stored response answers if the origin fails, whatever its age, unless the user bounds that.
  package var takesStoredOnError: Bool {
    switch self {
    case .networkFirst: true
    case .useProtocol, .reload, .reloadAll, .revalidate, .cacheElseLoad, .cacheOnly, .cacheOnlyStrict, .noStore: false
    }
  }

  /// Whether a response that another run has just stored may stand in for the origin's answer.
  var mayWaitForOthers: Bool {
    switch self {
    case .useProtocol, .cacheElseLoad: true
    case .reload, .reloadAll, .revalidate, .cacheOnly, .cacheOnlyStrict, .networkFirst, .noStore: false
    }
  }

  /// Whether stored content that has the digest expected by the user is served without asking the origin. Policies that
  /// order the origin to be asked do not allow it.
  package var servesByDigest: Bool {
    switch self {
    case .useProtocol, .cacheElseLoad, .cacheOnly, .cacheOnlyStrict: true
    case .reload, .reloadAll, .revalidate, .networkFirst, .noStore: false
    }
  }

  /// Whether a request with these directives may go to the origin: "only-if-cached ... indicates that the client only
  /// wishes to obtain a stored response" (RFC 9111 section 5.2.1.7).
  package func allowsSending(_ directives: CacheControl) -> Bool { allowsNetwork && !directives.onlyIfCached }
}
