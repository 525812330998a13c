import CTransport
import HTTPSemantics
import Platform
import Synchronization

/// A running garner-transport: frames to it and from it.
///
/// Destroying it ends the program.
final class TransportProgram {
  /// A frame from the program; valid until the next one is asked for.
  struct Frame {
    let stream: UInt32
    let kind: Int
    let payload: UnsafeRawBufferPointer
  }

  private static let name: Path = "garner-transport"
  /// libcurl brings GnuTLS for protocols that are not used here. With this, GnuTLS does not prepare anything when it is
  /// loaded, but when it is asked to (gnutls_global_init(3)).
  private static let withoutGnuTLS = "GNUTLS_NO_IMPLICIT_INIT=1"

  /// Room for several frames, so that large content costs few system calls.
  private static let bufferBytes = 256 << 10
  /// The initial capacity of the pipe. The program writes a little more at a time, and the last bytes would wait for a
  /// reader: with large content, writer and reader would take turns.
  private static let pipeBytes = 64 << 10
  /// Room for two of the program's buffers, so that one is filled while the other is read.
  private static let largePipeBytes: Int32 = 256 << 10
  /// How long the program may stay silent before its greeting, once it takes no more input.
  private static let longestSilenceMilliseconds: Int32 = 1_000

  private let path: Path
  private var process: ChildProcess
  private let buffer: UnsafeMutableRawBufferPointer
  /// The part of the buffer that has been read from the pipe and not been asked for.
  private var unread = 0..<0
  /// Whether large content may come through shared memory, which has room for one stream.
  private let mayShare: Bool
  private var sharedContent: SharedContent?
  private var isForLargeContent = false
  private var hasGreeted = false
  /// Set by the thread that ends the program, which may be any.
  private let isFinished = Atomic(false)

  /// - Parameter mayShare: whether only one stream at a time has content, and none has a window.
  /// - Throws: `programMissing`, `programUnusable` or `programNotStarted`.
  init(mayShare: Bool) throws(TransportError) {
    self.mayShare = mayShare
    path = try InstalledProgram.find(Self.name)
    process = try InstalledProgram.start(path, argument: TRANSPORT_PROTOCOL_WORD, variable: Self.withoutGnuTLS)
    buffer = .allocate(byteCount: Self.bufferBytes, alignment: 16)
  }

  deinit {
    _ = end()
    buffer.deallocate()
  }

  /// Ends the program, whatever it waits for, and returns how it has ended. The program is of no use afterwards.
  func end() -> ChildProcess.Ending {
    // This comes first, because a program that waits for room there reads nothing.
    sharedContent = nil
    finish()
    return process.end()
  }

  /// Begins to end the program, which takes as long as unloading thirty libraries.
  func finish() {
    if isFinished.exchange(true, ordering: .relaxed) { return }
    // The program also ends when its input ends, but this tells it that all is well.
    try? write(RequestFrame(kind: transport_finish, stream: 0))
  }

  /// Kills a program that does not answer.
  func kill() {
    isFinished.store(true, ordering: .relaxed)
    process.kill()
  }

  /// Waits a second for the program to end, then kills it. The thread that reads its output learns of the end.
  func awaitEndOrKill() { process.awaitEndOrKill() }

  /// Notes that the program has said that it ends.
  func noteFinished() { isFinished.store(true, ordering: .relaxed) }

  // MARK: Frames

  /// - Throws: `programEnded`, `libraryMissing`, `programUnusable`, or `interrupted`. The program is of no use
  ///   afterwards.
  func send(_ frame: RequestFrame) throws(TransportError) {
    do throws(TransportError) {
      try write(frame)
    } catch .programEnded(let reason) {
      throw isFinished.load(ordering: .relaxed) ? .programEnded(reason: reason) : failure()
    }
  }

  /// As `send`, for a thread that may not ask the program why it has ended.
  ///
  /// - Throws: `programEnded` or `interrupted`.
  func write(_ frame: RequestFrame) throws(TransportError) {
    do throws(Errno) {
      try writeWhole(frame.bytes)
    } catch .interrupted {
      throw .interrupted
    } catch {
      // The program waits for a frame that cannot be written.
      if error != .brokenPipe { kill() }
      throw .programEnded(reason: "\(error)")
    }
  }

  /// Writes a whole frame, because half of one would make what follows unreadable: a signal interrupts the writing only
  /// if the program takes nothing any more.
  private func writeWhole(_ bytes: [UInt8]) throws(Errno) {
    var written = 0
    while true {
      let before = written
      do throws(Errno) {
        return try bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
          try process.input.writeAll(UnsafeRawBufferPointer(rebasing: bytes[before...]), progress: &written)
        }
      } catch {
        guard error == .interrupted, written > before else { throw error }
      }
    }
  }

  /// Returns the next frame, if all of it has come.
  ///
  /// - Throws: `programUnusable` if the program is of another release, or sends what no garner-transport sends.
  func nextFrame() throws(TransportError) -> Frame? {
    sharedContent?.takeBack()
    let headBytes = MemoryLayout<transport_frame>.size
    if !hasGreeted { skipToGreeting() }
    guard unread.count >= headBytes else { return nil }
    let head = buffer.loadUnaligned(fromByteOffset: unread.lowerBound, as: transport_frame.self)
    if !hasGreeted, Int(head.kind) != transport_hello { return nil }
    guard head.length <= transport_longest_frame else { throw .programUnusable(reason: "\(path): a frame is too long") }
    guard unread.count >= headBytes + Int(head.length) else { return nil }
    let start = unread.lowerBound + headBytes
    let payload = UnsafeRawBufferPointer(rebasing: buffer[start..<start + Int(head.length)])
    unread = start + payload.count..<unread.upperBound
    if hasGreeted {
      let kind = Int(head.kind)
      guard kind == transport_shared_content else { return Frame(stream: head.stream, kind: kind, payload: payload) }
      guard let content = sharedContent?.bytes(toldOfBy: payload) else {
        throw .programUnusable(reason: "\(path): content lies outside the shared memory")
      }
      return Frame(stream: head.stream, kind: transport_content, payload: content)
    }
    try greet(payload)
    return try nextFrame()
  }

  /// Skips what comes before the greeting, if that is there: until then, the dynamic linker and libraries that it loads
  /// in advance (LD_PRELOAD) may write what is meant for standard error.
  private func skipToGreeting() {
    let headBytes = MemoryLayout<transport_frame>.size
    let expected = transport_frame(
      stream: 0, kind: UInt16(transport_hello), unused: 0, length: UInt32(MemoryLayout<UInt32>.size))
    withUnsafeBytes(of: expected) { expected in
      var start = unread.lowerBound
      while start + headBytes <= unread.upperBound {
        if buffer[start..<start + headBytes].elementsEqual(expected) {
          unread = start..<unread.upperBound
          break
        }
        start += 1
      }
    }
  }

  private func greet(_ payload: UnsafeRawBufferPointer) throws(TransportError) {
    guard payload.count == MemoryLayout<UInt32>.size,
      payload.loadUnaligned(as: UInt32.self) == TRANSPORT_PROTOCOL_VERSION
    else { throw .programUnusable(reason: "\(path) is from another release") }
    hasGreeted = true
  }

  /// Waits for more output of the program, and reads it. Nothing has come if the time is over, or a signal has come.
  ///
  /// - Parameter input: another descriptor, which also ends the wait when it can be read from.
  /// - Returns: whether something has come.
  /// - Throws: `programEnded`, `libraryMissing` or `programUnusable`.
  @discardableResult
  func receive(withinMilliseconds milliseconds: Int32, or input: Descriptor? = nil) throws(TransportError) -> Bool {
    do throws(Errno) {
      guard try process.output.waitUntilReadable(milliseconds: milliseconds, or: input) else { return false }
      if try take() > 0 { return true }
    } catch {
      throw .programEnded(reason: "\(error)")
    }
    throw failure()
  }

  /// Reads once into the buffer, and gives large content more room from its first large piece on.
  ///
  /// - Returns: the number of bytes read: 0 at the end of the output.
  private func take() throws(Errno) -> Int {
    if unread.lowerBound > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[unread]))
      unread = 0..<unread.count
    }
    let count = try process.output.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[unread.upperBound...]))
    unread = 0..<unread.upperBound + count
    if count >= Self.pipeBytes, !isForLargeContent {
      isForLargeContent = true
      // Growing the pipe is refused beyond the user's share; it then stays as it is.
      if !mayShare || !share() { try? process.output.setPipeCapacity(bytes: Self.largePipeBytes) }
    }
    return count
  }

  /// - Returns: whether the program has been told of memory. If it cannot map the memory, it goes on with the pipe.
  private func share() -> Bool {
    guard let content = try? SharedContent(), (try? write(content.announcement)) != nil else { return false }
    sharedContent = content
    return true
  }

  // MARK: The end

  private var hasMoreToSay: Bool {
    (try? process.output.waitUntilReadable(milliseconds: Self.longestSilenceMilliseconds)) ?? false
  }

  /// Returns why the program has ended, or says nothing more.
  private func failure() -> TransportError {
    if !hasGreeted {
      while hasMoreToSay, let count = try? take(), count > 0 {}
      // The greeting may not have been looked at yet.
      do throws(TransportError) { _ = try nextFrame() } catch { return error }
    }
    let ending = process.wait()
    if hasGreeted { return .programEnded(reason: ending.wordsOfTransport) }
    let text = InstalledProgram.lastLine(of: buffer[unread])
    // The dynamic linker's status for a program that lacks a library.
    if ending == .exit(127) { return .libraryMissing(reason: text) }
    let reason = "\(path): \(text.isEmpty ? ending.wordsOfTransport : text)"
    return ending == .exit(Int32(transport_exit_no_resources))
      ? .programNotStarted(reason: reason) : .programUnusable(reason: reason)
  }
}

extension ChildProcess.Ending {
  var words: String {
    switch self {
    case .exit(let status): "it ended with status \(status)"
    case .signal(let number): "it was ended by signal \(number)"
    case .unknown: "it ended"
    }
  }

  /// The words for garner-transport, whose status says why it does not go on.
  fileprivate var wordsOfTransport: String {
    guard case .exit(let status) = self else { return words }
    switch Int(status) {
    case transport_exit_libcurl: return "it cannot work with this libcurl"
    case transport_exit_no_resources: return "it has no memory or no descriptors left"
    case transport_exit_nonsense: return "it received a frame that it does not understand"
    default: return words
    }
  }
}
