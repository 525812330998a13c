import Platform

/// A time limit for work that the user has not asked for: counting, listing, making room. The time for which the
/// process waits for a processor is not counted: on a busy machine, the work would otherwise not even begin, and
/// nothing would be stored any more.
struct TimeBudget {
  private let clock: Clock?
  private let start: UInt64
  private let waitAtStart: UInt64
  private let nanoseconds: UInt64

  init(_ clock: Clock, milliseconds: UInt64) {
    self.clock = clock
    start = clock.monotonic()
    waitAtStart = clock.processorWait()
    nanoseconds = milliseconds * 1_000_000
  }

  private init() {
    clock = nil
    start = 0
    waitAtStart = 0
    nanoseconds = 0
  }

  /// For work that the user has asked for.
  static var unlimited: TimeBudget { TimeBudget() }

  /// For listing a shard whose sums are too high, because another run has listed it while an entry came or went: as
  /// long as two thousand files take. A shard with more files is corrected by the next run that lists it.
  static var correction: TimeBudget { TimeBudget(.system, milliseconds: 5) }

  var isSpent: Bool {
    guard let clock else { return false }
    let passed = clock.monotonic() &- start
    // The wait takes longer to ask for, so it is asked for only if it matters.
    return passed >= nanoseconds && passed >= nanoseconds &+ (clock.processorWait() &- waitAtStart)
  }
}
