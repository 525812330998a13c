import Glibc

/// A moment as the kernel and the wall clock state it.
package struct WallTime: Equatable, Comparable, Sendable {
  /// Since 1970-01-01T00:00:00Z.
  package let seconds: Int64
  /// 0 to 999,999,999.
  package let nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (one: WallTime, other: WallTime) -> Bool {
    (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
  }
}

/// The only reader of time. Tests use a clock of their own.
package struct Clock: Sendable {
  /// The time of day, which users can set back and forward.
  package let wallTime: @Sendable () -> WallTime
  /// Nanoseconds since an unspecified moment, never decreasing.
  package let monotonic: @Sendable () -> UInt64
  /// Nanoseconds that the calling thread has been ready to run without a processor; 0 if the kernel does not tell.
  package let processorWait: @Sendable () -> UInt64
  /// Pauses for that many nanoseconds, or until a signal asks the process to end.
  package let pause: @Sendable (_ nanoseconds: UInt64) -> Void

  package init(
    wallTime: @escaping @Sendable () -> WallTime,
    monotonic: @escaping @Sendable () -> UInt64,
    processorWait: @escaping @Sendable () -> UInt64 = { 0 },
    pause: @escaping @Sendable (_ nanoseconds: UInt64) -> Void
  ) {
    self.wallTime = wallTime
    self.monotonic = monotonic
    self.processorWait = processorWait
    self.pause = pause
  }

  package static var system: Clock {
    Clock(
      wallTime: {
        let now = read(CLOCK_REALTIME)
        return WallTime(seconds: Int64(now.tv_sec), nanoseconds: UInt32(truncatingIfNeeded: now.tv_nsec))
      },
      monotonic: { nanoseconds(of: read(CLOCK_MONOTONIC)) },
      processorWait: { readProcessorWait() ?? 0 },
      pause: { pause(nanoseconds: $0) })
  }

  /// Milliseconds since a moment of the monotonic clock, rounded down.
  package func milliseconds(since start: UInt64) -> Int {
    Int((monotonic() &- start) / 1_000_000)
  }

  /// The moment of the monotonic clock that is this many milliseconds ahead.
  static func deadline(milliseconds: Int) -> timespec {
    var moment = read(CLOCK_MONOTONIC)
    let nanoseconds = moment.tv_nsec + milliseconds % 1000 * 1_000_000
    moment.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
    moment.tv_nsec = nanoseconds % 1_000_000_000
    return moment
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var now = timespec()
    // Fails for an unknown clock or a bad address only.
    clock_gettime(clock, &now)
    return now
  }

  private static func nanoseconds(of time: timespec) -> UInt64 {
    UInt64(clamping: time.tv_sec) &* nanosecondsPerSecond &+ UInt64(clamping: time.tv_nsec)
  }

  /// Reads the second of three numbers: the time on a processor, the time waiting for one, and the number of times that
  /// one was given to the thread (the kernel's documentation of scheduler statistics).
  private static func readProcessorWait() -> UInt64? {
    guard let file = try? Descriptor.workingDirectory.open("/proc/thread-self/schedstat", [.readOnly]),
      let text = try? file.readBytes(limit: 128)
    else { return nil }
    let numbers = text.split(separator: UInt8(ascii: " "))
    return numbers.count == 3 ? numbers[1].reduce(0) { $0 &* 10 &+ UInt64($1 &- UInt8(ascii: "0")) } : nil
  }

  /// Pauses in short sleeps, because a signal wakes only one of several threads.
  private static func pause(nanoseconds: UInt64) {
    let start = Self.nanoseconds(of: read(CLOCK_MONOTONIC))
    while Signals.pending == nil {
      let passed = Self.nanoseconds(of: read(CLOCK_MONOTONIC)) &- start
      guard passed < nanoseconds else { return }
      var sleep = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds - passed, longestSleep)))
      nanosleep(&sleep, nil)
    }
  }

  /// In nanoseconds.
  private static let longestSleep: UInt64 = 100_000_000

  private static let nanosecondsPerSecond: UInt64 = 1_000_000_000
}
