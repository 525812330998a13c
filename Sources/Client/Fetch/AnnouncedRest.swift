import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// How much has yet to come by an answer's range: of what is missing behind a stored part, behind what has been
/// delivered, or behind what a file holds; and not a byte more.
struct AnnouncedRest {
  private let expected: UInt64
  private var missing: UInt64

  /// - Parameter length: in bytes.
  init(of length: UInt64) {
    expected = length
    missing = length
  }

  /// - Parameters:
  ///   - whole: what both make.
  ///   - part: what is stored of it, from the front.
  init(of whole: StoredResponse, from part: StoredResponse) {
    expected = whole.contentLength - part.heldBytes.upperBound
    missing = expected
  }

  /// Counts content that comes.
  ///
  /// - Returns: whether it belongs to what was announced.
  mutating func take(_ count: Int) -> Bool {
    guard UInt64(count) <= missing else { return false }
    missing -= UInt64(count)
    return true
  }

  /// Why the content is not whole although its message is: one was shorter than its Content-Range says.
  var shortfall: TransportError? {
    guard missing > 0 else { return nil }
    return .truncated(received: Int64(clamping: expected - missing), expected: Int64(clamping: expected))
  }

  static let excess = TransportError.weirdReply(reason: "more content came than its Content-Range says")
}

extension TransportError {
  /// Whether what came before is a piece of the response, as far as it goes.
  var leavesPart: Bool {
    switch self {
    case .truncated, .receiveFailed, .timedOut, .tooSlow, .http2, .interrupted, .abortedByReceiver: true
    default: false
    }
  }
}

extension Failure {
  /// As that of a transport; whoever is interrupted, or has no room for more, has got a part, too.
  var leavesPart: Bool {
    switch self {
    case .transport(let error, _): error.leavesPart
    case .interrupted: true
    case .output(_, let error): error.isWantOfRoom || error == .fileTooLarge
    default: false
    }
  }
}

extension Delivery {
  /// Whether nothing has failed but, at most, the place where content goes, or a signal has come while it was written:
  /// what came is what the origin sent.
  var isContentSound: Bool {
    switch failure {
    case nil, .output, .noDirectory, .interrupted: true
    default: false
    }
  }
}
