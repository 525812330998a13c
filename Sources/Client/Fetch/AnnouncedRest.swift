import HTTPCaching
import Transport

/// Counts down the content that an answer's range announces: the rest behind a stored part, behind delivered content,
/// or behind what a file holds. More content than announced is refused.
struct AnnouncedRest {
  private let expected: UInt64
  private var missing: UInt64

  /// - Parameter length: in bytes.
  init(of length: UInt64) {
    expected = length
    missing = length
  }

  /// - Parameters:
  ///   - whole: the response that the part and the rest make together.
  ///   - part: the stored part of it, from the front.
  init(of whole: StoredResponse, from part: StoredResponse) {
    expected = whole.contentLength - part.heldBytes.upperBound
    missing = expected
  }

  /// Counts content that has arrived.
  ///
  /// - Returns: whether all of it was announced.
  mutating func take(_ count: Int) -> Bool {
    guard UInt64(count) <= missing else { return false }
    missing -= UInt64(count)
    return true
  }

  /// The failure if less content has arrived than the Content-Range announced, though the message is complete.
  var shortfall: TransportError? {
    guard missing > 0 else { return nil }
    return .truncated(after: expected - missing, of: expected)
  }

  static let excess = TransportError.weirdReply(reason: "more content came than its Content-Range says")
}

extension TransportError {
  /// The content ended early; counts in bytes.
  static func truncated(after received: UInt64, of expected: UInt64?) -> TransportError {
    .truncated(received: Int64(clamping: received), expected: expected.map { Int64(clamping: $0) })
  }
}
