import Archives
import ContentCoding
import Platform

/// An archive in memory that is read in pieces of at most `pieceLength` bytes.
func input(_ bytes: [UInt8], pieceLength: Int = .max) throws(ArchiveError) -> ArchiveInput {
  var rest = bytes[...]
  return try ArchiveInput { (buffer) throws(Errno) in
    let piece = rest.prefix(min(pieceLength, buffer.count))
    rest = rest.dropFirst(piece.count)
    buffer.copyBytes(from: piece)
    return piece.count
  }
}

func input(_ text: String, pieceLength: Int = .max) throws(ArchiveError) -> ArchiveInput {
  try input(Array(text.utf8), pieceLength: pieceLength)
}

/// The bytes of an archive that is written to memory.
final class Collected {
  private(set) var bytes: [UInt8] = []

  /// The archive that `body` writes.
  static func archive(
    compressed: Bool = false, _ body: (ArchiveOutput) throws(Errno) -> Void
  ) throws -> [UInt8] {
    let collected = Collected()
    let output = try ArchiveOutput(compressed: compressed) { (bytes) throws(Errno) in
      collected.bytes.append(contentsOf: bytes)
    }
    try body(output)
    try output.flush()
    return collected.bytes
  }
}

/// The members of a gzip file, each decoded separately.
func members(of bytes: [UInt8]) throws -> [[UInt8]] {
  var members: [[UInt8]] = []
  var room = [UInt8](repeating: 0, count: 1 << 20)
  try bytes.withUnsafeBytes { bytes in
    var rest = bytes
    while !rest.isEmpty {
      let decoder = try GzipDecoder()
      var member: [UInt8] = []
      repeat {
        let count = try room.withUnsafeMutableBytes { try decoder.decode(&rest, into: $0) }
        member += room[..<count]
      } while !decoder.isAtEnd
      members.append(member)
    }
  }
  return members
}
