/// A moment in whole seconds since 1970-01-01T00:00:00Z: the resolution in which HTTP states times.
package struct Timestamp: Equatable, Comparable, Sendable {
  package let secondsSinceEpoch: Int64

  package init(secondsSinceEpoch: Int64) {
    self.secondsSinceEpoch = secondsSinceEpoch
  }

  package static func < (one: Timestamp, other: Timestamp) -> Bool {
    one.secondsSinceEpoch < other.secondsSinceEpoch
  }

  /// The seconds from `earlier` to this moment, negative if this one is the earlier; clamped, never trapping.
  package func seconds(since earlier: Timestamp) -> Int64 {
    let (difference, overflow) = secondsSinceEpoch.subtractingReportingOverflow(earlier.secondsSinceEpoch)
    guard overflow else { return difference }
    return secondsSinceEpoch > earlier.secondsSinceEpoch ? .max : .min
  }

  /// The moment that is so many seconds later, or earlier if they are negative; clamped, never trapping.
  package func advanced(bySeconds seconds: Int64) -> Timestamp {
    let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
    return Timestamp(secondsSinceEpoch: overflow ? (seconds > 0 ? .max : .min) : sum)
  }

  /// Whether this expiry is worth being written down although another one is known: it differs by more than a tenth of
  /// its remaining life, or by more than a day.
  ///
  /// - Parameter lifetime: its remaining life, in seconds.
  func isNews(beside other: Timestamp, lifetime: Int64) -> Bool {
    abs(seconds(since: other)) > min(86_400, lifetime / 10)
  }
}
