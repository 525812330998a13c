import Platform

/// How long garner waits for a garner-transport that may hang: libcurl keeps the limits of a transfer, but not where
/// its process is stopped, or opens a FIFO that nobody writes to.
struct ProgramPatience {
  /// What the program has for ending a transfer that it has been told to end, or whose time is over.
  private static let grace: UInt64 = 1_000_000_000

  private var end: UInt64?
  private var isCancelled = false

  /// - Parameter milliseconds: what the transfer may take.
  init(limit milliseconds: Int?) {
    guard let milliseconds else { return }
    end = Clock.system.monotonic().adding(
      saturating: UInt64(clamping: milliseconds).multiplied(saturating: 1_000_000).adding(saturating: Self.grace))
  }

  /// Takes note that the program has been told to end the transfer.
  ///
  /// - Returns: whether it had not been told before.
  mutating func noteCancelled() -> Bool {
    if isCancelled { return false }
    isCancelled = true
    end = Clock.system.monotonic().adding(saturating: Self.grace)
    return true
  }

  /// Whether the program should have said by now that the time of the transfer was over.
  var isTimeOver: Bool { !isCancelled && isOver }

  /// Whether nothing is to be expected any more.
  var isSpent: Bool { isCancelled && isOver }

  private var isOver: Bool { end.map { Clock.system.monotonic() >= $0 } ?? false }
}
