import CPlatform
import Glibc

/// A signal that asks the process to end.
package struct Signal: Equatable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let interrupt = Signal(rawValue: SIGINT)
}

/// The handling of signals: the process notes that it is to end, tidies up, and ends by the same signal.
package enum Signals {
  /// Makes writing to a closed pipe, or beyond the limit of a file's size, an error instead of the end of the process,
  /// and notes SIGINT, SIGTERM and SIGHUP from here on. A further one of these, half a second later or more, ends the
  /// process at once, whatever it is busy with.
  package static func prepare() {
    cplatform_ignore_signals()
    cplatform_note_signals()
  }

  /// The first signal that asked the process to end.
  package static var pending: Signal? {
    let number = cplatform_pending_signal()
    return number == 0 ? nil : Signal(rawValue: number)
  }

  /// Ends the process by `signal`, as the process that waits for it expects.
  package static func reraise(_ signal: Signal) -> Never {
    cplatform_reraise(signal.rawValue)
  }
}
