/// A clock that stands still until a test moves it.
///
/// It gives numbers and knows no type of the program: a test wraps them as the program's clock wants them.
package final class ManualClock: Sendable {
  private struct Hands {
    var wallSeconds: Int64
    var monotonicNanoseconds: UInt64
  }

  private static let nanosecondsPerSecond: UInt64 = 1_000_000_000

  private let hands: Monitor<Hands>

  /// - Parameter seconds: since 1970; by default Wed, 01 Jan 2025 00:00:00 GMT.
  package init(seconds: Int64 = 1_735_689_600) {
    hands = Monitor(Hands(wallSeconds: seconds, monotonicNanoseconds: 1))
  }

  /// The wall time in seconds since 1970.
  package var seconds: Int64 { hands.withLock { $0.wallSeconds } }

  /// The time that has passed since some start that never moves, in nanoseconds.
  package var monotonicNanoseconds: UInt64 { hands.withLock { $0.monotonicNanoseconds } }

  /// Lets time pass for both clocks.
  package func advance(bySeconds seconds: UInt32) {
    hands.withLock {
      $0.wallSeconds += Int64(seconds)
      $0.monotonicNanoseconds += UInt64(seconds) * Self.nanosecondsPerSecond
    }
  }

  /// Sets the wall time, back or forward; the monotonic clock does not notice.
  package func set(seconds: Int64) {
    hands.withLock { $0.wallSeconds = seconds }
  }
}
