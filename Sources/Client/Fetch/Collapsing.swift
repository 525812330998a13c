import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Of runs that want the same response one asks the origin, and the others wait for what it stores.
struct Collapsing {
  let cache: ResponseCache
  let transport: any Transport
  let clock: Clock
  let diagnostics: Diagnostics
  /// `nil` where nobody is to see how far the transfer has come.
  let progress: TransferProgress?

  /// What came of asking to go ahead.
  struct Turn {
    /// Present where others wait for this run.
    let lead: Lead?
    /// Whether this run has waited for another.
    let hasWaited: Bool
  }

  /// Between two looks at how the other is doing. An answer that comes at once is not delayed by much; later on a look
  /// costs three system calls a hundred times a second.
  private static let shortestPause: UInt64 = 1_000_000
  private static let longestPause: UInt64 = 10_000_000
  /// Between two looks at whether a thread's wait is to end otherwise than by word of the other.
  private static let lookMilliseconds = 100
  /// After which a run gets ready to ask for itself: if it must, so must many others, all at once.
  private static let readinessNanoseconds: UInt64 = 100_000_000

  /// How long to wait without news: at most half of the time that is left, so that what follows has some.
  private func patience(for hop: Hop) -> UInt64 {
    guard let limit = hop.timeLimitMilliseconds else { return cache.collapseLimitNanoseconds }
    return min(cache.collapseLimitNanoseconds, UInt64(limit) * 500_000)
  }

  /// Takes the turn, or waits until the one who has it is done, or gives no news.
  ///
  /// The time goes off that of the hop.
  ///
  /// - Parameter variant: what selects the one that is wanted, as far as that is known: who wants another one is not
  ///   waited for then.
  /// - Returns: `nil` where nobody can say whose turn it is.
  func turn(
    at key: CacheKey, of variant: SelectingFields, for hop: inout Hop, among scope: CollapsingScope
  ) throws(Failure) -> Turn? {
    var turn: KeyTurns.Turn?
    if let turns = cache.keyTurns {
      let wanted = KeyTurns.Wanted(key, hop.request.fields, selectedBy: variant, from: place(of: hop, in: turns))
      turn = turns.take(wanted, at: clock.timestamp)
      if turn == nil {
        try wait(for: wanted, in: turns, &hop)
        return Turn(lead: nil, hasWaited: true)
      }
    }
    switch hop.storage == .allowed && scope == .everybody ? cache.turn(at: key, of: variant) : .unknown {
    case .unknown: return turn.map { Turn(lead: Lead($0, clock), hasWaited: false) }
    case .lead(let lead): return Turn(lead: Lead(lead, clock, turn, bearing: .first), hasWaited: false)
    case .wait(let wait):
      let start = clock.monotonic()
      let lead = try waiting(wait, since: start, for: hop, turn)
      takeTime(since: start, off: &hop)
      return Turn(lead: lead, hasWaited: true)
    }
  }

  /// Where there is a limit of the time, none of it goes to a reader of what others print.
  private func place(of hop: Hop, in turns: ThreadTurns) -> Int? {
    hop.timeLimitMilliseconds == nil ? turns.place : nil
  }

  private func takeTime(since start: UInt64, off hop: inout Hop) {
    let time = clock.monotonic() &- start
    hop.waitNanoseconds += time
    guard let limit = hop.timeLimitMilliseconds else { return }
    hop.timeLimitMilliseconds = max(1, limit - Int(clamping: time / 1_000_000))
  }

  /// Waits for a thread of this run: it cannot be gone without a word, and has limits of its own.
  private func wait(for wanted: KeyTurns.Wanted, in turns: ThreadTurns, _ hop: inout Hop) throws(Failure) {
    diagnostics.note("cache: another transfer is asking for the same: waiting for it")
    turns.noteWait()
    let start = clock.monotonic()
    while !turns.waitUntilFree(wanted, atMostMilliseconds: Self.lookMilliseconds) {
      try checkPatience(since: start, for: hop)
    }
    takeTime(since: start, off: &hop)
  }

  private func checkPatience(since start: UInt64, for hop: Hop) throws(Failure) {
    try Failure.throwIfInterrupted()
    if let limit = hop.timeLimitMilliseconds, clock.milliseconds(since: start) >= limit {
      throw .transport(.timedOut(.waiting), hop.request.target)
    }
  }

  /// - Returns: the turn of the other, where that is gone.
  private func waiting(
    _ wait: consuming KeyWait, since start: UInt64, for hop: Hop, _ turn: KeyTurns.Turn?
  ) throws(Failure) -> Lead? {
    diagnostics.note("cache: another run is asking for the same: waiting for it")
    cache.keyTurns?.noteWait()
    let patience = patience(for: hop)
    var (lastNews, pause) = (start, Self.shortestPause)
    var isReady = false
    defer { progress?.endWaiting() }
    while true {
      switch wait.look() {
      case .released, .unknown: return nil
      case .vacant:
        diagnostics.note("cache: the other run is gone, or is held up: going on in its place")
        return Lead(wait.lead(), clock, turn, bearing: .next)
      case .progress: lastNews = clock.monotonic()
      case .nothing:
        guard clock.monotonic() &- lastNews < patience else {
          diagnostics.note("cache: no news of the other run: going on alone")
          return nil
        }
      }
      try checkPatience(since: start, for: hop)
      if !isReady, clock.monotonic() &- start >= Self.readinessNanoseconds {
        transport.prepare()
        isReady = true
      }
      progress?.noteWaiting(since: start)
      clock.pause(pause)
      pause = min(pause * 3 / 2, Self.longestPause)
    }
  }
}

extension ResponseCache {
  /// What selects the variant that a request is for, as far as what is stored tells.
  func variant(wantedBy hop: Hop, at lookup: CachedLookup) -> SelectingFields {
    switch lookup.selection {
    case .uriMiss: return .none
    case .selected(let stored): return stored.selecting
    case .varyMiss:
      let stored = (isOff ? nil : store)?.variants(of: lookup.key) ?? []
      let names = (memory.store.variants(of: lookup.key) + stored).flatMap { $0.members.map(\.name) }
      return SelectingFields(names, of: hop.request.fields, concealing: concealer(for: hop)) ?? .none
    }
  }

  /// Whose turn it is to ask the origin for what a key stands for, or for one variant of that.
  func turn(at key: CacheKey, of variant: SelectingFields) -> KeyTurn {
    guard let store = storeForWriting() else { return .unknown }
    return store.turn(at: key, of: variant)
  }

  /// Does `work` unless somebody else is at work for the same variant.
  func alone(with hop: Hop, _ work: (Lead?) -> Void) {
    let lookup = lookup(hop)
    guard let store, !isOff else { return }
    switch turn(at: lookup.key, of: variant(wantedBy: hop, at: lookup)) {
    case .wait: return
    case .lead(let turn):
      let lead = Lead(turn, store.clock, bearing: nil)
      work(lead)
      lead.end()
    case .unknown: work(nil)
    }
  }
}
