import HTTPCaching
import HTTPSemantics
import Platform

/// Which keys a run is asking the origin for: of its threads one does, and the others wait for what comes of it.
final class KeyTurns: @unchecked Sendable {
  private let condition = Condition()
  // Under its lock.
  private var taken: Set<CacheKey> = []
  /// What has been answered of late, the latest last.
  private var answered: [(key: CacheKey, time: Timestamp)] = []
  /// Equal URLs mostly stand near each other, and a run may have millions of others.
  private static let longestMemory = 256

  /// - Returns: `nil` where another thread has it.
  func take(_ key: CacheKey, at time: Timestamp) -> Place? {
    condition.lock()
    defer { condition.unlock() }
    return taken.insert(key).inserted ? Place(key, time, in: self) : nil
  }

  /// When the origin was asked for what has been answered since; `nil` where none of this run's requests has been, or
  /// not of late.
  func answerTime(of key: CacheKey) -> Timestamp? {
    condition.lock()
    defer { condition.unlock() }
    return answered.last { $0.key == key }?.time
  }

  private func remove(_ place: Place) {
    condition.lock()
    taken.remove(place.key)
    if place.hasAnswer {
      if answered.count == Self.longestMemory { answered.removeFirst(Self.longestMemory / 2) }
      answered.append((place.key, place.time))
    }
    condition.unlock()
    condition.notifyAll()
  }

  /// Waits until nobody has the turn, or for a while.
  ///
  /// - Returns: whether nobody has it.
  func waitUntilFree(_ key: CacheKey, atMostMilliseconds milliseconds: Int) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if taken.contains(key) { condition.wait(milliseconds: milliseconds) }
    return !taken.contains(key)
  }

  /// The turn for a key; letting go of it lets the others go on.
  final class Place {
    fileprivate let key: CacheKey
    /// When it was taken.
    fileprivate let time: Timestamp
    /// Whether what has come answers equal requests of the run.
    var hasAnswer = false
    private let turns: KeyTurns
    private var hasEnded = false

    fileprivate init(_ key: CacheKey, _ time: Timestamp, in turns: KeyTurns) {
      self.key = key
      self.time = time
      self.turns = turns
    }

    deinit { end() }

    /// To be called by the thread that has the turn.
    fileprivate func end() {
      if hasEnded { return }
      hasEnded = true
      turns.remove(self)
    }
  }
}

/// The turns of one thread, which has one at a time.
final class ThreadTurns {
  private let turns: KeyTurns
  /// To be called before the thread waits for somebody.
  let noteWait: () -> Void
  private weak var place: KeyTurns.Place?

  init(_ turns: KeyTurns, noteWait: @escaping () -> Void) {
    self.turns = turns
    self.noteWait = noteWait
  }

  /// - Returns: `nil` where another thread has it.
  func take(_ key: CacheKey, at time: Timestamp) -> KeyTurns.Place? {
    let taken = turns.take(key, at: time)
    place = taken
    return taken
  }

  func answerTime(of key: CacheKey) -> Timestamp? { turns.answerTime(of: key) }

  func waitUntilFree(_ key: CacheKey, atMostMilliseconds milliseconds: Int) -> Bool {
    turns.waitUntilFree(key, atMostMilliseconds: milliseconds)
  }

  /// Lets the others go on, though what they wait for has not come: this thread is about to wait for them.
  func letGo() {
    noteWait()
    place?.end()
  }
}
