import Platform

/// A progress line on a terminal, about one thing or about the transfers of a run that go on side by side.
final class ProgressBoard: @unchecked Sendable {
  /// The nanoseconds before the line appears: work that is over within a second needs none.
  static let patience: UInt64 = 1_000_000_000
  /// The nanoseconds between updates: ten a second look smooth.
  private static let interval: UInt64 = 100_000_000

  private let diagnostics: Diagnostics
  private let clock: Clock
  /// The number of all URLs; `nil` if the line is about one thing.
  private let urlCount: Int?
  private let lock = Lock()
  // Guarded by the lock.
  private var start: UInt64
  private var nextUpdate: UInt64
  private var current: [Int: Amount] = [:]
  /// The sum over the URLs that are done.
  private var done = Amount()
  private var doneCount = 0

  private struct Amount {
    var received: UInt64 = 0
    /// The part of `received` that came before the present transfer: from the store, or before a transfer broke off.
    var before: UInt64 = 0
    var expected: UInt64?
  }

  /// - Parameter urlCount: evaluated only if the line is shown.
  /// - Returns: `nil` if nobody would see the line.
  static func shown(
    by diagnostics: Diagnostics, clock: Clock, urlCount: @autoclosure () -> Int? = nil
  ) -> ProgressBoard? {
    diagnostics.showsProgress ? ProgressBoard(diagnostics, clock, urlCount()) : nil
  }

  private init(_ diagnostics: Diagnostics, _ clock: Clock, _ urlCount: Int?) {
    self.diagnostics = diagnostics
    self.clock = clock
    self.urlCount = urlCount
    start = clock.monotonic()
    nextUpdate = start &+ Self.patience
  }

  func begin(_ number: Int, expected: UInt64?, before: UInt64) {
    locked { current[number] = Amount(received: before, before: before, expected: expected) }
  }

  func advance(_ number: Int, by bytes: UInt64) {
    locked {
      current[number]?.received += bytes
      update()
    }
  }

  func restart(_ number: Int) {
    locked {
      guard let received = current[number]?.received else { return }
      current[number]?.before = received
      if urlCount == nil { start = clock.monotonic() }
    }
  }

  /// Removes the line of a transfer that pauses. With several transfers it stays, because another one may be moving.
  func pause() {
    if urlCount == nil { close() }
  }

  /// Notes that a URL is done.
  ///
  /// - Parameter isShown: whether the line may be updated for that.
  func note(done number: Int, isShown: Bool) {
    locked {
      doneCount += 1
      if let amount = current.removeValue(forKey: number) {
        done.received += amount.received
        done.before += amount.before
      }
      if isShown { update() }
    }
  }

  /// Removes the line.
  func close() { diagnostics.endProgress() }

  private func locked(_ change: () -> Void) {
    lock.lock()
    defer { lock.unlock() }
    change()
  }

  private func update() {
    let now = clock.monotonic()
    guard now >= nextUpdate else { return }
    nextUpdate = now &+ Self.interval
    diagnostics.progress(figures(at: now).line(width: diagnostics.progressWidth))
  }

  private func figures(at now: UInt64) -> ProgressFigures {
    var sum = done
    // The sum is unknown until every URL has begun, because the others may be of any length.
    var expected = urlCount.map { doneCount + current.count == $0 } ?? true ? done.received : nil
    for amount in current.values {
      sum.received += amount.received
      sum.before += amount.before
      expected = expected.flatMap { known in amount.expected.map { known.adding(saturating: $0) } }
    }
    return ProgressFigures(
      received: sum.received, before: sum.before, expected: expected, urls: urlCount.map { (doneCount, $0) },
      nanoseconds: now &- start)
  }
}
