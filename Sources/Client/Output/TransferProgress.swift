import Platform

/// The place where the progress of a transfer is shown.
enum ProgressPlace {
  case ownLine
  /// `nil` if no progress is shown.
  case amongOthers(ProgressBoard?, number: Int)
}

/// The progress of a transfer: of the request's content first, then of the response's.
final class TransferProgress {
  private let place: ProgressPlace
  private let diagnostics: Diagnostics
  private let clock: Clock
  private var meter = ProgressMeter(on: nil, expected: nil)
  /// Whether the response's content is being received.
  private var isReceiving = false
  /// The bytes of the request's content that have been sent.
  private var sent: UInt64 = 0
  /// When a line about waiting was shown last; 0 if none has been.
  private var lastWaitingLine: UInt64 = 0

  init(on place: ProgressPlace, _ diagnostics: Diagnostics, _ clock: Clock) {
    self.place = place
    self.diagnostics = diagnostics
    self.clock = clock
  }

  /// Shows that the request waits for an equal one of another run, since `start` on the monotonic clock.
  func showWaiting(since start: UInt64) {
    guard case .ownLine = place, diagnostics.showsProgress else { return }
    let now = clock.monotonic()
    // Repeated, because the line may not have been drawn, or may have been erased meanwhile.
    guard now &- max(start, lastWaitingLine) >= ProgressBoard.patience else { return }
    lastWaitingLine = now
    let line = "waiting for another run that fetches the same response"
    diagnostics.progress(String(line.prefix(diagnostics.progressWidth)))
  }

  func endWaiting() {
    if lastWaitingLine > 0 { diagnostics.endProgress() }
    lastWaitingLine = 0
  }

  /// Notes how much of the request's content has been sent. Until the answer begins, only this is shown.
  ///
  /// - Parameter length: the bytes of the content, if they are known.
  func note(sent bytes: UInt64, of length: Int64?) {
    if bytes == 0 || bytes < sent { measure(length.map { UInt64($0) }, after: 0) }
    meter.advance(by: bytes - min(sent, bytes))
    sent = bytes
  }

  /// Notes that the answer has begun.
  func endSending() {
    if sent > 0 { meter.finish() }
    sent = 0
  }

  /// Begins to measure the response's content.
  ///
  /// - Parameters:
  ///   - length: the bytes that are to come; `nil` if they are not known.
  ///   - existing: the bytes that are there already.
  func beginReceiving(_ length: UInt64?, after existing: UInt64) {
    measure(length, after: existing)
    isReceiving = true
  }

  func advance(by bytes: UInt64) { meter.advance(by: bytes) }

  /// Notes that nothing has come for a moment, so that the speed shown goes down.
  func noteSilence() {
    if isReceiving { meter.advance(by: 0) }
  }

  /// Restarts the measurement: what has been received so far did not come by this transfer.
  func restart() {
    meter.restart()
    isReceiving = true
  }

  /// Notes that this is over, or pauses.
  func finish() {
    meter.finish()
    isReceiving = false
  }

  private func measure(_ length: UInt64?, after existing: UInt64) {
    let whole = length.map { existing.adding(saturating: $0) }
    switch place {
    case .ownLine:
      meter = ProgressMeter(on: ProgressBoard.shown(by: diagnostics, clock: clock), expected: whole, before: existing)
    case .amongOthers(let board, let number):
      meter = ProgressMeter(on: board, number: number, expected: whole, before: existing)
    }
  }
}
