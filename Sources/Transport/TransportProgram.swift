import CTransport
import HTTPSemantics
import Platform
import Synchronization

/// garner-transport while it runs: frames to it and from it.
///
/// Letting go of it ends it.
final class TransportProgram {
  /// A frame that has come; valid until the next one is asked for.
  struct Frame {
    let stream: UInt32
    let kind: Int
    let payload: UnsafeRawBufferPointer
  }

  private static let name: Path = "garner-transport"
  /// GnuTLS comes with libcurl for protocols that are not spoken here; what it gets ready when it is loaded, it does
  /// when it is asked to (gnutls_global_init(3)).
  private static let withoutGnuTLS = "GNUTLS_NO_IMPLICIT_INIT=1"

  /// Several frames, so that large content costs few system calls.
  private static let bufferBytes = 256 << 10
  /// What the pipe holds at first. The program writes a little more at a time, of which the last bytes would wait for
  /// a reader: of large content, both would take turns.
  private static let pipeBytes = 64 << 10
  /// Two of the program's buffers, so that one is filled while the other is read.
  private static let largePipeBytes: Int32 = 256 << 10
  /// How long it may keep silent before its greeting once it takes nothing.
  private static let longestSilenceMilliseconds: Int32 = 1_000
  /// What the dynamic linker says when a library is missing is a sentence with a path in it.
  private static let longestLastWords = 1 << 10

  private let path: Path
  private var process: ChildProcess
  private let buffer: UnsafeMutableRawBufferPointer
  /// What of the buffer has been read and not been asked for.
  private var unread = 0..<0
  /// Whether large content may come by shared memory: that has room for one stream.
  private let mayShare: Bool
  private var sharedContent: SharedContent?
  private var isForLargeContent = false
  private var hasGreeted = false
  /// Set by whichever thread ends it.
  private let isFinished = Atomic(false)

  /// - Parameter mayShare: whether all content is of one stream at a time, and without a window.
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

  /// Ends it, whatever it waits for, and says how it has ended; it is of no use from then on.
  func end() -> ChildProcess.Ending {
    // First: a program that waits for room there would read nothing.
    sharedContent = nil
    finish()
    return process.end()
  }

  /// Begins its end, which takes as long as letting go of thirty libraries does.
  func finish() {
    if isFinished.exchange(true, ordering: .relaxed) { return }
    // It ends when its input ends, but this tells it that all is well.
    try? write(RequestFrame(kind: transport_finish, stream: 0))
  }

  /// Ends it at once: it does not answer.
  func kill() {
    isFinished.store(true, ordering: .relaxed)
    process.kill()
  }

  /// Waits a second for it to end, then ends it; whoever reads what it says, learns of it.
  func urge() { process.urge() }

  /// It has said that it ends.
  func noteFinished() { isFinished.store(true, ordering: .relaxed) }

  // MARK: Frames

  /// - Throws: `programEnded`, `libraryMissing`, `programUnusable`, or `interrupted`; the program is of no use then.
  func send(_ frame: RequestFrame) throws(TransportError) {
    do throws(TransportError) {
      try write(frame)
    } catch .programEnded(let reason) {
      throw isFinished.load(ordering: .relaxed) ? .programEnded(reason: reason) : ending()
    }
  }

  /// As `send`, for whoever may not ask the program why it has ended.
  ///
  /// - Throws: `programEnded` or `interrupted`.
  func write(_ frame: RequestFrame) throws(TransportError) {
    do throws(Errno) {
      try writeWhole(frame.bytes)
    } catch .interrupted {
      throw .interrupted
    } catch {
      // It waits for what cannot be said.
      if error != .brokenPipe { kill() }
      throw .programEnded(reason: "\(error)")
    }
  }

  /// Half a frame would make what follows unreadable: a signal interrupts only where nothing is taken any more.
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

  /// The next frame that is there as a whole.
  ///
  /// - Throws: `programUnusable` where the program is of another release, or says what no program says.
  func nextFrame() throws(TransportError) -> Frame? {
    sharedContent?.takeBack()
    let headBytes = MemoryLayout<transport_frame>.size
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
        throw .programUnusable(reason: "\(path): content lies where no memory is shared")
      }
      return Frame(stream: head.stream, kind: transport_content, payload: content)
    }
    try greet(payload)
    return try nextFrame()
  }

  private func greet(_ payload: UnsafeRawBufferPointer) throws(TransportError) {
    guard payload.count == MemoryLayout<UInt32>.size,
      payload.loadUnaligned(as: UInt32.self) == TRANSPORT_PROTOCOL_VERSION
    else { throw .programUnusable(reason: "\(path) is of another release") }
    hasGreeted = true
  }

  /// Waits for more, and takes it in; nothing has come where the time is over, or a signal has come.
  ///
  /// - Parameter input: ends the wait, too, where it can be read from.
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
    throw ending()
  }

  private func take() throws(Errno) -> Int {
    if unread.lowerBound > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[unread]))
      unread = 0..<unread.count
    }
    let count = try process.output.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[unread.upperBound...]))
    unread = 0..<unread.upperBound + count
    if count >= Self.pipeBytes, !isForLargeContent {
      isForLargeContent = true
      // Refused beyond a user's share; then it goes on as it is.
      if !mayShare || !share() { try? process.output.setPipeCapacity(bytes: Self.largePipeBytes) }
    }
    return count
  }

  /// - Returns: whether the program has been told of memory; it goes on with the pipe where it cannot have it.
  private func share() -> Bool {
    guard let content = try? SharedContent(), (try? write(content.announcement)) != nil else { return false }
    sharedContent = content
    return true
  }

  // MARK: The end

  private var hasMoreToSay: Bool {
    (try? process.output.waitUntilReadable(milliseconds: Self.longestSilenceMilliseconds)) ?? false
  }

  /// Why the program has ended, or says nothing more.
  private func ending() -> TransportError {
    if !hasGreeted {
      while unread.count < Self.longestLastWords, hasMoreToSay, let count = try? take(), count > 0 {}
      // Nobody has looked yet, perhaps.
      do throws(TransportError) { _ = try nextFrame() } catch { return error }
    }
    let ending = process.wait()
    if hasGreeted { return .programEnded(reason: ending.wordsOfTransport) }
    // What comes in the place of the greeting is the dynamic linker's.
    let text = String(
      decoding: buffer[unread].prefix { $0 != ASCII.lineFeed }.prefix(Self.longestLastWords), as: UTF8.self)
    // Its number for a program that it cannot make whole.
    if ending == .exit(127) { return .libraryMissing(reason: text) }
    let reason = "\(path): \(text.isEmpty ? ending.wordsOfTransport : text)"
    return ending == .exit(Int32(transport_exit_want))
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

  /// Of garner-transport, which says by its status why it does not go on.
  fileprivate var wordsOfTransport: String {
    guard case .exit(let status) = self else { return words }
    switch Int(status) {
    case transport_exit_libcurl: return "libcurl refuses to work"
    case transport_exit_want: return "it has no memory or no descriptors left"
    case transport_exit_nonsense: return "it was told what it does not understand"
    default: return words
    }
  }
}
