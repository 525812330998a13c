/// The progress of one thing, on a line of its own or on one that it shares.
struct ProgressMeter {
  /// `nil` if no progress is shown.
  private let board: ProgressBoard?
  private let number: Int

  /// - Parameters:
  ///   - number: identifies it on the board.
  ///   - expected: the bytes of the whole, if they are known.
  ///   - before: the bytes that are there already.
  init(on board: ProgressBoard?, number: Int = 0, expected: UInt64?, before: UInt64 = 0) {
    self.board = board
    self.number = number
    board?.begin(number, expected: expected, before: before)
  }

  func advance(by bytes: UInt64) { board?.advance(number, by: bytes) }

  /// Restarts the measurement: what has been received so far did not come by this transfer.
  func restart() { board?.restart(number) }

  /// Notes that this is over, or pauses.
  func finish() { board?.pause() }
}
