import CPlatform
import Glibc

/// A program that this process has started, with a pipe in either direction.
///
/// Letting go of it closes the pipes, which tells it to end, and waits until it has, or ends it.
package struct ChildProcess: ~Copyable {
  package enum Ending: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
    /// Somebody else has waited for it.
    case unknown

    /// - Parameter status: as `waitpid` has it, or a negative errno.
    init(waitStatus status: Int32) {
      let signal = status & 0x7f
      self = status < 0 ? .unknown : signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
    }
  }

  /// What the program reads.
  package let input: Descriptor
  /// What the program writes.
  package let output: Descriptor
  private let process: StartedProcess
  private var isClosed = false

  /// Starts the program at `path` with one argument, and with `variable`, NAME=VALUE, in its environment.
  ///
  /// What it writes to standard error comes with its output.
  ///
  /// SIGINT, SIGTERM and SIGHUP, which a terminal sends to both, are for this process to act on. The corresponding C
  /// function is `vfork`.
  package init(_ path: Path, argument: String, variable: String) throws(Errno) {
    let requests = try Pipe()
    let answers = try Pipe()
    let processID = try checked(
      path.withCString { path in
        argument.withCString { argument in
          variable.withCString {
            cplatform_spawn(path, argument, $0, requests.reading.rawValue, answers.writing.rawValue)
          }
        }
      })
    process = StartedProcess(processID)
    input = requests.writingEnd()
    output = answers.readingEnd()
  }

  deinit {
    if !isClosed { Self.close(input, output) }
    _ = process.wait()
  }

  /// Lets go of it, and says how it has ended. Neither pipe is of use from then on.
  package mutating func end() -> Ending {
    if !isClosed { Self.close(input, output) }
    isClosed = true
    return wait()
  }

  private static func close(_ input: Descriptor, _ output: Descriptor) {
    _ = Glibc.close(input.rawValue)
    _ = Glibc.close(output.rawValue)
  }

  /// Ends it, whatever it is busy with, stopped or not. The corresponding C function is `kill`.
  package func kill() { process.kill() }

  /// Waits until the program has ended, and says how; ends it where that takes longer than a second, or where a signal
  /// asks this process to end.
  package func wait() -> Ending { process.wait() }

  /// As `wait()`, and leaves it to somebody else to learn how the program has ended.
  package func urge() { process.urge() }
}

/// A process that this one has started, for one thread that waits for it and others that end it meanwhile.
private final class StartedProcess: @unchecked Sendable {
  private let processID: Int32
  private let lock = Lock()
  // Under the lock, like every use of the number: as soon as the process has been waited for, it may be another one's.
  private var ending: ChildProcess.Ending?

  init(_ processID: Int32) { self.processID = processID }

  func kill() {
    lock.lock()
    defer { lock.unlock() }
    if ending == nil { _ = Glibc.kill(processID, SIGKILL) }
  }

  private static let longestEndMilliseconds: Int32 = 1_000

  func urge() {
    guard let watch = watch() else { return }
    if (try? watch.waitUntilReadable(milliseconds: Self.longestEndMilliseconds)) != true { kill() }
  }

  /// The corresponding C function is `pidfd_open`; where the kernel has none, nothing bounds the wait.
  private func watch() -> OwnedDescriptor? {
    lock.lock()
    defer { lock.unlock() }
    guard ending == nil, let number = try? checked(cplatform_watch_process(processID)) else { return nil }
    return OwnedDescriptor(owning: number)
  }

  func wait() -> ChildProcess.Ending {
    urge()
    if let ending = knownEnding() { return ending }
    // Without the lock, for somebody may have to end it; the number stays its own until it is waited for below.
    cplatform_await_end(processID)
    lock.lock()
    defer { lock.unlock() }
    let ending = ending ?? ChildProcess.Ending(waitStatus: cplatform_wait(processID))
    self.ending = ending
    return ending
  }

  private func knownEnding() -> ChildProcess.Ending? {
    lock.lock()
    defer { lock.unlock() }
    return ending
  }
}

struct Pipe: ~Copyable {
  let reading: OwnedDescriptor
  let writing: OwnedDescriptor

  /// The corresponding C function is `pipe2`.
  init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    _ = try checked(cplatform_pipe(&ends))
    reading = OwnedDescriptor(owning: ends[0])
    writing = OwnedDescriptor(owning: ends[1])
  }

  /// The end that is kept; the other one is closed.
  consuming func readingEnd() -> Descriptor { Descriptor(rawValue: reading.released()) }

  consuming func writingEnd() -> Descriptor { Descriptor(rawValue: writing.released()) }
}
