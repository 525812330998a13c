import Glibc

/// The two forms in which an origin may write a date (RFC 9110 section 5.6.7).
package enum HTTPDateForm: Sendable {
  case imfFixdate
  case rfc850
}

/// Returns a time as the value of a field such as Date.
///
/// - Parameter seconds: since 1970.
package func httpDate(_ seconds: Int, form: HTTPDateForm = .imfFixdate) -> String {
  let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  var moment = time_t(seconds)
  var parts = tm()
  gmtime_r(&moment, &parts)
  let weekday = weekdays[Int(parts.tm_wday)]
  let month = months[Int(parts.tm_mon)]
  let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
  let day = twoDigits(parts.tm_mday)
  switch form {
  case .imfFixdate: return "\(weekday.prefix(3)), \(day) \(month) \(parts.tm_year + 1900) \(time) GMT"
  case .rfc850: return "\(weekday), \(day)-\(month)-\(twoDigits(parts.tm_year % 100)) \(time) GMT"
  }
}

private func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
