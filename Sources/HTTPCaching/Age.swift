package import HTTPSemantics

/// The age of a stored response: the seconds since it was generated or validated at the origin (RFC 9111 section
/// 4.2.3).
package struct Age: Hashable, Sendable {
  /// Seconds, never negative, at most 2^31.
  package let seconds: Int64
  /// Set where the response came later than now is: the clock was put back, and no age can be known.
  package let isUnknowable: Bool

  package init(of stored: StoredResponse, at now: Timestamp) {
    let dateValue =
      stored.fields[.date].flatMap { HTTPDate.parse($0, now: stored.responseTime) } ?? stored.responseTime
    // "apparent_age = max(0, response_time - date_value);"
    let apparentAge = max(0, stored.responseTime.seconds(since: dateValue))
    // "response_delay = response_time - request_time; corrected_age_value = age_value + response_delay;"
    let responseDelay = max(0, stored.responseTime.seconds(since: stored.requestTime))
    let correctedAge = Self.value(of: stored.fields) + min(responseDelay, CacheControl.Delta.greatest)
    // "corrected_initial_age = max(apparent_age, corrected_age_value);"
    let initialAge = max(min(apparentAge, CacheControl.Delta.greatest), correctedAge)
    // "resident_time = now - response_time; current_age = corrected_initial_age + resident_time;"
    let residentTime = now.seconds(since: stored.responseTime)
    isUnknowable = residentTime < 0
    seconds = min(initialAge + min(max(0, residentTime), CacheControl.Delta.greatest), CacheControl.Delta.greatest)
  }

  /// The Age field: "the first member" where there are several, nothing where it is no number (RFC 9111 section 5.1).
  private static func value(of fields: Fields) -> Int64 {
    guard let first = fields.members(of: .age).first else { return 0 }
    return CacheControl.Delta(first).seconds ?? 0
  }
}
