import CTransport
import HTTPSemantics
import Platform

/// A transport that sends any number of messages at a time, each from a thread of its own, through one
/// garner-transport.
///
/// A separate thread reads what the program says and puts it into the inbox of its stream. It never waits for another
/// thread, so the program can always go on, and a thread that sends to the program does not wait for ever. The size of
/// an inbox is bounded: content by the stream's window, beyond which libcurl holds its connection back, and heads and
/// trailers by `transport_longest_lines`, beyond which the transfer ends.
package final class ParallelTransport: Transport, @unchecked Sendable {
  /// The window of a stream: two buffers of libcurl's, so that one is filled while the other is written.
  private static let window = 128 << 10
  /// Content is acknowledged whenever this much has been taken; a smaller response needs no acknowledgement.
  private static let acknowledgedBytes = window / 4

  private let shouldStop: @Sendable () -> Bool
  private let lock = Lock()
  /// Guarded by the lock.
  private var connection: ProgramConnection?

  /// - Parameter shouldStop: asked often during a transfer, by any thread; `true` ends the transfer as `interrupted`.
  package init(shouldStop: @escaping @Sendable () -> Bool) {
    self.shouldStop = shouldStop
  }

  deinit { connection?.end() }

  package func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    let connection = try readyConnection()
    let inbox = connection.openStream()
    defer { connection.close(inbox) }
    let request = try RequestFrame(message, stream: inbox.stream, window: Self.window)
    var transfer = ProgramTransfer(message, receiver)
    let end: TransferEnd
    do throws(TransportError) {
      try connection.send(request)
      end = try run(&transfer, from: inbox, through: connection)
    } catch {
      throw transfer.failure ?? error
    }
    report = end.report
    if let failure = transfer.failure(at: end) { throw failure }
  }

  package func prepare() { _ = try? readyConnection() }

  package func finish() {
    lock.lock()
    defer { lock.unlock() }
    connection?.beginEnd()
  }

  private func readyConnection() throws(TransportError) -> ProgramConnection {
    lock.lock()
    defer { lock.unlock() }
    if let connection, !connection.isOver { return connection }
    connection?.end()
    connection = nil
    let made = try ProgramConnection()
    connection = made
    return made
  }

  /// Processes what comes into the inbox until the end of the transfer.
  private func run(
    _ transfer: inout ProgramTransfer, from inbox: Inbox, through connection: ProgramConnection
  ) throws(TransportError) -> TransferEnd {
    var watch = TransferWatch(limit: transfer.message.options.timeLimitMilliseconds)
    var batch: [UInt8] = []
    var taken = 0
    while true {
      try inbox.take(&batch, withinMilliseconds: Int(TransferWatch.intervalMilliseconds), or: transfer.awaited)
      if batch.isEmpty { transfer.noteSilence() }
      do throws(TransportError) {
        if let end = try take(batch, &transfer, &taken, through: connection) { return end }
        try transfer.sendContent(on: inbox.stream, through: connection.send)
      } catch {
        // A program that sends what cannot be parsed may also disobey when it is told to end.
        connection.noteHanging()
        throw error
      }
      switch watch.step(&transfer, shouldStop: shouldStop) {
      case .wait where taken >= Self.acknowledgedBytes:
        let count = withUnsafeBytes(of: UInt32(taken)) { Array($0) }
        try connection.send(RequestFrame(kind: transport_taken, stream: inbox.stream, content: count[...]))
        taken = 0
      case .wait, .awaitEnd: break
      case .cancel: try connection.send(RequestFrame(kind: transport_cancel, stream: inbox.stream))
      case .giveUp(let failure):
        connection.noteHanging()
        throw failure
      }
    }
  }

  private func take(
    _ batch: [UInt8], _ transfer: inout ProgramTransfer, _ taken: inout Int, through connection: ProgramConnection
  ) throws(TransportError) -> TransferEnd? {
    try batch.span.bytes.withUnsafeBytes { (bytes) throws(TransportError) in
      var rest = bytes
      while let frame = Inbox.popFrame(from: &rest) {
        if frame.kind == transport_content { taken += frame.payload.count }
        if let end = try transfer.take(frame, answering: connection.send) { return end }
      }
      return nil
    }
  }
}

/// A garner-transport at work, with the thread that reads what it says.
private final class ProgramConnection: @unchecked Sendable {
  private let program: TransportProgram
  /// Held only while a frame is written. That always ends, because the program keeps reading even if nobody reads its
  /// output.
  private let writing = Lock()
  private let lock = Lock()
  // Guarded by the lock.
  private var inboxes: [UInt32: Inbox] = [:]
  private var lastStream: UInt32 = 0
  private var failure: TransportError?
  private var isEnding = false
  /// Set if the program has not ended a transfer that it was told to end.
  private var isHanging = false
  private var reader: Thread?

  init() throws(TransportError) {
    let starter = Starter()
    do throws(Errno) {
      reader = try Thread { starter.run() }
    } catch {
      throw .programNotStarted(reason: "no thread can be started: \(error)")
    }
    do throws(TransportError) {
      program = try starter.program()
    } catch {
      reader?.join()
      throw error
    }
    starter.assign { [unowned self] in read() }
  }

  /// Whether nothing more can be sent through the connection.
  var isOver: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isEnding || failure != nil
  }

  func openStream() -> Inbox {
    lock.lock()
    defer { lock.unlock() }
    lastStream &+= 1
    let inbox = Inbox(lastStream)
    inboxes[lastStream] = inbox
    if let failure { inbox.fail(failure) }
    return inbox
  }

  func close(_ inbox: Inbox) {
    lock.lock()
    defer { lock.unlock() }
    inboxes[inbox.stream] = nil
  }

  func send(_ frame: RequestFrame) throws(TransportError) {
    writing.lock()
    defer { writing.unlock() }
    do throws(TransportError) {
      try program.write(frame)
    } catch {
      // The reader finds out why the program has ended. No other thread may ask.
      guard case .programEnded = error else { throw error }
    }
  }

  /// Tells the program to end, which takes as long as unloading thirty libraries.
  func beginEnd() {
    lock.lock()
    isEnding = true
    lock.unlock()
    writing.lock()
    program.finish()
    writing.unlock()
  }

  /// Notes that a transfer was given up which the program did not end; other transfers may go on.
  func noteHanging() {
    lock.lock()
    defer { lock.unlock() }
    isHanging = true
  }

  /// Ends the program, and waits until it has ended.
  func end() {
    lock.lock()
    let isHanging = isHanging
    lock.unlock()
    if isHanging {
      program.kill()
    } else {
      beginEnd()
      program.awaitEndOrKill()
    }
    reader?.join()
    reader = nil
  }

  // MARK: The reader

  private func read() {
    do throws(TransportError) {
      while true {
        try distribute()
        // Without a time limit: the wait ends when the program does.
        try program.receive(withinMilliseconds: -1)
      }
    } catch {
      lock.lock()
      failure = error
      let left = Array(inboxes.values)
      lock.unlock()
      for inbox in left { inbox.fail(error) }
    }
  }

  /// Puts all frames that are there into their inboxes, and then wakes the threads that wait for them.
  private func distribute() throws(TransportError) {
    var filled: [Inbox] = []
    while let frame = try program.nextFrame() {
      if frame.stream != filled.last?.stream {
        lock.lock()
        let inbox = inboxes[frame.stream]
        lock.unlock()
        // The stream is closed: nobody waits for its frames.
        guard let inbox else { continue }
        filled.append(inbox)
      }
      filled[filled.count - 1].append(frame)
    }
    for inbox in filled { inbox.announce() }
  }
}

/// The thread that starts the program, and must outlive it: by PR_SET_PDEATHSIG the program ends with the thread that
/// started it, not with the process.
private final class Starter: @unchecked Sendable {
  private let condition = Condition()
  // Guarded by its lock.
  private var start: Result<TransportProgram, TransportError>?
  private var work: (() -> Void)?

  func run() {
    let made = Result { () throws(TransportError) in try TransportProgram(mayShare: false) }
    condition.lock()
    defer { condition.unlock() }
    start = made
    condition.notifyAll()
    guard case .success = made else { return }
    while work == nil { condition.wait(milliseconds: Self.pauseMilliseconds) }
    let work = work
    condition.unlock()
    work?()
    condition.lock()
  }

  func program() throws(TransportError) -> TransportProgram {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let start { return try start.get() }
      condition.wait(milliseconds: Self.pauseMilliseconds)
    }
  }

  /// Gives the thread the work that follows the start of the program.
  func assign(_ work: @escaping () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    self.work = work
    condition.notifyAll()
  }

  private static let pauseMilliseconds = 1_000
}

/// The frames of a stream that have come and have not been processed.
private final class Inbox: @unchecked Sendable {
  let stream: UInt32
  private let condition = Condition()
  // Guarded by its lock: whole frames, as they came.
  private var bytes: [UInt8] = []
  private var failure: TransportError?
  /// Wakes a thread that waits for a descriptor as well as for frames.
  private var bell: Bell?

  init(_ stream: UInt32) {
    self.stream = stream
    bytes.reserveCapacity(Self.usualBytes)
  }

  /// Room for a small response with its head, and the report of its transfer.
  private static let usualBytes = 4 << 10

  func append(_ frame: TransportProgram.Frame) {
    let head = transport_frame(
      stream: frame.stream, kind: UInt16(frame.kind), unused: 0, length: UInt32(frame.payload.count))
    condition.lock()
    defer { condition.unlock() }
    withUnsafeBytes(of: head) { bytes += $0 }
    bytes += frame.payload
    bell?.ring()
  }

  func announce() { condition.notifyOne() }

  func fail(_ error: TransportError) {
    condition.lock()
    failure = error
    bell?.ring()
    condition.unlock()
    condition.notifyOne()
  }

  /// Exchanges `batch` for what has come, which is nothing when the time is over.
  ///
  /// - Parameter input: another descriptor, which also ends the wait when it can be read from.
  func take(
    _ batch: inout [UInt8], withinMilliseconds milliseconds: Int, or input: Descriptor?
  ) throws(TransportError) {
    batch.removeAll(keepingCapacity: true)
    condition.lock()
    defer { condition.unlock() }
    if bytes.isEmpty, failure == nil { wait(milliseconds: milliseconds, or: input) }
    // Frames that came before the failure are processed first.
    if bytes.isEmpty, let failure { throw failure }
    swap(&batch, &bytes)
  }

  /// Called under the lock, which it releases while it waits.
  private func wait(milliseconds: Int, or input: Descriptor?) {
    guard let input else { return condition.wait(milliseconds: milliseconds) }
    bell = bell ?? (try? Bell())
    // Without a bell, `input` is looked at only when the time is over.
    guard let bell else { return condition.wait(milliseconds: milliseconds) }
    condition.unlock()
    bell.wait(milliseconds: Int32(milliseconds), or: input)
    condition.lock()
  }

  static func popFrame(from bytes: inout UnsafeRawBufferPointer) -> TransportProgram.Frame? {
    let headBytes = MemoryLayout<transport_frame>.size
    guard bytes.count >= headBytes else { return nil }
    let head = bytes.loadUnaligned(as: transport_frame.self)
    let payload = UnsafeRawBufferPointer(rebasing: bytes[headBytes..<headBytes + Int(head.length)])
    bytes = UnsafeRawBufferPointer(rebasing: bytes[(headBytes + Int(head.length))...])
    return TransportProgram.Frame(stream: head.stream, kind: Int(head.kind), payload: payload)
  }
}
