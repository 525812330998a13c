import FlagTable
package import HTTPCaching

/// The options that say how old and how stale a response may be.
package struct FreshnessOptions: Equatable, Sendable {
  /// In seconds.
  package var maxAge: Int64?
  package var maxStale: CacheControl.Limit?
  /// In seconds.
  package var minFresh: Int64?
  package var stalePermission = StalePermission.none
}

enum FreshnessFlags {
  static let all: [Flag<Invocation>] = [maxAge, maxStale, minFresh, staleIfError, staleWhileRevalidate]

  static let maxAge = Flag<Invocation>(
    "max-age", value: "TIME", in: .freshness, facts: { _ in .init(also: .directive("max-age")) },
    summary: "Ask the origin if the stored response is older than TIME.",
    details: #"""
      The request also carries the limit in Cache-Control, for caches on the way. With \flag{max-stale}, the response
      may be older by that much. TIME is a number of seconds, or has a unit: `30s`, `10m`, `12h`, `7d`, `4w`.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.freshness.maxAge = try Quantities.wholeSeconds(text) }

  static let maxStale = Flag<Invocation>(
    "max-stale", optionalValue: "TIME", in: .freshness, facts: { _ in .init(also: .directive("max-stale")) },
    summary: "Serve responses that have been stale for at most TIME.",
    details: """
      Without TIME, there is no limit. The request also carries the limit in Cache-Control. A response that its origin
      wants validated (must-revalidate, no-cache) is validated.
      """
  ) { invocation, text throws(InvalidValue) in invocation.freshness.maxStale = try limit(text) }

  static let minFresh = Flag<Invocation>(
    "min-fresh", value: "TIME", in: .freshness, facts: { _ in .init(also: .directive("min-fresh")) },
    summary: "Ask the origin unless the stored response stays fresh for TIME.",
    details: "The request also carries the limit in Cache-Control."
  ) { invocation, text throws(InvalidValue) in
    invocation.freshness.minFresh = try Quantities.wholeSeconds(text, roundingUp: true)
  }

  static let staleIfError = Flag<Invocation>(
    "stale-if-error", optionalValue: "TIME", in: .freshness, facts: { _ in .init(also: .directive("stale-if-error")) },
    summary: "If the origin fails, serve responses that have been stale for at most TIME.",
    details: """
      Without TIME, there is no limit. The origin fails if it cannot be asked, if it breaks off before any of its answer
      was delivered, or if it answers 500, 502, 503 or 504. A response that its origin wants validated (must-revalidate,
      no-cache) is not served, except under the policy `network-first`, which this option limits.
      """
  ) { invocation, text throws(InvalidValue) in invocation.freshness.stalePermission.ifError = try limit(text) }

  static let staleWhileRevalidate = Flag<Invocation>(
    "stale-while-revalidate", optionalValue: "TIME", in: .freshness,
    summary: "Serve responses that have been stale for at most TIME, then validate them.",
    details: """
      Without TIME, there is no limit. The stored response is printed at once, and a separate process brings it up to
      date when the run is over. A response that its origin wants validated (must-revalidate, no-cache) is validated
      first, and so is every response if the cache cannot be written.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.freshness.stalePermission.whileRevalidating = try limit(text)
  }

  private static func limit(_ text: ArgumentText?) throws(InvalidValue) -> CacheControl.Limit {
    guard let text else { return .unlimited }
    return .seconds(try Quantities.wholeSeconds(text))
  }
}
