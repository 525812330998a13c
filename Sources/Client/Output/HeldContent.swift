import Platform

/// Content that nobody sees yet: in memory, and what is more in a file without a name, which may be in memory, too.
final class HeldContent {
  /// A quarter of what a run may take in all: it holds windows and buffers besides.
  private static let largestCapacity = 8 << 20

  private final class Overflow {
    let file: OwnedDescriptor
    /// What has been handed on, in bytes.
    var passed = 0

    init(_ file: consuming OwnedDescriptor) { self.file = file }
  }

  private let directory: Path?
  private let capacity: Int
  private var bytes: [UInt8] = []
  private var overflow: Overflow?
  /// In bytes, of what is held; of what is in a file, what has been handed on counts too.
  private(set) var length = 0

  /// - Parameters:
  ///   - directory: where files go that nobody keeps; `nil` where nothing may reach the disk.
  ///   - memoryCapacity: in bytes; at most `largestCapacity` is used.
  init(in directory: Path?, memoryCapacity: Int) {
    self.directory = directory
    capacity = min(memoryCapacity, Self.largestCapacity)
  }

  enum Place {
    case memory, file
  }

  /// Into memory while there is capacity for it, and then into a file.
  ///
  /// - Throws: where there is no file to be had, or no room in it; of `content` nothing is held then, and it may be
  ///   appended later.
  func append(_ content: UnsafeRawBufferPointer) throws(Errno) {
    try append(content, in: overflow == nil && length + content.count <= capacity ? .memory : .file)
  }

  /// - Parameter place: not memory where there has been a file.
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

  /// Lets go of the memory that nothing is held in.
  func trim() {
    if bytes.capacity / 2 > bytes.count { bytes = bytes.withUnsafeBufferPointer { Array($0) } }
  }

  /// Behind what is held: of what could not be written whole, there may be something in the file already.
  private func append(_ content: UnsafeRawBufferPointer, to overflow: Overflow) throws(Errno) {
    try overflow.file.writeAll(content, at: Int64(length))
  }

  private func openFile() throws(Errno) -> OwnedDescriptor {
    guard let directory else { return try OwnedDescriptor(memoryFile: "held") }
    return try Descriptor.workingDirectory.openUnnamed(in: directory)
  }

  /// Hands on the next piece, and lets go of it; `nil` behind the last one.
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

  /// What grows is copied each time.
  private static let usualBytes = 16 << 10
  /// As large as the windows of what is stored.
  private static let pieceBytes = 256 << 10
}
