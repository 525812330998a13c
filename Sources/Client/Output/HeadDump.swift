import Platform

/// Where `-D` heads go.
enum HeadDump {
  case standardOutput
  /// A file that appears whole, when the last URL of its set of options is done.
  case file(Path)
  /// What shows at once what is written to it.
  case device(HeadDevice)

  /// - Parameter makingDirectories: whether the directories that lead there are made, where they are not there. The
  ///   heads of failed transfers are written, too.
  /// - Throws: where there can be no such file: that is found out before anything is sent.
  init(_ path: Path, makingDirectories: Bool) throws(Failure) {
    if AtomicFile.isDirect(path) {
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

/// A device or a FIFO, open from the first head on until the run is over: whoever reads there sees one end.
final class HeadDevice: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private let sink: BodySink

  init(_ path: Path) { sink = BodySink(.file(OutputFile(path)), printingOn: .standardOutput(.standardOutput)) }

  func write(_ head: [UInt8]) throws(Failure) {
    lock.lock()
    defer { lock.unlock() }
    try sink.write(sink.isTerminal() ? Escaping.visibleLines(of: head) : head)
  }
}

/// The heads of one transfer on their way there.
final class HeadRecord {
  private let target: HeadDump
  private let place: PrintPlace
  /// Whether a terminal shows what is printed there.
  private let isTerminal: Bool
  private let screen: Diagnostics?
  /// Those that wait for the end of the transfer.
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
