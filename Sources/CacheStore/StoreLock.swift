package import HTTPCaching
package import Platform

extension Store {
  /// Asks whose turn it is to fetch what a key stands for, or one variant of that.
  ///
  /// Locks keep processes from doing the same work at the same time. Nothing that is stored depends on them.
  package func turn(at key: CacheKey, of variant: SelectingFields = .none) -> KeyTurn {
    do {
      var slot = LockSlot(of: key, variant, in: try openLockFile())
      let isOurs = try slot.tryLock()
      let news = try slot.read()
      return isOurs ? .lead(KeyLead(slot, after: news)) : .wait(KeyWait(slot, since: news))
    } catch {
      return .unknown
    }
  }
}

/// Whose turn it is.
package enum KeyTurn: ~Copyable {
  /// Ours, and other processes wait.
  case lead(KeyLead)
  /// That of another process.
  case wait(KeyWait)
  /// Everybody's: the file system has no locks, the store cannot be written, or another part of this run has the turn.
  case unknown
}

/// The turn of whoever fetches while others wait. Letting go of it lets them go.
package struct KeyLead: ~Copyable {
  private var slot: LockSlot
  private var news: LockSlot.News
  /// Whether anybody may be waiting for news of ours.
  private var isAnnounced = false

  init(_ slot: consuming LockSlot, after news: LockSlot.News) {
    self.slot = slot
    self.news = news
  }

  /// Says that the work has begun, or goes on: whoever waits, waits anew.
  ///
  /// - Throws: where nothing can be written; to hold on to the turn would only keep the others waiting.
  package mutating func report() throws(Errno) {
    news.beats &+= 1
    isAnnounced = true
    try slot.write(news)
  }

  /// Leaves the turn to one of those who wait, as if this process had been killed, while the work goes on.
  package mutating func leave() {
    isAnnounced = false
    slot.unlock()
  }

  /// Ends a turn that was left, when something has been stored: all who wait, be it for the next one, look at that.
  package consuming func announce() {
    guard let news = try? slot.read() else { return }
    // The next one may write at the same moment: whoever then misses this waits for that one's end.
    try? slot.write(LockSlot.News(releases: news.releases &+ 1, beats: news.beats))
  }

  /// Ends the turn without a word: one of those who wait takes it, as if this process had been killed.
  package consuming func handOver() { isAnnounced = false }

  deinit {
    // The lock ends after this, with its descriptor: whoever obtains it finds the last word.
    if isAnnounced { try? slot.write(LockSlot.News(releases: news.releases &+ 1)) }
  }
}

/// The place of whoever waits for another's turn to end.
package struct KeyWait: ~Copyable {
  private var slot: LockSlot
  private var news: LockSlot.News

  init(_ slot: consuming LockSlot, since news: LockSlot.News) {
    self.slot = slot
    self.news = news
  }

  /// What has become of the other since it was asked after last.
  package enum Finding: Equatable, Sendable {
    case nothing
    /// It goes on, or another one has taken its place.
    case progress
    /// It is over: what was to be stored is stored.
    case released
    /// It is gone without a word, and the turn is ours: see `lead()`.
    case vacant
    case unknown
  }

  package mutating func look() -> Finding {
    do throws(Errno) {
      let current = try slot.read()
      if current.releases != news.releases { return .released }
      if try slot.tryLock() {
        // The last word may have come between the two calls.
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

  /// Takes the turn that has been found vacant.
  package consuming func lead() -> KeyLead {
    KeyLead(slot, after: news)
  }
}
