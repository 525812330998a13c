import CPlatform
import Glibc

extension OpenDescriptor where Self: ~Copyable {
  /// The corresponding C function is `isatty`.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// In columns; `nil` where it is no terminal or does not know. The corresponding C constant is `TIOCGWINSZ`.
  package var terminalWidth: Int? {
    let columns = cplatform_terminal_width(rawValue)
    return columns > 0 ? Int(columns) : nil
  }

  /// Whether what is drawn there stands amid nothing that its user is typing: not where the process is in the
  /// background. The corresponding C function is `tcgetpgrp`.
  package var mayBeDrawnOn: Bool { cplatform_may_draw(rawValue) != 0 }
}
