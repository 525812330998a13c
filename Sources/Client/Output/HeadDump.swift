import Platform

/// The destination of the heads of `-D`.
enum HeadDump {
  case standardOutput
  /// A file that appears whole, when the last URL of its set of options is done.
  case file(Path)
  /// A terminal, another device or a FIFO, which shows at once what is written to it.
  case device(HeadDevice)

  /// - Parameter makingDirectories: whether missing directories that lead to the file are created. They are created
  ///   before any transfer, because the heads of failed ones are written, too.
  /// - Throws: an error if the file cannot be written. The error comes before anything is sent.
  init(_ path: Path, makingDirectories: Bool) throws(Failure) {
    if OutputPath.isDirect(path) {
      self = .device(HeadDevice(path))
      return
    }
    do throws(Errno) {
      if makingDirectories { try Descriptor.workingDirectory.createParents(of: path) }
      _ = try AtomicFile(path, mayWriteOver: true)
    } catch {
      if error == .noSuchFile, !makingDirectories, path.parent != "." { throw .noDirectory(path.visible) }
      throw .output(path.visible, error)
    }
    self = .file(path)
  }

  var isStandardOutput: Bool {
    if case .standardOutput = self { true } else { false }
  }
}

/// A device or a FIFO, open from the first head to the end of the run, so that its reader sees a single end.
final class HeadDevice: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by the lock.
  private let sink: BodySink

  init(_ path: Path) { sink = BodySink(.file(OutputFile(path)), printingOn: .standardOutput(.standardOutput)) }

  func write(_ head: [UInt8]) throws(Failure) {
    lock.lock()
    defer { lock.unlock() }
    try sink.write(sink.isTerminal() ? Escaping.visibleLines(of: head) : head)
  }
}

/// The heads of one transfer on their way to the dump.
final class DumpedHeads {
  private let target: HeadDump
  private let place: PrintPlace
  /// Whether standard output is a terminal.
  private let isTerminal: Bool
  private let screen: Diagnostics?
  /// The heads that wait for the end of the transfer.
  private(set) var kept: [UInt8] = []

  init(_ target: HeadDump, printingOn place: PrintPlace, isTerminal: Bool, on screen: Diagnostics?) {
    self.target = target
    self.place = place
    self.isTerminal = isTerminal
    self.screen = screen
  }

  func note(_ head: [UInt8]) throws(Failure) {
    switch target {
    case .standardOutput:
      let shown = isTerminal ? Escaping.visibleLines(of: head) : head
      try BodySink(.standardOutput, printingOn: place, on: screen).write(shown)
    case .file: kept += head
    case .device(let device): try device.write(head)
    }
  }
}
