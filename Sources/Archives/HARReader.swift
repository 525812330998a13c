import HTTPSemantics
import Platform

/// Reads the entries of a HAR file one after the other. It holds no more than the entry that is being read, with its
/// content.
package final class HARReader {
  /// The longest string that is read, in bytes of the file. The body of an entry is one string, as browsers write it.
  /// Reading it takes some three times its length in memory. The rest of a longer string is skipped.
  package static let longestText: UInt64 = 64 << 20

  private let input: ArchiveInput
  private let longestText: UInt64
  private let collector = HARCollector()
  private let scanner: JSONScanner
  private var isAtEnd = false
  /// The error to throw once the entries before it have been returned.
  private var fault: ArchiveError?
  /// Bytes that the scanner has been given since the last token ended.
  private var unfinished: UInt64 = 0
  /// Bytes that the scanner has not been given yet. Whenever more of a token comes, yajl reads anew what it has of it,
  /// so a long token is given in pieces that grow with it.
  private var waiting: [UInt8] = []
  /// How many times as long as the waiting bytes the token before them may be. With 4, a token is read about five
  /// times, and a fifth of it waits.
  private static let unfinishedPerWaiting: UInt64 = 4
  /// The rest of a string that is too long, while it is skipped.
  private var tail: TextTail?
  /// Where the first such string was cut, in bytes from the front of the uncompressed archive.
  private var firstCut: UInt64?

  /// Whether content that `HARWriter` has written is short enough to be read.
  ///
  /// - Parameter count: the length of the content, without content coding, in bytes.
  package static func takesContent(ofBytes count: UInt64) -> Bool { count <= longestText / 4 * 3 }

  package init(_ input: ArchiveInput, longestText: UInt64 = HARReader.longestText) throws(ArchiveError) {
    self.input = input
    self.longestText = longestText
    let collector = collector
    scanner = JSONScanner { collector.handle($0) }
    collector.scanner = scanner
    let mark = Self.byteOrderMark
    if try input.peek(atLeast: mark.count).starts(with: mark) { input.take(mark.count) }
  }

  /// The byte order mark of UTF-8, which JSON does not allow and some programs write.
  static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// - Returns: `nil` at the end of the archive.
  package func next() throws(ArchiveError) -> HAREntry? {
    while true {
      if let entry = collector.takeEntry() { return entry }
      if let fault { throw fault }
      if isAtEnd { return nil }
      do throws(ArchiveError) { try readMore() } catch { fault = error }
    }
  }

  private func readMore() throws(ArchiveError) {
    // Checked for each piece, because one entry may be as long as the archive.
    if Signals.pending != nil { throw .unreadable(.interrupted) }
    let bytes: UnsafeRawBufferPointer
    do throws(ArchiveError) {
      bytes = try input.peek()
    } catch {
      try feed(isLast: true)
      throw error
    }
    if tail != nil, !bytes.isEmpty { return try passOver(bytes) }
    if !bytes.isEmpty {
      waiting.append(contentsOf: bytes)
      input.take(bytes.count)
      let count = UInt64(waiting.count)
      if count >= unfinished / Self.unfinishedPerWaiting || unfinished + count > longestText { try feed() }
      return
    }
    try feed(isLast: true)
    isAtEnd = true
    try check { () throws(JSONScanner.Fault) in try scanner.finish() }
    guard collector.hasEntries else {
      // What has been cut off may be what makes the document a HAR file.
      if let firstCut { throw .malformed(at: firstCut, .stringTooLong) }
      throw .notAnArchive
    }
  }

  /// Gives the scanner the waiting bytes, except for an escape at their end that may continue.
  private func feed(isLast: Bool = false) throws(ArchiveError) {
    var (piece, eventCount) = (waiting, scanner.eventCount)
    waiting = []
    collector.offset = input.offset - UInt64(piece.count)
    let count = LoneSurrogates.mark(in: &piece)
    if !isLast {
      waiting.append(contentsOf: piece[count...])
      piece.removeLast(piece.count - count)
    }
    try check { () throws(JSONScanner.Fault) in
      try piece.span.bytes.withUnsafeBytes { (bytes) throws(JSONScanner.Fault) in try scanner.feed(bytes) }
    }
    unfinished = scanner.eventCount == eventCount ? unfinished + UInt64(piece.count) : 0
    if unfinished > longestText, tail == nil { tail = TextTail(isEscaped: waiting.last == ASCII.backslash) }
  }

  /// Ends a string that is too long at the first place where it can be cut, then skips the rest of it.
  ///
  /// - Parameter bytes: begin within the string.
  private func passOver(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
    guard var tail else { return }
    let place = tail.place(in: bytes)
    self.tail = place.isEnd ? nil : tail
    let wasCut = tail.isCut
    if !wasCut { waiting.append(contentsOf: bytes[..<place.count]) }
    input.take(place.count)
    if wasCut { return }
    guard place.isCut else { return try feed() }
    firstCut = firstCut ?? input.offset
    waiting.append(ASCII.quote)
    tail.isCut = true
    self.tail = tail
    collector.endsCutText = true
    try feed()
    // If the quotation mark has not ended the token, the token is not a string.
    guard !collector.endsCutText else { throw .malformed(at: input.offset, .stringTooLong) }
  }

  private func check(_ scan: () throws(JSONScanner.Fault) -> Void) throws(ArchiveError) {
    do throws(JSONScanner.Fault) {
      try scan()
    } catch {
      let place = collector.offset + UInt64(scanner.takenBytes)
      if collector.isTooDeep { throw .malformed(at: place, .tooDeep) }
      throw isAtEnd && collector.isWithinDocument ? .truncated : .malformed(at: place, .malformedJSON)
    }
  }
}

/// The rest of a string whose front the scanner has: followed byte by byte, to find where it can be cut and where it
/// ends.
private struct TextTail {
  /// Whether the string has been cut; the rest is skipped.
  var isCut = false
  private var isEscaped: Bool
  /// Bytes since the last `\u`, at most 4: four hexadecimal digits follow it. It begins with 0, because the bytes
  /// before may have ended with `\u`.
  private var bytesBehindUnicode = 0

  init(isEscaped: Bool) { self.isEscaped = isEscaped }

  /// Finds the next place that matters: where the string can be cut, as long as it has not been, or behind its closing
  /// quotation mark.
  ///
  /// - Returns: the number of bytes before that place, all of them if there is no such place.
  mutating func place(in bytes: UnsafeRawBufferPointer) -> (count: Int, isCut: Bool, isEnd: Bool) {
    for (index, byte) in bytes.enumerated() {
      let isWithinCharacter = isEscaped || bytesBehindUnicode < 4 || byte & 0xc0 == 0x80
      if !isCut, !isWithinCharacter { return (index, true, false) }
      bytesBehindUnicode = isEscaped && byte == UInt8(ascii: "u") ? 0 : min(4, bytesBehindUnicode + 1)
      if !isEscaped, byte == ASCII.quote { return (index + 1, false, true) }
      isEscaped = !isEscaped && byte == ASCII.backslash
    }
    return (bytes.count, false, false)
  }
}

/// Builds entries from the events of a scanner.
private final class HARCollector {
  /// The role of an object or array in the document, by the path to it.
  private enum Role {
    case document, log, entries, entry
    case request, requestFields, requestField
    case response, responseFields, responseField
    case content
    case other
  }

  /// Much more than browsers need for what they add, such as the stack of calls that led to a request.
  private static let maximumDepth = 512
  /// The longest string other than a content: a URL, a date, a method, the name of a version.
  private static let longestWord = 1 << 20

  private var roles: [Role] = []
  private var key: [UInt8] = []
  private var entry = HAREntry()
  private var fieldName: [UInt8] = []
  private var fieldValue: [UInt8] = []
  private var fieldBytes = 0
  private var finished: [HAREntry] = []
  /// How many of `finished` have been taken, from the front. Removing each would take quadratic time.
  private var takenCount = 0
  private(set) var hasEntries = false
  private(set) var isTooDeep = false
  /// The offset of the piece that the scanner is reading, in bytes from the front of the uncompressed archive.
  var offset: UInt64 = 0
  /// Whether the next string is one that has been cut. The event that ends it resets this.
  var endsCutText = false
  /// Tells how much of the piece has been read.
  weak var scanner: JSONScanner?

  var isWithinDocument: Bool { !roles.isEmpty }

  func takeEntry() -> HAREntry? {
    guard takenCount < finished.count else {
      finished.removeAll(keepingCapacity: true)
      takenCount = 0
      return nil
    }
    defer { takenCount += 1 }
    return finished[takenCount]
  }

  func handle(_ event: JSONScanner.Event) -> Bool {
    switch event {
    case .beginObject: return enter(isArray: false)
    case .beginArray: return enter(isArray: true)
    case .endObject, .endArray: leave()
    case .key(let bytes):
      key = bytes.count <= Self.longestKey ? Array(bytes) : []
      endsCutText = false
    case .string(let bytes):
      take(bytes, isCut: endsCutText)
      endsCutText = false
    case .number(let bytes): takeNumber(bytes)
    case .literal: break
    }
    return true
  }

  /// All names that are looked for are shorter.
  private static let longestKey = 64

  private func enter(isArray: Bool) -> Bool {
    guard roles.count < Self.maximumDepth else {
      isTooDeep = true
      return false
    }
    let role = inner(isArray: isArray)
    switch role {
    case .entries: hasEntries = true
    case .entry:
      entry = HAREntry()
      fieldBytes = 0
    case .requestField, .responseField:
      fieldName = []
      fieldValue = []
    default: break
    }
    roles.append(role)
    return true
  }

  private func inner(isArray: Bool) -> Role {
    guard let outer = roles.last else { return isArray ? .other : .document }
    switch (outer, isArray) {
    case (.document, false) where isKey("log"): return .log
    case (.log, true) where isKey("entries"): return .entries
    case (.entries, false): return .entry
    case (.entry, false) where isKey("request"): return .request
    case (.entry, false) where isKey("response"): return .response
    case (.request, true) where isKey("headers"): return .requestFields
    case (.response, true) where isKey("headers"): return .responseFields
    case (.requestFields, false): return .requestField
    case (.responseFields, false): return .responseField
    case (.response, false) where isKey("content"): return .content
    default: return .other
    }
  }

  private func leave() {
    switch roles.popLast() {
    case .requestField:
      for line in fieldLines(besides: entry.requestFields.lines.count) { entry.requestFields.append(line) }
    case .responseField:
      for line in fieldLines(besides: entry.responseFields.lines.count) { entry.responseFields.append(line) }
    case .entry:
      entry.offset = offset + UInt64(scanner?.takenBytes ?? 0)
      finished.append(entry)
      entry = HAREntry()
    default: break
    }
  }

  /// Returns the field that has been read as lines to append to `count` others.
  private func fieldLines(besides count: Int) -> [Field] {
    fieldBytes += fieldName.count + fieldValue.count
    guard fieldBytes <= HeadBounds.maximumBytes, count < HeadBounds.maximumFields else {
      entry.isOversized = true
      return []
    }
    // Some programs list the pseudo-header fields of HTTP/2, such as `:status`, among the fields.
    guard let name = FieldName(fieldName) else { return [] }
    // Others join several lines of one name to one value with line feeds in it.
    return fieldValue.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).map { line in
      // "Field values containing CR, LF, or NUL characters are invalid and dangerous" (RFC 9110 section 5.5); other
      // control characters are kept, as those of a head are.
      let clean = line.map { $0 == ASCII.carriageReturn || $0 == 0 ? ASCII.space : $0 }
      return Field(name, FieldValue(ASCII.trimmed(clean[...])))
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, isCut: Bool) {
    guard let role = roles.last, role != .other else { return }
    let isContent = role == .content && isKey("text")
    if isContent, isCut {
      entry.isContentTooLong = true
      return
    }
    guard isContent || bytes.count <= Self.longestWord else {
      entry.isOversized = true
      return
    }
    let isNotEmpty = !bytes.isEmpty
    var text = Array(bytes)
    let hasLoneSurrogate = LoneSurrogates.replace(in: &text)
    switch role {
    case .entry where isKey("startedDateTime"): entry.startedAt = text
    case .entry where isKey(HARExtension.selectingNames): entry.selectingNames = text
    case .entry where isKey(HARExtension.restriction): entry.isRestricted = isNotEmpty
    case .request where isKey("method"): entry.method = text
    case .request where isKey("url"):
      entry.url = text
      entry.isURLBroken = hasLoneSurrogate
    case .response where isKey("statusText"): entry.reason = text
    case .response where isKey("httpVersion"): entry.version = text
    case .response where isKey(HARExtension.failure): entry.hasFailed = isNotEmpty
    case .requestField where isKey("name"), .responseField where isKey("name"): fieldName = text
    case .requestField where isKey("value"), .responseField where isKey("value"): fieldValue = text
    case .content where isContent: entry.text = text
    case .content where isKey("encoding"): entry.isBase64 = ASCII.equalIgnoringCase(bytes, "base64".utf8)
    default: break
    }
  }

  private func takeNumber(_ bytes: UnsafeRawBufferPointer) {
    let whole = Array(bytes.prefix(while: ASCII.isDigit))
    switch roles.last {
    case .response where isKey("status"):
      entry.status = ASCII.decimalUInt64(whole).flatMap { UInt16(exactly: $0) } ?? 0
    // Browsers write fractions, which are dropped.
    case .entry where isKey("time"): entry.milliseconds = ASCII.decimalUInt64(whole) ?? 0
    // "... size ... in bytes ... Set to -1 if the info is not available".
    case .response where isKey("bodySize"): entry.receivedSize = ASCII.decimalUInt64(whole) ?? 0
    case .content where isKey("size"): entry.contentSize = ASCII.decimalUInt64(whole) ?? 0
    default: break
    }
  }

  private func isKey(_ name: String) -> Bool { key.elementsEqual(name.utf8) }
}
