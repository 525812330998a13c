package import HTTPCaching
package import Platform

extension Store {
  /// Asks for the turn to fetch the response for a key, or one variant of it.
  ///
  /// Locks keep processes from doing the same work at the same time. Nothing that is stored depends on them.
  package func turn(at key: CacheKey, of variant: SelectingFields) -> ProcessTurn {
    do {
      var slot = LockSlot(of: key, variant, in: try openLockFile())
      let isOurs = try slot.tryLock()
      let news = try slot.read()
      return isOurs ? .lead(ProcessLead(slot, after: news)) : .wait(ProcessWait(slot, since: news))
    } catch {
      return .unknown
    }
  }
}

/// Which run has the turn.
package enum ProcessTurn: ~Copyable {
  /// This run, and other processes wait.
  case lead(ProcessLead)
  /// Another process.
  case wait(ProcessWait)
  /// Every run: the file system has no locks, the store cannot be written to, or another part of this run has the turn.
  case unknown
}

/// The turn of a run that fetches while others wait. Destroying it releases them.
package struct ProcessLead: ~Copyable {
  private var slot: LockSlot
  private var news: LockSlot.News
  /// Whether this run has reported, and not given the turn away since: then others may be waiting for its news.
  private var hasReported = false

  init(_ slot: consuming LockSlot, after news: LockSlot.News) {
    self.slot = slot
    self.news = news
  }

  /// Reports that the work has begun or goes on. Every waiting run then begins its wait anew.
  ///
  /// - Parameter isEndKnown: whether an answer is coming, and it is known where it ends.
  /// - Throws: an error if nothing can be written. To keep the turn would then only keep the others waiting.
  package mutating func report(isEndKnown: Bool) throws(Errno) {
    news = news.afterBeat(isEndKnown: isEndKnown)
    hasReported = true
    try slot.write(news)
  }

  /// Yields the turn to one of the waiting runs, as if this process had been killed, while its work goes on.
  package mutating func yieldTurn() {
    hasReported = false
    slot.unlock()
  }

  /// Ends a turn that was yielded, when something has been stored. All waiting runs, also those that wait for the next
  /// holder, then look at it.
  package consuming func announce() {
    guard let news = try? slot.read() else { return }
    // The next holder may write at the same moment. A waiting run that therefore misses this waits for the end of that
    // holder.
    try? slot.write(LockSlot.News(releases: news.releases &+ 1, beats: news.beats))
  }

  /// Ends the turn without releasing the waiting runs: one of them takes it, as if this process had been killed.
  package consuming func handOver() { hasReported = false }

  deinit {
    // The lock ends after this, with the slot, so the run that obtains it next finds this release.
    if hasReported { try? slot.write(LockSlot.News(releases: news.releases &+ 1)) }
  }
}

/// The wait of a run for the end of another run's turn.
package struct ProcessWait: ~Copyable {
  private var slot: LockSlot
  private var news: LockSlot.News

  init(_ slot: consuming LockSlot, since news: LockSlot.News) {
    self.slot = slot
    self.news = news
  }

  /// Whether the other run knew at the last look where the answer that it receives ends.
  package var isEndKnown: Bool { news.isEndKnown }

  /// What has become of the other run since the last look.
  package enum Finding: Equatable, Sendable {
    case nothing
    /// The other run goes on, or another one has taken its place.
    case progress
    /// The other run is done: what was to be stored is stored.
    case released
    /// The other run is gone without having released the others, and the turn is this run's: see `lead()`.
    case vacant
    case unknown
  }

  package mutating func look() -> Finding {
    do throws(Errno) {
      let current = try slot.read()
      if current.releases != news.releases { return .released }
      if try slot.tryLock() {
        // The release may have been written between the two calls.
        let last = try slot.read()
        if last.releases != news.releases { return .released }
        news = last
        return .vacant
      }
      if current == news { return .nothing }
      news = current
      return .progress
    } catch {
      return .unknown
    }
  }

  /// Takes the turn that `look()` has found vacant.
  package consuming func lead() -> ProcessLead {
    ProcessLead(slot, after: news)
  }
}
