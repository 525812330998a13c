package import HTTPSemantics

/// For how long a response may be used without validation, and who said so (RFC 9111 section 4.2.1).
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

  package init(of stored: StoredResponse) {
    self.init(of: stored.response, cacheControl: stored.cacheControl, receivedAt: stored.responseTime)
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
    // field"; one that is invalid, as 0 is, or given twice differently, lies in the past (RFC 9111 section 5.3).
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
      // An origin whose clock is ahead has not been without a change since that time.
      case let interval = min(date, now).seconds(since: lastModified), interval > 0
    else {
      self.init(0, .none)
      return
    }
    self.init(min(interval / Self.heuristicFraction, Self.longestHeuristic), .heuristic)
  }

  /// "A typical setting of this fraction might be 10%" (RFC 9111 section 4.2.2).
  private static let heuristicFraction: Int64 = 10
  /// A guess is trusted for a week, in seconds: a file untouched for years is no promise.
  private static let longestHeuristic: Int64 = 7 * 86400

  private static func expires(_ fields: Fields, now: Timestamp) -> Timestamp? {
    let values = fields.values(of: .expires)
    guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
    return HTTPDate.parse(first, now: now)
  }
}

extension StatusCode {
  /// "heuristically cacheable" (RFC 9110 section 15.1).
  package var isHeuristicallyCacheable: Bool {
    switch rawValue {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}

/// Age and lifetime of a stored response at a moment.
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

  /// "response_is_fresh = (freshness_lifetime > current_age)" (RFC 9111 section 4.2). What cannot be dated is not
  /// fresh.
  package var isFresh: Bool { isDatable && lifetime.seconds > age.seconds }

  /// Whether anybody knows how old it is: the clock may have been put back, or an update cut off.
  package var isDatable: Bool { !isDoubtful && !age.isUnknowable }

  /// Seconds for which it stays fresh; negative by as much as it is stale. Of what cannot be dated, none are left.
  package var remaining: Int64 {
    let seconds = lifetime.seconds - age.seconds
    return isDatable ? seconds : min(seconds, 0)
  }

  /// Seconds since it went stale; 0 while it is fresh.
  package var staleness: Int64 { max(0, -remaining) }
}
