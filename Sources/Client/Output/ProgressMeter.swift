/// How far one thing has come, on a line of its own or on one that it shares.
struct ProgressMeter {
  /// `nil` where nobody looks on.
  private let board: ProgressBoard?
  private let number: Int

  /// - Parameters:
  ///   - number: by which the board knows it.
  ///   - expected: bytes, where that is known.
  ///   - before: bytes that are there already.
  init(on board: ProgressBoard?, number: Int = 0, expected: UInt64?, before: UInt64 = 0) {
    self.board = board
    self.number = number
    board?.begin(number, expected: expected, before: before)
  }

  func advance(by bytes: UInt64) { board?.advance(number, by: bytes) }

  /// Begins to measure anew: what has been received until now did not come by this transfer.
  func goOn() { board?.goOn(number) }

  /// Takes note that this is over, for the present or for good.
  func finish() { board?.pause() }
}
