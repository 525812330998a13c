import CTransport
import HTTPSemantics

/// A transport that sends one message at a time through libcurl, which runs in another process: garner-transport.
///
/// The program is started by the first message and serves all that follow, so that a redirection to the same origin
/// uses the same connection.
package final class ProgramTransport: Transport {
  private let shouldStop: () -> Bool
  private var program: TransportProgram?
  /// A program that is about to end. It is waited for when this reference is released.
  private var endingProgram: TransportProgram?
  private var lastStream: UInt32 = 0

  /// - Parameter shouldStop: asked often during a transfer, and whenever a signal comes; `true` ends the transfer as
  ///   `interrupted`.
  package init(shouldStop: @escaping () -> Bool) {
    self.shouldStop = shouldStop
  }

  package func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    lastStream &+= 1
    let request = try RequestFrame(message, stream: lastStream)
    let program = try readyProgram()
    var transfer = ProgramTransfer(message, receiver)
    let end: TransferEnd
    do throws(TransportError) {
      try program.send(request)
      end = try run(&transfer, through: program)
    } catch {
      // The next message starts a new program.
      self.program = nil
      throw transfer.failure ?? error
    }
    report = end.report
    if end.endsProgram {
      program.noteFinished()
      endingProgram = program
      self.program = nil
    }
    if let failure = transfer.failure(at: end) { throw failure }
  }

  package func prepare() {
    _ = try? readyProgram()
  }

  package func finish() {
    guard let program else { return }
    program.finish()
    endingProgram = program
    self.program = nil
  }

  private func readyProgram() throws(TransportError) -> TransportProgram {
    if let program { return program }
    let program = try TransportProgram(mayShare: true)
    self.program = program
    return program
  }

  /// Processes frames until the end of the transfer.
  private func run(
    _ transfer: inout ProgramTransfer, through program: TransportProgram
  ) throws(TransportError) -> TransferEnd {
    var watch = TransferWatch(limit: transfer.message.options.timeLimitMilliseconds)
    while true {
      while let frame = try program.nextFrame() {
        if frame.stream != lastStream { continue }
        // After a failure, too, frames are processed: the end may be among them already.
        if let end = try transfer.take(frame, answering: program.send) { return end }
      }
      try transfer.sendContent(on: lastStream, through: program.send)
      switch watch.step(&transfer, shouldStop: shouldStop) {
      case .wait, .awaitEnd:
        let hasCome = try program.receive(withinMilliseconds: TransferWatch.intervalMilliseconds, or: transfer.awaited)
        if !hasCome { transfer.noteSilence() }
      case .cancel: try program.send(RequestFrame(kind: transport_cancel, stream: lastStream))
      case .giveUp(let failure):
        program.kill()
        throw failure
      }
    }
  }
}
