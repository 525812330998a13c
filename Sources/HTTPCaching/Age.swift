package import HTTPSemantics

/// The age of a stored response: the seconds since it was generated or validated at the origin (RFC 9111 section
/// 4.2.3).
///
/// Its parts are seconds too, never negative, at most 2^31 each.
package struct Age: Equatable, Sendable {
  /// How much later than its Date the response came; 0 where it has none that can be read.
  package let apparent: Int64
  /// What the Age field said.
  package let received: Int64
  /// From the request to the response.
  package let delay: Int64
  /// Since the response came.
  package let resident: Int64
  /// Set where the response came later than now is: the clock was put back, and no age can be known.
  package let isUnknowable: Bool

  package init(of stored: StoredResponse, at now: Timestamp) {
    self.init(of: stored.fields, requestTime: stored.requestTime, responseTime: stored.responseTime, at: now)
  }

  init(of fields: Fields, requestTime: Timestamp, responseTime: Timestamp, at now: Timestamp) {
    // "apparent_age = max(0, response_time - date_value);"
    apparent = Self.clamped(responseTime.seconds(since: fields.dateValue(receivedAt: responseTime)))
    received = Self.value(of: fields)
    // "response_delay = response_time - request_time;"
    delay = Self.clamped(responseTime.seconds(since: requestTime))
    // "resident_time = now - response_time;"
    let residentTime = now.seconds(since: responseTime)
    isUnknowable = residentTime < 0
    resident = Self.clamped(residentTime)
  }

  /// The age with which the response came: "corrected_age_value = age_value + response_delay; corrected_initial_age =
  /// max(apparent_age, corrected_age_value);"
  package var initial: Int64 { max(apparent, received + delay) }

  /// Seconds, never negative, at most 2^31: "current_age = corrected_initial_age + resident_time;"
  package var seconds: Int64 { Self.clamped(initial + resident) }

  private static func clamped(_ seconds: Int64) -> Int64 { min(max(0, seconds), CacheControl.Delta.greatest) }

  /// The Age field: "the first member" where there are several, nothing where it is no number (RFC 9111 section 5.1).
  ///
  /// A number with parameters, which the field has none of, counts as that number: to take a response for older than it
  /// is costs a validation, to take it for younger serves it stale.
  private static func value(of fields: Fields) -> Int64 {
    guard let first = fields.members(of: .age).first,
      let number = ListSyntax.split(first, at: ASCII.semicolon).first
    else { return 0 }
    return CacheControl.Delta(ASCII.trimmed(number)).seconds ?? 0
  }
}

extension Fields {
  /// "The term 'date_value' denotes the value of the Date header field, in a form appropriate for arithmetic
  /// operations" (RFC 9111 section 4.2.3).
  ///
  /// A response without one, or with one that is none, has the time at which it was received: "A recipient with a clock
  /// that receives a response message without a Date header field MUST record the time it was received" (RFC 9110
  /// section 6.6.1).
  func dateValue(receivedAt responseTime: Timestamp) -> Timestamp {
    self[.date].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
  }
}
