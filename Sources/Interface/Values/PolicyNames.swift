package import FlagTable
package import HTTPCaching

/// The names of a cache policy in the three vocabularies that are accepted.
package struct PolicyName: Equatable, Sendable {
  package let policy: CachePolicy
  /// Its names in Apple's `URLRequest.CachePolicy`.
  let apple: [String]
  /// Its name among the Fetch standard's cache modes.
  package let fetch: String?
  package let meaning: String

  package static let all: [PolicyName] = [
    PolicyName(
      .useProtocol, ["useProtocolCachePolicy"], "default",
      "The default, as in RFC 9111: serve fresh responses, validate stale ones, fetch absent ones."),
    PolicyName(
      .reload, ["reloadIgnoringLocalCacheData", "reloadIgnoringCacheData"], "reload",
      "Fetch unconditionally, and replace the stored response."),
    PolicyName(
      .reloadAll, ["reloadIgnoringLocalAndRemoteCacheData"], nil,
      "Like `reload`, and ask caches on the way not to answer either."),
    PolicyName(
      .revalidate, ["reloadRevalidatingCacheData"], "no-cache",
      "Validate a stored response before serving it, even if it is fresh."),
    PolicyName(
      .cacheElseLoad, ["returnCacheDataElseLoad"], "force-cache",
      "Serve stored responses whatever their age, and fetch absent ones."),
    PolicyName(
      .cacheOnly, ["returnCacheDataDontLoad"], "only-if-cached",
      "Serve stored responses whatever their age; send nothing, and exit with 110 if absent."),
    PolicyName(
      .cacheOnlyStrict, [], nil,
      "Like `cache-only`, but do not serve a stale response if RFC 9111 forbids it."),
    PolicyName(
      .networkFirst, [], nil,
      "Fetch; if that fails, serve the stored response whatever its age."),
    PolicyName(.noStore, [], "no-store", "Look up and store nothing."),
  ]

  private init(_ policy: CachePolicy, _ apple: [String], _ fetch: String?, _ meaning: String) {
    self.policy = policy
    self.apple = apple
    self.fetch = fetch
    self.meaning = meaning
  }

  /// The beginning of Apple's names in Objective-C.
  private static let applePrefix = "nsurlrequest"

  /// Returns the policy that `text` names, without regard to case.
  package static func policy(_ text: ArgumentText) throws(InvalidValue) -> CachePolicy {
    let typed = text.string?.lowercased() ?? ""
    let apple = typed.hasPrefix(applePrefix) ? String(typed.dropFirst(applePrefix.count)) : typed
    let name = all.first { name in
      name.policy.rawValue == typed || name.fetch == typed || name.apple.contains { $0.lowercased() == apple }
    }
    guard let name else { throw .notOneOf(CachePolicy.allCases.map(\.rawValue), not: text) }
    return name.policy
  }
}
