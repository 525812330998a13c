import Platform
import Synchronization

/// Whether standard output has come to its end for a run: it was closed, or nobody reads it any more.
///
/// One transfer finds out and says so. For the others there is nothing to be said, and nothing to be fetched.
final class OutputEnd: Sendable {
  /// Of `errno`; 0 until it has come.
  private let error = Atomic<Int32>(0)

  /// What a transfer fails with that would print; `nil` while there may be somebody who reads.
  var failure: Failure? {
    let error = error.load(ordering: .relaxed)
    return error == 0 ? nil : .output(nil, Errno(rawValue: error))
  }

  /// Takes note of a failure, if it is that end.
  ///
  /// - Returns: whether it is for the caller to say so: false where another transfer has.
  func claimReport(of failure: Failure) -> Bool {
    guard case .output(nil, let error) = failure, failure.isEndOfReader || error == .badDescriptor else { return true }
    return self.error.exchange(error.rawValue, ordering: .relaxed) == 0
  }
}

extension Failure {
  /// Whether nobody reads standard output any more.
  var isEndOfReader: Bool {
    if case .output(nil, .brokenPipe) = self { true } else { false }
  }
}
