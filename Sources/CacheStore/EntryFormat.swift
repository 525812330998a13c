import CHash
import Platform

/// The constants of the entry format; docs/entry-format.md has the grammar.
enum EntryFormat {
  static let version: UInt16 = 1
  /// The first byte is not ASCII, so that no text is taken for an entry. The LF reveals a transfer in text mode.
  static let magic: [UInt8] = [0x89] + Array("garner".utf8) + [0x0a]
  static let preambleBytes = 64

  /// The size of a block, which is verified before any of its bytes is handed on: small enough for the level 2 cache of
  /// a processor, large enough that the 8 bytes of its sum cost next to nothing.
  static let blockBytes = 65_536

  /// The size up to which a file is read in one call: preamble, one block of content, its sum, and heads.
  static let residentBytes = preambleBytes + blockBytes + 8 + compactionBytes

  /// At this length, the table of sums (8 bytes a block) takes 16 MiB, half of the memory that a run may take.
  static let maximumContentLength: UInt64 = 128 << 30

  /// The bound on the heads of an entry: an update that would exceed it rewrites the file with a single head.
  static let compactionBytes = 128 << 10

  /// More than two writers can reach when they append at the same time, each believing that it stays below the bound
  /// above. It is also the most that is allocated before a sum has been checked.
  static let maximumTailBytes = 1 << 20

  static let headMagic: UInt32 = 0x4441_4548
}

/// A random number of 128 bits on which every sum of an entry depends, so that parts of different files never fit
/// together.
struct Generation: Equatable, Sendable {
  let low: UInt64
  let high: UInt64

  static func random() throws(Errno) -> Generation {
    try SecureRandom.bytes(count: 16)[...].read { reader in
      Generation(low: reader.number() ?? 0, high: reader.number() ?? 0)
    }
  }

  func sum(ofBlock index: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    sum(bytes, seed: seed &+ index)
  }

  func sum(ofTable bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.span.bytes.withUnsafeBytes { sum(ofTable: $0) }
  }

  func sum(ofTable bytes: UnsafeRawBufferPointer) -> UInt64 { sum(bytes, seed: ~seed) }

  /// - Parameter bytes: magic, length and payload.
  func sum(ofHead bytes: UnsafeRawBufferPointer) -> UInt64 { sum(bytes, seed: high) }

  private var seed: UInt64 { low ^ high }

  private func sum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    chash_xxh3_64(bytes.baseAddress, bytes.count, seed)
  }
}

/// The first 64 bytes of an entry.
struct Preamble: Equatable, Sendable {
  enum Kind: UInt8, Equatable, Sendable {
    case response = 1
    /// No content; the head lists the variants.
    case variants = 2
    /// A part of a response; the head says which.
    case part = 3
  }

  let kind: Kind
  let generation: Generation
  let contentLength: UInt64

  var encoded: [UInt8] {
    var writer = ByteWriter(expecting: EntryFormat.preambleBytes)
    append(to: &writer)
    return writer.bytes
  }

  @inline(never)
  func append(to writer: inout ByteWriter) {
    let start = writer.count
    writer.append(EntryFormat.magic)
    writer.append(EntryFormat.version)
    writer.append(kind.rawValue)
    writer.appendZeros(5)
    writer.append(generation.low)
    writer.append(generation.high)
    writer.append(contentLength)
    writer.appendZeros(16)
    writer.append(writer.withUnsafeBytes(from: start) { Self.sum($0) })
  }

  init(_ kind: Kind, _ generation: Generation, contentLength: UInt64) {
    self.kind = kind
    self.generation = generation
    self.contentLength = contentLength
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(Damage) {
    self = try bytes.read { (reader) throws(Damage) in try Self.init(&reader) }
  }

  private init(_ reader: inout ByteReader) throws(Damage) {
    guard let magic = reader.take(EntryFormat.magic.count), magic.elementsEqual(EntryFormat.magic) else {
      throw .notAnEntry
    }
    guard let version = reader.number(UInt16.self) else { throw .truncated }
    guard version == EntryFormat.version else { throw .unknownVersion(version) }
    let summed = EntryFormat.preambleBytes - MemoryLayout<UInt64>.size
    guard reader.count == EntryFormat.preambleBytes else { throw .truncated }
    var end = ByteReader(ByteReader.Bytes(rebasing: reader.rest.suffix(MemoryLayout<UInt64>.size)))
    guard end.number() == Self.sum(reader.bytes(from: 0, to: summed)) else { throw .preambleSum }
    guard let kind = reader.number(UInt8.self).flatMap(Kind.init(rawValue:)), reader.take(5) != nil,
      let low = reader.number(UInt64.self), let high = reader.number(UInt64.self),
      let length = reader.number(UInt64.self), length <= EntryFormat.maximumContentLength
    else { throw .malformedPreamble }
    self.init(kind, Generation(low: low, high: high), contentLength: length)
  }

  /// Computed without a seed, because the generation is not known before the preamble has been read.
  private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    chash_xxh3_64(bytes.baseAddress, bytes.count, 0)
  }
}

/// The offsets and sizes of an entry's parts. The bound on the content's length keeps every addition here far below
/// overflow.
struct EntryGeometry: Equatable, Sendable {
  let contentLength: UInt64

  static let contentOffset = Int64(EntryFormat.preambleBytes)

  init(_ preamble: Preamble) {
    contentLength = preamble.contentLength
  }

  var blockCount: UInt64 {
    (contentLength + UInt64(EntryFormat.blockBytes) - 1) / UInt64(EntryFormat.blockBytes)
  }

  var tableOffset: Int64 { Self.contentOffset + Int64(contentLength) }
  var tableBytes: Int { Int(blockCount) * 8 }
  var headsOffset: Int64 { tableOffset + Int64(tableBytes) }
}
