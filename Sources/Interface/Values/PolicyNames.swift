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
      "RFC 9111: what is fresh is served, what is stale is validated, what is absent is fetched. The default."),
    PolicyName(
      .reload, ["reloadIgnoringLocalCacheData", "reloadIgnoringCacheData"], "reload",
      "The origin's answer, unconditionally; it replaces what was stored."),
    PolicyName(
      .reloadAll, ["reloadIgnoringLocalAndRemoteCacheData"], nil,
      "As `reload`, and caches on the way are asked to step aside too."),
    PolicyName(
      .revalidate, ["reloadRevalidatingCacheData"], "no-cache",
      "What is stored is validated first, however fresh."),
    PolicyName(
      .cacheElseLoad, ["returnCacheDataElseLoad"], "force-cache",
      "What is stored is served, whatever its age; what is absent is fetched."),
    PolicyName(
      .cacheOnly, ["returnCacheDataDontLoad"], "only-if-cached",
      "What is stored is served, whatever its age; else the exit status is 110, and nothing is sent."),
    PolicyName(
      .cacheOnlyStrict, [], nil,
      "As `cache-only`, but what RFC 9111 forbids to serve stale is not served."),
    PolicyName(
      .networkFirst, [], nil,
      "Fetched; where that fails, what is stored is served, whatever its age."),
    PolicyName(.noStore, [], "no-store", "Nothing is looked up, and nothing is stored."),
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
    guard let name else { throw .notOneOf(CachePolicy.allCases.map(\.rawValue)) }
    return name.policy
  }
}
