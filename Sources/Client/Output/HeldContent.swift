import Platform

/// Content that nobody sees yet: in memory, and what is more in a file without a name, which may be in memory, too.
final class HeldContent {
  /// A quarter of what a run may take in all: it holds windows and buffers besides.
  private static let largestCapacity = 8 << 20

  private struct Overflow: ~Copyable {
    let file: OwnedDescriptor
    /// In bytes, of what has been written whole.
    var length: Int64
    /// What has been handed on.
    var passed: Int64 = 0
  }

  private let directory: Path?
  private let capacity: Int
  private var bytes: [UInt8] = []
  private var overflow: Overflow?

  /// - Parameters:
  ///   - directory: where files go that nobody keeps; `nil` where nothing may reach the disk.
  ///   - memoryCapacity: in bytes; at most `largestCapacity` is used.
  init(in directory: Path?, memoryCapacity: Int) {
    self.directory = directory
    capacity = min(memoryCapacity, Self.largestCapacity)
  }

  /// In bytes; of what is in a file, what has been handed on counts too.
  var length: Int {
    switch overflow {
    case .some(let overflow): Int(overflow.length)
    case .none: bytes.count
    }
  }

  /// - Throws: where there is no file to be had, or no room in it; of `content` nothing is held then.
  func append(_ content: UnsafeRawBufferPointer) throws(Errno) {
    if overflow == nil {
      if bytes.count + content.count <= capacity { return bytes.append(contentsOf: content) }
      let opened = Overflow(file: try openFile(), length: Int64(bytes.count))
      try opened.file.writeAll(bytes)
      bytes = []
      overflow = consume opened
    }
    guard let file = file else { return }
    try file.writeAll(content)
    overflow?.length += Int64(content.count)
  }

  private func openFile() throws(Errno) -> OwnedDescriptor {
    guard let directory else { return try OwnedDescriptor(memoryFile: "held") }
    return try Descriptor.workingDirectory.openUnnamed(in: directory)
  }

  private var file: Descriptor? {
    switch overflow {
    case .some(let overflow): overflow.file.borrowed
    case .none: nil
    }
  }

  /// Hands on the next piece, and lets go of it; `nil` behind the last one.
  func nextPiece() throws(Errno) -> [UInt8]? {
    guard let file = file else {
      defer { bytes = [] }
      return bytes.isEmpty ? nil : bytes
    }
    let (passed, length) = extent
    let piece = try file.readBytes(limit: Int(min(Self.pieceBytes, length - passed)), at: passed)
    overflow?.passed += Int64(piece.count)
    return piece.isEmpty ? nil : piece
  }

  private var extent: (passed: Int64, length: Int64) {
    switch overflow {
    case .some(let overflow): (overflow.passed, overflow.length)
    case .none: (0, 0)
    }
  }

  /// As large as the windows of what is stored.
  private static let pieceBytes: Int64 = 256 << 10
}
