import HTTPSemantics

/// What an archive is written in.
package enum ArchiveFormat: Equatable, Sendable {
  case warc
  case har

  /// What the archive begins with.
  ///
  /// - Throws: `.notAnArchive` where it begins otherwise.
  package init(of input: ArchiveInput) throws(ArchiveError) {
    let start = try input.peek(atLeast: Self.lookAheadBytes)
    if start.starts(with: WARCReader.magic) {
      self = .warc
    } else if start.first(where: {
      ![ASCII.space, ASCII.lineFeed, ASCII.carriageReturn, 0xef, 0xbb, 0xbf].contains($0)
    })
      == UInt8(ascii: "{")
    {
      self = .har
    } else {
      throw .notAnArchive
    }
  }

  /// As much as WARC's magic, and what may stand before the first brace.
  private static let lookAheadBytes = 64
}
