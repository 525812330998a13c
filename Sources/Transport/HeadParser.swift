package import HTTPSemantics

/// The framing gate: makes responses of raw header lines, and says whether their content may be kept.
///
/// libcurl is no such gate: it takes conflicting lengths, folded lines, NULs and endless heads for a success.
///
/// - Source: RFC 9112 sections 2.2, 4, 5 and 6.3.
package struct HeadParser {
  /// Nothing real comes near, and an entry holds each head whole.
  package static let maximumSizeBytes = 256 << 10
  package static let maximumFieldCount = 2_000
  /// An origin that says "102 Processing" every twenty seconds may do so for half an hour.
  package static let maximumInterimCount = 100

  package enum Head: Equatable, Sendable {
    case interim(Response)
    case final(Response, Framing)
  }

  private let method: Method
  private let scheme: TargetURI.Scheme
  private var partial: PartialHead?
  /// Of the current head; behind the final one, of the trailers.
  private var sizeBytes = 0
  private var interimCount = 0
  package private(set) var isComplete = false

  /// - Parameters:
  ///   - method: of the request: it decides whether there is content.
  ///   - scheme: only TLS tells the end of a connection from its breaking.
  package init(method: Method, scheme: TargetURI.Scheme) {
    self.method = method
    self.scheme = scheme
  }

  /// Takes the next line.
  ///
  /// Lines behind the final head are trailers: they are bounded and otherwise ignored (RFC 9110 section 6.5).
  ///
  /// - Parameter line: with its line end.
  /// - Returns: a head that this line has completed.
  package mutating func consume(_ line: some Collection<UInt8>) throws(HeadError) -> Head? {
    sizeBytes += line.count
    if sizeBytes > Self.maximumSizeBytes { throw .tooLarge }
    if isComplete { return nil }

    let bytes = Array(line)
    var end = bytes.endIndex
    if end > 0, bytes[end - 1] == ASCII.lineFeed { end -= 1 }
    if end > 0, bytes[end - 1] == ASCII.carriageReturn { end -= 1 }
    let content = bytes[..<end]
    guard var head = partial else {
      if !content.isEmpty { partial = try PartialHead(statusLine: content) }
      return nil
    }
    if content.isEmpty { return try complete(head) }
    // The one reference to the lines: appending must not copy them.
    partial = nil
    head.append(content)
    if head.lineCount > Self.maximumFieldCount { throw .tooManyFields }
    partial = head
    return nil
  }

  private mutating func complete(_ head: PartialHead) throws(HeadError) -> Head {
    partial = nil
    sizeBytes = 0
    let response = head.response
    if response.status.isInformational {
      interimCount += 1
      if interimCount > Self.maximumInterimCount { throw .tooManyInterimResponses }
      return .interim(response)
    }
    isComplete = true
    let fault = try contentFault(response)
    return .final(response, (head.fault ?? fault).map(Framing.deliverOnly) ?? .storable)
  }

  /// Transfer codings of RFC 9112 section 7, and content codings that libcurl undoes in their place.
  private static func isKnownCoding(_ name: ArraySlice<UInt8>) -> Bool {
    ["chunked", "gzip", "x-gzip", "deflate", "compress", "x-compress", "identity", "trailers", "br", "zstd"]
      .contains { ASCII.equalIgnoringCase($0.utf8, name.prefix { $0 != ASCII.semicolon && $0 != ASCII.space }) }
  }

  /// RFC 9112 section 6.3, in its order.
  private func contentFault(_ response: Response) throws(HeadError) -> FramingFault? {
    let fields = response.fields
    let length = ContentLength(fields)
    let hasContent = method != .head && response.status != 204 && response.status != 304
    guard hasContent else {
      switch length {
      case .conflicting: return .conflictingContentLength
      case .malformed: return .malformedContentLength
      case .absent, .bytes: return nil
      }
    }
    if fields.contains(.transferEncoding) {
      if length != .absent { return .lengthBesideTransferCoding }
      // RFC 9112 section 6.1: in HTTP/1.0 the framing is faulty. Another coding was not asked for with TE.
      let codings = fields.members(of: .transferEncoding)
      guard response.version == .http11, codings.count == 1 else { return .unexpectedTransferCoding }
      // A coding that nobody knows is nobody's to undo: the content is what came until the connection was closed, and
      // "considered complete" (RFC 9112 section 8). docs/decisions/0007 says why.
      let isChunked = ASCII.equalIgnoringCase(codings[0], "chunked".utf8)
      return isChunked || !Self.isKnownCoding(codings[0]) ? nil : .unexpectedTransferCoding
    }
    switch length {
    case .conflicting: throw .conflictingContentLength
    case .malformed: return .malformedContentLength
    case .bytes: return nil
    // The frames of HTTP/2 and HTTP/3 say where the content ends, and TLS says how.
    case .absent: return response.version <= .http11 && scheme == .http ? .delimitedByClose : nil
    }
  }
}

/// What the Content-Length fields say.
///
/// - Source: RFC 9110 section 8.6: repeated equal values are one.
private enum ContentLength: Equatable {
  case absent
  case bytes(Int64)
  /// No number, or more than any content can have.
  case malformed
  case conflicting

  init(_ fields: Fields) {
    let members = fields.members(of: .contentLength)
    let values = members.map { ASCII.signedDecimal($0) }
    guard let first = values.first else {
      self = fields.contains(.contentLength) ? .malformed : .absent
      return
    }
    if let first, values.allSatisfy({ $0 == first }) {
      self = .bytes(first)
    } else {
      self = members.allSatisfy { $0 == members[0] } ? .malformed : .conflicting
    }
  }
}

/// A head whose lines are still coming.
private struct PartialHead {
  private let version: HTTPVersion
  private let status: StatusCode
  private let reason: FieldValue
  private var lines = PartialHead.emptyLines()
  /// Those that became no field, too.
  private(set) var lineCount = 0
  /// The first one that was found.
  private(set) var fault: FramingFault?

  /// `HTTP-version SP status-code [ SP reason-phrase ]` (RFC 9112 section 4); libcurl writes HTTP/2's so, too.
  init(statusLine line: ArraySlice<UInt8>) throws(HeadError) {
    guard let space = line.firstIndex(of: ASCII.space), let version = HTTPVersion(statusLine: line[..<space]) else {
      throw .malformedStatusLine
    }
    let code = line[(space + 1)...].prefix(3)
    let rest = line[(space + 1)...].dropFirst(3)
    guard code.count == 3, let status = ASCII.unsignedDecimal(code).flatMap(UInt16.init(exactly:)),
      rest.isEmpty || rest.first == ASCII.space
    else { throw .malformedStatusLine }

    self.version = version
    self.status = StatusCode(rawValue: status)
    var fault: FramingFault?
    reason = Self.cleaned(ASCII.trimmed(rest), &fault)
    // RFC 9110 section 15: outside of this range a code is invalid.
    self.fault = (100...599).contains(status) ? fault : .invalidStatus
  }

  var response: Response { Response(status, reason: reason, version: version, fields: Fields(lines)) }

  mutating func append(_ line: ArraySlice<UInt8>) {
    lineCount += 1
    if let first = line.first, ASCII.isWhitespace(first) { return unfold(line) }
    guard let colon = line.firstIndex(of: ASCII.colon) else { return note(.lineWithoutColon) }
    var nameBytes = line[..<colon]
    if let last = nameBytes.last, ASCII.isWhitespace(last) {
      note(.whitespaceBeforeColon)
      nameBytes = ASCII.trimmed(nameBytes)
    }
    guard let name = FieldName(nameBytes) else { return note(.invalidFieldName) }
    lines.append(Field(name, cleaned(ASCII.trimmed(line[(colon + 1)...]))))
  }

  /// RFC 9112 section 5.2: a user agent replaces the fold by a space.
  private mutating func unfold(_ line: ArraySlice<UInt8>) {
    note(.obsoleteLineFolding)
    guard let last = lines.popLast() else { return }
    let folded = last.value.bytes + [ASCII.space] + cleaned(ASCII.trimmed(line)).bytes
    lines.append(Field(last.name, FieldValue(folded)))
  }

  private mutating func cleaned(_ bytes: ArraySlice<UInt8>) -> FieldValue {
    var found: FramingFault?
    let cleaned = Self.cleaned(bytes, &found)
    if let found { note(found) }
    return cleaned
  }

  /// RFC 9110 section 5.5: what a value must not hold becomes a space.
  private static func cleaned(_ bytes: ArraySlice<UInt8>, _ fault: inout FramingFault?) -> FieldValue {
    var cleaned = Array(bytes)
    for index in cleaned.indices {
      switch cleaned[index] {
      case ASCII.carriageReturn: fault = .bareCarriageReturn
      case 0: fault = .nul
      default: continue
      }
      cleaned[index] = ASCII.space
    }
    return FieldValue(cleaned)
  }

  /// With room for as many as most heads have.
  private static func emptyLines() -> [Field] {
    var lines: [Field] = []
    lines.reserveCapacity(16)
    return lines
  }

  private mutating func note(_ fault: FramingFault) {
    if self.fault == nil { self.fault = fault }
  }
}

extension HTTPVersion {
  fileprivate init?(statusLine text: ArraySlice<UInt8>) {
    switch String(decoding: text, as: UTF8.self) {
    case "HTTP/1.0": self = .http10
    // RFC 9110 section 2.5: a later minor version is understood as the latest that is known.
    case "HTTP/1.1", "HTTP/1.2": self = .http11
    case "HTTP/2", "HTTP/2.0": self = .http2
    case "HTTP/3", "HTTP/3.0": self = .http3
    default: return nil
    }
  }

  fileprivate static func <= (one: HTTPVersion, other: HTTPVersion) -> Bool { one.rawValue <= other.rawValue }
}
