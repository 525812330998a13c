import FlagTable
package import HTTPCaching

/// The options that say how old and how stale a response may be.
package struct FreshnessOptions: Equatable, Sendable {
  /// In seconds.
  package var maxAge: Int64?
  package var maxStale: CacheControl.Limit?
  /// In seconds.
  package var minFresh: Int64?
  package var leave = StaleLeave.none
}

enum FreshnessFlags {
  static let all: [Flag<Invocation>] = [maxAge, maxStale, minFresh, staleIfError, staleWhileRevalidate]

  static let maxAge = Flag<Invocation>(
    "max-age", value: "TIME", in: .freshness, facts: { _ in .init(also: .directive("max-age")) },
    summary: "Take nothing older than TIME without asking the origin.",
    details: #"""
      The request says so, in Cache-Control, to caches on the way, too. Beside
      \flag{max-stale}, it may be older by what that says.
      TIME is a number of seconds, or has a unit: `30s`, `10m`, `12h`, `7d`, `4w`.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.freshness.maxAge = try Quantities.wholeSeconds(text) }

  static let maxStale = Flag<Invocation>(
    "max-stale", optionalValue: "TIME", in: .freshness, facts: { _ in .init(also: .directive("max-stale")) },
    summary: "Take what has been stale for TIME at most; without TIME, however long.",
    details: """
      The request says so, in Cache-Control. What its origin wants validated (must-revalidate, no-cache) is validated.
      """
  ) { invocation, text throws(InvalidValue) in invocation.freshness.maxStale = try limit(text) }

  static let minFresh = Flag<Invocation>(
    "min-fresh", value: "TIME", in: .freshness, facts: { _ in .init(also: .directive("min-fresh")) },
    summary: "Take only what stays fresh for TIME without asking the origin.",
    details: "The request says so, in Cache-Control."
  ) { invocation, text throws(InvalidValue) in
    invocation.freshness.minFresh = try Quantities.wholeSeconds(text, roundingUp: true)
  }

  static let staleIfError = Flag<Invocation>(
    "stale-if-error", optionalValue: "TIME", in: .freshness, facts: { _ in .init(also: .directive("stale-if-error")) },
    summary: "Where the origin fails, take what has been stale for TIME at most.",
    details: #"""
      Without TIME, however long. It fails where it cannot be asked, breaks off before a byte was seen, or answers
      500, 502, 503 or 504. What its origin wants validated is not served (must-revalidate, no-cache), but under the
      policy `network-first`, which this bounds.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.freshness.leave.ifError = try limit(text) }

  static let staleWhileRevalidate = Flag<Invocation>(
    "stale-while-revalidate", optionalValue: "TIME", in: .freshness,
    summary: "Take what has been stale for TIME at most, and validate it afterwards.",
    details: """
      Without TIME, however long. What is stored is printed at once, and brought up to date by a process of its own when
      the run is over. What its origin wants validated (must-revalidate, no-cache) is validated before, and so is all
      where the cache cannot be written.
      """
  ) { invocation, text throws(InvalidValue) in invocation.freshness.leave.whileRevalidating = try limit(text) }

  private static func limit(_ text: ArgumentText?) throws(InvalidValue) -> CacheControl.Limit {
    guard let text else { return .unlimited }
    return .seconds(try Quantities.wholeSeconds(text))
  }
}
