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

/// What the process does about signals: it notes that it shall end, tidies up, and ends by the same signal.
package enum Signals {
  /// From here on, writing to a closed pipe or beyond the limit of a file's size is an error instead of the end, and
  /// SIGINT, SIGTERM and SIGHUP are noted. A further one, half a second later or more, ends the process at once,
  /// whatever it is busy with.
  package static func prepare() {
    cplatform_ignore_signals()
    cplatform_note_signals()
  }

  /// The first signal that asked the process to end.
  package static var pending: Signal? {
    let number = cplatform_pending_signal()
    return number == 0 ? nil : Signal(rawValue: number)
  }

  /// Ends the process by `signal`, as whoever waits for it expects.
  package static func reraise(_ signal: Signal) -> Never {
    cplatform_reraise(signal.rawValue)
  }
}
