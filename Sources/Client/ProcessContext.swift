import FlagTable
import HTTPSemantics
import Interface
package import Platform
package import Transport

/// The world as a run sees it: everything that a test may want to replace.
package struct ProcessContext: Sendable {
  package var arguments: [[UInt8]]
  package var environment: Environment
  package var standardInput: Descriptor
  package var standardOutput: Descriptor
  package var standardError: Descriptor
  package var clock: Clock
  /// Called when a request is about to be sent, not before: a hit starts no other program.
  package var makeTransport: @Sendable () -> any Transport
  /// Makes a transport that serves several threads at a time.
  var makeParallelTransport: @Sendable () -> any Transport & Sendable
  /// Does work in a process of its own when this one has answered; see `DetachedProcess`.
  package var detach: @Sendable (_ limitSeconds: UInt32, _ work: () -> Void) -> Void
  /// Ends the process without first taking apart what the run has made. Does nothing if the run is not the whole
  /// process.
  package var end: @Sendable (_ status: Int32) -> Void
  /// Hides a value, except for its first `prefix` bytes, from those who list the processes of the machine.
  package var conceal: @Sendable (_ value: [UInt8], _ prefix: Int) -> Void
  /// The root of the file system with the kernel's tables of routes and links.
  package var networkRoot: Path
  private let standardInputUse = StandardInputUse()

  package init(
    arguments: [[UInt8]], environment: Environment, standardInput: Descriptor = .standardInput,
    standardOutput: Descriptor = .standardOutput, standardError: Descriptor = .standardError, clock: Clock = .system,
    makeTransport: @escaping @Sendable () -> any Transport,
    makeParallelTransport: @escaping @Sendable () -> any Transport & Sendable,
    detach: @escaping @Sendable (UInt32, () -> Void) -> Void,
    end: @escaping @Sendable (_ status: Int32) -> Void = { _ in },
    conceal: @escaping @Sendable (_ value: [UInt8], _ prefix: Int) -> Void = { _, _ in }, networkRoot: Path = "/"
  ) {
    self.arguments = arguments
    self.environment = environment
    self.standardInput = standardInput
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.clock = clock
    self.makeTransport = makeTransport
    self.makeParallelTransport = makeParallelTransport
    self.detach = detach
    self.end = end
    self.conceal = conceal
    self.networkRoot = networkRoot
  }

  /// The context of this process.
  package static var ofProcess: ProcessContext {
    ProcessContext(
      arguments: Arguments.ofProcess, environment: .ofProcess,
      makeTransport: { ProgramTransport(shouldStop: { Signals.pending != nil }) },
      makeParallelTransport: { ParallelTransport(shouldStop: { Signals.pending != nil }) },
      detach: { DetachedProcess.run(limitSeconds: $0, $1) }, end: { App.end($0) },
      conceal: { Arguments.conceal($0, keeping: $1) })
  }
}

extension ProcessContext {
  /// The directory for files that have no name.
  var temporaryDirectory: Path { environment.path("TMPDIR") ?? "/tmp" }

  /// The largest file that is held in memory as a whole, in MiB.
  enum InputLimit: Int {
    /// What a program writes for itself, or a person writes for it: cookies, hosts, options.
    case settings = 16
    case list = 256
    /// What is sent; nobody means to send more.
    case content = 1_024
  }

  /// Returns standard input for one option of a run alone: another option would find it at its end.
  ///
  /// - Parameter option: its spelling; the same option may ask again.
  @discardableResult
  func standardInput(for option: String) throws(Failure) -> Descriptor {
    try standardInputUse.claim(for: option)
    return standardInput
  }

  /// Returns standard input to be read to its end. Throws on a second call, which would find nothing.
  func wholeStandardInput(for option: String) throws(Failure) -> Descriptor {
    try standardInputUse.read(for: option)
    return standardInput
  }

  /// Takes the unread rest of standard input, if that is a file, and marks it as read: a later reader finds nothing.
  ///
  /// - Parameters:
  ///   - option: the option that names it.
  ///   - size: in bytes; a rest that is not longer, or standard input that is no file, has to be read.
  /// - Returns: the file, the position of the rest in it, and its length; `nil` if it has to be read.
  func unreadFile(
    for option: String, beyond size: Int64
  ) throws(Failure) -> (StreamedContent.Source, from: Int64, count: Int64)? {
    guard let status = try? standardInput.status(), status.kind == .regular,
      let place = try? standardInput.position(), status.size - place > size
    else { return nil }
    let input = try wholeStandardInput(for: option)
    do throws(Errno) {
      try input.seek(to: status.size)
    } catch {
      throw .reading("-", error)
    }
    return (.descriptor(input), from: place, count: status.size - place)
  }

  /// Returns the bytes of typed text, or of a named file; `-` is standard input.
  ///
  /// - Parameter option: the option that names the file.
  func read(
    _ source: TextSource, for option: String, upTo limit: InputLimit = .content
  ) throws(Failure) -> [UInt8] {
    guard case .file(let name) = source else {
      if case .literal(let text) = source { return text.bytes }
      return []
    }
    try Self.checkName(name)
    let input = name == "-" ? try wholeStandardInput(for: option) : nil
    do throws(Errno) {
      if let input { return try Self.readAll(input, limit) }
      guard let path = Path(name.bytes) else { throw .noSuchFile }
      let file = try Descriptor.workingDirectory.open(path, .readOnly)
      return try Self.readAll(file, limit)
    } catch {
      if error == .fileTooLarge {
        throw .unreadableInput(name.inputName, "it has more than \(limit.rawValue) MiB")
      }
      throw .reading(name, error)
    }
  }

  /// Returns the path of a named file, and its status. A file that cannot be opened is an error, because it cannot be
  /// sent.
  func status(of name: ArgumentText) throws(Failure) -> (Path, FileStatus) {
    try Self.checkName(name)
    do throws(Errno) {
      guard let path = Path(name.bytes) else { throw .noSuchFile }
      // A FIFO is opened only by its reader, because what is written to it can be read only once.
      let found = try Descriptor.workingDirectory.status(of: path)
      if found.kind == .fifo { return (path, found) }
      let status = try Descriptor.workingDirectory.open(path, .readOnly).status()
      if status.kind == .directory { throw .isDirectory }
      return (path, status)
    } catch {
      throw .reading(name, error)
    }
  }

  static func checkName(_ name: ArgumentText) throws(Failure) {
    if name.bytes.isEmpty { throw .contradiction("the name of a file is empty") }
  }

  private static func readAll(
    _ descriptor: borrowing some OpenDescriptor & ~Copyable, _ limit: InputLimit
  ) throws(Errno) -> [UInt8] {
    var content: [UInt8] = []
    while true {
      // A terminal reports an end each time it is asked for one: once is enough.
      let piece = try descriptor.readAvailableBytes(limit: 64 << 10)
      if piece.isEmpty { return content }
      content += piece
      if content.count > limit.rawValue << 20 { throw .fileTooLarge }
    }
  }
}

extension Clock {
  /// The current time, in HTTP's resolution of a second.
  var timestamp: Timestamp { Timestamp(secondsSinceEpoch: wallTime().seconds) }
}
