package import FlagTable
package import HTTPCaching

/// What is wanted of the cache.
package struct CacheOptions: Hashable, Sendable {
  package enum Offline: Hashable, Sendable {
    /// What is stored is served, whatever its age.
    case lenient
    /// What RFC 9111 forbids to serve stale is not served.
    case strict
  }

  /// Of the last option that named one; `nil` where none did.
  package var policy: CachePolicy?
  /// That option as it is spelt in the helps: `--reload`.
  package var policyOption: String?
  package var offline: Offline?
  package var directory: ArgumentText?
}

enum CacheFlags {
  static var all: [Flag<Invocation>] {
    [policy, offline, refresh, reload, preferOffline, noStore]
  }

  static let policy = Flag<Invocation>(
    "cache-policy", value: "POLICY", completes: .choices(CachePolicy.allCases.map(\.rawValue)), in: .cache,
    summary: "Use the cache as POLICY says.",
    details: """
      The names of URLRequest.CachePolicy and of the Fetch standard's cache modes are accepted too, without regard to
      case: see `garner help cache-policies`.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.cache.set(try PolicyName.policy(text), by: "--cache-policy")
  }

  static let offline = Flag<Invocation>(
    "offline", optionalValue: "MODE", completes: .choices(["strict"]), in: .cache,
    summary: "Send nothing: answer from the cache, or exit with 110.",
    details: """
      What is stored is served whatever its age, with a warning where it is stale. `--offline=strict` does not serve
      what RFC 9111 forbids to serve stale (must-revalidate, no-cache).
      """
  ) { invocation, text throws(InvalidValue) in
    guard text == nil || text == "strict" else { throw .notOneOf(["strict"]) }
    invocation.cache.offline = text == nil ? .lenient : .strict
  }

  static let refresh = Flag<Invocation>(
    "refresh", in: .cache,
    summary: "Validate what is stored before it is served, however fresh it is.",
    details: "The same as `--cache-policy revalidate`."
  ) { $0.cache.set(.revalidate, by: "--refresh") }

  static let reload = Flag<Invocation>(
    "reload", in: .cache,
    summary: "Fetch from the origin, and replace what is stored.",
    details: "The same as `--cache-policy reload`."
  ) { $0.cache.set(.reload, by: "--reload") }

  static let preferOffline = Flag<Invocation>(
    "prefer-offline", in: .cache,
    summary: "Serve what is stored, whatever its age; fetch only what is absent.",
    details: "The same as `--cache-policy cache-else-load`."
  ) { $0.cache.set(.cacheElseLoad, by: "--prefer-offline") }

  static let noStore = Flag<Invocation>(
    "no-store", in: .cache,
    summary: "Fetch as if there were no cache.",
    details: "Nothing is looked up, and nothing is stored. The same as `--cache-policy no-store`."
  ) { $0.cache.set(.noStore, by: "--no-store") }

  static let directory = Flag<Invocation>(
    "cache-dir", value: "DIRECTORY", completes: .directory, in: .common,
    summary: "Keep the cache in DIRECTORY.",
    details: "Without it, `$XDG_CACHE_HOME/garner` and `~/.cache/garner` are tried in this order."
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of a directory is empty") }
    invocation.cache.directory = text
  }
}

extension CacheOptions {
  fileprivate mutating func set(_ policy: CachePolicy, by option: String) {
    self.policy = policy
    policyOption = option
  }
}
