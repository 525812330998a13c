import FlagTable
package import HTTPSemantics

/// A moment in the past, given by how long ago it was, or by its date.
package enum PastMoment: Equatable, Sendable {
  case ago(Duration)
  case on(Timestamp)

  /// Reads what `Quantities.duration` reads, a date of RFC 3339, or the day of such a date, which stands for midnight
  /// in UTC.
  init(parsing text: ArgumentText) throws(InvalidValue) {
    if let date = InternetDate.parse(text.bytes) ?? InternetDate.parse(text.bytes + Self.midnight) {
      self = .on(date)
    } else {
      do throws(InvalidValue) {
        self = .ago(try Quantities.duration(text))
      } catch {
        if error == Quantities.tooLong { throw error }
        throw .expected("a time such as 12h or 7d, or a date such as 2026-11-21 or 2026-11-21T06:45:47Z")
      }
    }
  }

  private static let midnight = Array("T00:00:00Z".utf8)
}
