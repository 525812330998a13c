import ContentCoding
import HTTPSemantics
package import Platform

/// The content of an archive, read from its front. A gzip file is decompressed; offsets then count uncompressed bytes.
package final class ArchiveInput {
  /// Large enough for few system calls, small beside the rest of a run's memory.
  private static let bufferBytes = 64 << 10

  /// A position from which a file can be read again to reach a certain byte of the uncompressed archive.
  package struct RereadPoint {
    /// The offset in the file at which reading starts, in bytes.
    fileprivate let position: Int64
    /// The first byte that is read there, and the byte to be reached, as offsets in the uncompressed archive.
    fileprivate let start, end: UInt64

    /// How many uncompressed bytes are read before the byte to be reached.
    package var skippedBytes: UInt64 { end - start }
  }

  /// The most bytes to decode between the front of a gzip member and a byte in it. Decoding that many bytes takes no
  /// noticeable time.
  private static let longestSkip: UInt64 = 16 << 20

  private let source: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  private let gzip: GzipDecoder?
  private var compressed: Window
  private var plain: Window
  /// Bytes of the file that have been read.
  package private(set) var readBytes: UInt64 = 0
  /// The offset of the next byte in the uncompressed archive.
  package private(set) var offset: UInt64 = 0
  /// Where the gzip member that is being decoded begins: in the file, and in the uncompressed archive.
  private var member: (position: UInt64, offset: UInt64) = (0, 0)
  private var isAtEndOfFile = false

  /// Reads the first bytes, and tells by them whether the file is compressed.
  ///
  /// - Parameter source: reads once, at most as many bytes as fit; returns 0 at the end.
  package init(
    reading source: @escaping (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  ) throws(ArchiveError) {
    self.source = source
    var first = Window(capacity: Self.bufferBytes)
    var count = 0
    while count < GzipDecoder.magic.count {
      let read = try Self.reading { () throws(Errno) in try source(first.room) }
      if read == 0 { break }
      first.append(read)
      count += read
    }
    readBytes = UInt64(count)
    let second = Window(capacity: Self.bufferBytes)
    if first.bytes.starts(with: GzipDecoder.magic) {
      do throws(ContentCodingError) { gzip = try GzipDecoder() } catch { throw .undecodable(error) }
      (compressed, plain) = (first, second)
    } else {
      gzip = nil
      (compressed, plain) = (second, first)
    }
  }

  /// - Parameter file: must stay open for as long as the input is used.
  package convenience init(_ file: Descriptor) throws(ArchiveError) {
    try self.init { (buffer) throws(Errno) in try file.readWaiting(into: buffer) }
  }

  /// Reads a file from its front, by position: other readers of the descriptor do not interfere.
  ///
  /// - Parameter file: a regular file, which must stay open for as long as the input is used.
  package convenience init(fromFrontOf file: Descriptor) throws(ArchiveError) {
    try self.init(file, from: 0)
  }

  /// Like `init(fromFrontOf:)`, but starts at `point`.
  package convenience init(_ file: Descriptor, at point: RereadPoint) throws(ArchiveError) {
    try self.init(file, from: point.position)
    offset = point.start
    while offset < point.end {
      let count = try peek().count
      guard count > 0 else { throw .truncated }
      take(Int(clamping: min(UInt64(count), point.end - offset)))
    }
  }

  private convenience init(_ file: Descriptor, from start: Int64) throws(ArchiveError) {
    var position = start
    try self.init { (buffer) throws(Errno) in
      let count = try file.readFully(into: buffer, at: position)
      position += Int64(count)
      return count
    }
  }

  /// Returns the point from which the byte at `offset` can be read again.
  ///
  /// - Parameter offset: the offset of something that has just been read.
  /// - Returns: `nil` if the nearest position at which reading can start is too far before it.
  package func rereadPoint(for offset: UInt64) -> RereadPoint? {
    guard gzip != nil else {
      return Int64(exactly: offset).map { RereadPoint(position: $0, start: offset, end: offset) }
    }
    guard offset >= member.offset, offset - member.offset <= Self.longestSkip else { return nil }
    return Int64(exactly: member.position).map { RereadPoint(position: $0, start: member.offset, end: offset) }
  }

  /// How many uncompressed bytes the checksums of gzip have confirmed. What follows them belongs to a member whose
  /// checksum has not been read yet. `nil` if the archive is not compressed, and so has no checksums.
  package var confirmedBytes: UInt64? { gzip == nil ? nil : member.offset }

  deinit {
    compressed.deallocate()
    plain.deallocate()
  }

  /// Returns the bytes that have been read but not taken, and reads more if there are none. They are valid until the
  /// next read.
  ///
  /// - Returns: an empty buffer only at the end.
  func peek() throws(ArchiveError) -> UnsafeRawBufferPointer {
    if plain.isEmpty { try fill() }
    return plain.bytes
  }

  /// Returns the bytes that have been read but not taken: at least `count` of them, unless the archive ends before.
  ///
  /// - Parameter count: a small number, far below the size of the buffer.
  func peek(atLeast count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
    var known = -1
    while plain.bytes.count < count, plain.bytes.count != known {
      known = plain.bytes.count
      plain.moveToFront()
      try fill()
    }
    return plain.bytes
  }

  /// Takes the first `count` bytes of those that `peek` returned.
  package func take(_ count: Int) {
    plain.remove(count)
    offset += UInt64(count)
  }

  /// Reads the next line, and returns it without its end, LF or CR LF.
  ///
  /// - Parameter limit: the most bytes that a line may have, its end included.
  /// - Returns: `nil` at the end of the archive, even if the last line has no end.
  /// - Throws: `.malformed` for a longer line.
  func readLine(limit: Int) throws(ArchiveError) -> [UInt8]? {
    let start = offset
    var line: [UInt8] = []
    while true {
      let bytes = try peek()
      if bytes.isEmpty { return nil }
      let end = bytes.firstIndex(of: ASCII.lineFeed)
      let count = end.map { $0 + 1 } ?? bytes.count
      guard line.count + count <= limit else { throw .malformed(at: start, .lineTooLong) }
      line.append(contentsOf: bytes[..<count])
      take(count)
      guard end != nil else { continue }
      line.removeLast()
      if line.last == ASCII.carriageReturn { line.removeLast() }
      return line
    }
  }

  /// Appends more bytes to those that have been read, or none at the end of the archive.
  ///
  /// - Throws: `.unreadable(.interrupted)` if a signal asks the run to end. The signal is checked here because a caller
  ///   may skip as much as the whole archive.
  private func fill() throws(ArchiveError) {
    if Signals.pending != nil { throw .unreadable(.interrupted) }
    guard let gzip else {
      if !isAtEndOfFile { plain.append(try readFile(into: plain.room)) }
      return
    }
    while true {
      if compressed.isEmpty, !isAtEndOfFile { compressed.append(try readFile(into: compressed.room)) }
      if gzip.isAtEnd {
        member = (readBytes - UInt64(compressed.bytes.count), offset + UInt64(plain.bytes.count))
      }
      var input = compressed.bytes
      let available = input.count
      let count: Int
      do throws(ContentCodingError) {
        count = try gzip.decode(&input, into: plain.room)
      } catch {
        throw .undecodable(error)
      }
      compressed.remove(available - input.count)
      plain.append(count)
      if count > 0 { return }
      guard isAtEndOfFile, compressed.isEmpty || input.count == available else { continue }
      guard gzip.isAtEnd else { throw .truncated }
      return
    }
  }

  private func readFile(into room: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    let count = try Self.reading { () throws(Errno) in try source(room) }
    readBytes += UInt64(count)
    isAtEndOfFile = count == 0
    return count
  }

  private static func reading(_ read: () throws(Errno) -> Int) throws(ArchiveError) -> Int {
    do throws(Errno) { return try read() } catch { throw .unreadable(error) }
  }
}

/// A buffer, part of which holds the bytes that have been read but not taken.
private struct Window {
  private let memory: UnsafeMutableRawBufferPointer
  private var held = 0..<0

  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  func deallocate() { memory.deallocate() }

  var isEmpty: Bool { held.isEmpty }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[held]) }

  /// The free part behind the bytes that are held.
  var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[held.upperBound...]) }

  mutating func append(_ count: Int) { held = held.lowerBound..<(held.upperBound + count) }

  mutating func remove(_ count: Int) {
    held = (held.lowerBound + count)..<held.upperBound
    if held.isEmpty { held = 0..<0 }
  }

  mutating func moveToFront() {
    guard held.lowerBound > 0 else { return }
    memory.copyMemory(from: bytes)
    held = 0..<held.count
  }
}
