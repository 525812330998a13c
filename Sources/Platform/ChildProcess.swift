import CPlatform
import Glibc

/// A program that this process has started, with a pipe in either direction.
///
/// Destroying the value closes the pipes, which tells the program to end, and waits for its end (`wait()`).
package struct ChildProcess: ~Copyable {
  package enum Ending: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
    /// Other code has waited for the process already.
    case unknown

    /// - Parameter status: as `waitpid` returns it, or a negative errno.
    init(waitStatus status: Int32) {
      let signal = status & 0x7f
      self = status < 0 ? .unknown : signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal)
    }
  }

  /// The pipe to the standard input of the program.
  package let input: Descriptor
  /// The pipe from the standard output and the standard error of the program.
  package let output: Descriptor
  private let process: StartedProcess
  private var isClosed = false

  /// Starts the program at `path` with one argument, and with `variable`, NAME=VALUE, in its environment.
  ///
  /// SIGINT, SIGTERM and SIGHUP, which a terminal sends to both processes, are blocked in the program: acting on them
  /// is up to this process. The corresponding C function is `vfork`.
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

  /// Closes both pipes, waits for the end of the program, and returns how it ended.
  package mutating func end() -> Ending {
    if !isClosed { Self.close(input, output) }
    isClosed = true
    return wait()
  }

  private static func close(_ input: Descriptor, _ output: Descriptor) {
    _ = Glibc.close(input.rawValue)
    _ = Glibc.close(output.rawValue)
  }

  /// Kills the program, whatever it is busy with, stopped or not. The corresponding C function is `kill`.
  package func kill() { process.kill() }

  /// Waits until the program has ended, and returns how. Kills the program if that takes longer than a second, or if a
  /// signal asks this process to end.
  package func wait() -> Ending { process.wait() }

  /// Does the same as `wait()`, but leaves it to another caller to collect how the program ended.
  package func awaitEndOrKill() { process.awaitEndOrKill() }
}

/// A process that this one has started. One thread waits for it, and others may kill it meanwhile.
private final class StartedProcess: @unchecked Sendable {
  private let processID: Int32
  private let lock = Lock()
  // Guarded by the lock, like every use of the number: once the process has been waited for, another may have its
  // number.
  private var ending: ChildProcess.Ending?

  init(_ processID: Int32) { self.processID = processID }

  func kill() {
    lock.lock()
    defer { lock.unlock() }
    if ending == nil { _ = Glibc.kill(processID, SIGKILL) }
  }

  private static let maximumWaitMilliseconds: Int32 = 1_000

  func awaitEndOrKill() {
    guard let watch = watch() else { return }
    if (try? watch.waitUntilReadable(milliseconds: Self.maximumWaitMilliseconds)) != true { kill() }
  }

  /// Returns a descriptor that is readable once the process has ended; `nil` if it has been waited for. The
  /// corresponding C function is `pidfd_open`; if the kernel does not have it, nothing bounds the wait.
  private func watch() -> OwnedDescriptor? {
    lock.lock()
    defer { lock.unlock() }
    guard ending == nil, let number = try? checked(cplatform_watch_process(processID)) else { return nil }
    return OwnedDescriptor(owning: number)
  }

  func wait() -> ChildProcess.Ending {
    awaitEndOrKill()
    if let ending = knownEnding() { return ending }
    // Without the lock, because another thread may have to kill the process. It keeps its number until the wait below.
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
