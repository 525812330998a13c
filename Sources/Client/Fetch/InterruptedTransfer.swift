import Platform
import Transport

extension TransportError {
  /// Whether the content received before the error is a piece of the response, right as far as it goes.
  var leavesPart: Bool {
    switch self {
    case .truncated, .receiveFailed, .timedOut, .tooSlow, .http2, .interrupted, .abortedByReceiver: true
    default: false
    }
  }
}

extension Failure {
  /// As for `TransportError`. An interrupted transfer, or one whose output ran out of room, leaves such a piece as
  /// well.
  var leavesPart: Bool {
    switch self {
    case .transport(let error, _): error.leavesPart
    case .interrupted: true
    case .output(_, let error): error.isSpaceShortage || error == .fileTooLarge
    default: false
    }
  }
}

extension Delivery {
  /// Whether the received content is what the origin sent: at most, the output has failed, or a signal came while
  /// content was written.
  var isContentSound: Bool {
    switch failure {
    case nil, .output, .noDirectory, .interrupted: true
    default: false
    }
  }
}
