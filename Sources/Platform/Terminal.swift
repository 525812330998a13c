import CPlatform
import Glibc

extension OpenDescriptor where Self: ~Copyable {
  /// The corresponding C function is `isatty`.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The width in columns; `nil` if this is no terminal or the terminal does not know. The corresponding C constant
  /// is `TIOCGWINSZ`.
  package var terminalWidth: Int? {
    let columns = cplatform_terminal_width(rawValue)
    return columns > 0 ? Int(columns) : nil
  }

  /// Whether drawing there does not disturb what the user is typing: false if the process is in the background. The
  /// corresponding C function is `tcgetpgrp`.
  package var mayBeDrawnOn: Bool { cplatform_may_draw(rawValue) != 0 }
}
