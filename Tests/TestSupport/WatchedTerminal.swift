import Glibc

/// A terminal whose printed text a test can read at any time.
package final class WatchedTerminal: Sendable {
  private let master: Int32
  /// The terminal, as a program uses it.
  package let descriptor: Int32

  package init() throws(SystemFailure) {
    master = try checked("open", open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK))
    var (number, isLocked): (Int32, Int32) = (0, 0)
    try checked("ioctl", ioctl(master, Self.setLock, &isLocked))
    try checked("ioctl", ioctl(master, Self.getNumber, &number))
    descriptor = try checked("open", open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC))
  }

  /// TIOCSPTLCK, TIOCGPTN and TIOCSWINSZ, macros that Swift does not see.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
  private static let setSize: UInt = 0x5414

  /// Sets the width of the terminal.
  package func resize(columns: UInt16) throws(SystemFailure) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try checked("ioctl", ioctl(master, Self.setSize, &size))
  }

  deinit {
    close(descriptor)
    close(master)
  }

  /// Types a text at the terminal. A program can read it once a line feed follows, or 0x04 for the end of input.
  package func type(_ text: String) throws(SystemFailure) { try writeAll(Array(text.utf8), to: master, "the terminal") }

  /// Waits until a text has been printed since the last call of this or of `printed()`.
  ///
  /// - Returns: whether it has been, within a minute.
  package func prints(_ expected: String) -> Bool {
    var text = ""
    for _ in 0..<1_200 {
      text += printed()
      if text.contains(expected) { return true }
      usleep(50_000)
    }
    return false
  }

  /// Returns what has been printed since the last call. A terminal holds some thousand bytes; then the program waits.
  package func printed() -> String {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(master, &piece, piece.count)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += piece.prefix(count)
    }
  }
}
