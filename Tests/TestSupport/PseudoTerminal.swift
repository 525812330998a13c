import CTestSupport
import Glibc

/// A pseudo-terminal that collects what is written to it.
package final class PseudoTerminal: @unchecked Sendable {
  /// The end that a program writes to.
  package let descriptor: Int32
  private let reading: Int32
  private let shown = Monitor<(bytes: [UInt8], isOver: Bool)>(([], false))

  package init(columns: Int) throws {
    var ends: [Int32] = [-1, -1]
    guard testSupportTerminal(Int32(columns), &ends) == 0 else { throw SystemFailure("posix_openpt") }
    (reading, descriptor) = (ends[0], ends[1])
    startThread { [self] in read() }
  }

  /// Reads to the end, which is an error where the last writing descriptor has been closed.
  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = Glibc.read(reading, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      shown.withLock { $0.bytes += buffer[..<count] }
    }
    shown.withLock { $0.isOver = true }
  }

  /// Closes the terminal.
  ///
  /// - Returns: all bytes that were written; a line feed stands alone, without the CR that the terminal adds to it.
  package func finish() -> [UInt8] {
    close(descriptor)
    let bytes = shown.wait { $0.isOver ? $0.bytes : nil }
    close(reading)
    return bytes.enumerated().filter { index, byte in
      byte != 0x0d || !(index + 1 < bytes.count && bytes[index + 1] == 0x0a)
    }.map(\.element)
  }
}
