import Archives
import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// Imports the responses of a HAR file.
struct HARImport {
  /// Fields that describe the content as it was transferred, with codings that HAR does not preserve.
  private static let codingFields: [FieldName] = [.contentEncoding, .transferEncoding, .contentLength]

  /// Digests of the bytes as they were transferred (RFC 9530 sections 2 and 3, and the fields before it).
  private static let digestFields: [FieldName] = [.contentDigest, .reprDigest, "Digest", "Content-MD5"]

  private let reader: HARReader
  private let destination: ImportStore
  private let tally: ImportTally

  init(_ input: ArchiveInput, _ destination: ImportStore, _ tally: ImportTally) throws(ArchiveError) {
    reader = try HARReader(input)
    self.destination = destination
    self.tally = tally
  }

  func run() throws(ImportFault) {
    while let entry = try next() {
      tally.advance()
      try tally.attempting(at: entry.offset) { () throws(RecordFault) in tally.countImported(try take(entry)) }
    }
  }

  private func next() throws(ImportFault) -> HAREntry? {
    if Signals.pending != nil { throw .interrupted }
    do throws(ArchiveError) { return try reader.next() } catch { throw .archive(error) }
  }

  private func take(_ entry: HAREntry) throws(RecordFault) -> WrittenEntry {
    if entry.isURLBroken { throw .refused(.damaged("URL has half a surrogate pair")) }
    let reference = try ArchivedExchange.reference(entry.url)
    guard (100...599).contains(entry.status), !entry.hasFailed else { throw .refused(.noResponse) }
    if entry.isOversized { throw .refused(.damaged("head is too large")) }
    if entry.isContentTooLong { throw .refused(.damaged("content is too long")) }
    guard let method = Method(entry.method) else { throw .refused(.damaged("method is malformed")) }
    guard let startedAt = InternetDate.parse(entry.startedAt) else {
      throw .refused(.damaged("startedDateTime is missing or malformed"))
    }
    let ended = startedAt.advanced(bySeconds: Int64(clamping: entry.milliseconds / 1_000))
    let exchange = ArchivedExchange(
      target: reference.target, userInfo: reference.userInfo, method: method, requestFields: entry.requestFields,
      requestTime: min(startedAt, destination.now), response: response(of: entry),
      responseTime: min(ended, destination.now),
      selectingNames: ArchivedExchange.names(in: entry.selectingNames), isRestricted: entry.isRestricted,
      tags: Tags())
    try destination.check(exchange)
    let bytes = try content(of: entry, exchange.response)
    var whole = exchange
    // "A server MUST NOT send a Content-Length header field in any response with a status code of 1xx
    // (Informational) or 204 (No Content)" (RFC 9110 section 8.6).
    if whole.response.status != 204 {
      whole.response.fields.append(.contentLength, FieldValue(String(bytes.count)))
    }
    let content = try destination.begin(expecting: UInt64(bytes.count))
    try destination.storing { () throws(StoreError) in
      try bytes.span.bytes.withUnsafeBytes { (bytes) throws(StoreError) in try content.append(bytes) }
    }
    return try destination.commit(content, whole)
  }

  private func response(of entry: HAREntry) -> Response {
    var fields = entry.responseFields
    // HAR holds text decoded from its charset, and written in UTF-8.
    let isText = !entry.isBase64 && entry.text != nil
    if isText || fields.contains(.contentEncoding) {
      fields.removeAll { Self.digestFields.contains($0.name) }
    }
    fields.removeAll { Self.codingFields.contains($0.name) }
    if isText, let type = fields[.contentType] { fields.set(.contentType, Self.unicode(type)) }
    let reason = entry.reason.filter { $0 >= ASCII.space && $0 != 0x7f }
    return Response(
      StatusCode(rawValue: entry.status), reason: FieldValue(reason),
      version: ProtocolName.version(entry.version) ?? .http11,
      fields: fields)
  }

  private func content(of entry: HAREntry, _ response: Response) throws(RecordFault) -> [UInt8] {
    guard let text = entry.text else {
      // A 204 or a redirection needs no content; of other responses, the browser has not kept it.
      guard response.status == 204 || response.status.isFollowedRedirection else { throw .refused(.noContent) }
      return []
    }
    guard let bytes = entry.isBase64 ? Base64.decode(text[...]) : text else {
      throw .refused(.damaged("content is not in base 64"))
    }
    // Only the head of a redirection is used, and some programs keep no more of it.
    let needsNone = response.status == 204 || response.status.isFollowedRedirection
    if !bytes.isEmpty || !needsNone { try checkLength(UInt64(bytes.count), of: entry) }
    return bytes
  }

  /// Refuses content that is known to be incomplete, because it would be served as if it were complete.
  private func checkLength(_ count: UInt64, of entry: HAREntry) throws(RecordFault) {
    let fields = entry.responseFields
    let isCoded = fields.contains(.contentEncoding)
    // Some programs state the length with codings, even of content that these have made longer.
    let size = isCoded && entry.contentSize == entry.receivedSize ? 0 : entry.contentSize
    let length = isCoded || fields.contains(.transferEncoding) ? 0 : fields[.contentLength]?.decimal ?? 0
    if count == 0, size > 0 || length > 0 { throw .refused(.noContent) }
    // The length of text in another charset is unknown, but none takes more than four bytes for one byte of UTF-8.
    let isKnown = entry.isBase64 || fields[.contentType].map(Self.isUnicode) == true
    let whole = entry.isBase64 ? count : count.adding(saturating: Self.byteOrderMarkLength)
    let shortest = isKnown ? whole : whole.multiplied(saturating: 4)
    if shortest < size { throw .refused(.damaged("content has \(count) bytes, but its size is \(size)")) }
    if shortest < length { throw .refused(.damaged("content has \(count) bytes, but its head says \(length)")) }
  }

  /// The length of UTF-8's byte order mark, which text may have lost.
  private static let byteOrderMarkLength: UInt64 = 3

  private static let charset = Array("charset=".utf8)
  private static let unicodeName = Array("utf-8".utf8)
  /// The charsets whose bytes are the same in UTF-8.
  private static let unicodeNames: [String.UTF8View] = ["utf-8".utf8, "utf8".utf8, "us-ascii".utf8, "ascii".utf8]

  private static func parameters(of type: FieldValue) -> [ArraySlice<UInt8>] {
    ListSyntax.split(type.bytes[...], at: ASCII.semicolon).map { ASCII.trimmed($0) }
  }

  private static func isCharset(_ parameter: ArraySlice<UInt8>) -> Bool {
    ASCII.equalIgnoringCase(parameter.prefix(charset.count), charset)
  }

  /// Returns whether the type says that the text was received in UTF-8. JSON has no other charset (RFC 8259 section
  /// 8.1).
  private static func isUnicode(_ type: FieldValue) -> Bool {
    guard let parameter = parameters(of: type).first(where: isCharset) else {
      let name = ASCII.lowercased(ListSyntax.withoutParameters(type.bytes[...]))
      return name.elementsEqual("application/json".utf8) || name.suffix(5).elementsEqual("+json".utf8)
    }
    let name = parameter.dropFirst(charset.count).filter { $0 != ASCII.quote }
    return unicodeNames.contains { ASCII.equalIgnoringCase(name, $0) }
  }

  /// Returns the type with UTF-8 as its charset, whichever charset the text was received in.
  private static func unicode(_ type: FieldValue) -> FieldValue {
    var parts = parameters(of: type)
    guard let place = parts.firstIndex(where: isCharset) else { return type }
    parts[place] = (charset + unicodeName)[...]
    return FieldValue(parts.joined(separator: [ASCII.semicolon, ASCII.space]))
  }
}
