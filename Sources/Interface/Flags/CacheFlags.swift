package import FlagTable
package import HTTPCaching

/// The options of the cache.
package struct CacheOptions: Equatable, Sendable {
  package enum Offline: Equatable, Sendable {
    /// What is stored is served, whatever its age.
    case lenient
    /// What RFC 9111 forbids to serve stale is not served.
    case strict
  }

  /// The policy that the last option named; `nil` where none did.
  package var policy: CachePolicy?
  /// The option that named it.
  package var policyOption: OptionName?
  /// That option as it is typed, with the policy where that is its value.
  package var policySpelling: String? {
    guard let policy, let policyOption else { return nil }
    let spelling = policyOption.spelling
    return policyOption == OptionName(CacheFlags.policy) ? "\(spelling) \(policy.rawValue)" : spelling
  }
  package var offline: Offline?
  package var directory: ArgumentText?
  /// Where responses may be kept; `nil` where no option said so.
  package var storage: StoragePolicy?
  /// In bytes.
  package var memoryCapacity: Int?
  /// `nil` where no option said so; zero does not wait.
  package var collapseTimeout: Duration?
  /// In bytes.
  package var diskCapacity: Int64?
  /// The limit for the content of a stored response, in bytes.
  package var largestObject: Int64?
  package var isDurable = false
}

enum CacheFlags {
  static let all: [Flag<Invocation>] = [
    policy, offline, refresh, reload, preferOffline, noStore, memoryOnly, memoryCapacity, diskCapacity, largestObject,
    durable, collapseTimeout,
  ]

  static let policy: Flag<Invocation> = Flag(
    "cache-policy", value: "POLICY", completes: .choices(CachePolicy.allCases.map(\.rawValue)), in: .cache,
    facts: { (try? PolicyName.policy($0)) == .noStore ? ofNoStore : .init(also: .cachePolicy, .noStore) },
    summary: "Use the cache as POLICY says.",
    details: """
      The names of URLRequest.CachePolicy and of the Fetch standard's cache modes are accepted too, without regard to
      case: see `garner help policies`.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.cache.set(try PolicyName.policy(text), by: policy)
  }

  static let offline = Flag<Invocation>(
    "offline", optionalValue: "MODE", completes: .choices(["strict"]), in: .cache,
    facts: { _ in .init(also: .cachePolicy, .noStore) },
    summary: "Send nothing: answer from the cache, or exit with 110.",
    details: """
      What is stored is served whatever its age, with a warning where it is stale. `--offline=strict` does not serve
      what RFC 9111 forbids to serve stale (must-revalidate, no-cache).
      """
  ) { invocation, text throws(InvalidValue) in
    guard text == nil || text == "strict" else { throw .notOneOf(["strict"]) }
    invocation.cache.offline = text == nil ? .lenient : .strict
  }

  /// A setting that only says how the cache is read does not lift `--no-store`, whichever layers the two come from.
  private static var ofNoStore: SettingFacts { .init(also: .noStore, .storage, over: [.cachePolicy]) }

  static let refresh: Flag<Invocation> = Flag(
    "refresh", in: .cache, facts: { _ in .init(also: .cachePolicy) },
    summary: "Validate what is stored before it is served, however fresh it is.",
    details: "The same as `--cache-policy revalidate`."
  ) { $0.cache.setReading(.revalidate, by: refresh) }

  static let reload: Flag<Invocation> = Flag(
    "reload", in: .cache, facts: { _ in .init(also: .cachePolicy) },
    summary: "Fetch from the origin, and replace what is stored.",
    details: "The same as `--cache-policy reload`."
  ) { $0.cache.setReading(.reload, by: reload) }

  static let preferOffline: Flag<Invocation> = Flag(
    "prefer-offline", in: .cache, facts: { _ in .init(also: .cachePolicy) },
    summary: "Serve what is stored, whatever its age; fetch only what is absent.",
    details: "The same as `--cache-policy cache-else-load`."
  ) { $0.cache.setReading(.cacheElseLoad, by: preferOffline) }

  static let noStore: Flag<Invocation> = Flag(
    "no-store", in: .cache, facts: { _ in ofNoStore },
    summary: "Fetch as if there were no cache.",
    details: #"""
      Nothing is looked up, and nothing is stored. The same as `--cache-policy no-store`. It stands beside an option
      that says how the cache is read (\flag{refresh}, \flag{reload}, \flag{prefer-offline}), wherever each of them
      comes from; \flag{cache-policy} takes its place.
      """#
  ) { $0.cache.set(.noStore, by: noStore) }

  static let memoryOnly = Flag<Invocation>(
    "memory-only", in: .cache, facts: { _ in .init(also: .storage) },
    summary: "Store responses in memory alone, until the run ends.",
    details: #"""
      Nothing of a response reaches the disk. What earlier runs have stored there is used as ever, and stays as it is;
      but what an unsafe method invalidates, what its origin has replaced by something that may not be stored, and what
      is found damaged is removed. It serves where a run fetches many URLs, repeats one, or follows redirects. It
      contradicts \flag{no-store}.
      """#
  ) { $0.cache.storage = .memoryOnly }

  static let memoryCapacity = Flag<Invocation>(
    "memory-capacity", value: "SIZE", in: .cache, scope: .run,
    summary: "Keep at most SIZE bytes of responses in memory: 64M without it.",
    details: #"""
      A run with several URLs, or with \flag{memory-only}, keeps in memory what it stores, for as long as it lives.
      What is larger than a quarter of SIZE is not kept there. SIZE is a number of bytes, or has a unit: `500K`, `20M`,
      `2G`. With 0, nothing is kept.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.cache.memoryCapacity = Int(clamping: try Quantities.byteCount(text))
  }

  static let collapseTimeout = Flag<Invocation>(
    "collapse-timeout", value: "TIME", in: .cache, scope: .run,
    summary: "Wait at most TIME for another run that asks for the same.",
    details: #"""
      Of runs that want the same response, and find it absent or stale, one asks the origin. The others wait for what it
      stores, or until it is clear that nothing will be stored. TIME begins anew whenever something comes from the
      origin; after it, or after half of what is left of \flag{max-time}, a run asks for itself. A run that its own
      \flag{limit-rate} holds up for two seconds, or its reader for five, leaves it to one of the others to ask, and
      they wait for that one. 5s is the default; with 0 a run
      does not wait. TIME is spelt as for \flag{max-time}.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.cache.collapseTimeout = try Quantities.duration(text) }

  static let diskCapacity = Flag<Invocation>(
    "disk-capacity", value: "SIZE", in: .cache, scope: .run,
    summary: "Keep at most SIZE on the disk (default: 10GiB).",
    details: """
      Sizes are spelt `500K`, `20M` or `2GiB`. Where a response that is stored makes the cache larger, what was used the
      longest time ago is removed, unless it is pinned; of a host that holds more than half, its own. With 0, nothing is
      looked up on the disk, and nothing is stored there.
      """
  ) { invocation, text throws(InvalidValue) in invocation.cache.diskCapacity = try Quantities.byteCount(text) }

  static let largestObject = Flag<Invocation>(
    "max-object-size", value: "SIZE", in: .cache, scope: .run,
    summary: "Store no body larger than SIZE (default: 5 % of the capacity).",
    details: """
      What is larger is delivered like anything else, and not stored. Nor is a part of it that an interrupted transfer
      leaves: the next run begins anew.
      """
  ) { invocation, text throws(InvalidValue) in invocation.cache.largestObject = try Quantities.byteCount(text) }

  static let durable = Flag<Invocation>(
    "durable", negation: .accepted, in: .cache, scope: .run,
    summary: "Wait until what is stored is on the disk.",
    details: "Without it, a machine that stops may lose what was stored last. It never serves what is not whole."
  ) { invocation, isOn in invocation.cache.isDurable = isOn }

  static let directory = Flag<Invocation>(
    "cache-dir", value: "DIRECTORY", completes: .directory, in: .common, scope: .run,
    summary: "Keep the cache in DIRECTORY.",
    details: """
      Without it, that is what GARNER_CACHE_DIR names, or else `$XDG_CACHE_HOME/garner`, or `~/.cache/garner` where that
      is not set.
      """
  ) { invocation, text throws(InvalidValue) in invocation.cache.directory = try FileName.checkDirectory(text) }
}

extension CacheOptions {
  fileprivate mutating func set(_ policy: CachePolicy, by option: Flag<Invocation>) {
    self.policy = policy
    policyOption = OptionName(option)
  }

  /// As `set`, for an option that only says how the cache is read. Such an option must not have anything stored that
  /// `--no-store` keeps from being stored.
  fileprivate mutating func setReading(_ policy: CachePolicy, by option: Flag<Invocation>) {
    if self.policy != .noStore { set(policy, by: option) }
  }
}
