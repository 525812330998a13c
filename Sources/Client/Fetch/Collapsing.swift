import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Request collapsing: when several runs want the same response, one asks the origin and the others wait for what it
/// stores.
struct Collapsing {
  let cache: ResponseCache
  let transport: any Transport
  let clock: Clock
  let diagnostics: Diagnostics
  /// `nil` if progress is not shown.
  let progress: TransferProgress?

  /// The outcome of asking for the turn.
  struct Outcome {
    /// Held if others may wait for this run.
    let turn: ForwardingTurn?
    /// Whether this run has waited for another.
    let hasWaited: Bool
  }

  /// The pauses between two looks at the other run, in nanoseconds. They begin short, to delay an immediate answer by
  /// little, and grow, because a look costs three system calls: a hundred looks a second are the most later on.
  private static let shortestPause: UInt64 = 1_000_000
  private static let longestPause: UInt64 = 10_000_000
  /// How often a thread that waits for another thread checks for a signal and for its time limit.
  private static let lookMilliseconds = 100
  /// How long a run waits before it prepares its transport. If it must ask after all, so must many others at the same
  /// moment.
  private static let readinessNanoseconds: UInt64 = 100_000_000

  /// Takes the turn, or waits until its holder is done or gives no more news, or too much of the hop's time has passed.
  ///
  /// The time spent waiting is deducted from the hop's time limit.
  ///
  /// - Parameter variant: the selecting fields of the wanted variant, as far as they are known: a request for another
  ///   variant is then not waited for.
  /// - Returns: `nil` if it cannot be found out whose turn it is.
  func turn(
    at key: CacheKey, of variant: SelectingFields, for hop: inout Hop, among scope: CollapsingScope
  ) throws(Failure) -> Outcome? {
    var threadTurn: KeyTurns.ThreadTurn?
    if let turns = cache.keyTurns {
      let wanted = KeyTurns.Wanted(key, hop.request.fields, selectedBy: variant, from: printPlace(of: hop, in: turns))
      threadTurn = turns.take(wanted, at: clock.timestamp)
      if threadTurn == nil {
        try waitForOtherThread(fetching: wanted, in: turns, &hop)
        return Outcome(turn: nil, hasWaited: true)
      }
    }
    switch hop.storage == .allowed && scope == .everybody ? cache.turn(at: key, of: variant) : .unknown {
    case .unknown: return threadTurn.map { Outcome(turn: ForwardingTurn($0, clock), hasWaited: false) }
    case .lead(let lead):
      return Outcome(turn: ForwardingTurn(lead, clock, threadTurn, holdUpLimits: .first), hasWaited: false)
    case .wait(let wait):
      let start = clock.monotonic()
      let turn = try waitForOtherRun(wait, since: start, for: hop, threadTurn)
      deductTime(since: start, from: &hop)
      return Outcome(turn: turn, hasWaited: true)
    }
  }

  /// The hop's place in the order of printing; `nil` under a time limit, so that none of that time is spent waiting for
  /// a thread that is held up by printing.
  private func printPlace(of hop: Hop, in turns: ThreadTurns) -> Int? {
    hop.timeLimitMilliseconds == nil ? turns.place : nil
  }

  private func deductTime(since start: UInt64, from hop: inout Hop) {
    let time = clock.monotonic() &- start
    hop.waitNanoseconds += time
    guard let limit = hop.timeLimitMilliseconds else { return }
    hop.timeLimitMilliseconds = max(1, limit - Int(clamping: time / 1_000_000))
  }

  /// Waits for another thread of this run. Unlike a process, a thread always releases its turn, and its transfer
  /// has limits of its own.
  private func waitForOtherThread(
    fetching wanted: KeyTurns.Wanted, in turns: ThreadTurns, _ hop: inout Hop
  ) throws(Failure) {
    diagnostics.note("cache: another transfer is fetching the same response: waiting for it")
    turns.prepareToWait()
    let start = clock.monotonic()
    while !turns.waitUntilFree(wanted, atMostMilliseconds: Self.lookMilliseconds) {
      try checkTimeLimit(since: start, for: hop)
    }
    deductTime(since: start, from: &hop)
  }

  private func checkTimeLimit(since start: UInt64, for hop: Hop) throws(Failure) {
    try Failure.throwIfInterrupted()
    if let limit = hop.timeLimitMilliseconds, clock.milliseconds(since: start) >= limit {
      throw .transport(.timedOut(.waiting), hop.request.target)
    }
  }

  /// Waits for another run.
  ///
  /// - Returns: the turn of the other run, if that is gone or held up; `nil` if it is done, if it gives no news, or if
  ///   the rest of the hop's time is for its own request.
  private func waitForOtherRun(
    _ wait: consuming ProcessWait, since start: UInt64, for hop: Hop, _ threadTurn: KeyTurns.ThreadTurn?
  ) throws(Failure) -> ForwardingTurn? {
    diagnostics.note("cache: another run is fetching the same response: waiting for it")
    cache.keyTurns?.prepareToWait()
    let times = WaitTimes(start: start, hop)
    var (lastNews, pause) = (start, Self.shortestPause)
    var isReady = false
    defer { progress?.endWaiting() }
    while true {
      switch wait.look() {
      case .released, .unknown: return nil
      case .vacant:
        diagnostics.note("cache: the other run has ended, or leaves its turn: asking in its place")
        return ForwardingTurn(wait.lead(), clock, threadTurn, holdUpLimits: .next)
      case .progress: lastNews = clock.monotonic()
      case .nothing:
        guard clock.monotonic() &- lastNews < cache.collapseLimitNanoseconds else {
          diagnostics.note("cache: the other run shows no progress: fetching without it")
          return nil
        }
      }
      try checkTimeLimit(since: start, for: hop)
      if let end = times.end(lastNews: lastNews, isEndKnown: wait.isEndKnown), clock.monotonic() >= end {
        diagnostics.note("cache: half of the remaining time has passed: waiting no longer")
        return nil
      }
      if !isReady, clock.monotonic() &- start >= Self.readinessNanoseconds {
        transport.prepare()
        isReady = true
      }
      progress?.showWaiting(since: start)
      clock.pause(pause)
      pause = min(pause * 3 / 2, Self.longestPause)
    }
  }
}

/// How long a hop with a time limit waits for another run, so that there is time left for a request of its own.
struct WaitTimes {
  private let start: UInt64
  /// What was left of the time limit at the start, in nanoseconds; `nil` without a limit.
  private let limit: UInt64?
  /// The time that the hop had waited before, in nanoseconds. It has been deducted from the limit.
  private let earlier: UInt64

  init(start: UInt64, _ hop: Hop) {
    self.start = start
    limit = hop.timeLimitMilliseconds.map { UInt64($0) * 1_000_000 }
    earlier = hop.waitNanoseconds
  }

  /// Returns when the wait ends; `nil` without a time limit.
  ///
  /// - Parameters:
  ///   - lastNews: when there was the last news of the other run.
  ///   - isEndKnown: whether the answer that it receives comes to an end. Then each piece of news renews the time: a
  ///     request for the same content would take as long. Otherwise all waits together take half of the time.
  func end(lastNews: UInt64, isEndKnown: Bool) -> UInt64? {
    guard let limit else { return nil }
    if isEndKnown {
      let passed = lastNews &- start
      return lastNews + (limit - min(limit, passed)) / 2
    }
    let half = (limit + earlier) / 2
    return start + half - min(half, earlier)
  }
}

extension ResponseCache {
  /// The selecting fields of the variant that a request wants, as far as stored responses tell.
  func variant(wantedBy hop: Hop, at lookup: CachedLookup) -> SelectingFields {
    switch lookup.selection {
    case .uriMiss: return .none
    case .selected(let stored): return stored.selecting
    case .varyMiss:
      let stored = storeInUse?.variants(of: lookup.key) ?? []
      let names = (memory.store.variants(of: lookup.key) + stored).flatMap { $0.members.map(\.name) }
      return SelectingFields(names, of: hop.request.fields, concealing: concealer(for: hop)) ?? .none
    }
  }

  /// Asks whose turn it is to request a key, or one variant of it, from the origin.
  func turn(at key: CacheKey, of variant: SelectingFields) -> ProcessTurn {
    guard let store = storeForWriting() else { return .unknown }
    return store.turn(at: key, of: variant)
  }

  /// Does `work` unless another run is at work for the same variant.
  func unlessOtherRunIsAtWork(for hop: Hop, _ work: (ForwardingTurn?) -> Void) {
    let lookup = lookup(hop)
    guard let store = storeInUse else { return }
    switch turn(at: lookup.key, of: variant(wantedBy: hop, at: lookup)) {
    case .wait: return
    case .lead(let lead):
      let turn = ForwardingTurn(lead, store.clock, holdUpLimits: nil)
      work(turn)
      turn.end()
    case .unknown: work(nil)
    }
  }
}
