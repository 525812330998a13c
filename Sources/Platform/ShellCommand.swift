import CPlatform
import Glibc

/// A command line that `sh` runs for this process, with limits on its time and its output.
///
/// It runs in a process group of its own, so that everything it starts can be ended with it.
package struct ShellCommand: Sendable {
  /// How the command ended.
  package enum Ending: Equatable, Sendable {
    /// The command ended by itself, or by the signal of another process.
    case ended(ChildProcess.Ending)
    /// The command was ended because its time was over.
    case timedOut
    /// The command was ended because its output was longer than anything that is of use here.
    case tooMuchOutput
    /// The command was ended because this process is to end.
    case stopped
  }

  package struct Outcome: Equatable, Sendable {
    package let ending: Ending
    /// What the command wrote to its standard output.
    package let output: [UInt8]
    /// What the command wrote to its standard error; a long text is cut off at its end.
    package let errors: [UInt8]
  }

  package let text: [UInt8]
  /// Each variable as `NAME=VALUE`.
  package let environment: [[UInt8]]
  package let timeLimitMilliseconds: UInt64

  /// - Parameters:
  ///   - text: the command line, without a NUL.
  ///   - environment: each variable as `NAME=VALUE`.
  package init(_ text: [UInt8], environment: [[UInt8]], timeLimitMilliseconds: UInt64) {
    self.text = text
    self.environment = environment
    self.timeLimitMilliseconds = timeLimitMilliseconds
  }

  /// A longer output is no answer to anything that is asked of a command here.
  private static let longestOutput = 256 << 10
  /// A longer text is of no use to a person.
  private static let longestErrors = 16 << 10
  /// How often `shouldStop` is asked: a signal that comes between two calls interrupts no wait.
  private static let pollMilliseconds: Int32 = 100

  /// Runs the command to its end.
  ///
  /// - Parameters:
  ///   - input: the content of the command's standard input.
  ///   - shouldStop: whether this process is to end.
  /// - Throws: an error if the command could not be started.
  package func run(input: [UInt8], shouldStop: () -> Bool) throws(Errno) -> Outcome {
    // A file, not a pipe: the command may leave any part unread, and this process need not wait until it reads.
    let source = try OwnedDescriptor(memoryFile: "input")
    try source.writeAll(input, at: 0)
    let timer = OwnedDescriptor(owning: try checked(cplatform_timer(max(1, timeLimitMilliseconds))))
    let outputPipe = try Pipe()
    let errorPipe = try Pipe()
    let running = RunningCommand(
      try spawn(source.rawValue, outputPipe.writing.rawValue, errorPipe.writing.rawValue))
    var output = CollectedOutput(from: outputPipe, limit: Self.longestOutput)
    var errors = CollectedOutput(from: errorPipe, limit: Self.longestErrors)
    let end = OwnedDescriptor(owning: try checked(cplatform_watch_process(running.processID)))
    while true {
      let ready = try Ready(
        end: end.rawValue, timer: timer.rawValue, output: output.awaited, errors: errors.awaited,
        milliseconds: Self.pollMilliseconds)
      if ready.hasOutput || ready.hasEnded { try output.take() }
      if ready.hasErrors || ready.hasEnded { try errors.take() }
      let interruption: Ending? =
        shouldStop()
        ? .stopped : output.isTooLong ? .tooMuchOutput : ready.isTimeOver && !ready.hasEnded ? .timedOut : nil
      if let interruption {
        running.stop(because: interruption, watching: end)
        return Outcome(ending: interruption, output: [], errors: errors.bytes)
      }
      // Processes that the command has left behind may hold the pipes open: nothing waits for them.
      if ready.hasEnded { return Outcome(ending: running.wait(), output: output.bytes, errors: errors.bytes) }
    }
  }

  private func spawn(_ input: Int32, _ output: Int32, _ errors: Int32) throws(Errno) -> Int32 {
    let strings = environment.map { Self.cString($0) }
    defer { for string in strings { free(string) } }
    let command = Self.cString(text)
    defer { free(command) }
    return try checked(cplatform_spawn_shell(command, strings + [nil], input, output, errors))
  }

  private static func cString(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    (bytes + [0]).withUnsafeBytes { strdup($0.assumingMemoryBound(to: CChar.self).baseAddress!) }
  }

  /// What has happened during a wait.
  private struct Ready {
    let hasEnded: Bool
    let isTimeOver: Bool
    let hasOutput: Bool
    let hasErrors: Bool

    /// Waits until something happens, or the time is over. The parameters are descriptors; -1 stands for none.
    init(end: Int32, timer: Int32, output: Int32, errors: Int32, milliseconds: Int32) throws(Errno) {
      let ready = try awaitInput(on: [end, timer, output, errors], milliseconds: milliseconds)
      (hasEnded, isTimeOver, hasOutput, hasErrors) = (ready[0], ready[1], ready[2], ready[3])
    }
  }
}

/// Waits until one of the descriptors can be read, or the time is over. The corresponding C function is `poll`.
///
/// - Returns: for each descriptor, whether there is something to read, or its end.
private func awaitInput(on descriptors: [Int32], milliseconds: Int32) throws(Errno) -> [Bool] {
  var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  let count = poll(&waiting, nfds_t(waiting.count), milliseconds)
  guard count >= 0 || Errno.current == .interrupted else { throw .current }
  return waiting.map { count > 0 && $0.revents != 0 }
}

/// The output that comes through a pipe.
private struct CollectedOutput: ~Copyable {
  private let pipe: OwnedDescriptor
  private let limit: Int
  private(set) var bytes: [UInt8] = []
  private var hasEnded = false
  /// Whether more came than the limit. The excess is not kept.
  private(set) var isTooLong = false

  init(from pipe: consuming Pipe, limit: Int) {
    self.pipe = OwnedDescriptor(owning: pipe.readingEnd().rawValue)
    self.limit = limit
  }

  /// The descriptor to wait for; -1 after the end.
  var awaited: Int32 { hasEnded ? -1 : pipe.rawValue }

  /// Takes what is available, without waiting for more.
  mutating func take() throws(Errno) {
    while !hasEnded, try pipe.waitUntilReadable(milliseconds: 0) {
      let piece = try pipe.readAvailableBytes(limit: 64 << 10)
      hasEnded = piece.isEmpty
      let room = limit - bytes.count
      if piece.count > room { isTooLong = true }
      bytes += piece.prefix(room)
      // The output of a program that writes without end is not read without end.
      if isTooLong { return }
    }
  }
}

/// A process with a group of its own. Destroying the value kills the group and leaves no zombie.
private struct RunningCommand: ~Copyable {
  let processID: Int32
  private var hasEnded = false

  init(_ processID: Int32) { self.processID = processID }

  deinit {
    guard !hasEnded else { return }
    signal(SIGKILL)
    _ = cplatform_wait(processID)
  }

  /// The corresponding C function is `kill`.
  func signal(_ number: Int32) { _ = kill(-processID, number) }

  /// The longest time that a program gets to tidy up after it is asked to end.
  private static let graceMilliseconds: Int32 = 500

  /// - Parameter end: a descriptor that can be read from when the program has ended.
  func stop(because reason: ShellCommand.Ending, watching end: borrowing OwnedDescriptor) {
    // A program that tidies up at ^C gets the time to do so.
    signal(reason == .stopped ? SIGINT : SIGTERM)
    _ = try? awaitInput(on: [end.rawValue], milliseconds: Self.graceMilliseconds)
    signal(SIGKILL)
  }

  /// Waits until the program has ended, and says how.
  consuming func wait() -> ShellCommand.Ending {
    hasEnded = true
    return .ended(ChildProcess.Ending(waitStatus: cplatform_wait(processID)))
  }
}
