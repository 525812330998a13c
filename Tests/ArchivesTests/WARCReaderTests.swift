import Archives
import Digests
import HTTPSemantics
import Testing

@Suite("Reading WARC records")
struct WARCReaderTests {
  static func record(_ head: String, _ block: String = "") -> String {
    "WARC/1.1\r\n\(head)Content-Length: \(block.utf8.count)\r\n\r\n\(block)\r\n\r\n"
  }

  private struct Read: Equatable {
    var kinds: [WARCRecord.Kind] = []
    var blocks: [String] = []
    var offsets: [UInt64] = []
    var error: ArchiveError?
  }

  private func read(_ text: String, pieceLength: Int = .max) -> Read {
    var read = Read()
    do throws(ArchiveError) {
      var reader = WARCReader(try input(text, pieceLength: pieceLength))
      while let record = try reader.next() {
        var block: [UInt8] = []
        while let piece = try reader.readBlock() { block.append(contentsOf: piece) }
        read.kinds.append(record.kind)
        read.blocks.append(String(decoding: block, as: UTF8.self))
        read.offsets.append(record.offset)
      }
    } catch {
      read.error = error
    }
    return read
  }

  static let two = record("WARC-Type: warcinfo\r\n", "first") + record("warc-type: Response\r\n", "second\r\n")

  @Test("Records are read in order, in pieces of any size", arguments: [1, 2, 3, 7, 1_000])
  func pieces(length: Int) {
    let read = read(Self.two, pieceLength: length)
    #expect(read.error == nil)
    #expect(read.kinds == [.information, .response])
    #expect(read.blocks == ["first", "second\r\n"])
    #expect(read.offsets == [0, UInt64(Self.record("WARC-Type: warcinfo\r\n", "first").utf8.count)])
  }

  @Test("A block that is not read is skipped")
  func passedOver() throws {
    var reader = WARCReader(try input(Self.two))
    #expect(try reader.next()?.kind == .information)
    #expect(try reader.next()?.kind == .response)
    #expect(try reader.readBlockLine(limit: 3) == Array("sec".utf8))
    #expect(try reader.readBlockLine(limit: 100) == Array("ond\r\n".utf8))
    #expect(try reader.readBlockLine(limit: 100) == nil)
    #expect(try reader.next() == nil)
  }

  struct Oddity: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let kinds: [WARCRecord.Kind]
  }

  static let oddities = [
    Oddity(testDescription: "An empty file has no records", text: "", kinds: []),
    Oddity(
      testDescription: "An older version, and lines that end in LF alone",
      text: "WARC/0.17\nWARC-Type: request\nContent-Length: 1\n\nx\n\n", kinds: [.request]),
    Oddity(
      testDescription: "Version 0.18", text: "WARC/0.18\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n",
      kinds: [.request]),
    Oddity(
      testDescription: "A record of an unknown type", text: record("WARC-Type: future\r\n"), kinds: [.unknown]),
    Oddity(testDescription: "A record without a type", text: record("X: y\r\n"), kinds: [.unknown]),
    Oddity(
      testDescription: "More line ends after a record", text: record("WARC-Type: metadata\r\n") + "\r\n\r\n",
      kinds: [.metadata]),
    Oddity(
      testDescription: "No line end after the last record",
      text: "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 1\r\n\r\nx", kinds: [.resource]),
    Oddity(
      testDescription: "A folded field", text: record("WARC-Type: revisit\r\nWARC-Note: a\r\n  b\r\n"),
      kinds: [.revisit]),
  ]

  @Test("Unusual records of other programs are read", arguments: oddities)
  func odd(oddity: Oddity) {
    let read = read(oddity.text)
    #expect(read.error == nil)
    #expect(read.kinds == oddity.kinds)
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let error: ArchiveError
    var recordsBefore = 0
  }

  static let refusals = [
    Refusal(testDescription: "Another signature", text: "GARC/1.1\r\n\r\n", error: .malformed(at: 0, .notARecord)),
    Refusal(
      testDescription: "Other text after a record", text: record("WARC-Type: metadata\r\n") + "<html>\r\n",
      error: .malformed(at: 56, .notARecord), recordsBefore: 1),
    Refusal(
      testDescription: "A field without a name", text: "WARC/1.1\r\n: x\r\n\r\n",
      error: .malformed(at: 10, .malformedField)),
    Refusal(
      testDescription: "A record without a length", text: "WARC/1.1\r\nWARC-Type: response\r\n\r\n",
      error: .malformed(at: 0, .noLength)),
    Refusal(
      testDescription: "A length that is no number", text: "WARC/1.1\r\nContent-Length: -1\r\n\r\n",
      error: .malformed(at: 0, .noLength)),
    Refusal(
      testDescription: "An impossible length", text: "WARC/1.1\r\nContent-Length: 18446744073709551615\r\n\r\n",
      error: .malformed(at: 0, .noLength)),
    Refusal(
      testDescription: "An endless line", text: "WARC/1.1\r\nX: " + String(repeating: "x", count: 330_000),
      error: .malformed(at: 10, .lineTooLong)),
    Refusal(
      testDescription: "Too many fields", text: "WARC/1.1\r\n" + String(repeating: "X: y\r\n", count: 101),
      error: .malformed(at: 0, .headTooLarge)),
    Refusal(
      testDescription: "Fields that are too long together",
      text: "WARC/1.1\r\n" + String(repeating: "X: \(String(repeating: "x", count: 300_000))\r\n", count: 4),
      error: .malformed(at: 0, .headTooLarge)),
    Refusal(
      testDescription: "An end within the fields", text: two + "WARC/1.1\r\nWARC-Ty", error: .truncated,
      recordsBefore: 2),
    Refusal(
      testDescription: "An end within a block", text: two + "WARC/1.1\r\nContent-Length: 9\r\n\r\n12345678",
      error: .truncated, recordsBefore: 2),
    Refusal(testDescription: "An end within the first line", text: "WARC/1.", error: .truncated),
    Refusal(
      testDescription: "A later version after a record", text: record("WARC-Type: metadata\r\n") + "WARC/9.9\r\n\r\n",
      error: .unknownVersion("9.9", at: 56), recordsBefore: 1),
    Refusal(testDescription: "An earlier version", text: "WARC/0.16\n\n", error: .unknownVersion("0.16", at: 0)),
    Refusal(testDescription: "No version", text: "WARC/\r\n\r\n", error: .unknownVersion("", at: 0)),
    Refusal(
      testDescription: "A version with more after it", text: "WARC/1.1 or something later\r\n\r\n",
      error: .unknownVersion("1.1 or something", at: 0)),
  ]

  @Test(
    "A malformed WARC file is refused with the place of the fault, after the records before it", arguments: refusals)
  func refused(refusal: Refusal) {
    let read = read(refusal.text)
    #expect(read.error == refusal.error)
    #expect(read.blocks.count == refusal.recordsBefore)
  }

  @Test("The fields of a record are read")
  func fields() throws {
    let head = """
      WARC-Type: response\r
      WARC-Record-ID: <urn:uuid:1>\r
      WARC-Concurrent-To: <urn:uuid:2>\r
      WARC-Date: 2026-11-21T06:45:47.123Z\r
      WARC-Target-URI: <http://example.com/>\r
      WARC-Block-Digest: sha1:VKRQSPCLYQ3YTZVDQVTPY5YE74E3HZVO\r
      Content-Type: application/http; msgtype=response\r\n
      """
    var reader = WARCReader(try input(Self.record(head, "x")))
    let record = try #require(try reader.next())
    #expect(record.target == Array("http://example.com/".utf8))
    #expect(record.date == Timestamp(secondsSinceEpoch: 1_795_243_547))
    #expect(record.blockDigest?.algorithm == .sha1)
    #expect(record.payloadDigest == nil)
    #expect(record.holdsMessage && record.isWhole)
    let request = WARCRecord(["WARC-Record-ID": "<urn:uuid:2>"], blockLength: 0, offset: 0)
    #expect(record.isConcurrent(with: request) && request.isConcurrent(with: record))
    #expect(!record.isConcurrent(with: record))
  }

  @Test(
    "A partial date is completed to the earliest moment",
    arguments: [
      ("2024", "2024-01-01T00:00:00Z"), ("2024-03", "2024-03-01T00:00:00Z"), ("2024-03-04", "2024-03-04T00:00:00Z"),
      ("2024-03-04T10:20Z", "2024-03-04T10:20:00Z"), ("2024-03-04T10:20+01:00", "2024-03-04T09:20:00Z"),
      ("2024-03-04T10:20:30.123456789Z", "2024-03-04T10:20:30Z"),
    ])
  func date(_ stated: String, _ whole: String) throws {
    let record = WARCRecord([.warcDate: FieldValue(stated)], blockLength: 0, offset: 0)
    #expect(try InternetDate.format(#require(record.date)) == whole)
  }

  @Test(
    "An invalid date is refused",
    arguments: [
      "", "24", "2024-", "2024-1", "2024-13", "2024-03-04T", "2024-03-04T10Z", "2024-03-04T10:2Z", "20240304",
    ])
  func noDate(_ stated: String) {
    #expect(WARCRecord([.warcDate: FieldValue(stated)], blockLength: 0, offset: 0).date == nil)
  }

  @Test("A revisit record is whole although its content is truncated")
  func truncated() {
    func isWhole(_ type: FieldValue, _ reason: FieldValue) -> Bool {
      WARCRecord([.warcType: type, .warcTruncated: reason], blockLength: 0, offset: 0).isWhole
    }
    #expect(isWhole("revisit", "length") && isWhole("revisit", "Length"))
    #expect(!isWhole("revisit", "time") && !isWhole("response", "length"))
  }
}
