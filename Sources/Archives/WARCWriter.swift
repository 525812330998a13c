package import HTTPSemantics
package import Platform

/// Writes the records of a WARC file. If the output is compressed, each record is a gzip member.
package struct WARCWriter {
  private let output: ArchiveOutput

  package init(_ output: ArchiveOutput) {
    self.output = output
  }

  /// Returns a new, unique identifier for a record: a random UUID (RFC 9562 section 5.4).
  package static func newIdentifier() throws(Errno) -> FieldValue {
    var bytes = try SecureRandom.bytes(count: 16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    var text = Array("<urn:uuid:".utf8)
    for (place, digit) in Base16.encoded(bytes).enumerated() {
      if [8, 12, 16, 20].contains(place) { text.append(ASCII.hyphen) }
      text.append(digit)
    }
    return FieldValue(text + Array(">".utf8))
  }

  /// Begins a record. The caller then appends its block and ends the record.
  ///
  /// - Parameters:
  ///   - fields: the record's fields other than its type, its identifier and the length of its block.
  ///   - blockLength: how many bytes are going to be appended.
  package func begin(
    _ kind: WARCRecord.Kind, _ identifier: FieldValue, _ fields: Fields, blockLength: UInt64
  ) throws(Errno) {
    var all = Fields([
      Field(.warcType, FieldValue(kind.rawValue)), Field(.warcRecordID, identifier),
    ])
    for line in fields.lines { all.append(line) }
    all.append(.contentLength, FieldValue(String(blockLength)))
    var head = Array("WARC/1.1\r\n".utf8)
    for line in all.lines {
      head += Array(line.name.spelling.utf8) + [ASCII.colon, ASCII.space] + line.value.bytes + Self.lineEnd
    }
    try output.write(head + Self.lineEnd)
  }

  package func append(_ bytes: UnsafeRawBufferPointer) throws(Errno) { try output.write(bytes) }

  package func append(_ bytes: [UInt8]) throws(Errno) { try output.write(bytes) }

  package func end() throws(Errno) {
    try output.write(Self.lineEnd + Self.lineEnd)
    try output.endMember()
  }

  /// Writes a whole record, whose block is in memory.
  package func write(
    _ kind: WARCRecord.Kind, _ identifier: FieldValue, _ fields: Fields, block: [UInt8]
  ) throws(Errno) {
    try begin(kind, identifier, fields, blockLength: UInt64(block.count))
    try append(block)
    try end()
  }

  private static let lineEnd: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]
}
