import Archives
import CacheStore
import Digests
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// Writes stored responses as records of WARC: a request and a response each, or a revisit if the same content has been
/// written before.
final class WARCExport {
  private let writer: WARCWriter
  private var payloads = WrittenPayloads()

  init(_ output: ArchiveOutput, at now: Timestamp) throws(Errno) {
    writer = WARCWriter(output)
    let fields: Fields = [
      .warcDate: FieldValue(InternetDate.format(now)), .contentType: "application/warc-fields",
    ]
    let block = """
      software: garner/\(ProgramVersion.number)\r
      format: WARC File Format 1.1\r
      conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n
      """
    try writer.write(.information, WARCWriter.newIdentifier(), fields, block: Array(block.utf8))
  }

  private func writeRequest(of exported: ExportedResponse) throws(Errno) -> FieldValue {
    let block = exported.requestHead
    let identifier = try WARCWriter.newIdentifier()
    let fields: Fields = [
      .warcDate: FieldValue(InternetDate.format(exported.requestTime)),
      .warcTargetURI: FieldValue(exported.request.target.description),
      .warcBlockDigest: FieldValue(LabelledDigest(.sha256, digest(of: block, .sha256)).text),
      .contentType: "application/http;msgtype=request",
    ]
    try writer.write(.request, identifier, fields, block: block)
    return identifier
  }

  /// Writes the request and the response. The content is left to the caller, unless the response is a revisit.
  ///
  /// - Parameter sums: the digests of the content.
  /// - Returns: whether the caller has to append the content and end the record.
  func begin(
    _ exported: ExportedResponse, _ sums: ContentSums, contentLength: UInt64
  ) throws(Errno) -> Bool {
    let request = try writeRequest(of: exported)
    let head = exported.responseHead
    var fields = fields(of: exported, request)
    let payload = LabelledDigest(.sha256, sums.payload)
    fields.append(.warcPayloadDigest, FieldValue(payload.text))
    let identifier = try WARCWriter.newIdentifier()
    if let written = payloads.place(of: payload) {
      fields.append(.warcBlockDigest, FieldValue(LabelledDigest(.sha256, digest(of: head, .sha256)).text))
      fields.append(.warcProfile, WARCRecord.identicalPayload)
      fields.append(.warcTruncated, "length")
      fields.append(.warcRefersTo, written.identifier)
      fields.append(.warcRefersToTargetURI, written.target)
      fields.append(.warcRefersToDate, written.date)
      try writer.write(.revisit, identifier, fields, block: head)
      return false
    }
    fields.append(.warcBlockDigest, FieldValue(LabelledDigest(.sha256, sums.block).text))
    try writer.begin(.response, identifier, fields, blockLength: UInt64(head.count) + contentLength)
    try writer.append(head)
    // An import may not find the content of a response that it does not store.
    if exported.isImportable {
      payloads.note(
        payload, length: contentLength,
        WrittenPayloads.Place(
          identifier: identifier, target: FieldValue(exported.request.target.description),
          date: FieldValue(InternetDate.format(exported.responseTime))))
    }
    return true
  }

  func append(_ content: UnsafeRawBufferPointer) throws(Errno) { try writer.append(content) }

  func end() throws(Errno) { try writer.end() }

  private func fields(of exported: ExportedResponse, _ request: FieldValue) -> Fields {
    var fields: Fields = [
      .warcDate: FieldValue(InternetDate.format(exported.responseTime)),
      .warcTargetURI: FieldValue(exported.request.target.description),
      .warcConcurrentTo: request,
      .contentType: "application/http;msgtype=response",
    ]
    let version = exported.response.version
    if version.rawValue > HTTPVersion.http11.rawValue {
      fields.append(.warcProtocol, ProtocolName.name(of: version))
    }
    if !exported.selectingNames.isEmpty {
      let names = exported.selectingNames.map(\.spelling).joined(separator: ", ")
      fields.append(.garnerVariesBy, FieldValue(names))
    }
    if exported.isRestricted { fields.append(.garnerRestricted, "credentials") }
    for tag in exported.tags.all { fields.append(.garnerTag, FieldValue(tag.description)) }
    return fields
  }
}

/// The digests of a response's content, and of the block that consists of its head and its content.
struct ContentSums {
  let payload: [UInt8]
  let block: [UInt8]

  init(head: [UInt8], _ content: borrowing StoredContent) throws(ContentFailure<Never>) {
    var (payload, block) = (Digester(.sha256), Digester(.sha256))
    block.update(head)
    try content.forEachVerifiedChunk { (bytes) throws(Never) in
      payload.update(bytes)
      block.update(bytes)
    }
    self.payload = payload.finish()
    self.block = block.finish()
  }
}

/// The places of contents in the archive. Only the first contents are noted, as many as there is room for.
private struct WrittenPayloads {
  struct Place {
    let identifier: FieldValue
    let target: FieldValue
    let date: FieldValue
  }

  /// The shortest content to note: the fields of a revisit are nearly as long.
  private static let shortestPayload: UInt64 = 1 << 10
  /// Bounds the memory, which must not grow with the store: with URLs of the greatest length, this is about 1 MiB.
  private static let maximumCount = 2_048
  /// The longest URL to note, in bytes.
  private static let longestTarget = 256

  private var places: [LabelledDigest: Place] = [:]

  func place(of payload: LabelledDigest) -> Place? { places[payload] }

  mutating func note(_ payload: LabelledDigest, length: UInt64, _ place: Place) {
    guard length >= Self.shortestPayload, place.target.bytes.count <= Self.longestTarget,
      places.count < Self.maximumCount
    else { return }
    places[payload] = place
  }
}
