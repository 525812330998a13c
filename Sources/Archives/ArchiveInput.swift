import ContentCoding
import HTTPSemantics
package import Platform

/// The bytes that an archive holds, from its front: of a gzip file, what is compressed in it.
package final class ArchiveInput {
  /// Few calls, and small beside what else a run needs.
  private static let bufferBytes = 64 << 10

  /// From where a file is read once more, to come to a byte of what the archive holds.
  package struct Place {
    /// In bytes from the front of the file.
    fileprivate let position: Int64
    /// What is read there first, and what is to be read, in bytes from the front of what the archive holds.
    fileprivate let start, end: UInt64

    /// What is read to come there, in bytes of what the archive holds.
    package var way: UInt64 { end - start }
  }

  /// What is decoded to come to a place behind the front of its member: as many bytes take no time to speak of.
  private static let longestWay: UInt64 = 16 << 20

  private let source: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  private let gzip: GzipDecoder?
  private var compressed: Window
  private var plain: Window
  /// Bytes of the file that have been read.
  package private(set) var readBytes: UInt64 = 0
  /// Where the next byte is, in what the archive holds.
  package private(set) var offset: UInt64 = 0
  /// Where the member begins that is being decoded: in the file, and in what the archive holds.
  private var member: (position: UInt64, offset: UInt64) = (0, 0)
  private var isAtEndOfFile = false

  /// Reads the first bytes, and sees by them whether the file is compressed.
  ///
  /// - Parameter source: reads once, at most what fits: 0 at the end.
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

  /// - Parameter file: to be open for as long as this is used.
  package convenience init(_ file: Descriptor) throws(ArchiveError) {
    try self.init { (buffer) throws(Errno) in try file.readWaiting(into: buffer) }
  }

  /// Reads a file from its front, whoever reads it too.
  ///
  /// - Parameter file: a regular one; to be open for as long as this is used.
  package convenience init(fromFrontOf file: Descriptor) throws(ArchiveError) {
    try self.init(file, from: 0)
  }

  /// As `init(fromFrontOf:)`, from a place on.
  package convenience init(_ file: Descriptor, at place: Place) throws(ArchiveError) {
    try self.init(file, from: place.position)
    offset = place.start
    while offset < place.end {
      let count = try peek().count
      guard count > 0 else { throw .truncated }
      take(Int(clamping: min(UInt64(count), place.end - offset)))
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

  /// - Parameter offset: of what has been read last.
  /// - Returns: `nil` where it is a long way from where reading could begin.
  package func place(of offset: UInt64) -> Place? {
    guard gzip != nil else {
      return Int64(exactly: offset).map { Place(position: $0, start: offset, end: offset) }
    }
    guard offset >= member.offset, offset - member.offset <= Self.longestWay else { return nil }
    return Int64(exactly: member.position).map { Place(position: $0, start: member.offset, end: offset) }
  }

  /// How much of what the archive holds gzip's sums have confirmed, in bytes: what is behind that is of a member whose
  /// sum has not come. `nil` where there are none.
  package var confirmedBytes: UInt64? { gzip == nil ? nil : member.offset }

  deinit {
    compressed.deallocate()
    plain.deallocate()
  }

  /// What has been read and not taken; valid until more is read.
  ///
  /// - Returns: something, but at the end.
  func peek() throws(ArchiveError) -> UnsafeRawBufferPointer {
    if plain.isEmpty { try fill() }
    return plain.bytes
  }

  /// What has been read and not taken, at least `count` bytes of it where there are as many.
  ///
  /// - Parameter count: a few.
  func peek(atLeast count: Int) throws(ArchiveError) -> UnsafeRawBufferPointer {
    var known = -1
    while plain.bytes.count < count, plain.bytes.count != known {
      known = plain.bytes.count
      plain.moveToFront()
      try fill()
    }
    return plain.bytes
  }

  /// Takes the first `count` bytes of what was peeked at.
  package func take(_ count: Int) {
    plain.remove(count)
    offset += UInt64(count)
  }

  /// The next line, without its end: LF, or CR LF.
  ///
  /// - Parameter limit: the most that a line may take, in bytes, its end included.
  /// - Returns: `nil` at the end of the archive, and where the last line has no end.
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

  /// Puts more behind what has been read; nothing where there is no more.
  ///
  /// - Throws: `.unreadable(.interrupted)` where a signal asks for the end: what is passed over may be as long as the
  ///   archive.
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

/// Memory of which a part holds what has come and was not taken.
private struct Window {
  private let memory: UnsafeMutableRawBufferPointer
  private var held = 0..<0

  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  func deallocate() { memory.deallocate() }

  var isEmpty: Bool { held.isEmpty }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[held]) }

  /// Behind what is held.
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
