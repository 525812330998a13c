import Platform
import Synchronization

/// Where a transfer prints.
enum PrintPlace {
  case standardOutput(Descriptor)
  /// Until its turn comes.
  case spool(Spool)
}

/// How much of what is printed may wait for its turn, of all transfers of a run together: most of it is in files.
final class SpoolRoom: Sendable {
  /// In bytes: many answers, and little for a directory of temporary files.
  static let usualBytes = 256 << 20

  private let free: Atomic<Int>

  init(bytes: Int = SpoolRoom.usualBytes) { free = Atomic(bytes) }

  /// - Returns: whether there was so much.
  func take(_ bytes: Int) -> Bool {
    if free.subtract(bytes, ordering: .relaxed).newValue >= 0 { return true }
    giveBack(bytes)
    return false
  }

  func giveBack(_ bytes: Int) { free.add(bytes, ordering: .relaxed) }
}

/// What a transfer prints before its turn has come: in memory, and what is more in a file without a name.
final class Spool {
  /// In bytes: most of what an API answers. As often as `OrderedOutput` has them, a quarter of what a run may take.
  private static let memoryCapacity = 64 << 10

  private let content: HeldContent
  private let room: SpoolRoom
  private let awaitTurn: () -> Descriptor?
  /// Of the room, in bytes.
  private var taken = 0
  /// Whether what does not fit into memory waits for its turn.
  private var staysInMemory = false
  /// Standard output, once this transfer had to wait for its turn because it could hold no more.
  private var output: Descriptor?

  /// - Parameters:
  ///   - directory: of the files without a name.
  ///   - awaitTurn: returns standard output when this may print there, `nil` where the run is to end before.
  init(in directory: Path, of room: SpoolRoom, awaitTurn: @escaping () -> Descriptor?) {
    content = HeldContent(in: directory, memoryCapacity: Self.memoryCapacity)
    self.room = room
    self.awaitTurn = awaitTurn
  }

  deinit { room.giveBack(taken) }

  /// Keeps from the disk what is written from now on.
  func stayInMemory() { staysInMemory = true }

  /// - Throws: what standard output says, where there is no room, or no file, and this has had to wait; `.interrupted`
  ///   where the run is to end before.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    if let output { return try output.writeAll(bytes) }
    if try hold(bytes) { return }
    guard let output = awaitTurn() else { throw .interrupted }
    try release(to: output)
    self.output = output
    try output.writeAll(bytes)
  }

  /// - Returns: whether there was room.
  private func hold(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Bool {
    if staysInMemory, content.length + bytes.count > Self.memoryCapacity { return false }
    guard room.take(bytes.count) else { return false }
    taken += bytes.count
    do throws(Errno) {
      try content.append(bytes)
      return true
    } catch {
      if error == .interrupted { throw error }
      return false
    }
  }

  /// Whether more may be held in memory still: half of the room is free.
  var hasRoom: Bool { content.length <= Self.memoryCapacity / 2 }

  /// Hands on what it holds.
  func release(to output: Descriptor) throws(Errno) {
    while let piece = try content.nextPiece() { try output.writeAll(piece) }
    room.giveBack(taken)
    taken = 0
  }
}
