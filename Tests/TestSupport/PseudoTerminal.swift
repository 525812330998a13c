import CTestSupport
import Glibc

/// A terminal in memory, that shows what has been written to it.
package final class PseudoTerminal: @unchecked Sendable {
  /// To be written to.
  package let descriptor: Int32
  private let reading: Int32
  private let shown = Monitor<(bytes: [UInt8], isOver: Bool)>(([], false))

  package init(columns: Int) throws {
    var ends: [Int32] = [-1, -1]
    guard testSupportTerminal(Int32(columns), &ends) == 0 else { throw SystemFailure("posix_openpt") }
    (reading, descriptor) = (ends[0], ends[1])
    startThread { [self] in read() }
  }

  /// To its end, which is an error where the last one who could write has closed it.
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

  /// Closes it.
  ///
  /// - Returns: all that was written, a line feed for each that a terminal makes two characters of.
  package func finish() -> [UInt8] {
    close(descriptor)
    let bytes = shown.wait { $0.isOver ? $0.bytes : nil }
    close(reading)
    return bytes.enumerated().filter { index, byte in
      byte != 0x0d || !(index + 1 < bytes.count && bytes[index + 1] == 0x0a)
    }.map(\.element)
  }
}
