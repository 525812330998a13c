/// A response's status code (RFC 9110 section 15).
package struct StatusCode: Equatable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }
  package init(integerLiteral value: UInt16) { rawValue = value }

  /// "All valid status codes are within the range of 100 to 599, inclusive" (RFC 9110 section 15).
  package var isInRange: Bool { (100...599).contains(rawValue) }

  package var isInformational: Bool { rawValue / 100 == 1 }
  /// Whether a response with this status may have content. One that may not is "always terminated by the first empty
  /// line after the header fields, regardless of the header fields present in the message" (RFC 9112 section 6.3).
  package var mayHaveContent: Bool { !isInformational && rawValue != 204 && rawValue != 304 }

  package var isError: Bool { rawValue >= 400 }

  /// Whether it is a redirection whose Location a user agent follows by itself (RFC 9110 section 15.4).
  package var isFollowedRedirection: Bool {
    switch rawValue {
    case 300, 301, 302, 303, 307, 308: true
    default: false
    }
  }

  package var description: String { String(rawValue) }
}
