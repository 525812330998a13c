import Platform

/// Content that nobody sees before it has been checked: in memory, and what is more in a file without a name.
final class HeldContent {
  /// A quarter of what a run may take in all: it holds windows and buffers besides.
  private static let largestCapacity = 8 << 20

  private struct Overflow: ~Copyable {
    let file: OwnedDescriptor
  }

  private let directory: Path
  private let capacity: Int
  private var bytes: [UInt8] = []
  private var overflow: Overflow?

  /// - Parameters:
  ///   - directory: where files go that nobody keeps.
  ///   - memoryCapacity: in bytes; at most `largestCapacity` is used.
  init(in directory: Path, memoryCapacity: Int) {
    self.directory = directory
    capacity = min(memoryCapacity, Self.largestCapacity)
  }

  func append(_ content: UnsafeRawBufferPointer) throws(Errno) {
    if overflow == nil {
      if bytes.count + content.count <= capacity { return bytes.append(contentsOf: content) }
      let opened = Overflow(file: try Descriptor.workingDirectory.openUnnamed(in: directory))
      try opened.file.writeAll(bytes)
      bytes = []
      overflow = consume opened
    }
    if let file = file { try file.writeAll(content) }
  }

  private var file: Descriptor? {
    switch overflow {
    case .some(let overflow): overflow.file.borrowed
    case .none: nil
    }
  }

  /// Hands on all of it.
  func release(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    guard let file = file else {
      defer { bytes = [] }
      return try body(bytes)
    }
    var offset: Int64 = 0
    while true {
      let piece: [UInt8]
      do throws(Errno) {
        piece = try file.readBytes(limit: Self.pieceBytes, at: offset)
      } catch {
        throw .output(directory.description, error)
      }
      if piece.isEmpty { break }
      try body(piece)
      offset += Int64(piece.count)
    }
    overflow = nil
  }

  /// As large as the windows of what is stored.
  private static let pieceBytes = 256 << 10
}
