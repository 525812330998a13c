import CacheStore
import Platform

/// The turn to ask the origin, for which other runs and threads may be waiting. They go on when it ends or is released.
///
/// They wait for the origin, not for the user of this run: if the user makes the answer come slowly, the turn is
/// yielded to one of the waiting runs, and so it is if the answer may have no end (docs/decisions/0050).
final class ForwardingTurn {
  /// The shortest time between two reports, in nanoseconds: well below what any run waits without news, and long enough
  /// for the reports not to matter beside a transfer.
  private static let reportInterval: UInt64 = 200_000_000

  /// How long this run may hold up the waiting runs before it yields the turn to them, in nanoseconds.
  struct HoldUpLimits {
    /// Time spent handing content to the user, if that is at least half of the time since the head came.
    let handingOn: UInt64
    /// Time since the head came, if a rate limit is what slows the answer down.
    let rateLimited: UInt64

    static let first = HoldUpLimits(handingOn: 5_000_000_000, rateLimited: 2_000_000_000)
    /// For a run that has taken over another's turn: with shorter times, if all runs are as slow, each of them would
    /// ask.
    static let next = HoldUpLimits(handingOn: 30_000_000_000, rateLimited: 30_000_000_000)
  }

  /// An answer of unknown length that has been coming for this long may have no end. In nanoseconds.
  private static let longestWithoutLength: UInt64 = 30_000_000_000

  /// A rate that reaches this share of its limit counts as slowed down by the limit.
  private static let limitedShare = 0.8

  /// The turn that other processes wait for.
  private var processLead: ProcessLead?
  /// The same turn, once it has been yielded to one of the waiting processes.
  private var yieldedLead: ProcessLead?
  /// The turn that other threads of this process wait for.
  private var threadTurn: KeyTurns.ThreadTurn?
  private let clock: Clock
  /// `nil` if this run never yields the turn to another.
  private let holdUpLimits: HoldUpLimits?
  private var lastReport: UInt64?
  /// Whether the answer serves equal requests.
  private var hasAnswer = false

  /// When the head of the answer came.
  private var answerBegin: UInt64?
  /// The user's rate limit, in bytes per second; `nil` for no limit.
  private var rateLimit: Int64?
  /// Whether it is known where the answer ends.
  private var isLengthKnown = true
  private var receivedBytes: UInt64 = 0
  /// Time spent handing content to the user, in nanoseconds.
  private var handingOn: UInt64 = 0

  init(
    _ lead: consuming ProcessLead, _ clock: Clock, _ threadTurn: KeyTurns.ThreadTurn? = nil,
    holdUpLimits: HoldUpLimits?
  ) {
    processLead = consume lead
    self.clock = clock
    self.threadTurn = threadTurn
    self.holdUpLimits = holdUpLimits
  }

  /// Makes a turn for the threads of this process alone, when other processes cannot be told.
  init(_ threadTurn: KeyTurns.ThreadTurn, _ clock: Clock) {
    self.clock = clock
    self.threadTurn = threadTurn
    holdUpLimits = nil
  }

  /// Reports that the origin is being asked, or that something has come from it.
  func noteProgress() { noteProgress(at: clock.monotonic()) }

  private func noteProgress(at now: UInt64) {
    if let lastReport, now &- lastReport < Self.reportInterval { return }
    lastReport = now
    guard var active = processLead.take() else { return }
    // If progress cannot be reported, releasing the turn lets the other runs go on.
    guard (try? active.report(isEndKnown: answerBegin != nil && isLengthKnown)) != nil else { return }
    processLead = consume active
  }

  /// Notes that the head of the answer that the others wait for has come.
  ///
  /// - Parameters:
  ///   - rateLimit: for the rest, in bytes per second.
  ///   - tellsLength: whether the head tells how long the content is.
  func noteHead(under rateLimit: Int64?, tellingLength tellsLength: Bool) {
    self.rateLimit = rateLimit
    isLengthKnown = tellsLength
    answerBegin = clock.monotonic()
    // The content of an answer before this one, which was of no use, does not count.
    (receivedBytes, handingOn) = (0, 0)
    noteProgress()
  }

  /// Notes that content has come: reports progress, or yields the turn if the others would wait for too long.
  func noteContent(_ count: Int) {
    guard processLead != nil else { return }
    receivedBytes += UInt64(count)
    let now = clock.monotonic()
    if isHeldUp(at: now) { yieldTurn() } else { noteProgress(at: now) }
  }

  /// Whether the user holds the answer up, or the answer itself has no end in sight.
  private func isHeldUp(at now: UInt64) -> Bool {
    guard let answerBegin, let holdUpLimits else { return false }
    let time = now &- answerBegin
    if !isLengthKnown, time >= Self.longestWithoutLength { return true }
    if handingOn >= holdUpLimits.handingOn, handingOn >= time / 2 { return true }
    guard let rateLimit, time >= holdUpLimits.rateLimited else { return false }
    return Double(receivedBytes) >= Double(rateLimit) * Double(time) / 1e9 * Self.limitedShare
  }

  /// Yields the turn to one of the waiting runs, while this run goes on with its own transfer.
  private func yieldTurn() {
    guard var lead = processLead.take() else { return }
    lead.yieldTurn()
    yieldedLead = consume lead
  }

  /// Runs `work`, which hands content to the user, and counts the time that it takes.
  func handOn<Result>(_ work: () -> Result) -> Result {
    let start = clock.monotonic()
    let result = work()
    handingOn += clock.monotonic() &- start
    return result
  }

  /// Notes that the answer serves equal requests of this run.
  func noteAnswer() {
    hasAnswer = true
    threadTurn?.hasAnswer = true
  }

  /// Takes `noteAnswer` back: the answer is not stored.
  func noteNoAnswer() {
    hasAnswer = false
    threadTurn?.hasAnswer = false
  }

  /// Lets other runs go on, because the answer is of no use to them.
  func releaseOtherRuns() { processLead = nil }

  func end() {
    processLead = nil
    if let lead = yieldedLead.take(), hasAnswer { lead.announce() }
    threadTurn = nil
  }

  /// Ends the turn so that one of the waiting runs asks the origin in place of this one.
  func handOver() {
    processLead.take()?.handOver()
    hasAnswer = false
    end()
  }
}
