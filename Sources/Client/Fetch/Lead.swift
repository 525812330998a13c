import CacheStore
import Platform

/// The turn of a run that others may wait for; they go on when it ends, or is let go.
///
/// They wait for the origin, and not for the user of this run: where that one lets the answer come slowly, the turn is
/// left to one of them (docs/decisions/0050).
final class Lead {
  /// Between two reports, at least: well below what anybody waits without news, and seldom enough for them not to
  /// matter beside a transfer.
  private static let reportInterval: UInt64 = 200_000_000

  /// How long the others bear with being held up, in nanoseconds.
  struct Bearing {
    /// By a reader, where that is half of the time or more.
    let reading: UInt64
    /// By a limit of the rate, where that is what keeps the answer from coming.
    let limiting: UInt64

    static let first = Bearing(reading: 5_000_000_000, limiting: 2_000_000_000)
    /// By whoever has taken the place of another: where all are as slow, each of them would ask.
    static let next = Bearing(reading: 30_000_000_000, limiting: 30_000_000_000)
  }

  /// The part of its limit that a rate has at least which is kept down by it.
  private static let limitedShare = 0.8

  /// For other processes.
  private var keyLead: KeyLead?
  /// The key's lead, once it has been left to one of those who wait.
  private var leftKeyLead: KeyLead?
  /// For other threads of this one.
  private var turn: KeyTurns.Turn?
  private let clock: Clock
  /// `nil` where nobody waits for news.
  private let bearing: Bearing?
  private var lastReport: UInt64?
  /// Whether equal requests are answered by what comes.
  private var hasAnswer = false

  /// Since when the answer has been coming.
  private var answerBegin: UInt64?
  /// What the user lets come in a second, in bytes; `nil` for all that there is.
  private var rateLimit: Int64?
  private var receivedBytes: UInt64 = 0
  /// For how long content was being handed to the user.
  private var reading: UInt64 = 0

  init(_ lead: consuming KeyLead, _ clock: Clock, _ turn: KeyTurns.Turn? = nil, bearing: Bearing?) {
    keyLead = consume lead
    self.clock = clock
    self.turn = turn
    self.bearing = bearing
  }

  /// Where no other process can be told.
  init(_ turn: KeyTurns.Turn, _ clock: Clock) {
    self.clock = clock
    self.turn = turn
    bearing = nil
  }

  /// The origin is being asked, or something has come from it.
  func noteProgress() { noteProgress(at: clock.monotonic()) }

  private func noteProgress(at now: UInt64) {
    if let lastReport, now &- lastReport < Self.reportInterval { return }
    lastReport = now
    guard var active = keyLead.take() else { return }
    // Where progress cannot be reported, the others are let go.
    guard (try? active.report()) != nil else { return }
    keyLead = consume active
  }

  /// The head of what the others wait for has come.
  ///
  /// - Parameter rateLimit: for the rest, in bytes per second.
  func noteHead(under rateLimit: Int64?) {
    self.rateLimit = rateLimit
    answerBegin = clock.monotonic()
    noteProgress()
  }

  /// Content has come.
  func noteContent(_ count: Int) {
    guard keyLead != nil else { return }
    receivedBytes += UInt64(count)
    let now = clock.monotonic()
    if isHeldUp(at: now) { leave() } else { noteProgress(at: now) }
  }

  private func isHeldUp(at now: UInt64) -> Bool {
    guard let answerBegin, let bearing else { return false }
    let time = now &- answerBegin
    if reading >= bearing.reading, reading >= time / 2 { return true }
    guard let rateLimit, time >= bearing.limiting else { return false }
    return Double(receivedBytes) >= Double(rateLimit) * Double(time) / 1e9 * Self.limitedShare
  }

  /// Leaves the turn to one of those who wait in other runs, and goes on.
  private func leave() {
    guard var lead = keyLead.take() else { return }
    lead.leave()
    leftKeyLead = consume lead
  }

  /// Hands content to the user.
  func handOn<Result>(_ work: () -> Result) -> Result {
    let start = clock.monotonic()
    let result = work()
    reading += clock.monotonic() &- start
    return result
  }

  /// Takes note that equal requests of this run are answered by what comes.
  func noteAnswer() {
    hasAnswer = true
    turn?.hasAnswer = true
  }

  /// Takes it back: what has come is not stored.
  func noteNoAnswer() {
    hasAnswer = false
    turn?.hasAnswer = false
  }

  /// Lets other runs go on, which have no use for it.
  func letOtherRunsGo() { keyLead = nil }

  func end() {
    keyLead = nil
    if let lead = leftKeyLead.take(), hasAnswer { lead.announce() }
    turn = nil
  }

  /// Leaves it to one of those who wait in other runs to ask in the place of this one.
  func handOver() {
    keyLead.take()?.handOver()
    hasAnswer = false
    end()
  }
}
