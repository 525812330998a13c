import Archives
import ContentCoding
import HTTPSemantics
import Platform

extension FuzzTarget {
  /// A WARC file. What is read from it can be written and read again unchanged, and is the same when it comes in
  /// pieces.
  static let warc = FuzzTarget("warc", longestInput: 4_096) { (bytes) throws(Violation) in
    let whole = WARCContents(bytes, pieceLength: bytes.count)
    let pieced = WARCContents(bytes, pieceLength: 3)
    try require(whole == pieced || isCompressed(bytes), "in pieces it is another archive")
    guard let written = whole.written else { return }
    let again = WARCContents(written, pieceLength: 64)
    try require(again.error == nil, "what was written is refused: \(again.error as Any)")
    try require(again.records.map(\.kind) == whole.records.map(\.kind), "other records are read than were written")
    try require(again.blocks == whole.blocks, "other blocks are read than were written")
  }

  /// A HAR file. A text in it is held whole, and takes three times its length while it grows.
  static let har = FuzzTarget("har", longestInput: 4_096) { (bytes) throws(Violation) in
    let whole = entries(of: bytes, pieceLength: bytes.count)
    let pieced = entries(of: bytes, pieceLength: 3)
    try require(whole == pieced || isCompressed(bytes), "in pieces it is another archive")
    for entry in whole {
      for text in [entry.url, entry.text ?? []] {
        try require(!zip(text, text.dropFirst()).contains { $0 == 0xed && $1 >= 0xa0 }, "a text has half a pair")
      }
      for line in entry.responseFields.lines + entry.requestFields.lines {
        try require(line.value.bytes.allSatisfy { $0 != 0 && $0 != ASCII.lineFeed }, "a value has a line end")
      }
    }
  }

  /// Chunked content, which is the same when it comes in pieces.
  static let chunks = FuzzTarget("chunks") { (bytes) throws(Violation) in
    let whole = content(ofChunks: bytes, pieceLength: max(1, bytes.count))
    let pieced = content(ofChunks: bytes, pieceLength: 2)
    try require(whole == pieced, "in pieces they hold something else")
  }

  /// Whether the file is compressed: how much zlib decodes before an error depends on the pieces.
  private static func isCompressed(_ bytes: [UInt8]) -> Bool { bytes.starts(with: GzipDecoder.magic) }

  private static func entries(of bytes: [UInt8], pieceLength: Int) -> [HAREntry] {
    var entries: [HAREntry] = []
    do throws(ArchiveError) {
      let reader = try HARReader(archive(bytes, pieceLength: pieceLength))
      while let entry = try reader.next() { entries.append(entry) }
    } catch {
      return entries
    }
    return entries
  }

  private static func content(ofChunks bytes: [UInt8], pieceLength: Int) -> [UInt8]? {
    var chunked = ChunkedContent()
    var content: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: pieceLength) {
      bytes[start..<min(start + pieceLength, bytes.count)].withUnsafeBytes { piece in
        chunked.feed(piece) { content.append(contentsOf: $0) }
      }
    }
    chunked.finish { content.append(contentsOf: $0) }
    return chunked.isComplete ? content : nil
  }
}

private func archive(_ bytes: [UInt8], pieceLength: Int) throws(ArchiveError) -> ArchiveInput {
  var rest = bytes[...]
  return try ArchiveInput { (buffer) throws(Errno) in
    let piece = rest.prefix(min(max(1, pieceLength), buffer.count))
    rest = rest.dropFirst(piece.count)
    buffer.copyBytes(from: piece)
    return piece.count
  }
}

/// Everything that a reader makes of a WARC file.
private struct WARCContents: Equatable {
  /// The length from which a block is not read further, because a few bytes of gzip can expand to any length.
  private static let longestBlock = 1 << 16

  var records: [WARCRecord] = []
  var blocks: [[UInt8]] = []
  var error: ArchiveError?

  init(_ bytes: [UInt8], pieceLength: Int) {
    do throws(ArchiveError) {
      var reader = WARCReader(try archive(bytes, pieceLength: pieceLength))
      while let record = try reader.next() {
        records.append(record)
        // The properties of any record can be read without a trap.
        _ = (record.date, record.target, record.blockDigest, record.payloadDigest, record.isConcurrent(with: record))
        var block: [UInt8] = []
        while block.count < Self.longestBlock, let piece = try reader.readBlock() { block.append(contentsOf: piece) }
        guard block.count < Self.longestBlock else {
          blocks.append([])
          return
        }
        blocks.append(block)
      }
    } catch {
      self.error = error
    }
  }

  /// The same records in a new file; `nil` if one was not read to its end.
  var written: [UInt8]? {
    guard blocks.count == records.count, zip(records, blocks).allSatisfy({ $0.blockLength == $1.count }) else {
      return nil
    }
    var bytes: [UInt8] = []
    do {
      let output = try ArchiveOutput(compressed: false) { (more) throws(Errno) in bytes.append(contentsOf: more) }
      let writer = WARCWriter(output)
      for (record, block) in zip(records, blocks) {
        try writer.write(record.kind, "<urn:uuid:0>", [:], block: block)
      }
      try output.flush()
    } catch {
      return nil
    }
    return bytes
  }
}
