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

  /// The policy that the last option named; `nil` if none did.
  package var policy: CachePolicy?
  /// The option that named it.
  package var policyOption: OptionName?
  /// That option as it is typed, with the policy if that is its value.
  package var policySpelling: String? {
    guard let policy, let policyOption else { return nil }
    let spelling = policyOption.spelling
    return policyOption == OptionName(CacheFlags.policy) ? "\(spelling) \(policy.rawValue)" : spelling
  }
  package var offline: Offline?
  package var directory: ArgumentText?
  /// Where responses may be kept; `nil` if no option said so.
  package var storage: StoragePolicy?
  /// In bytes.
  package var memoryCapacity: Int?
  /// `nil` if no option said so; zero does not wait.
  package var collapseTimeout: Duration?
  /// In bytes.
  package var diskCapacity: Int64?
  /// The limit for the content of a stored response, in bytes.
  package var largestObject: Int64?
  package var isDurable = false

  /// The option because of which nothing is stored on disk.
  package var optionAgainstDisk: OptionName? {
    if policy == .noStore { return policyOption }
    if storage == .memoryOnly { return OptionName(CacheFlags.memoryOnly) }
    return diskCapacity == 0 ? OptionName(CacheFlags.diskCapacity) : nil
  }
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
      The names of URLRequest.CachePolicy and of the Fetch standard's cache modes are accepted, too, and case does not
      matter. See `garner help policies`.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.cache.set(try PolicyName.policy(text), by: policy)
  }

  static let offline = Flag<Invocation>(
    "offline", optionalValue: "MODE", completes: .choices(["strict"]), in: .cache,
    facts: { _ in .init(also: .cachePolicy, .noStore) },
    summary: "Send nothing: answer from the cache, or exit with 110.",
    details: """
      Stored responses are served whatever their age, with a warning if they are stale. `--offline=strict` does not
      serve a stale response if RFC 9111 forbids it (must-revalidate, no-cache).
      """
  ) { invocation, text throws(InvalidValue) in
    guard text == nil || text == "strict" else { throw .notOneOf(["strict"]) }
    invocation.cache.offline = text == nil ? .lenient : .strict
  }

  /// A setting that only says how the cache is read does not lift `--no-store`, whichever layers the two come from.
  private static var ofNoStore: SettingFacts { .init(also: .noStore, .storage, over: [.cachePolicy]) }

  static let refresh: Flag<Invocation> = Flag(
    "refresh", in: .cache, facts: { _ in .init(also: .cachePolicy) },
    summary: "Validate a stored response before serving it, even if it is fresh.",
    details: "The same as `--cache-policy revalidate`."
  ) { $0.cache.setReading(.revalidate, by: refresh) }

  static let reload: Flag<Invocation> = Flag(
    "reload", in: .cache, facts: { _ in .init(also: .cachePolicy) },
    summary: "Fetch from the origin, and replace the stored response.",
    details: "The same as `--cache-policy reload`."
  ) { $0.cache.setReading(.reload, by: reload) }

  static let preferOffline: Flag<Invocation> = Flag(
    "prefer-offline", in: .cache, facts: { _ in .init(also: .cachePolicy) },
    summary: "Serve stored responses whatever their age, and fetch only what is not stored.",
    details: "The same as `--cache-policy cache-else-load`."
  ) { $0.cache.setReading(.cacheElseLoad, by: preferOffline) }

  static let noStore: Flag<Invocation> = Flag(
    "no-store", in: .cache, facts: { _ in ofNoStore },
    summary: "Fetch as if there were no cache.",
    details: #"""
      Nothing is looked up or stored. The same as `--cache-policy no-store`. Options that only say how the cache is read
      (\flag{refresh}, \flag{reload}, \flag{prefer-offline}) do not lift it, wherever they are given;
      \flag{cache-policy} does.
      """#
  ) { $0.cache.set(.noStore, by: noStore) }

  static let memoryOnly = Flag<Invocation>(
    "memory-only", in: .cache, facts: { _ in .init(also: .storage) },
    summary: "Store responses only in memory, until the run ends.",
    details: #"""
      No part of a response reaches the disk. Responses that earlier runs have stored there are used as usual and stay
      unchanged, with three exceptions: a response is removed if an unsafe method invalidates it, if its origin has
      replaced it with one that may not be stored, or if it is found damaged. The option is useful for a run that
      fetches many URLs, fetches one several times, or follows redirects. It contradicts \flag{no-store}.
      """#
  ) { $0.cache.storage = .memoryOnly }

  static let memoryCapacity = Flag<Invocation>(
    "memory-capacity", value: "SIZE", in: .cache, scope: .run,
    summary: "Keep at most SIZE bytes of responses in memory (default: 64M).",
    details: #"""
      A run with several URLs, or with \flag{memory-only}, keeps the responses that it stores in memory until it ends. A
      response larger than a quarter of SIZE is not kept there. SIZE is a number of bytes, or has a unit: `500K`, `20M`,
      `2G`. With 0, nothing is kept.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.cache.memoryCapacity = Int(clamping: try Quantities.byteCount(text))
  }

  static let collapseTimeout = Flag<Invocation>(
    "collapse-timeout", value: "TIME", in: .cache, scope: .run,
    summary: "Wait at most TIME for another run that requests the same response.",
    details: #"""
      When several runs want the same response, and it is absent or stale, one run asks the origin. The others wait for
      the response that it stores, or until it is clear that nothing will be stored. TIME starts again whenever
      something arrives from the origin. When TIME has passed, a waiting run asks the origin itself, and also when half
      of the time has passed that \flag{max-time} left it when it began to wait; a response with Content-Length is
      waited for as long as it keeps arriving. If the asking run is held up by its own \flag{limit-rate} for two
      seconds, or by its reader for five, or if a response without Content-Length has been arriving for 30 seconds, one
      of the waiting runs asks instead, and the others wait for that run. No run waits for the end of a response whose
      type is `text/event-stream` or `multipart/x-mixed-replace`. The default is 5s. With 0, a run does not wait. TIME
      has the format of \flag{max-time}.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.cache.collapseTimeout = try Quantities.duration(text) }

  static let diskCapacity = Flag<Invocation>(
    "disk-capacity", value: "SIZE", in: .cache, scope: .run,
    summary: "Keep at most SIZE on disk (default: 10GiB).",
    details: """
      SIZE is written as `500K`, `20M` or `2GiB`. If storing a response makes the cache larger than SIZE, the least
      recently used responses are removed, except pinned ones. If one host holds more than half of SIZE, only responses
      of that host are removed. With 0, nothing is looked up or stored on disk.
      """
  ) { invocation, text throws(InvalidValue) in invocation.cache.diskCapacity = try Quantities.byteCount(text) }

  static let largestObject = Flag<Invocation>(
    "max-object-size", value: "SIZE", in: .cache, scope: .run,
    summary: "Store no body larger than SIZE (default: 5 % of the capacity).",
    details: """
      A larger body is delivered as usual, but not stored. The part of it that an interrupted transfer leaves is not
      stored either: the next run starts from the beginning.
      """
  ) { invocation, text throws(InvalidValue) in invocation.cache.largestObject = try Quantities.byteCount(text) }

  static let durable = Flag<Invocation>(
    "durable", negation: .accepted, in: .cache, scope: .run,
    summary: "Wait until stored responses have reached the disk.",
    details: """
      Without the option, a machine that crashes may lose the responses that were stored last. It never serves an
      incomplete one in their place.
      """
  ) { invocation, isOn in invocation.cache.isDurable = isOn }

  static let directory = Flag<Invocation>(
    "cache-dir", value: "DIRECTORY", completes: .directory, in: .common, scope: .run,
    summary: "Keep the cache in DIRECTORY.",
    details: """
      Without the option, the cache is in the directory that GARNER_CACHE_DIR names, else in `$XDG_CACHE_HOME/garner`,
      or in `~/.cache/garner` if that variable is not set.
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
