import HTTPCaching
import Platform

/// How much of an entry is read when it is opened.
enum ReadingDepth: Equatable, Sendable {
  /// The head only, for listings.
  case head
  /// The head and the sums, and the content if it is small.
  case content
}

/// The open file of an entry, with what has been read and verified of it. It is a class, because a look-up hands it to
/// the code that delivers the content.
final class OpenEntry: Sendable {
  let descriptor: OwnedDescriptor
  let name: EntryName
  let status: FileStatus
  let preamble: Preamble
  let head: EntryHead
  let tail: Tail
  /// A sum for each block of the content; empty if only the head has been read.
  let blockSums: [UInt64]
  /// The whole file, its content verified; `nil` if the file is large, or only the head has been read.
  let resident: [UInt8]?

  /// The heads at the end of the file.
  struct Tail: Equatable, Sendable {
    let bytes: Int
    let hasRemains: Bool
  }

  var geometry: EntryGeometry { EntryGeometry(preamble) }

  /// - Returns: `nil` if there is no such entry.
  /// - Throws: `.damaged` for anything that is not an entry in good order or cannot be read; `.failed` if the cause
  ///   lies in this process.
  static func open(
    _ name: EntryName, in root: borrowing StoreRoot, _ depth: ReadingDepth
  ) throws(StoreError) -> OpenEntry? {
    try open(name, at: name.path, in: root.directory, ownerID: root.ownerID, depth)
  }

  /// - Parameter path: the path of the file, relative to `directory`.
  /// - Parameter options: in addition to those with which every entry is opened.
  static func open(
    _ name: EntryName, at path: Path, in directory: borrowing Directory, ownerID: UInt32, _ depth: ReadingDepth,
    _ options: OpenOptions = []
  ) throws(StoreError) -> OpenEntry? {
    let descriptor: OwnedDescriptor
    do throws(Errno) {
      // Non-blocking, because a FIFO would wait for a writer. One call resolves the whole path, in which no link is
      // followed.
      descriptor = try directory.openBeneath(
        path, .readOnly.union(.nonBlocking).union(.noControllingTerminal).union(options))
    } catch {
      switch error {
      case .noSuchFile, .staleHandle, .notDirectory: return nil
      case .tooManyLinks:
        if let link = directory.linkOnTheWay(to: path) { throw .unsafe(.linkWithin(link)) }
        throw .damaged(name, .notRegularFile, at: path, in: directory, ownerID: ownerID)
      case .noSuchDevice: throw .damaged(name, .notRegularFile, at: path, in: directory, ownerID: ownerID)
      default: throw .unread(name, error, at: path, in: directory, ownerID: ownerID)
      }
    }
    do throws(Damage) {
      return try OpenEntry(descriptor, name, depth, ownerID: ownerID)
    } catch {
      if case .unreadable(let reason) = error {
        throw .unread(name, reason, at: path, in: directory, ownerID: ownerID)
      }
      throw .damaged(name, error, at: path, in: directory, ownerID: ownerID)
    }
  }

  private init(
    _ descriptor: consuming OwnedDescriptor, _ name: EntryName, _ depth: ReadingDepth, ownerID: UInt32
  ) throws(Damage) {
    var status = try readable { () throws(Errno) in try descriptor.status() }
    guard status.kind == .regular else { throw .notRegularFile }
    guard status.userID == ownerID else { throw .foreign(ownerID: status.userID) }
    var parts = try EntryReading(descriptor: descriptor.borrowed, size: status.size).parts(depth)
    // What looks like remains may be a head that another process is writing at this moment.
    for _ in 0..<Self.attemptsToRead where parts.tail.hasRemains {
      let settled = try readable { () throws(Errno) in try descriptor.statusBetweenWrites() }
      if settled.size == status.size { break }
      status = settled
      parts = try EntryReading(descriptor: descriptor.borrowed, size: status.size).parts(depth)
    }
    guard (parts.preamble.kind == .part) == name.isPart else { throw .misplacedPart }
    self.descriptor = descriptor
    self.name = name
    self.status = status
    (preamble, head, tail) = (parts.preamble, parts.head, parts.tail)
    (blockSums, resident) = (parts.blockSums, parts.resident)
  }
}

extension OpenEntry {
  /// How often to try again while another process is appending a head.
  private static let attemptsToRead = 10
}

extension Directory {
  /// Returns the first directory on a path that is a symbolic link.
  fileprivate func linkOnTheWay(to path: Path) -> Path? {
    var way: Path?
    for component in path.components.dropLast() {
      let next = way?.appending(component) ?? component
      if (try? status(of: next, followingLinks: false))?.kind == .symbolicLink { return next }
      way = next
    }
    return nil
  }
}

extension StoreError {
  /// Returns the error for a damaged entry. The file of another user counts as foreign, not as damaged, whatever it is
  /// and no matter who may read it.
  static func damaged(
    _ name: EntryName, _ damage: Damage, at path: Path, in directory: borrowing Directory, ownerID: UInt32
  ) -> StoreError {
    let status = directory.entryStatus(at: path)
    var damage = damage
    // The owner of an inode that cannot be read is unknown.
    if let status, status != .unreadable, status.userID != ownerID { damage = .foreign(ownerID: status.userID) }
    return .damaged(DamagedEntry(name: name, damage: damage, status: status))
  }

  /// Returns the error for a failed call: damage if the call failed because of the file; otherwise `.failed`, because
  /// the cause lies in this process and the file may be in good order.
  fileprivate static func unread(
    _ name: EntryName, _ reason: Errno, at path: Path, in directory: borrowing Directory, ownerID: UInt32
  ) -> StoreError {
    guard reason.concernsFile else { return .failed(.readingEntry, reason) }
    return .damaged(name, .unreadable(reason), at: path, in: directory, ownerID: ownerID)
  }
}

extension DamagedEntry {
  /// Why the content could not be read, if the cause lies in this process and the entry may be in good order.
  package var troubleOfProcess: StoreError? {
    guard case .unreadable(let reason) = damage, !reason.concernsFile else { return nil }
    return .failed(.readingEntry, reason)
  }
}

extension Errno {
  /// Whether the error lies in the file, and not in a lack of descriptors, memory and the like.
  var concernsFile: Bool {
    switch self {
    case .accessDenied, .inputOutput, .badMessage, .structureDamaged: true
    default: false
    }
  }
}

/// Reads the parts of an entry. Nothing is trusted before its sum has been checked.
private struct EntryReading {
  let descriptor: Descriptor
  let size: Int64

  struct Parts {
    let preamble: Preamble
    let head: EntryHead
    let tail: OpenEntry.Tail
    let blockSums: [UInt64]
    let resident: [UInt8]?
  }

  func parts(_ depth: ReadingDepth) throws(Damage) -> Parts {
    try size <= wholeBytes(depth) ? whole(depth) : inParts(depth)
  }

  /// Returns the size up to which a file is read whole, in one call.
  private func wholeBytes(_ depth: ReadingDepth) -> Int64 {
    switch depth {
    case .head: 8_192
    case .content: Int64(EntryFormat.residentBytes)
    }
  }

  private func whole(_ depth: ReadingDepth) throws(Damage) -> Parts {
    let bytes = try bytes(Int(size), at: 0)
    let preamble = try Preamble(decoding: bytes.prefix(EntryFormat.preambleBytes))
    let geometry = try geometry(preamble)
    let (head, tail) = try head(in: bytes[Int(geometry.headsOffset)...], preamble)
    guard depth == .content else {
      return Parts(preamble: preamble, head: head, tail: tail, blockSums: [], resident: nil)
    }
    let table = bytes[Int(geometry.tableOffset)..<Int(geometry.headsOffset)]
    let sums = try blockSums(in: table, head, preamble)
    let content = bytes[EntryFormat.preambleBytes..<Int(geometry.tableOffset)]
    try content.span.bytes.withUnsafeBytes { (content) throws(Damage) in
      try BlockSums.verify(content, firstBlock: 0, sums, preamble.generation)
    }
    return Parts(preamble: preamble, head: head, tail: tail, blockSums: sums, resident: bytes)
  }

  private func inParts(_ depth: ReadingDepth) throws(Damage) -> Parts {
    let preamble = try Preamble(decoding: try bytes(EntryFormat.preambleBytes, at: 0)[...])
    let geometry = try geometry(preamble)
    let heads = try bytes(Int(size - geometry.headsOffset), at: geometry.headsOffset)
    let (head, tail) = try head(in: heads[...], preamble)
    guard depth == .content else {
      return Parts(preamble: preamble, head: head, tail: tail, blockSums: [], resident: nil)
    }
    let sums = try blockSums(at: geometry, head, preamble)
    return Parts(preamble: preamble, head: head, tail: tail, blockSums: sums, resident: nil)
  }

  private func bytes(_ count: Int, at offset: Int64) throws(Damage) -> [UInt8] {
    let bytes = try readable { () throws(Errno) in try descriptor.readBytes(limit: count, at: offset) }
    guard bytes.count == count else { throw .truncated }
    return bytes
  }

  private func geometry(_ preamble: Preamble) throws(Damage) -> EntryGeometry {
    let geometry = EntryGeometry(preamble)
    guard geometry.headsOffset < size else { throw .truncated }
    guard size - geometry.headsOffset <= EntryFormat.maximumTailBytes else { throw .malformedHead }
    return geometry
  }

  private func head(
    in bytes: ArraySlice<UInt8>, _ preamble: Preamble
  ) throws(Damage) -> (EntryHead, OpenEntry.Tail) {
    let records = try HeadRecords(in: bytes, preamble.generation)
    var head = try HeadCodec.decode(records.last, preamble)
    if records.hasRemains {
      // Only the file of a response is ever appended to.
      guard case .response(var stored, let tableSum) = head else { throw .malformedHead }
      stored.isDoubtful = true
      head = .response(stored, tableSum: tableSum)
    }
    return (head, OpenEntry.Tail(bytes: bytes.count, hasRemains: records.hasRemains))
  }

  private func blockSums(
    in table: ArraySlice<UInt8>, _ head: EntryHead, _ preamble: Preamble
  ) throws(Damage) -> [UInt64] {
    // A list of variants has no content, and so no sums to check.
    guard case .response(_, let tableSum) = head else { return [] }
    guard preamble.generation.sum(ofTable: table) == tableSum else { throw .tableSum }
    return BlockSums.decode(table)
  }

  /// Reads the table straight into the array: for the longest contents, it is half of a run's memory.
  private func blockSums(
    at geometry: EntryGeometry, _ head: EntryHead, _ preamble: Preamble
  ) throws(Damage) -> [UInt64] {
    guard case .response(_, let tableSum) = head else { return [] }
    var sums = try readable { () throws(Errno) in
      try [UInt64](capacity: Int(geometry.blockCount)) { (sums) throws(Errno) in
        try sums.withUnsafeMutableBufferPointer { (buffer, count) throws(Errno) in
          let bytes = UnsafeMutableRawBufferPointer(buffer)[..<geometry.tableBytes]
          let place = UnsafeMutableRawBufferPointer(rebasing: bytes)
          count = try descriptor.readFully(into: place, at: geometry.tableOffset) / MemoryLayout<UInt64>.size
        }
      }
    }
    guard sums.count == Int(geometry.blockCount) else { throw .truncated }
    let found = sums.span.bytes.withUnsafeBytes { preamble.generation.sum(ofTable: $0) }
    guard found == tableSum else { throw .tableSum }
    for index in sums.indices { sums[index] = UInt64(littleEndian: sums[index]) }
    return sums
  }
}

/// Makes a call whose failure counts as damage, because it makes the entry as useless as wrong bytes do.
func readable<Result: ~Copyable>(_ call: () throws(Errno) -> Result) throws(Damage) -> Result {
  do throws(Errno) {
    return try call()
  } catch {
    throw .unreadable(error)
  }
}
