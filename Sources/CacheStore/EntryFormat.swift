import CHash
import Platform

/// The constants of the format; docs/entry-format.md has the grammar.
enum EntryFormat {
  static let version: UInt16 = 1
  /// Not ASCII, so that no text is taken for an entry; LF, so that a transfer in text mode shows.
  static let magic: [UInt8] = [0x89] + Array("garner".utf8) + [0x0a]
  static let preambleBytes = 64

  /// What is verified before a byte of it leaves: small enough for a cache of the second level, large enough that
  /// 8 bytes of sum for each are no cost.
  static let blockBytes = 65_536

  /// What needs one read only: a block of content, its sum, and heads.
  static let residentBytes = preambleBytes + blockBytes + 8 + compactionBytes

  /// Beyond this the table of sums (8 bytes a block) would be larger than the memory that a run may take.
  static let maximumContentLength: UInt64 = 128 << 30

  /// Heads that are appended to until then, and rewritten as one afterwards.
  static let compactionBytes = 128 << 10

  /// What two writers may have appended at the same time, each believing to be the last below the bound; also what is
  /// allocated at most before a sum has been checked.
  static let maximumTailBytes = 1 << 20

  static let headMagic: UInt32 = 0x4441_4548
}

/// A number of 128 random bits that every sum of an entry depends on: parts of different files never fit.
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

  /// Without a seed: the generation is not known before.
  private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    chash_xxh3_64(bytes.baseAddress, bytes.count, 0)
  }
}

/// Where the parts of an entry begin. The bound on the content's length keeps every sum here far below overflow.
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
