import CacheStore
import Platform

/// The turn to ask the origin, for which other runs and threads may be waiting. They go on when it ends or is released.
///
/// They wait for the origin, not for the user of this run: if the user makes the answer come slowly, the turn is
/// yielded to one of the waiting runs (docs/decisions/0050).
final class Lead {
  /// The shortest time between two reports, in nanoseconds: well below what any run waits without news, and long enough
  /// for the reports not to matter beside a transfer.
  private static let reportInterval: UInt64 = 200_000_000

  /// How long this run may hold up the waiting runs before it yields the turn to them, in nanoseconds.
  struct Bearing {
    /// Time spent handing content to the user, if that is at least half of the time since the head came.
    let reading: UInt64
    /// Time since the head came, if a rate limit is what slows the answer down.
    let limiting: UInt64

    static let first = Bearing(reading: 5_000_000_000, limiting: 2_000_000_000)
    /// For a run that has taken over another's turn: with shorter times, if all runs are as slow, each of them would
    /// ask.
    static let next = Bearing(reading: 30_000_000_000, limiting: 30_000_000_000)
  }

  /// A rate that reaches this share of its limit counts as slowed down by the limit.
  private static let limitedShare = 0.8

  /// The turn that other processes wait for.
  private var keyLead: KeyLead?
  /// The same turn, once it has been yielded to one of the waiting processes.
  private var leftKeyLead: KeyLead?
  /// The turn that other threads of this process wait for.
  private var turn: KeyTurns.Turn?
  private let clock: Clock
  /// `nil` if this run never yields the turn to another.
  private let bearing: Bearing?
  private var lastReport: UInt64?
  /// Whether the answer serves equal requests.
  private var hasAnswer = false

  /// When the head of the answer came.
  private var answerBegin: UInt64?
  /// The user's rate limit, in bytes per second; `nil` for no limit.
  private var rateLimit: Int64?
  private var receivedBytes: UInt64 = 0
  /// Time spent handing content to the user, in nanoseconds.
  private var reading: UInt64 = 0

  init(_ lead: consuming KeyLead, _ clock: Clock, _ turn: KeyTurns.Turn? = nil, bearing: Bearing?) {
    keyLead = consume lead
    self.clock = clock
    self.turn = turn
    self.bearing = bearing
  }

  /// Makes a lead for the threads of this process alone, when other processes cannot be told.
  init(_ turn: KeyTurns.Turn, _ clock: Clock) {
    self.clock = clock
    self.turn = turn
    bearing = nil
  }

  /// Reports that the origin is being asked, or that something has come from it.
  func noteProgress() { noteProgress(at: clock.monotonic()) }

  private func noteProgress(at now: UInt64) {
    if let lastReport, now &- lastReport < Self.reportInterval { return }
    lastReport = now
    guard var active = keyLead.take() else { return }
    // If progress cannot be reported, releasing the key's lead lets the others go on.
    guard (try? active.report()) != nil else { return }
    keyLead = consume active
  }

  /// Notes that the head of the answer that the others wait for has come.
  ///
  /// - Parameter rateLimit: for the rest, in bytes per second.
  func noteHead(under rateLimit: Int64?) {
    self.rateLimit = rateLimit
    answerBegin = clock.monotonic()
    noteProgress()
  }

  /// Notes that content has come: reports progress, or yields the turn if the user holds the answer up.
  func noteContent(_ count: Int) {
    guard keyLead != nil else { return }
    receivedBytes += UInt64(count)
    let now = clock.monotonic()
    if isHeldUp(at: now) { yieldTurn() } else { noteProgress(at: now) }
  }

  private func isHeldUp(at now: UInt64) -> Bool {
    guard let answerBegin, let bearing else { return false }
    let time = now &- answerBegin
    if reading >= bearing.reading, reading >= time / 2 { return true }
    guard let rateLimit, time >= bearing.limiting else { return false }
    return Double(receivedBytes) >= Double(rateLimit) * Double(time) / 1e9 * Self.limitedShare
  }

  /// Yields the turn to one of the waiting runs, while this run goes on with its own transfer.
  private func yieldTurn() {
    guard var lead = keyLead.take() else { return }
    lead.yieldTurn()
    leftKeyLead = consume lead
  }

  /// Runs `work`, which hands content to the user, and counts the time that it takes.
  func handOn<Result>(_ work: () -> Result) -> Result {
    let start = clock.monotonic()
    let result = work()
    reading += clock.monotonic() &- start
    return result
  }

  /// Notes that the answer serves equal requests of this run.
  func noteAnswer() {
    hasAnswer = true
    turn?.hasAnswer = true
  }

  /// Takes `noteAnswer` back: the answer is not stored.
  func noteNoAnswer() {
    hasAnswer = false
    turn?.hasAnswer = false
  }

  /// Lets other runs go on, because the answer is of no use to them.
  func releaseOtherRuns() { keyLead = nil }

  func end() {
    keyLead = nil
    if let lead = leftKeyLead.take(), hasAnswer { lead.announce() }
    turn = nil
  }

  /// Ends the turn so that one of the waiting runs asks the origin in place of this one.
  func handOver() {
    keyLead.take()?.handOver()
    hasAnswer = false
    end()
  }
}
