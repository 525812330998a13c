import Glibc

/// Reads a descriptor to its end, and closes it. It has a thread of its own, because the threads of the tests may all
/// be busy writing.
package final class Drain: Sendable {
  private let received = Monitor<Result<[UInt8], SystemFailure>?>(nil)

  package init(_ descriptor: Int32) {
    startThread { [self] in
      let all = Result { () throws(SystemFailure) in try readAll(descriptor, "a descriptor") }
      close(descriptor)
      received.withLock { $0 = all }
    }
  }

  /// Waits for the end, and returns all bytes that were read.
  package func bytes() throws(SystemFailure) -> [UInt8] { try received.wait { $0 }.get() }
}
