import CTestSupport
import Glibc

/// Watches for the end of a process, which need not be a child of this one.
package final class ProcessWatch: Sendable {
  private let descriptor: Int32

  /// - Throws: where there is no such process.
  package init(_ processID: Int32) throws(SystemFailure) {
    descriptor = try checked("pidfd_open", testSupportWatchProcess(processID))
  }

  deinit { close(descriptor) }

  /// Waits until the process has ended.
  ///
  /// - Returns: whether it ended in time.
  package func hasEnded(withinMilliseconds milliseconds: Int32 = 10_000) -> Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, milliseconds) == 1
  }
}
