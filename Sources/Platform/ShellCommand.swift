import CPlatform
import Glibc

/// A command line that `sh` runs for this process, bounded in time and in what it may say.
///
/// It runs in a process group of its own, so that whatever it starts can be ended with it.
package struct ShellCommand: Sendable {
  /// How it came to its end.
  package enum Ending: Equatable, Sendable {
    case ofItself(ChildProcess.Ending)
    /// It has been ended: its time was over.
    case timedOut
    /// It has been ended: it said more than anybody wants to know.
    case tooMuchOutput
    /// It has been ended, because this process is to end.
    case stopped
  }

  package struct Outcome: Equatable, Sendable {
    package var ending: Ending
    /// What it wrote to its standard output.
    package var output: [UInt8]
    /// What it wrote to its standard error; the end is cut off where it is long.
    package var errors: [UInt8]
  }

  package let text: [UInt8]
  /// Each as `NAME=VALUE`.
  package let environment: [[UInt8]]
  package let timeLimitMilliseconds: UInt64

  /// - Parameters:
  ///   - text: without a NUL.
  ///   - environment: each as `NAME=VALUE`.
  package init(_ text: [UInt8], environment: [[UInt8]], timeLimitMilliseconds: UInt64) {
    self.text = text
    self.environment = environment
    self.timeLimitMilliseconds = timeLimitMilliseconds
  }

  /// More is no answer to anything that is asked of a command here.
  private static let longestOutput = 256 << 10
  /// So much of what it complains about is of use to a person.
  private static let longestErrors = 16 << 10
  /// How often it is asked whether this process is to end: a signal that comes between two calls wakes nobody.
  private static let pollMilliseconds: Int32 = 100
  /// What a program that tidies up when it is asked to end takes at most.
  private static let graceMilliseconds: Int32 = 500

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - input: what it reads from its standard input.
  ///   - shouldStop: whether this process is to end.
  /// - Throws: where it could not be started.
  package func run(input: [UInt8], shouldStop: () -> Bool) throws(Errno) -> Outcome {
    // A file, not a pipe: it may leave unread what it likes, and nobody waits for it to read.
    let source = try OwnedDescriptor(memoryFile: "input")
    try source.writeAll(input, at: 0)
    let timer = OwnedDescriptor(owning: try checked(cplatform_timer(max(1, timeLimitMilliseconds))))
    let answers = try Pipe()
    let complaints = try Pipe()
    let running = RunningCommand(
      try spawn(source.rawValue, answers.writing.rawValue, complaints.writing.rawValue))
    let output = OwnedDescriptor(owning: answers.readingEnd().rawValue)
    let errors = OwnedDescriptor(owning: complaints.readingEnd().rawValue)
    var answer = Stream(limit: Self.longestOutput)
    var complaint = Stream(limit: Self.longestErrors)
    let end = OwnedDescriptor(owning: try checked(cplatform_watch_process(running.processID)))
    while true {
      let ready = try Self.wait(
        for: [
          end.rawValue, timer.rawValue, answer.hasEnded ? -1 : output.rawValue,
          complaint.hasEnded ? -1 : errors.rawValue,
        ], milliseconds: Self.pollMilliseconds)
      if ready[2] || ready[0] { try answer.take(from: output) }
      if ready[3] || ready[0] { try complaint.take(from: errors) }
      let interruption: Ending? =
        shouldStop() ? .stopped : answer.isTooLong ? .tooMuchOutput : ready[1] && !ready[0] ? .timedOut : nil
      if let interruption {
        // What tidies up at ^C does so now.
        running.signal(interruption == .stopped ? SIGINT : SIGTERM)
        _ = try? Self.wait(for: [end.rawValue], milliseconds: Self.graceMilliseconds)
        running.signal(SIGKILL)
        return Outcome(ending: interruption, output: [], errors: complaint.bytes)
      }
      // What it has left behind may hold the pipes open: nobody waits for that.
      if ready[0] { return Outcome(ending: running.wait(), output: answer.bytes, errors: complaint.bytes) }
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

  /// - Returns: of each descriptor whether there is something to read, or the end. The corresponding C function is
  ///   `poll`.
  private static func wait(for descriptors: [Int32], milliseconds: Int32) throws(Errno) -> [Bool] {
    var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = poll(&waiting, nfds_t(waiting.count), milliseconds)
    guard count >= 0 || Errno.current == .interrupted else { throw .current }
    return waiting.map { count > 0 && $0.revents != 0 }
  }

  /// What comes out of a pipe.
  private struct Stream {
    let limit: Int
    var bytes: [UInt8] = []
    var hasEnded = false
    /// Whether more came than the limit; what is beyond it is not kept.
    var isTooLong = false

    init(limit: Int) { self.limit = limit }

    /// Takes what is there, without waiting for more.
    mutating func take(from pipe: borrowing OwnedDescriptor) throws(Errno) {
      while !hasEnded, try pipe.waitUntilReadable(milliseconds: 0) {
        let piece = try pipe.readAvailableBytes(limit: 64 << 10)
        hasEnded = piece.isEmpty
        let room = limit - bytes.count
        if piece.count > room { isTooLong = true }
        bytes += piece.prefix(room)
        // Who writes without end is not read without end.
        if isTooLong { return }
      }
    }
  }
}

/// A process with a group of its own; letting go of it ends the group, and leaves no zombie.
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

  /// Waits until the program has ended, and says how.
  consuming func wait() -> ShellCommand.Ending {
    hasEnded = true
    return .ofItself(ChildProcess.Ending(waitStatus: cplatform_wait(processID)))
  }
}
