import HTTPCaching
import Platform

/// Which keys a run is asking the origin for: of its threads one does, and the others wait for what comes of it.
final class KeyTurns: @unchecked Sendable {
  private let condition = Condition()
  /// Under its lock.
  private var taken: Set<CacheKey> = []

  /// - Returns: `nil` where another thread has it.
  func take(_ key: CacheKey) -> Place? {
    condition.lock()
    defer { condition.unlock() }
    return taken.insert(key).inserted ? Place(key, in: self) : nil
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
    private let key: CacheKey
    private let turns: KeyTurns
    private var hasEnded = false

    fileprivate init(_ key: CacheKey, in turns: KeyTurns) {
      self.key = key
      self.turns = turns
    }

    deinit { end() }

    /// To be called by the thread that has the turn.
    fileprivate func end() {
      if hasEnded { return }
      hasEnded = true
      turns.condition.lock()
      turns.taken.remove(key)
      turns.condition.unlock()
      turns.condition.notifyAll()
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
  func take(_ key: CacheKey) -> KeyTurns.Place? {
    let taken = turns.take(key)
    place = taken
    return taken
  }

  func waitUntilFree(_ key: CacheKey, atMostMilliseconds milliseconds: Int) -> Bool {
    turns.waitUntilFree(key, atMostMilliseconds: milliseconds)
  }

  /// Lets the others go on, though what they wait for has not come: this thread is about to wait for them.
  func letGo() {
    noteWait()
    place?.end()
  }
}
