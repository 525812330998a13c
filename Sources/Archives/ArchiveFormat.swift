import HTTPSemantics

/// The format of an archive.
package enum ArchiveFormat: Equatable, Sendable {
  case warc
  case har

  /// Detects the format by the first bytes of the archive.
  ///
  /// - Throws: `.notAnArchive` if no supported format begins with them.
  package init(of input: ArchiveInput) throws(ArchiveError) {
    let start = try input.peek(atLeast: Self.lookAheadBytes)
    if start.starts(with: WARCReader.magic) {
      self = .warc
    } else if start.first(where: { !Self.mayPrecedeObject($0) }) == UInt8(ascii: "{") {
      self = .har
    } else {
      throw .notAnArchive
    }
  }

  /// Enough for WARC's magic, and for a byte order mark and blanks before the first brace.
  private static let lookAheadBytes = 64

  private static func mayPrecedeObject(_ byte: UInt8) -> Bool {
    [ASCII.space, ASCII.lineFeed, ASCII.carriageReturn].contains(byte) || HARReader.byteOrderMark.contains(byte)
  }
}
