import Platform
import Synchronization

/// The end of standard output for a run: whether it was closed, or nobody reads it any more.
///
/// One transfer finds out and reports it. The others report nothing, and fetch nothing.
final class OutputEnd: Sendable {
  /// The `errno` of the end; 0 until it has come.
  private let error = Atomic<Int32>(0)

  /// The failure of a transfer that would print; `nil` while standard output may still be read.
  var failure: Failure? {
    let error = error.load(ordering: .relaxed)
    return error == 0 ? nil : .output(nil, Errno(rawValue: error))
  }

  /// Notes a failure, if it is the end of standard output.
  ///
  /// - Returns: whether the caller has to report the failure: false if another transfer has reported the end.
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
