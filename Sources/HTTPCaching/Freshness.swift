package import HTTPSemantics

/// The freshness lifetime, the time for which a response may be used without validation, and its source (RFC 9111
/// section 4.2.1).
package struct FreshnessLifetime: Equatable, Sendable {
  package enum Source: String, Equatable, Sendable {
    case maxAge = "max-age"
    case expires = "Expires"
    /// "... no more than some fraction of the interval since that time" (RFC 9111 section 4.2.2).
    case heuristic
    case none
  }

  /// Seconds, never negative, at most 2^31.
  package let seconds: Int64
  package let source: Source

  private init(_ seconds: Int64, _ source: Source) {
    self.seconds = min(max(0, seconds), CacheControl.Delta.greatest)
    self.source = source
  }

  package init(of response: Response, cacheControl: CacheControl, receivedAt responseTime: Timestamp) {
    let fields = response.fields
    // "If the max-age response directive is present, use its value"; s-maxage is for shared caches.
    switch cacheControl.maxAge {
    case .seconds(let seconds):
      self.init(seconds, .maxAge)
      return
    case .invalid:
      // "Caches are encouraged to consider responses that have invalid freshness information ... to be stale."
      self.init(0, .maxAge)
      return
    case .absent:
      break
    }
    let date = fields.dateValue(receivedAt: responseTime)
    // "If the Expires response header field is present, use its value minus the value of the Date response header
    // field". An Expires that is invalid, as 0 is, or that is given twice with different values, lies in the past (RFC
    // 9111 section 5.3).
    if fields.contains(.expires) {
      let expires = Self.expires(fields, now: responseTime)
      self.init(expires.map { $0.seconds(since: date) } ?? 0, .expires)
      return
    }
    self.init(heuristicallyFor: response, cacheControl: cacheControl, date: date, now: responseTime)
  }

  private init(
    heuristicallyFor response: Response, cacheControl: CacheControl, date: Timestamp, now: Timestamp
  ) {
    guard response.status.isHeuristicallyCacheable || cacheControl.isPublic,
      let lastModified = response.fields[.lastModified].flatMap({ HTTPDate.parse($0, now: now) }),
      // A Date ahead of `now`, from a clock that is ahead, does not show that nothing changes until then.
      case let interval = min(date, now).seconds(since: lastModified), interval > 0
    else {
      self.init(0, .none)
      return
    }
    self.init(min(interval / Self.heuristicFraction, Self.longestHeuristic), .heuristic)
  }

  /// "A typical setting of this fraction might be 10%" (RFC 9111 section 4.2.2).
  private static let heuristicFraction: Int64 = 10
  /// The longest heuristic lifetime: a week, in seconds. That a file was untouched for years is no promise.
  private static let longestHeuristic: Int64 = 7 * 86400

  private static func expires(_ fields: Fields, now: Timestamp) -> Timestamp? {
    let values = fields.values(of: .expires)
    guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
    return HTTPDate.parse(first, now: now)
  }
}

extension StatusCode {
  /// Whether a response with this status is "heuristically cacheable" (RFC 9110 section 15.1).
  package var isHeuristicallyCacheable: Bool {
    switch rawValue {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}

/// The age and the freshness lifetime of a stored response at a given time.
package struct Freshness: Equatable, Sendable {
  package let age: Age
  package let lifetime: FreshnessLifetime
  private let isDoubtful: Bool

  package init(of stored: StoredResponse, at now: Timestamp) {
    self.init(of: stored, cacheControl: stored.cacheControl, at: now)
  }

  /// - Parameter cacheControl: the stored response's.
  package init(of stored: StoredResponse, cacheControl: CacheControl, at now: Timestamp) {
    age = Age(of: stored, at: now)
    lifetime = FreshnessLifetime(
      of: stored.response, cacheControl: cacheControl, receivedAt: stored.responseTime)
    isDoubtful = stored.isDoubtful
  }

  /// "response_is_fresh = (freshness_lifetime > current_age)" (RFC 9111 section 4.2). A response that cannot be dated
  /// is not fresh.
  package var isFresh: Bool { isDatable && lifetime.seconds > age.seconds }

  /// Whether the age is known. It is not known if the clock was set back, or an update of the entry was cut off.
  package var isDatable: Bool { !isDoubtful && !age.isUnknowable }

  /// Seconds for which the response stays fresh; its staleness as a negative number if it is stale. Never positive if
  /// the response cannot be dated.
  package var remaining: Int64 {
    let seconds = lifetime.seconds - age.seconds
    return isDatable ? seconds : min(seconds, 0)
  }

  /// Seconds since it went stale; 0 while it is fresh.
  package var staleness: Int64 { max(0, -remaining) }
}
