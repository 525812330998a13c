import Platform

/// Content that is held back: in memory, or beyond its capacity in an unnamed file, which may be in memory itself.
final class HeldContent {
  /// The most memory to use, in bytes: a quarter of what a run may take, which also has windows and buffers.
  private static let largestCapacity = 8 << 20

  private final class Overflow {
    let file: OwnedDescriptor
    /// The bytes that have been handed on.
    var passed = 0

    init(_ file: consuming OwnedDescriptor) { self.file = file }
  }

  private let directory: Path?
  private let capacity: Int
  private var bytes: [UInt8] = []
  private var overflow: Overflow?
  /// The bytes that are held. If they are in a file, those that have been handed on count, too.
  private(set) var length = 0

  /// - Parameters:
  ///   - directory: where an unnamed file is created; `nil` if nothing may reach the disk.
  ///   - memoryCapacity: in bytes; at most `largestCapacity` is used.
  init(in directory: Path?, memoryCapacity: Int) {
    self.directory = directory
    capacity = min(memoryCapacity, Self.largestCapacity)
  }

  enum Place {
    case memory, file
  }

  /// Appends to memory while its capacity suffices, and then to a file.
  ///
  /// - Throws: an error if a file cannot be opened, or has no room. Then nothing of `content` is held, and it may be
  ///   appended later.
  func append(_ content: UnsafeRawBufferPointer) throws(Errno) {
    try append(content, in: overflow == nil && length + content.count <= capacity ? .memory : .file)
  }

  /// - Parameter place: `.file` once there has been a file.
  /// - Throws: as above.
  func append(_ content: UnsafeRawBufferPointer, in place: Place) throws(Errno) {
    switch place {
    case .memory:
      if bytes.isEmpty { bytes.reserveCapacity(min(capacity, max(content.count, Self.usualBytes))) }
      bytes.append(contentsOf: content)
    case .file:
      if overflow == nil { try beginOverflow() }
      if let overflow { try append(content, to: overflow) }
    }
    length += content.count
  }

  private func beginOverflow() throws(Errno) {
    let opened = Overflow(try openFile())
    try opened.file.writeAll(bytes)
    bytes = []
    overflow = opened
  }

  /// Releases memory that holds nothing.
  func trim() {
    if bytes.capacity / 2 > bytes.count { bytes = bytes.withUnsafeBufferPointer { Array($0) } }
  }

  /// Writes at the end of what is held. The file may be longer, if content could not be written whole before.
  private func append(_ content: UnsafeRawBufferPointer, to overflow: Overflow) throws(Errno) {
    try overflow.file.writeAll(content, at: Int64(length))
  }

  private func openFile() throws(Errno) -> OwnedDescriptor {
    guard let directory else { return try OwnedDescriptor(memoryFile: "held") }
    return try Descriptor.workingDirectory.openUnnamed(in: directory)
  }

  /// Returns the next piece and lets go of it; `nil` after the last one.
  func nextPiece() throws(Errno) -> [UInt8]? {
    guard let overflow else {
      defer { (bytes, length) = ([], 0) }
      return bytes.isEmpty ? nil : bytes
    }
    let limit = min(Self.pieceBytes, length - overflow.passed)
    let piece = try overflow.file.readBytes(limit: limit, at: Int64(overflow.passed))
    overflow.passed += piece.count
    return piece.isEmpty ? nil : piece
  }

  /// The bytes to reserve at first, because memory that grows is copied each time.
  private static let usualBytes = 16 << 10
  /// The bytes of a piece, as large as the windows of stored content.
  private static let pieceBytes = 256 << 10
}
