import CacheStore
import Platform

/// The turn of a run that others may wait for; they go on when it ends, or is let go.
final class Lead {
  /// Between two reports, at least: well below what anybody waits without news, and seldom enough for them not to
  /// matter beside a transfer.
  private static let reportInterval: UInt64 = 200_000_000
  /// How long the user of this run may hold up the others, who wait for the origin alone.
  private static let longestHold: UInt64 = 5_000_000_000

  /// For other processes.
  private var open: KeyLead?
  /// For other threads of this one.
  private var place: KeyTurns.Place?
  private let clock: Clock
  private var lastReport: UInt64?
  /// Since when the answer has been coming.
  private var answerBegin: UInt64?
  /// How much of that was spent on handing it to the user.
  private var held: UInt64 = 0

  init(_ turn: consuming KeyLead, _ clock: Clock, _ place: KeyTurns.Place? = nil) {
    open = consume turn
    self.clock = clock
    self.place = place
  }

  /// Where no other process can be told.
  init(_ place: KeyTurns.Place, _ clock: Clock) {
    self.clock = clock
    self.place = place
  }

  /// The origin is being asked, or something has come from it.
  func noteProgress() {
    let now = clock.monotonic()
    if let lastReport, now &- lastReport < Self.reportInterval { return }
    lastReport = now
    guard var active = open.take() else { return }
    // Where progress cannot be reported, the others are let go.
    guard (try? active.report()) != nil else { return }
    open = consume active
  }

  /// Hands on what has come of the answer. Where the reader is what the transfer waits for, others do not.
  func handOn<Result>(_ work: () -> Result) -> Result {
    guard open != nil else { return work() }
    let start = clock.monotonic()
    let answerBegin = answerBegin ?? start
    self.answerBegin = answerBegin
    let result = work()
    let end = clock.monotonic()
    held += end &- start
    if held >= Self.longestHold, held >= (end &- answerBegin) / 2 { leaveToOtherRuns() }
    return result
  }

  /// Takes note of how fast the answer may come, whatever the origin does.
  ///
  /// - Parameters:
  ///   - rate: in bytes per second.
  ///   - length: of what is to come, in bytes; `nil` where it is unknown.
  func noteLimit(_ rate: Int64, of length: UInt64?) {
    let inTime = UInt64(clamping: rate).multipliedReportingOverflow(by: Self.longestHold / 1_000_000_000)
    if let length, inTime.overflow || length <= inTime.partialValue { return }
    leaveToOtherRuns()
  }

  /// Takes note that equal requests of this run are answered by what comes.
  func noteAnswer() { place?.hasAnswer = true }

  /// Takes it back: what has come is not stored.
  func noteNoAnswer() { place?.hasAnswer = false }

  /// Lets other runs go on, which have no use for it.
  func letOtherRunsGo() { open = nil }

  func end() {
    open = nil
    place = nil
  }

  /// Leaves it to one of those who wait in other runs to ask in the place of this one.
  func handOver() {
    leaveToOtherRuns()
    end()
  }

  private func leaveToOtherRuns() { open.take()?.handOver() }
}
