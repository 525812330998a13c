import Platform

/// Where a transfer prints.
enum PrintPlace {
  case standardOutput(Descriptor)
  /// Until its turn comes.
  case spool(Spool)
}

/// What a transfer prints before its turn has come: in memory, and what is more in a file without a name.
final class Spool {
  /// In bytes: most of what an API answers. As often as `OrderedOutput` has them, a quarter of what a run may take.
  private static let memoryCapacity = 64 << 10

  private let content: HeldContent
  private let awaitTurn: () -> Descriptor?
  /// Set where it could not be waited for in this way.
  private var output: Descriptor?

  /// - Parameters:
  ///   - directory: of the files without a name.
  ///   - awaitTurn: returns standard output when this may print there, `nil` where the run is to end before.
  init(in directory: Path, awaitTurn: @escaping () -> Descriptor?) {
    content = HeldContent(in: directory, memoryCapacity: Self.memoryCapacity)
    self.awaitTurn = awaitTurn
  }

  /// - Throws: what standard output says, where there is no file, or no room in it, and this has had to wait;
  ///   `.interrupted` where the run is to end before.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    if let output { return try output.writeAll(bytes) }
    do throws(Errno) {
      try content.append(bytes)
    } catch {
      guard error != .interrupted, let output = awaitTurn() else { throw .interrupted }
      try release(to: output)
      self.output = output
      try output.writeAll(bytes)
    }
  }

  /// Whether more may be held in memory still: half of the room is free.
  var hasRoom: Bool { content.length <= Self.memoryCapacity / 2 }

  /// Hands on what it holds.
  func release(to output: Descriptor) throws(Errno) {
    while let piece = try content.nextPiece() { try output.writeAll(piece) }
  }
}
