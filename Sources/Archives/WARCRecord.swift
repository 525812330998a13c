package import HTTPSemantics

/// The head of a WARC record: the fields in front of its block.
///
/// - Source: WARC 1.1 (ISO 28500:2017), sections 5 and 6.
package struct WARCRecord: Equatable, Sendable {
  package enum Kind: String, Equatable, Sendable {
    case information = "warcinfo"
    case request
    case response
    case revisit
    case metadata
    case resource
    case conversion
    case continuation
    /// "WARC processing software shall ignore records of unrecognized type" (section 5.5).
    case unknown
  }

  package let kind: Kind
  package let fields: Fields
  /// The length of the block, in bytes.
  package let blockLength: UInt64
  /// Where the record begins, in bytes from the front of the uncompressed archive.
  package let offset: UInt64

  package init(_ fields: Fields, blockLength: UInt64, offset: UInt64) {
    kind =
      fields[.warcType].flatMap { Kind(rawValue: String(decoding: ASCII.lowercased($0.bytes), as: UTF8.self)) }
      ?? .unknown
    self.fields = fields
    self.blockLength = blockLength
    self.offset = offset
  }

  package var identifier: FieldValue? { fields[.warcRecordID] }

  package var date: Timestamp? { fields[.warcDate].flatMap { InternetDate.parse(Self.wholeDate($0.bytes)) } }

  package var target: [UInt8]? { fields[.warcTargetURI].map { Self.bare($0.bytes) } }

  package var referredTarget: [UInt8]? { fields[.warcRefersToTargetURI].map { Self.bare($0.bytes) } }

  package var blockDigest: LabelledDigest? { fields[.warcBlockDigest].flatMap { LabelledDigest($0.bytes) } }

  package var payloadDigest: LabelledDigest? { fields[.warcPayloadDigest].flatMap { LabelledDigest($0.bytes) } }

  /// Whether the block is an HTTP message. The record's type says whether it is a request or a response.
  package var holdsMessage: Bool {
    guard let type = fields[.contentType] else { return false }
    let name = ASCII.trimmed(type.bytes.prefix { $0 != ASCII.semicolon })
    return ASCII.equalIgnoringCase(name, "application/http".utf8)
  }

  /// Whether the block holds all that was captured. A revisit may be truncated and still be whole: "A WARC-Truncated
  /// header with reason 'length' shall be used for any identical-digest truncation" (section 6.7.2).
  package var isWhole: Bool {
    if fields.contains(.warcSegmentNumber) { return false }
    guard let reason = fields[.warcTruncated] else { return true }
    return kind == .revisit && ASCII.equalIgnoringCase(reason.bytes, "length".utf8)
  }

  /// Whether the record names others of the same exchange.
  package var namesOthers: Bool { fields.contains(.warcConcurrentTo) }

  /// Whether both records belong to one exchange. Either may name the other.
  package func isConcurrent(with other: WARCRecord) -> Bool {
    let names = { (one: WARCRecord, other: WARCRecord) in
      other.identifier.map { one.fields.values(of: .warcConcurrentTo).contains($0) } ?? false
    }
    return names(self, other) || names(other, self)
  }

  /// Removes the angle brackets around a URI, which the grammar of WARC 1.0 has and some programs write.
  private static func bare(_ uri: [UInt8]) -> [UInt8] {
    guard uri.first == UInt8(ascii: "<"), uri.last == UInt8(ascii: ">") else { return uri }
    return Array(uri.dropFirst().dropLast())
  }

  /// Completes a date of less precision, which WARC 1.1 allows (section 5.4, W3CDTF). What the date leaves out gets its
  /// lowest value.
  private static func wholeDate(_ date: [UInt8]) -> [UInt8] {
    switch date.count {
    case 4, 7, 10: date + "0000-01-01T00:00:00Z".utf8.dropFirst(date.count)
    // The zone stands in the place of the seconds.
    case 17... where date[16] != ASCII.colon: Array(date.prefix(16)) + ":00".utf8 + date.dropFirst(16)
    default: date
    }
  }

  /// The profile of a revisit record whose payload is that of an earlier record (section 6.7.2).
  package static let identicalPayload: FieldValue = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
}

extension FieldName {
  package static let warcType: FieldName = "WARC-Type"
  static let warcRecordID: FieldName = "WARC-Record-ID"
  package static let warcDate: FieldName = "WARC-Date"
  package static let warcTargetURI: FieldName = "WARC-Target-URI"
  package static let warcConcurrentTo: FieldName = "WARC-Concurrent-To"
  package static let warcBlockDigest: FieldName = "WARC-Block-Digest"
  package static let warcPayloadDigest: FieldName = "WARC-Payload-Digest"
  package static let warcProfile: FieldName = "WARC-Profile"
  package static let warcRefersTo: FieldName = "WARC-Refers-To"
  package static let warcRefersToTargetURI: FieldName = "WARC-Refers-To-Target-URI"
  package static let warcRefersToDate: FieldName = "WARC-Refers-To-Date"
  package static let warcTruncated: FieldName = "WARC-Truncated"
  static let warcSegmentNumber: FieldName = "WARC-Segment-Number"
  /// The version of HTTP by which a message was received. The block has the form of HTTP/1.1 in any case, as parsers of
  /// it expect.
  package static let warcProtocol: FieldName = "WARC-Protocol"
}
