import Archives
import ContentCoding
import HTTPSemantics
import Platform
import Testing

@Suite("Writing WARC records")
struct WARCWriterTests {
  @Test("A record is written with its type, name, fields, length and block")
  func record() throws {
    let bytes = try Collected.archive { (output) throws(Errno) in
      let writer = WARCWriter(output)
      try writer.write(.metadata, "<urn:uuid:1>", ["WARC-Date": "2026-11-21T06:45:47Z"], block: Array("a: b\r\n".utf8))
    }
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        WARC/1.1\r
        WARC-Type: metadata\r
        WARC-Record-ID: <urn:uuid:1>\r
        WARC-Date: 2026-11-21T06:45:47Z\r
        Content-Length: 6\r
        \r
        a: b\r
        \r
        \r\n
        """)
  }

  @Test("Each compressed record is a gzip member of its own, and all are read in order")
  func compressed() throws {
    let blocks = [Array("one".utf8), [], (0..<300_000).map { UInt8($0 & 0xff) }]
    let bytes = try Collected.archive(compressed: true) { (output) throws(Errno) in
      let writer = WARCWriter(output)
      for block in blocks { try writer.write(.resource, "<urn:uuid:1>", [:], block: block) }
    }
    let members = try members(of: bytes)
    #expect(members.count == blocks.count)
    #expect(members.allSatisfy { $0.starts(with: "WARC/1.1\r\n".utf8) })

    var reader = WARCReader(try input(bytes, pieceLength: 1_000))
    for block in blocks {
      #expect(try reader.next()?.blockLength == UInt64(block.count))
      var read: [UInt8] = []
      while let piece = try reader.readBlock() { read.append(contentsOf: piece) }
      #expect(read == block)
    }
    #expect(try reader.next() == nil)
  }

  @Test("The complete records of a compressed archive that is cut off are read", arguments: [1, 10, 100])
  func cut(by count: Int) throws {
    let bytes = try Collected.archive(compressed: true) { (output) throws(Errno) in
      let writer = WARCWriter(output)
      try writer.write(.resource, "<urn:uuid:1>", [:], block: Array("whole".utf8))
      try writer.write(.resource, "<urn:uuid:2>", [:], block: (0..<100_000).map { UInt8($0 * $0 & 0xff) })
    }
    var reader = WARCReader(try input(bytes.dropLast(count)))
    #expect(try reader.next()?.blockLength == 5)
    #expect(throws: ArchiveError.truncated) {
      while try reader.next() != nil {}
    }
  }

  @Test("A damaged compressed record is refused")
  func damaged() throws {
    var bytes = try Collected.archive(compressed: true) { (output) throws(Errno) in
      try WARCWriter(output).write(.resource, "<urn:uuid:1>", [:], block: Array("whole".utf8))
    }
    bytes[bytes.count - 6] ^= 1
    var reader = WARCReader(try input(bytes))
    #expect(throws: ArchiveError.undecodable(.malformed(.gzip))) {
      while try reader.next() != nil {}
    }
  }

  @Test("Each record gets a new UUID as its name")
  func identifiers() throws {
    let names = try (0..<100).map { _ in try WARCWriter.newIdentifier().text }
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(name.hasPrefix("<urn:uuid:") && name.hasSuffix(">") && name.utf8.count == 47)
      #expect(Array(name)[24] == "4" && "89ab".contains(Array(name)[29]))
    }
  }
}
