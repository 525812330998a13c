import Platform

/// Where it is shown how far a transfer has come.
enum ProgressPlace {
  case ownLine
  /// `nil` where nobody looks on.
  case amongOthers(ProgressBoard?, number: Int)
}

/// How far a transfer has come: the request's content first, then the response's.
final class TransferProgress {
  private let place: ProgressPlace
  private let diagnostics: Diagnostics
  private let clock: Clock
  private var meter = ProgressMeter(on: nil, expected: nil)
  /// Whether the response's content is coming.
  private var isReceiving = false
  /// Bytes of the request's content.
  private var sent: UInt64 = 0
  /// When it was shown last that the request waits; 0 where it has not been.
  private var lastWaitingLine: UInt64 = 0

  init(on place: ProgressPlace, _ diagnostics: Diagnostics, _ clock: Clock) {
    self.place = place
    self.diagnostics = diagnostics
    self.clock = clock
  }

  /// Takes note that the request waits for an equal one of another run, since some moment of the monotonic clock.
  func noteWaiting(since start: UInt64) {
    guard case .ownLine = place, diagnostics.showsProgress else { return }
    let now = clock.monotonic()
    // Again and again: it may not have been drawn, or been erased meanwhile.
    guard now &- max(start, lastWaitingLine) >= ProgressBoard.patience else { return }
    lastWaitingLine = now
    let line = "waiting for another run that asks for the same"
    diagnostics.progress(String(line.prefix(diagnostics.progressWidth)))
  }

  func endWaiting() {
    if lastWaitingLine > 0 { diagnostics.endProgress() }
    lastWaitingLine = 0
  }

  /// Takes note how far the request's content has come; until the answer begins, that is all there is to be shown.
  ///
  /// - Parameter length: in bytes, where it is known.
  func note(sent bytes: UInt64, of length: Int64?) {
    if bytes == 0 || bytes < sent { measure(length.map { UInt64($0) }, behind: 0) }
    meter.advance(by: bytes - min(sent, bytes))
    sent = bytes
  }

  /// Takes note that the answer has begun.
  func endSending() {
    if sent > 0 { meter.finish() }
    sent = 0
  }

  /// Begins to measure the response's content.
  ///
  /// - Parameters:
  ///   - length: of what comes, in bytes; `nil` where that is not known.
  ///   - before: bytes that are there already.
  func beginReceiving(_ length: UInt64?, behind before: UInt64) {
    measure(length, behind: before)
    isReceiving = true
  }

  func advance(by bytes: UInt64) { meter.advance(by: bytes) }

  /// Takes note that nothing has come for a moment, by which content is seen to come more slowly.
  func noteWait() {
    if isReceiving { meter.advance(by: 0) }
  }

  /// Begins to measure anew: what has been received until now did not come by this transfer.
  func goOn() {
    meter.goOn()
    isReceiving = true
  }

  /// Takes note that this is over, for the present or for good.
  func finish() {
    meter.finish()
    isReceiving = false
  }

  private func measure(_ length: UInt64?, behind before: UInt64) {
    let whole = length.map { before.adding(saturating: $0) }
    switch place {
    case .ownLine:
      meter = ProgressMeter(on: ProgressBoard.shown(by: diagnostics, clock: clock), expected: whole, before: before)
    case .amongOthers(let board, let number):
      meter = ProgressMeter(on: board, number: number, expected: whole, before: before)
    }
  }
}
