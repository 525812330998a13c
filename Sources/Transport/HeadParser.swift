package import HTTPSemantics

/// The framing gate: makes responses of raw header lines, and decides whether their content may be stored.
///
/// libcurl is no such gate: it accepts conflicting lengths, folded lines, NULs and endless heads.
///
/// - Source: RFC 9112 sections 2.2, 4, 5 and 6.3.
package struct HeadParser {
  /// Enough for an origin that sends "102 Processing" every twenty seconds for half an hour.
  package static let maximumInterimCount = 100

  package enum Head: Equatable, Sendable {
    case interim(Response)
    case final(Response, FramingVerdict)
  }

  private let method: Method
  /// Whether something other than the head says where the content ends. The end of a connection does not, not even over
  /// TLS: libcurl takes a broken connection for a closed one.
  private let isLengthKnown: Bool
  /// Whether HTTP ends with a 101, and what follows belongs to another protocol (RFC 9110 section 15.2.2). After a 101
  /// to HTTP/2, a response follows.
  private let mayUpgrade: Bool
  /// Whether frames mark the end of the content, in the versions of HTTP that have frames.
  package var isFramed = false
  /// Whether another head may replace the final one, which has not been passed on yet.
  package var mayBeReplaced = false
  private var partial: PartialHead?
  /// The size of the current head; after the final one, that of the trailers.
  private var sizeBytes = 0
  private var interimCount = 0
  package private(set) var isComplete = false
  /// Whether the lines of a head are still coming.
  var isWithinHead: Bool { partial != nil }

  /// - Parameter method: the method of the request, which decides whether there is content.
  package init(method: Method, isLengthKnown: Bool = false, mayUpgrade: Bool = false) {
    self.method = method
    self.isLengthKnown = isLengthKnown
    self.mayUpgrade = mayUpgrade
  }

  /// Takes the next line.
  ///
  /// Lines behind the final head are trailers: they are bounded and otherwise ignored (RFC 9110 section 6.5).
  ///
  /// - Parameter line: the line with its line end.
  /// - Returns: a head that this line has completed.
  package mutating func consume(_ line: Span<UInt8>) throws(HeadError) -> Head? {
    sizeBytes += line.count
    if sizeBytes > HeadBounds.maximumBytes { throw isComplete ? .trailersTooLarge : .tooLarge }
    var end = line.count
    if end > 0, line[end - 1] == ASCII.lineFeed { end -= 1 }
    if end > 0, line[end - 1] == ASCII.carriageReturn { end -= 1 }
    if end == 0 { return try complete() }
    let content = line.extracting(first: end)
    if isComplete {
      guard let head = try? PartialHead(statusLine: content) else { return nil }
      // libcurl repeats a request over HTTP/1.1 that was refused over HTTP/2, whatever has come by then.
      guard mayBeReplaced else { throw .repeated }
      try begin(head)
      (isComplete, mayBeReplaced) = (false, false)
      sizeBytes = line.count
      return nil
    }
    guard let count = partial?.lineCount else {
      try begin(PartialHead(statusLine: content))
      return nil
    }
    if count == HeadBounds.maximumFields { throw .tooManyFields }
    partial?.append(content)
    return nil
  }

  package mutating func consume(_ line: some Collection<UInt8>) throws(HeadError) -> Head? {
    try consume(Array(line).span)
  }

  private mutating func begin(_ head: PartialHead) throws(HeadError) {
    // libcurl refuses such a code in HTTP/1.1, and takes it for a success in HTTP/2.
    if head.status.rawValue < 100 { throw .invalidStatus }
    partial = head
  }

  /// - Returns: `nil` if no head has begun.
  private mutating func complete() throws(HeadError) -> Head? {
    guard let head = partial.take() else { return nil }
    sizeBytes = 0
    let response = head.response
    if response.status.isInformational, !(mayUpgrade && response.status == 101) {
      interimCount += 1
      if interimCount > Self.maximumInterimCount { throw .tooManyInterimResponses }
      return .interim(response)
    }
    isComplete = true
    let fault = try contentFault(response, isFramingDoubtful: head.isFramingDoubtful)
    return .final(response, (head.fault ?? fault).map(FramingVerdict.deliverOnly) ?? .storable)
  }

  /// Transfer codings that compress (RFC 9112 section 7.2), and names that servers use for such codings.
  private static let compressions = ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"]
  private static let otherCodings = ["chunked", "identity", "trailers"]

  private static func isOne(of names: [String], _ coding: ArraySlice<UInt8>) -> Bool {
    names.contains { ASCII.equalIgnoringCase($0.utf8, ListSyntax.withoutParameters(coding)) }
  }

  /// Whether the sender may mean chunked: by a name with a parameter ("their presence SHOULD be treated as an error",
  /// RFC 9112 section 7.1) or with something before or after it, by a misspelt name, or by text that is no name at all.
  private static func resemblesChunked(_ coding: ArraySlice<UInt8>) -> Bool {
    if ASCII.equalIgnoringCase(coding, "chunked".utf8) { return false }
    let name = ASCII.trimmed(coding.prefix { $0 != ASCII.semicolon })
    return !ASCII.isToken(name) || holds(ASCII.lowercased(coding), "chu")
  }

  /// Applies RFC 9112 section 6.3, in its order.
  private func contentFault(_ response: Response, isFramingDoubtful: Bool) throws(HeadError) -> FramingFault? {
    let fields = response.fields
    let length = ContentLength(fields)
    guard response.mayHaveContent(inAnswerTo: method) else {
      switch length {
      case .conflicting: return .conflictingContentLength
      case .malformed: return .malformedContentLength
      case .absent, .bytes: return nil
      }
    }
    // The sender of such a line means another end of the content than libcurl, which ignores the line.
    if isFramingDoubtful { throw .malformedFraming }
    if fields.contains(.transferEncoding) {
      let codings = fields.members(of: .transferEncoding)
      // The request does not ask for these with TE. libcurl would decode them, and it has no limit for that.
      if codings.contains(where: { Self.isOne(of: Self.compressions, $0) }) { throw .foreignTransferCoding }
      // A coding that only resembles `chunked` is not decoded: the content would be delivered with its chunk sizes.
      if codings.contains(where: Self.resemblesChunked) { throw .foreignTransferCoding }
      if length != .absent { return .lengthBesideTransferCoding }
      // RFC 9112 section 6.1: in HTTP/1.0 the framing is faulty.
      guard response.version == .http11 else { return .transferCodingOfOtherVersion }
      guard codings.count == 1 else { return .severalTransferCodings }
      // An unknown coding is left as it is: the content is what came until the connection was closed, and is
      // "considered complete" (RFC 9112 section 8). docs/decisions/0007 says why.
      let isChunked = ASCII.equalIgnoringCase(codings[0], "chunked".utf8)
      return isChunked || !Self.isOne(of: Self.otherCodings, codings[0]) ? nil : .unexpectedTransferCoding
    }
    switch length {
    case .conflicting: throw .conflictingContentLength
    // "... the user agent MUST close the connection to the server and discard the received response".
    case .malformed: throw .malformedContentLength
    case .bytes: return nil
    case .absent:
      // A request that was refused over HTTP/2 may be answered over HTTP/1.1.
      let isFramed = isFramed && response.version != .http10 && response.version != .http11
      return isLengthKnown || isFramed ? nil : .delimitedByClose
    }
  }
}

/// The value of the Content-Length fields.
///
/// - Source: RFC 9110 section 8.6: repeated equal values are one.
private enum ContentLength: Equatable {
  case absent
  case bytes(Int64)
  /// Not a number, or a greater one than any content can have.
  case malformed
  case conflicting

  init(_ fields: Fields) {
    guard fields.contains(.contentLength) else {
      self = .absent
      return
    }
    let members = fields.members(of: .contentLength)
    if let first = members.first.flatMap({ ASCII.decimalInt64($0) }),
      members.allSatisfy({ ASCII.decimalInt64($0) == first })
    {
      self = .bytes(first)
    } else {
      self = members.allSatisfy { $0 == members[0] } ? .malformed : .conflicting
    }
  }
}

/// A head whose lines are still coming.
private struct PartialHead {
  private let version: HTTPVersion
  let status: StatusCode
  private let reason: FieldValue
  private var lines = PartialHead.emptyLines()
  /// The number of lines, including those that became no field.
  private(set) var lineCount = 0
  /// The first fault found.
  private(set) var fault: FramingFault?
  /// Whether a fault is in a line that may be meant for Content-Length or Transfer-Encoding.
  private(set) var isFramingDoubtful = false

  /// Parses `HTTP-version SP status-code [ SP reason-phrase ]` (RFC 9112 section 4), which libcurl writes for HTTP/2,
  /// too.
  init(statusLine line: Span<UInt8>) throws(HeadError) {
    guard let space = line.first(ASCII.space), let version = HTTPVersion(statusLine: line.extracting(..<space)) else {
      throw .malformedStatusLine
    }
    let code = line.extracting((space + 1)...)
    var status: UInt16 = 0
    guard code.count >= 3, code.count == 3 || code[3] == ASCII.space else { throw .malformedStatusLine }
    for index in 0..<3 {
      guard ASCII.isDigit(code[index]) else { throw .malformedStatusLine }
      status = status * 10 + UInt16(code[index] - ASCII.zero)
    }
    let rest = code.extracting(3...)

    self.version = version
    self.status = StatusCode(rawValue: status)
    (reason, fault) = Self.cleaned(rest)
    isFramingDoubtful = fault != nil && Self.namesFraming(rest)
  }

  var response: Response { Response(status, reason: reason, version: version, fields: Fields(lines)) }

  /// - Parameter line: not empty.
  mutating func append(_ line: Span<UInt8>) {
    lineCount += 1
    if ASCII.isWhitespace(line[0]) { return unfold(line) }
    guard let colon = line.first(ASCII.colon) else {
      return note(.lineWithoutColon, in: line.extracting(..<(line.first(ASCII.space) ?? line.count)), isName: true)
    }
    var nameBytes = line.extracting(..<colon)
    if colon > 0, ASCII.isWhitespace(line[colon - 1]) {
      note(.whitespaceBeforeColon, in: nameBytes, isName: true)
      nameBytes = nameBytes.extracting(ASCII.trimmedRange(of: nameBytes))
    }
    guard let name = FieldName(nameBytes) else { return note(.invalidFieldName, in: nameBytes, isName: true) }
    lines.append(Field(name, cleaned(line.extracting((colon + 1)...), of: name)))
  }

  /// Appends a folded line to the last field. RFC 9112 section 5.2: a user agent replaces the fold by a space.
  private mutating func unfold(_ line: Span<UInt8>) {
    note(.obsoleteLineFolding, in: line)
    guard let last = lines.popLast() else { return }
    // libcurl reads only the first line of a folded field.
    if Self.isFraming(last.name) { isFramingDoubtful = true }
    let folded = last.value.bytes + [ASCII.space] + cleaned(line, of: last.name).bytes
    lines.append(Field(last.name, FieldValue(folded)))
  }

  private mutating func cleaned(_ bytes: Span<UInt8>, of name: FieldName) -> FieldValue {
    let (cleaned, found) = Self.cleaned(bytes)
    guard let found else { return cleaned }
    note(found, in: bytes)
    // To libcurl such a byte is no space: it belongs to the value, or ends it. After the value, that makes no
    // difference.
    if Self.isFraming(name), Self.hasFault(beforeTheEndOf: bytes) { isFramingDoubtful = true }
    return cleaned
  }

  private static func isFraming(_ name: FieldName) -> Bool { name == .contentLength || name == .transferEncoding }

  /// Whether a faulty byte has other bytes of the value behind it.
  private static func hasFault(beforeTheEndOf value: Span<UInt8>) -> Bool {
    var end = value.count
    while end > 0, ASCII.isWhitespace(value[end - 1]) || isFault(value[end - 1]) { end -= 1 }
    while end > 0, !isFault(value[end - 1]) { end -= 1 }
    return end > 0
  }

  private static func isFault(_ byte: UInt8) -> Bool { byte == ASCII.carriageReturn || byte == 0 }

  /// Returns the value without the whitespace around it, and the last fault in it. Forbidden bytes become spaces (RFC
  /// 9110 section 5.5).
  private static func cleaned(_ line: Span<UInt8>) -> (value: FieldValue, fault: FramingFault?) {
    let bytes = line.extracting(ASCII.trimmedRange(of: line))
    var fault: FramingFault?
    for index in bytes.indices {
      switch bytes[index] {
      case ASCII.carriageReturn: fault = .bareCarriageReturn
      case 0: fault = .nul
      default: continue
      }
    }
    let value = FieldValue(bytes)
    if fault == nil { return (value, nil) }
    return (FieldValue(value.bytes.map { isFault($0) ? ASCII.space : $0 }), fault)
  }

  /// Returns an array with room for the fields of most heads.
  private static func emptyLines() -> [Field] {
    var lines: [Field] = []
    lines.reserveCapacity(16)
    return lines
  }

  /// - Parameter isName: whether the bytes stand in the place of a field name.
  private mutating func note(_ fault: FramingFault, in bytes: Span<UInt8>, isName: Bool = false) {
    if self.fault == nil { self.fault = fault }
    if Self.namesFraming(bytes, isName: isName) { isFramingDoubtful = true }
  }

  /// Whether a field that says how long the content is begins within the bytes.
  ///
  /// - Parameter isName: whether a colon follows the bytes.
  private static func namesFraming(_ bytes: Span<UInt8>, isName: Bool = false) -> Bool {
    let text = ASCII.lowercased(FieldValue(bytes).bytes[...])
    return names(text, "content-length", isName) || names(text, "transfer-encoding", isName)
  }

  private static func names(_ text: [UInt8], _ word: StaticString, _ isName: Bool) -> Bool {
    let count = word.utf8CodeUnitCount
    guard text.count >= count else { return false }
    return (0...(text.count - count)).contains { start in
      guard word.withUTF8Buffer({ text[start...].starts(with: $0) }) else { return false }
      // The word is only part of a longer name.
      if start > 0, ASCII.isTokenCharacter(text[start - 1]) { return false }
      let rest = text[(start + count)...].drop { ASCII.isWhitespace($0) }
      return rest.isEmpty ? isName : rest.first == ASCII.colon
    }
  }
}

extension Span<UInt8> {
  /// Returns the index of the first such byte.
  fileprivate func first(_ byte: UInt8) -> Int? {
    var index = 0
    while index < count {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }
}

extension HTTPVersion {
  fileprivate init?(statusLine text: Span<UInt8>) {
    switch text.withUnsafeBufferPointer({ String(decoding: $0, as: UTF8.self) }) {
    case "HTTP/1.0": self = .http10
    case "HTTP/2", "HTTP/2.0": self = .http2
    case "HTTP/3", "HTTP/3.0": self = .http3
    // RFC 9110 section 2.5: a later minor version is understood as the latest that is known.
    case let other where other.hasPrefix("HTTP/1.") && text.count == 8 && ASCII.isDigit(text[7]): self = .http11
    default: return nil
    }
  }
}

private func holds(_ text: [UInt8], _ word: StaticString) -> Bool {
  text.indices.contains { start in word.withUTF8Buffer { text[start...].starts(with: $0) } }
}
