import HTTPSemantics
import Platform

/// The destination of content: a descriptor that is already open, or a file that appears whole or not at all.
///
/// Nothing is opened before the first byte, so that a fetch that fails leaves what was there.
final class BodySink {
  enum Target: Equatable {
    case standardOutput
    case file(OutputFile)
    /// The content is read to its end and thrown away.
    case nowhere

    var isFile: Bool {
      if case .file = self { true } else { false }
    }
  }

  let target: Target
  private let place: PrintPlace
  private let screen: Diagnostics?
  private let reclaimableSpace: ReclaimableSpace?
  /// How often room had been made when `ReclaimableSpace.makesRoom` was called last; at first 0.
  private var seenRoom = 0
  private var file: OutputFile?
  private var modified: WallTime?
  private var open: AtomicFile?
  /// The file that already holds the content, so that nothing is written.
  private var kept: ComparedFile?
  /// What became of the file, once it has been published.
  private(set) var publication: AtomicFile.Publication?
  /// The bytes written so far, heads included.
  private(set) var written: UInt64 = 0

  /// - Parameters:
  ///   - place: the way to standard output.
  ///   - screen: told of what is printed, if standard output is a terminal.
  ///   - reclaimableSpace: the cache's disk space, which can be reclaimed when a disk is full.
  init(
    _ target: Target, printingOn place: PrintPlace, on screen: Diagnostics? = nil,
    over reclaimableSpace: ReclaimableSpace? = nil
  ) {
    self.target = target
    self.place = place
    self.screen = screen
    self.reclaimableSpace = reclaimableSpace
    if case .file(let file) = target { self.file = file }
  }

  /// The path of the file, present or future; `nil` if there is no file, or it has no name.
  var path: Path? {
    guard target.isFile else { return nil }
    if case .published(let path) = publication { return path }
    return file?.path
  }

  /// Makes room after an error, if a lack of room has caused it.
  ///
  /// - Parameter directory: the directory of a file without room, if it is not that of the content.
  /// - Returns: whether there may be some room now.
  func makeRoom(_ error: Errno, in directory: Path? = nil) -> Bool {
    guard error.isSpaceShortage else { return false }
    if directory == nil, target == .standardOutput, case .spool(let spool) = place { return spool.makeRoom(error) }
    return reclaimableSpace?.makesRoom(after: error, at: status(in: directory), seen: &seenRoom) ?? false
  }

  private func status(in directory: Path?) -> FileStatus? {
    let here = Descriptor.workingDirectory
    if let directory { return try? here.status(of: directory) }
    if target == .standardOutput {
      guard case .standardOutput(let output) = place else { return nil }
      return try? output.status()
    }
    if let openDescriptor { return try? openDescriptor.status() }
    guard let path = file?.path else { return nil }
    return (try? here.status(of: path)) ?? (try? here.status(of: path.parent))
  }

  /// Takes the name and the time of the file from a response, as far as the options leave them to it.
  ///
  /// - Parameter source: the URL of the response.
  /// - Throws: an error if the file has no name, or the name of another option's file.
  func takeNameAndTime(of response: Response, from source: TargetURI, now: Timestamp) throws(Failure) {
    guard target.isFile else { return }
    // A name that an earlier, failed attempt has given the file does not count.
    if case .file(let planned) = target, open == nil, kept == nil { file = planned }
    modified = try file?.takeNameAndTime(of: response, now: now)
    if file?.path == nil { throw .noFileName(source) }
  }

  /// Returns the descriptor to write bytes to directly; `nil` if they go nowhere, or are held.
  ///
  /// - Parameter count: the number of these bytes.
  func descriptor(for count: UInt64 = 0) throws(Failure) -> Descriptor? {
    switch target {
    case .standardOutput:
      return try standardOutput(for: count)
    case .nowhere: return nil
    case .file:
      if open == nil { try openFile() }
      return openDescriptor
    }
  }

  private func standardOutput(for count: UInt64) throws(Failure) -> Descriptor? {
    let output: Descriptor?
    switch place {
    case .standardOutput(let descriptor): output = descriptor
    case .spool(let spool):
      do throws(Errno) { output = try spool.outputInTurn(for: count) } catch { throw failure(error) }
    }
    // The progress line goes away here, because the screen is not told of what the caller writes.
    if output != nil, count > 0, let screen {
      screen.beginOutput()
      screen.endOutput(with: nil)
    }
    return output
  }

  private func openFile() throws(Failure) {
    guard let file, let path = file.path else { return }
    let hasItsFront: Bool
    do throws(Errno) {
      if file.createsDirectories == true { try Descriptor.workingDirectory.createParents(of: path) }
      let opened = try AtomicFile(path, collision: file.collision, mayWriteOver: true)
      hasItsFront = try file.front.map { (front) throws(Errno) in try opened.begin(withReplaced: front.length) } ?? true
      open = consume opened
      kept = nil
    } catch {
      guard makeRoom(error) else { throw failure(error) }
      return try openFile()
    }
    guard hasItsFront else {
      open = nil
      throw .changedFile(path.visible)
    }
  }

  private var openDescriptor: Descriptor? {
    switch open {
    case .some(let open): open.descriptor
    case .none: nil
    }
  }

  /// Returns the file for a comparison, if it may already hold the content.
  ///
  /// - Parameter length: the bytes of everything that is delivered.
  func comparedFile(length: UInt64) -> ComparedFile? {
    guard written == 0, open == nil, let file, file.front == nil, let path = file.path else { return nil }
    return ComparedFile(path, length: length, collision: file.collision)
  }

  /// Notes that the file already holds what would be written.
  func keep(_ file: ComparedFile) { kept = file }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    if target == .standardOutput, case .spool(let spool) = place {
      do throws(Errno) { try spool.write(bytes) } catch { throw failure(error) }
    } else if let descriptor = try descriptor() {
      let screen = target == .standardOutput ? screen : nil
      do throws(Errno) {
        try descriptor.writeAll(bytes, on: screen, makingRoom: { makeRoom($0) })
      } catch {
        throw failure(error)
      }
    } else {
      return
    }
    written += UInt64(bytes.count)
  }

  func write(_ bytes: [UInt8]) throws(Failure) {
    try bytes.span.bytes.withUnsafeBytes { (buffer) throws(Failure) in try write(buffer) }
  }

  /// Counts bytes that something else has written to `descriptor(for:)`.
  func count(_ bytes: UInt64) { written += bytes }

  /// Returns whether nothing that is written is seen before `finish()`. This opens a file.
  func isAtomic() throws(Failure) -> Bool {
    switch target {
    case .standardOutput: return false
    case .nowhere: return true
    case .file:
      if kept == nil, open == nil { try openFile() }
      return canTakeBack
    }
  }

  /// Whether nothing that was written has been seen yet.
  var canTakeBack: Bool {
    switch open {
    case .some(let open): open.isAtomic || open.isNull
    case .none: written == 0 || kept != nil
    }
  }

  /// Whether the file that is being written holds something, even of a write that has failed.
  var holdsPart: Bool { (try? openDescriptor?.status().size) ?? 0 > 0 }

  /// Returns whether what is named as a file is a terminal. This opens it.
  func isTerminal() throws(Failure) -> Bool {
    guard target.isFile, try !isAtomic() else { return false }
    return openDescriptor?.isTerminal ?? false
  }

  /// Discards what was written.
  func takeBack() {
    open = nil
    kept = nil
    written = 0
  }

  /// Makes a new file readable for its user only.
  ///
  /// - Returns: false if the file system cannot do that.
  func makePrivate() -> Bool {
    switch open {
    case .some(let open) where open.isAtomic && open.replaced == nil:
      (try? open.descriptor.setMode(.privateFile)) != nil
    default: true
    }
  }

  /// Makes the file appear.
  func finish() throws(Failure) {
    if target.isFile, let kept {
      if let modified { kept.setModified(modified) }
      self.kept = nil
      publication = .unchanged
      return
    }
    // A response without content makes an empty file.
    _ = try descriptor()
    guard let finished = open.take() else { return }
    do throws(Errno) {
      publication = try finished.commit(modified: modified, makingRoom: { makeRoom($0) })
    } catch {
      throw failure(error)
    }
  }

  func failure(_ error: Errno) -> Failure {
    if error == .interrupted, let signal = Signals.pending { return .interrupted(signal) }
    if error == .noSuchFile, file?.createsDirectories == false, let path, path.parent != "." {
      return .noDirectory(path.visible)
    }
    var name = file?.path?.visible
    if error == .fileExists, file?.collision == .number, let taken = name {
      name = "\(taken), or \(taken).1 to \(taken).\(AtomicFile.highestNumber)"
    }
    return .output(name, error)
  }
}

extension Descriptor {
  /// Writes all of the bytes.
  ///
  /// - Parameters:
  ///   - screen: told of the output, if this is a terminal. A terminal never runs out of room.
  ///   - makesRoom: as for `writeAll(_:makingRoom:)`.
  func writeAll(
    _ bytes: UnsafeRawBufferPointer, on screen: Diagnostics?,
    makingRoom makesRoom: (Errno) -> Bool = { _ in false }
  ) throws(Errno) {
    guard let screen, let last = bytes.last else { return try writeAll(bytes, makingRoom: makesRoom) }
    screen.beginOutput()
    defer { screen.endOutput(with: last) }
    try writeAll(bytes)
  }
}
