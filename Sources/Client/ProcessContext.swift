import FlagTable
import Interface
package import Platform
package import Transport

/// The world as a run sees it: everything that a test may want to be otherwise.
package struct ProcessContext: Sendable {
  package var arguments: [[UInt8]]
  package var environment: Environment
  package var standardInput: Descriptor
  package var standardOutput: Descriptor
  package var standardError: Descriptor
  package var clock: Clock
  /// Called when a request is about to be sent, not before: a hit starts no other program.
  package var makeTransport: @Sendable () -> any Transport
  /// Of one that serves several threads at a time.
  var makeParallelTransport: @Sendable () -> any Transport & Sendable
  /// Does work when the process has answered, apart from it; see `DetachedProcess`.
  package var detach: @Sendable (_ limitSeconds: UInt32, _ work: () -> Void) -> Void
  /// Ends the process, before what the run has made is taken apart for nobody. Where the run is not all of the process,
  /// it does nothing.
  package var end: @Sendable (_ status: Int32) -> Void
  /// Hides the end of a value, behind so many bytes, from those who list the processes of the machine.
  package var conceal: @Sendable (_ value: [UInt8], _ prefix: Int) -> Void
  /// Of the file system in which the kernel's tables of routes and links are.
  package var networkRoot: Path
  private let standardInputUse = StandardInputUse()

  package init(
    arguments: [[UInt8]], environment: Environment, standardInput: Descriptor = .standardInput,
    standardOutput: Descriptor = .standardOutput, standardError: Descriptor = .standardError, clock: Clock = .system,
    makeTransport: @escaping @Sendable () -> any Transport,
    makeParallelTransport: @escaping @Sendable () -> any Transport & Sendable = { ParallelTransport() },
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

  /// This process's own.
  package static var ofProcess: ProcessContext {
    ProcessContext(
      arguments: Arguments.ofProcess, environment: .ofProcess,
      makeTransport: { ProgramTransport(shouldStop: { Signals.pending != nil }) },
      makeParallelTransport: { ParallelTransport(shouldStop: { Signals.pending != nil }) },
      detach: { DetachedProcess.run(limitSeconds: $0, $1) }, end: { App.end($0) },
      conceal: { Arguments.conceal($0, behind: $1) })
  }
}

extension ProcessContext {
  /// Where files go that nobody is to see.
  var temporaryDirectory: Path { environment.path("TMPDIR") ?? "/tmp" }

  /// How much of a file is held in memory as a whole, in MiB.
  enum InputLimit: Int {
    /// What a program writes down for itself or a person for it: cookies, hosts, options.
    case notes = 16
    case list = 256
    /// What is sent: this much is more than anybody means to.
    case content = 1_024
  }

  /// Standard input, for one option of a run alone: another would find it at its end.
  ///
  /// - Parameter option: as it is spelt; it may ask again.
  @discardableResult
  func standardInput(for option: String) throws(Failure) -> Descriptor {
    do throws(UsageError) {
      try standardInputUse.claim(for: option)
    } catch {
      throw .usage(error)
    }
    return standardInput
  }

  /// Standard input, to be read to its end: whoever asks again would find nothing.
  func wholeStandardInput(for option: String) throws(Failure) -> Descriptor {
    do throws(UsageError) {
      try standardInputUse.read(for: option)
    } catch {
      throw .usage(error)
    }
    return standardInput
  }

  /// What is left of standard input that is a file, taken as read: whoever reads on in it finds nothing.
  ///
  /// - Parameters:
  ///   - option: which names it.
  ///   - size: in bytes; with less left, and where it is no file, it is to be read.
  /// - Returns: the file, where the rest begins in it, and how long that is; `nil` where it is to be read.
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

  /// The bytes of text that was typed, or of the file that was named; `-` is standard input.
  ///
  /// - Parameter option: which names it.
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

  /// The path of a file that was named, and what the kernel says of it; what cannot be opened cannot be sent.
  func status(of name: ArgumentText) throws(Failure) -> (Path, FileStatus) {
    try Self.checkName(name)
    do throws(Errno) {
      guard let path = Path(name.bytes) else { throw .noSuchFile }
      // A FIFO is opened once, by whoever reads it: what is written to it is there for one.
      let found = try Descriptor.workingDirectory.status(of: path)
      if found.kind == .fifo { return (path, found) }
      let status = try Descriptor.workingDirectory.open(path, .readOnly).status()
      if status.kind == .directory { throw .isDirectory }
      return (path, status)
    } catch {
      throw .reading(name, error)
    }
  }

  private static func checkName(_ name: ArgumentText) throws(Failure) {
    if name.bytes.isEmpty { throw .contradiction("the name of a file is empty") }
  }

  private static func readAll(
    _ descriptor: borrowing some OpenDescriptor & ~Copyable, _ limit: InputLimit
  ) throws(Errno) -> [UInt8] {
    var content: [UInt8] = []
    while true {
      // A terminal ends as often as somebody asks it: once is enough.
      let piece = try descriptor.readAvailableBytes(limit: 64 << 10)
      if piece.isEmpty { return content }
      content += piece
      if content.count > limit.rawValue << 20 { throw .fileTooLarge }
    }
  }
}
