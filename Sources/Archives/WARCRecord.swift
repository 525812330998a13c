package import HTTPSemantics

/// What a record of a WARC file says of itself, in front of its block.
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
  /// Of its block, in bytes.
  package let blockLength: UInt64
  /// Where it begins, in bytes from the front of what the archive holds.
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

  /// Whether its block is a message of HTTP, of the kind that the record has.
  package var holdsMessage: Bool {
    guard let type = fields[.contentType] else { return false }
    let name = ASCII.trimmed(type.bytes.prefix { $0 != ASCII.semicolon })
    return ASCII.equalIgnoringCase(name, "application/http".utf8)
  }

  /// Whether the block is all of what was captured. Of a revisit it need not be: "A WARC-Truncated header with reason
  /// 'length' shall be used for any identical-digest truncation" (section 6.7.2).
  package var isWhole: Bool {
    if fields.contains(.warcSegmentNumber) { return false }
    guard let reason = fields[.warcTruncated] else { return true }
    return kind == .revisit && ASCII.equalIgnoringCase(reason.bytes, "length".utf8)
  }

  /// Whether it names records of the same exchange.
  package var namesOthers: Bool { fields.contains(.warcConcurrentTo) }

  /// Whether both are of one exchange: either may name the other.
  package func isConcurrent(with other: WARCRecord) -> Bool {
    let names = { (one: WARCRecord, other: WARCRecord) in
      other.identifier.map { one.fields.values(of: .warcConcurrentTo).contains($0) } ?? false
    }
    return names(self, other) || names(other, self)
  }

  /// The grammar of WARC 1.0 has a URI in angle brackets, and some write it so.
  private static func bare(_ uri: [UInt8]) -> [UInt8] {
    guard uri.first == UInt8(ascii: "<"), uri.last == UInt8(ascii: ">") else { return uri }
    return Array(uri.dropFirst().dropLast())
  }

  /// A date of less precision, which WARC 1.1 allows (section 5.4, W3CDTF), with the earliest of what it does not say.
  private static func wholeDate(_ date: [UInt8]) -> [UInt8] {
    switch date.count {
    case 4, 7, 10: date + "0000-01-01T00:00:00Z".utf8.dropFirst(date.count)
    // The zone is where the seconds would be.
    case 17... where date[16] != ASCII.colon: Array(date.prefix(16)) + ":00".utf8 + date.dropFirst(16)
    default: date
    }
  }

  /// The payload of a revisit record is that of an earlier one (section 6.7.2).
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
  /// The version of HTTP that a message came in; its block is in the form of HTTP/1.1, as a parser of it expects.
  package static let warcProtocol: FieldName = "WARC-Protocol"
}
