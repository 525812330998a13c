import Platform
import Synchronization

/// The place that a transfer prints to.
enum PrintPlace {
  case standardOutput(Descriptor)
  /// A spool, which holds the transfer's output, and that of transfers after it, until the turn comes.
  case spool(Spool)
}

/// The limits for output that waits for its turn, of all transfers of a run together. Most of it is in files.
final class SpoolRoom: Sendable {
  /// A limited supply that threads take from and give back to.
  final class Stock: Sendable {
    private let free: Atomic<Int>

    init(_ count: Int) { free = Atomic(count) }

    /// - Returns: false, with nothing taken, if less than `count` is left.
    func take(_ count: Int) -> Bool {
      if free.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
      giveBack(count)
      return false
    }

    func giveBack(_ count: Int) { free.add(count, ordering: .relaxed) }
  }

  /// The bytes that may be held: enough for many answers, and little for a directory of temporary files.
  static let usualBytes = 256 << 20
  /// How many of these bytes may be in memory: a quarter of what a run may take.
  static let usualMemoryBytes = 8 << 20
  /// The most files. Each has a descriptor, of which a process usually has 1,024; transfers need most of them.
  static let usualFiles = Int(clamping: min(128, Descriptor.limit / 8))

  let bytes: Stock
  let memoryBytes: Stock
  let files: Stock

  init(
    bytes: Int = SpoolRoom.usualBytes, memoryBytes: Int = SpoolRoom.usualMemoryBytes,
    files: Int = SpoolRoom.usualFiles
  ) {
    self.bytes = Stock(bytes)
    self.memoryBytes = Stock(memoryBytes)
    self.files = Stock(files)
  }
}

/// The output of one thread's consecutive transfers until their turn comes: in memory, and beyond its capacity in an
/// unnamed file.
///
/// During their turn, only a small amount is collected and printed by one call. Each call wakes the reader of a pipe,
/// which costs more than the cache hit whose output it is.
final class Spool: @unchecked Sendable {
  /// The bytes that one spool holds in memory: enough for most answers of an API.
  private static let memoryCapacity = 64 << 10

  /// The access of a spool to standard output, when its turn comes.
  struct Turn {
    /// Returns standard output, if the spool may print there; called when it is about to print.
    let output: () -> Descriptor?
    /// Waits for the turn and returns standard output; `nil` if the run is to end before.
    let awaitOutput: () -> Descriptor?
    /// Has work done when the turn comes, by whichever thread.
    let whenOutput: (@escaping () -> Void) -> Void
    /// Makes room after an error of standard output, if a lack of room has caused it.
    ///
    /// - Returns: whether there may be some room now.
    var makeRoom: (Errno) -> Bool = { _ in false }
  }

  private let room: SpoolRoom
  private let turn: Turn
  private let screen: Diagnostics?
  private let lock = Lock()
  // Guarded by the lock.
  private let content: HeldContent
  /// What this spool has taken of `room`.
  private var taken = (bytes: 0, memoryBytes: 0, files: 0)
  /// Whether output that does not fit into memory waits for its turn, instead of going to a file.
  private var staysInMemory = false
  /// Whether output is printed at once in its turn, and not collected, because the thread is about to wait.
  private var printsAtOnce = false
  /// Standard output, once what was held has been printed, and the rest goes there directly.
  private var output: Descriptor?
  /// The error of standard output when it was given what had been held.
  private var failure: Errno?

  /// - Parameters:
  ///   - directory: where the unnamed files are created.
  ///   - screen: told of what is printed, if standard output is a terminal.
  init(in directory: Path, of room: SpoolRoom, turn: Turn, on screen: Diagnostics?) {
    content = HeldContent(in: directory, memoryCapacity: Self.memoryCapacity)
    self.room = room
    self.turn = turn
    self.screen = screen
  }

  deinit { giveBackRoom() }

  /// Keeps what is written from now on off the disk.
  func stayInMemory() {
    lock.lock()
    defer { lock.unlock() }
    staysInMemory = true
  }

  /// Has the output so far printed as soon as its turn comes; to be called before the thread waits for others.
  func printAtOnce() {
    lock.lock()
    let isFirst = !printsAtOnce
    printsAtOnce = true
    lock.unlock()
    guard isFirst else { return }
    turn.whenOutput { [weak self] in
      // The next write reports an error, or the release of the rest.
      _ = try? self?.outputInTurn(for: 0)
    }
  }

  /// Returns standard output, if it is this spool's turn and `count` more bytes are not to be held. What has been held
  /// is printed first.
  ///
  /// - Parameter count: the bytes that are to be printed.
  /// - Throws: the error of standard output.
  func outputInTurn(for count: UInt64) throws(Errno) -> Descriptor? {
    lock.lock()
    defer { lock.unlock() }
    return try passInTurn(for: count)
  }

  private func passInTurn(for count: UInt64) throws(Errno) -> Descriptor? {
    if let failure { throw failure }
    let isTooMuch = UInt64(content.length) + count > UInt64(Self.memoryCapacity)
    if output == nil, printsAtOnce || isTooMuch, let output = turn.output() { try pass(to: output) }
    return output
  }

  private func pass(to output: Descriptor) throws(Errno) {
    try releaseContent(to: output)
    self.output = output
  }

  /// Makes room as the turn does, after an error of output that bypasses the spool.
  func makeRoom(_ error: Errno) -> Bool { turn.makeRoom(error) }

  /// Prints or holds bytes; if there is no room to hold them, waits for the turn.
  ///
  /// - Throws: the error of standard output, if bytes are printed; `.interrupted` if the run is to end before the turn
  ///   comes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    if try take(bytes) { return }
    // Waits without the lock: the thread that has the turn may print what is held here, and others are told of the
    // wait.
    guard let output = turn.awaitOutput() else { throw .interrupted }
    lock.lock()
    defer { lock.unlock() }
    if self.output == nil { try pass(to: output) }
    try output.writeAll(bytes, on: screen, makingRoom: turn.makeRoom)
  }

  /// - Returns: whether the bytes have been printed, or held.
  private func take(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard let output = try passInTurn(for: UInt64(bytes.count)) else { return try hold(bytes) }
    try output.writeAll(bytes, on: screen, makingRoom: turn.makeRoom)
    return true
  }

  /// - Returns: whether there was room.
  private func hold(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Bool {
    guard room.bytes.take(bytes.count) else { return false }
    guard let place = placeOfMore(bytes.count) else {
      room.bytes.giveBack(bytes.count)
      return false
    }
    do throws(Errno) {
      try content.append(bytes, in: place)
    } catch {
      room.bytes.giveBack(bytes.count)
      if error == .interrupted { throw error }
      return false
    }
    taken.bytes += bytes.count
    if place == .file { giveBackMemory() }
    return true
  }

  /// - Returns: `nil` if there is no room in memory, nor in a file.
  private func placeOfMore(_ count: Int) -> HeldContent.Place? {
    if taken.files > 0 { return .file }
    if content.length + count <= Self.memoryCapacity, room.memoryBytes.take(count) {
      taken.memoryBytes += count
      return .memory
    }
    guard !staysInMemory, room.files.take(1) else { return nil }
    taken.files = 1
    return .file
  }

  private func giveBackMemory() {
    room.memoryBytes.giveBack(taken.memoryBytes)
    taken.memoryBytes = 0
  }

  private func giveBackRoom() {
    giveBackMemory()
    room.bytes.giveBack(taken.bytes)
    room.files.giveBack(taken.files)
    taken = (0, 0, 0)
  }

  /// Whether more may be held in memory: at least half of the capacity is free.
  var hasRoom: Bool {
    lock.lock()
    defer { lock.unlock() }
    return output == nil && content.length <= Self.memoryCapacity / 2
  }

  /// Whether something waits to be printed.
  var isHolding: Bool {
    lock.lock()
    defer { lock.unlock() }
    return output == nil && content.length > 0
  }

  /// Releases unused memory; to be called when nothing more is written, and the content has to wait.
  func trim() {
    lock.lock()
    defer { lock.unlock() }
    content.trim()
  }

  /// Prints what is held.
  ///
  /// - Throws: the error of standard output, from this call or from an earlier one.
  func release(to output: Descriptor) throws(Errno) {
    lock.lock()
    defer { lock.unlock() }
    try releaseContent(to: output)
  }

  private func releaseContent(to output: Descriptor) throws(Errno) {
    if let failure { throw failure }
    do throws(Errno) {
      while let piece = try content.nextPiece() { try write(piece, to: output) }
    } catch {
      failure = error
      throw error
    }
    giveBackRoom()
  }

  private func write(_ piece: [UInt8], to output: Descriptor) throws(Errno) {
    try piece.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
      try output.writeAll(bytes, on: screen, makingRoom: turn.makeRoom)
    }
  }
}
