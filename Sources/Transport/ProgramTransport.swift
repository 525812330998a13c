import CTransport
import HTTPSemantics

/// libcurl as a sender, one message at a time, in a process of its own: garner-transport.
///
/// The program is started by the first message and serves all that follow, so that a redirection to the same origin
/// uses the same connection.
package final class ProgramTransport: Transport {
  /// How long a wait for the program is before `shouldStop` is asked again: a person who has typed Control-C does not
  /// notice so much.
  private static let longestWaitMilliseconds: Int32 = 200

  private let shouldStop: () -> Bool
  private var program: TransportProgram?
  /// One that has been told to end, and is waited for when it is let go of.
  private var endingProgram: TransportProgram?
  private var lastStream: UInt32 = 0

  /// - Parameter shouldStop: asked often during a transfer, and whenever a signal comes; `true` ends it as
  ///   `interrupted`.
  package init(shouldStop: @escaping () -> Bool = { false }) {
    self.shouldStop = shouldStop
  }

  package func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    lastStream &+= 1
    let request = try RequestFrame(message, stream: lastStream)
    let program = try readyProgram()
    var transfer = Transfer(message, receiver)
    let end: TransferEnd
    do throws(TransportError) {
      try program.send(request)
      end = try run(&transfer, through: program)
    } catch {
      // The next message gets a new one.
      self.program = nil
      throw transfer.failure ?? error
    }
    report = end.report
    if let failure = transfer.failure ?? end.failure(of: message.request, hasHead: transfer.hasHead) { throw failure }
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
    let program = try TransportProgram()
    self.program = program
    return program
  }

  /// Takes frames in until the end of the transfer.
  private func run(
    _ transfer: inout Transfer, through program: TransportProgram
  ) throws(TransportError) -> TransferEnd {
    var isCancelled = false
    while true {
      while let frame = try program.nextFrame() {
        if frame.stream != lastStream { continue }
        if let end = try take(frame, &transfer, program) { return end }
        if transfer.failure != nil, !isCancelled { break }
      }
      if transfer.failure == nil, shouldStop() { transfer.interrupt() }
      if transfer.failure != nil, !isCancelled {
        try program.send(RequestFrame(kind: transport_cancel, stream: lastStream))
        isCancelled = true
        continue
      }
      _ = try program.receive(withinMilliseconds: Self.longestWaitMilliseconds)
    }
  }

  /// - Returns: the end, where this is it.
  private func take(
    _ frame: TransportProgram.Frame, _ transfer: inout Transfer, _ program: TransportProgram
  ) throws(TransportError) -> TransferEnd? {
    switch frame.kind {
    case transport_head_line: transfer.receive(headLine: frame.payload)
    case transport_content: transfer.receive(content: frame.payload)
    case transport_remark: transfer.receive(remark: frame.payload)
    case transport_request_head: transfer.receive(requestHead: frame.payload)
    case transport_wanted: try answer(frame.payload, &transfer, program)
    case transport_end:
      guard let end = TransferEnd(frame.payload) else {
        throw .programEnded(reason: "it gave a report of no known form")
      }
      return end
    default: throw .programEnded(reason: "it sent a frame of no known kind")
    }
    return nil
  }

  /// Sends the content that the program asks for.
  private func answer(
    _ payload: UnsafeRawBufferPointer, _ transfer: inout Transfer, _ program: TransportProgram
  ) throws(TransportError) {
    guard payload.count == MemoryLayout<transport_wish>.size else {
      throw .programEnded(reason: "it asked for content in no known form")
    }
    let wish = payload.loadUnaligned(as: transport_wish.self)
    guard wish.offset >= 0, wish.count > 0, wish.count <= transport_longest_piece else {
      throw .programEnded(reason: "it asked for content that there is not")
    }
    guard let piece = transfer.piece(at: wish.offset, count: Int(wish.count)) else { return }
    try program.send(RequestFrame(kind: transport_request_content, stream: lastStream, content: piece))
  }
}
