import HTTPSemantics

/// Reads the records of a WARC file one after the other. Of a block, it holds only the piece that is being read.
package struct WARCReader {
  /// The longest line among the fields of a record, in bytes. The line of a URI has room, because a URI is part of a
  /// head and no longer than a head may be.
  private static let longestLine = 320 << 10
  private static let maximumFieldCount = 100
  /// The most bytes that the fields of a record may have together: room for three of the longest lines.
  private static let longestHead: UInt64 = 1 << 20
  /// A block is followed by two line ends; some files have more.
  private static let maximumEmptyLines = 16

  private let input: ArchiveInput
  /// What is left of the block, in bytes.
  private var rest: UInt64 = 0

  package init(_ input: ArchiveInput) {
    self.input = input
  }

  /// The bytes that every record begins with. A version follows them.
  package static let magic = Array("WARC/".utf8)
  /// The versions whose records have the form that is read here.
  private static let versions = ["0.17", "0.18", "1.0", "1.1"]
  /// The most bytes of an unknown version that an error names.
  private static let longestNamedVersion = 16

  /// Returns the next record, after skipping what is left of the block before it.
  ///
  /// - Returns: `nil` at the end of the archive.
  package mutating func next() throws(ArchiveError) -> WARCRecord? {
    while try readBlock() != nil {}
    var emptyLines = 0
    while true {
      let offset = input.offset
      guard let line = try input.readLine(limit: Self.longestLine) else {
        guard input.offset == offset else { throw .truncated }
        return nil
      }
      if line.isEmpty, emptyLines < Self.maximumEmptyLines {
        emptyLines += 1
        continue
      }
      guard line.starts(with: Self.magic) else { throw .malformed(at: offset, .notARecord) }
      let version = ASCII.trimmed(line.dropFirst(Self.magic.count))
      guard Self.versions.contains(where: { version.elementsEqual($0.utf8) }) else {
        let named = String(decoding: version.prefix(Self.longestNamedVersion), as: UTF8.self)
        throw .unknownVersion(named, at: offset)
      }
      return try record(at: offset)
    }
  }

  private mutating func record(at offset: UInt64) throws(ArchiveError) -> WARCRecord {
    var fields: [Field] = []
    var lineCount = 0
    while true {
      let start = input.offset
      guard let line = try input.readLine(limit: Self.longestLine) else { throw .truncated }
      if line.isEmpty { break }
      // Folded lines count too, because each of them copies the value before it.
      lineCount += 1
      guard lineCount <= Self.maximumFieldCount, input.offset - offset <= Self.longestHead else {
        throw .malformed(at: offset, .headTooLarge)
      }
      if let first = line.first, ASCII.isWhitespace(first), let last = fields.popLast() {
        // A folded line, which WARC has taken over from RFC 2616.
        let value = last.value.bytes + [ASCII.space] + ASCII.trimmed(line[...])
        guard value.count <= Self.longestLine else { throw .malformed(at: start, .lineTooLong) }
        fields.append(Field(last.name, FieldValue(value)))
        continue
      }
      guard let colon = line.firstIndex(of: ASCII.colon), let name = FieldName(line[..<colon]) else {
        throw .malformed(at: start, .malformedField)
      }
      fields.append(Field(name, FieldValue(ASCII.trimmed(line[(colon + 1)...]))))
    }
    let all = Fields(fields)
    guard let length = all[.contentLength]?.decimal, Int64(exactly: length) != nil else {
      throw .malformed(at: offset, .noLength)
    }
    rest = length
    return WARCRecord(all, blockLength: length, offset: offset)
  }

  /// Returns the next piece of the block, which is valid until the next read.
  ///
  /// - Returns: `nil` at the end of the block.
  package mutating func readBlock() throws(ArchiveError) -> UnsafeRawBufferPointer? {
    guard rest > 0 else { return nil }
    let bytes = try input.peek()
    guard !bytes.isEmpty else { throw .truncated }
    let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: rest)))
    take(piece.count)
    return piece
  }

  /// Returns the next line of the block, with its line end.
  ///
  /// - Parameter limit: the most bytes that are returned of a line. A longer line is cut there.
  /// - Returns: `nil` at the end of the block.
  package mutating func readBlockLine(limit: Int) throws(ArchiveError) -> [UInt8]? {
    var line: [UInt8] = []
    while rest > 0, line.count < limit {
      let bytes = try input.peek()
      guard !bytes.isEmpty else { throw .truncated }
      let available = bytes.prefix(min(Int(clamping: rest), limit - line.count))
      let end = available.firstIndex(of: ASCII.lineFeed)
      let piece = end.map { available[...$0] } ?? available
      line.append(contentsOf: piece)
      take(piece.count)
      if end != nil { return line }
    }
    return line.isEmpty ? nil : line
  }

  private mutating func take(_ count: Int) {
    input.take(count)
    rest -= UInt64(count)
  }
}
