import Platform
import Synchronization

/// Where a transfer prints.
enum PrintPlace {
  case standardOutput(Descriptor)
  /// Until its turn comes, and with those behind it.
  case spool(Spool)
}

/// How much of what is printed may wait for its turn, of all transfers of a run together: most of it is in files.
final class SpoolRoom: Sendable {
  /// What there is so much of, and no more.
  final class Stock: Sendable {
    private let free: Atomic<Int>

    init(_ count: Int) { free = Atomic(count) }

    /// - Returns: whether there was so much.
    func take(_ count: Int) -> Bool {
      if free.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
      giveBack(count)
      return false
    }

    func giveBack(_ count: Int) { free.add(count, ordering: .relaxed) }
  }

  /// In bytes: many answers, and little for a directory of temporary files.
  static let usualBytes = 256 << 20
  /// Of these, in bytes: a quarter of what a run may take.
  static let usualMemoryBytes = 8 << 20
  /// Each has a descriptor, of which a process has 1,024 mostly.
  static let usualFiles = 128

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

/// What transfers of one thread print before their turn has come, or one behind the other: in memory, and what is more
/// in a file without a name.
///
/// Where it is their turn, only what is there at once is held, and printed by one call: who reads a pipe is woken by
/// each, which costs more than the hit that it came from.
final class Spool: @unchecked Sendable {
  /// In bytes: most of what an API answers.
  private static let memoryCapacity = 64 << 10

  /// Who has standard output, and when.
  struct Turn {
    /// Standard output, where this may print there; asked for when it is about to.
    let output: () -> Descriptor?
    /// Waits for that; `nil` where the run is to end before.
    let awaitOutput: () -> Descriptor?
    /// Has this done when it comes, by whichever thread.
    let whenOutput: (@escaping () -> Void) -> Void
    /// Makes room after an error of standard output's, where that is what was wanting.
    ///
    /// - Returns: whether there may be some now.
    var makeRoom: (Errno) -> Bool = { _ in false }
  }

  private let room: SpoolRoom
  private let turn: Turn
  private let screen: Diagnostics?
  private let lock = Lock()
  // Under the lock.
  private let content: HeldContent
  /// Of the room.
  private var taken = (bytes: 0, memoryBytes: 0, files: 0)
  /// Whether what does not fit into memory waits for its turn.
  private var staysInMemory = false
  /// Whether what is printed comes when somebody else sends it.
  private var isWaitedFor = false
  /// Standard output, once nothing is held any more.
  private var output: Descriptor?
  /// What standard output said to what had been held.
  private var failure: Errno?

  /// - Parameters:
  ///   - directory: of the files without a name.
  ///   - screen: told of what is printed, where that is a terminal.
  init(in directory: Path, of room: SpoolRoom, turn: Turn, on screen: Diagnostics? = nil) {
    content = HeldContent(in: directory, memoryCapacity: Self.memoryCapacity)
    self.room = room
    self.turn = turn
    self.screen = screen
  }

  deinit { giveBackRoom() }

  /// Keeps from the disk what is written from now on.
  func stayInMemory() {
    lock.lock()
    defer { lock.unlock() }
    staysInMemory = true
  }

  /// To be called before the thread waits for somebody: what it has come to so far is printed when its turn comes.
  func noteWait() {
    lock.lock()
    let isFirst = !isWaitedFor
    isWaitedFor = true
    lock.unlock()
    guard isFirst else { return }
    turn.whenOutput { [weak self] in
      // The next write says what was wrong, or whoever releases the rest.
      _ = try? self?.outputInTurn(for: 0)
    }
  }

  /// Standard output, where it is the turn, and so much more is not to be held. What has been is printed there first.
  ///
  /// - Parameter count: in bytes.
  /// - Throws: what standard output says.
  func outputInTurn(for count: UInt64) throws(Errno) -> Descriptor? {
    lock.lock()
    defer { lock.unlock() }
    return try passInTurn(for: count)
  }

  private func passInTurn(for count: UInt64) throws(Errno) -> Descriptor? {
    if let failure { throw failure }
    let isTooMuch = UInt64(content.length) + count > UInt64(Self.memoryCapacity)
    if output == nil, isWaitedFor || isTooMuch, let output = turn.output() { try pass(to: output) }
    return output
  }

  private func pass(to output: Descriptor) throws(Errno) {
    try releaseContent(to: output)
    self.output = output
  }

  /// As its turn does, after an error of what goes to standard output without passing through here.
  func makeRoom(_ error: Errno) -> Bool { turn.makeRoom(error) }

  /// - Throws: what standard output says, where it is the turn, or where there is no room, or no file, and this has had
  ///   to wait; `.interrupted` where the run is to end before.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    if try take(bytes) { return }
    // Not under the lock: who has the turn may print what is held here, and others are told of the wait.
    guard let output = turn.awaitOutput() else { throw .interrupted }
    lock.lock()
    defer { lock.unlock() }
    if self.output == nil { try pass(to: output) }
    try output.writeAll(bytes, on: screen, makingRoom: turn.makeRoom)
  }

  /// - Returns: whether they have been printed, or held.
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

  /// - Returns: `nil` where there is room in neither.
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

  /// Whether more may be held in memory still: half of the room is free.
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

  /// Takes note that nothing more is written, and that it is going to wait.
  func trim() {
    lock.lock()
    defer { lock.unlock() }
    content.trim()
  }

  /// Hands on what it holds.
  ///
  /// - Throws: what standard output says, or has said.
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
