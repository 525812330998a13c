package import HTTPSemantics

/// The age of a stored response: the seconds since it was generated or validated at the origin (RFC 9111 section
/// 4.2.3).
///
/// Its parts are seconds too, never negative, at most 2^31 each.
package struct Age: Equatable, Sendable {
  /// The time from the Date field to the arrival of the response; 0 without a readable Date.
  let apparentAge: Int64
  /// The value of the Age field; 0 without a readable one.
  let ageValue: Int64
  /// The time from the request to the response.
  let responseDelay: Int64
  /// The time since the response arrived.
  let residentTime: Int64
  /// Whether the response came later than `now`: the clock was set back, so the age cannot be known.
  package let isUnknowable: Bool

  package init(of stored: StoredResponse, at now: Timestamp) {
    self.init(of: stored.fields, requestTime: stored.requestTime, responseTime: stored.responseTime, at: now)
  }

  /// Makes the age of an answer at the moment when it came.
  package init(of answer: Answer) {
    self.init(
      of: answer.response.fields, requestTime: answer.requestTime, responseTime: answer.responseTime,
      at: answer.responseTime)
  }

  init(of fields: Fields, requestTime: Timestamp, responseTime: Timestamp, at now: Timestamp) {
    // "apparent_age = max(0, response_time - date_value);"
    apparentAge = Self.clamped(responseTime.seconds(since: fields.dateValue(receivedAt: responseTime)))
    ageValue = Self.value(of: fields)
    // "response_delay = response_time - request_time;"
    responseDelay = Self.clamped(responseTime.seconds(since: requestTime))
    // "resident_time = now - response_time;"
    let elapsed = now.seconds(since: responseTime)
    isUnknowable = elapsed < 0
    residentTime = Self.clamped(elapsed)
  }

  /// The age of the response when it arrived: "corrected_age_value = age_value + response_delay; corrected_initial_age
  /// = max(apparent_age, corrected_age_value);"
  package var correctedInitialAge: Int64 { max(apparentAge, ageValue + responseDelay) }

  /// Seconds, never negative, at most 2^31: "current_age = corrected_initial_age + resident_time;"
  package var seconds: Int64 { Self.clamped(correctedInitialAge + residentTime) }

  private static func clamped(_ seconds: Int64) -> Int64 { min(max(0, seconds), CacheControl.Delta.greatest) }

  /// Returns the value of the Age field: that of "the first member" if there are several, 0 if it is not a number (RFC
  /// 9111 section 5.1).
  ///
  /// Parameters, which the field does not define, are ignored: overestimating the age costs a validation,
  /// underestimating it serves a stale response.
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
  /// Without a readable Date, the time of receipt takes its place: "A recipient with a clock that receives a response
  /// message without a Date header field MUST record the time it was received" (RFC 9110 section 6.6.1).
  func dateValue(receivedAt responseTime: Timestamp) -> Timestamp {
    self[.date].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
  }
}
