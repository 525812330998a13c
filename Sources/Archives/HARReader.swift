import HTTPSemantics
import Platform

/// The entries of a HAR file, one after the other; what an entry has is held, with its content, and no more than that.
package final class HARReader {
  /// What one text may take in the file: the body of an entry, which a browser writes as one. Some three times as much
  /// is needed while it is read. Of a longer one the rest is passed over.
  package static let longestText: UInt64 = 64 << 20

  private let input: ArchiveInput
  private let longestText: UInt64
  private let collector = HARCollector()
  private let scanner: JSONScanner
  private var isAtEnd = false
  /// Told when what stands before it has been given out.
  private var fault: ArchiveError?
  /// Bytes that the scanner has been given since the last token ended.
  private var unfinished: UInt64 = 0
  /// What it has not been given yet: whenever more of a token comes, yajl reads anew what it has of it, and so a long
  /// one is given in pieces that grow with it.
  private var waiting: [UInt8] = []
  /// In parts of the token: it is read some five times, and a fifth of it waits.
  private static let shareThatWaits: UInt64 = 4
  /// Of a text that is too long.
  private var tail: TextTail?
  /// Where the first of those was cut, in bytes from the front.
  private var firstCut: UInt64?

  /// Whether content that `HARWriter` has written is read.
  ///
  /// - Parameter count: bytes, without content coding.
  package static func takesContent(ofBytes count: UInt64) -> Bool { count <= longestText / 4 * 3 }

  package init(_ input: ArchiveInput, longestText: UInt64 = HARReader.longestText) throws(ArchiveError) {
    self.input = input
    self.longestText = longestText
    let collector = collector
    scanner = JSONScanner { collector.handle($0) }
    collector.scanner = scanner
    // A mark that says that it is UTF-8, which JSON does not allow and some write.
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    if try input.peek(atLeast: mark.count).starts(with: mark) { input.take(mark.count) }
  }

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
    // An entry may be as long as the archive.
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
      if count >= unfinished / Self.shareThatWaits || unfinished + count > longestText { try feed() }
      return
    }
    try feed(isLast: true)
    isAtEnd = true
    try check { () throws(JSONScanner.Fault) in try scanner.finish() }
    guard collector.hasEntries else {
      // What is not known of it may say what it is.
      if let firstCut { throw .malformed(at: firstCut, .stringTooLong) }
      throw .notAnArchive
    }
  }

  /// Gives the scanner what waits, but for an escape at the end of it that may go on.
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

  /// Ends a text that is too long, as soon as it can be ended, and takes what is left of it.
  ///
  /// - Parameter bytes: of the text, at their front.
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
    // It was no text, if that has not ended it.
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

/// What is left of a text of which the front is known, as far as it has to be to end it early.
private struct TextTail {
  /// Whether the text has been ended: the rest is nobody's.
  var isCut = false
  private var isEscaped: Bool
  /// Bytes since the last `\u`, of which four are its; one may have been the last that is known.
  private var bytesBehindUnicode = 0

  init(isEscaped: Bool) { self.isEscaped = isEscaped }

  /// The next place that counts: where the text can be ended, while it has not been, or behind its own end.
  ///
  /// - Returns: how many bytes there are before it, all of them where it is neither.
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

/// Makes entries of what a scanner reads.
private final class HARCollector {
  /// What an object or an array is, by the way that leads to it.
  private enum Place {
    case document, log, entries, entry
    case request, requestFields, requestField
    case response, responseFields, responseField
    case content
    case other
  }

  /// What browsers add, such as the stack of calls that led to a request, is deep; this is much more.
  private static let maximumDepth = 512
  /// A URL, a date, a method, the name of a version.
  private static let longestWord = 1 << 20

  private var places: [Place] = []
  private var key: [UInt8] = []
  private var entry = HAREntry()
  private var fieldName: [UInt8] = []
  private var fieldValue: [UInt8] = []
  private var fieldBytes = 0
  private var finished: [HAREntry] = []
  /// Of those, from the front: to move the others each time would take the square of how many there are.
  private var takenCount = 0
  private(set) var hasEntries = false
  private(set) var isTooDeep = false
  /// Of what is being read.
  var offset: UInt64 = 0
  /// Whether the next text is one that has been ended early; it is not from then on.
  var endsCutText = false
  /// Knows how much of it has been read.
  weak var scanner: JSONScanner?

  var isWithinDocument: Bool { !places.isEmpty }

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

  /// The names that count are shorter.
  private static let longestKey = 64

  private func enter(isArray: Bool) -> Bool {
    guard places.count < Self.maximumDepth else {
      isTooDeep = true
      return false
    }
    let place = inner(isArray: isArray)
    switch place {
    case .entries: hasEntries = true
    case .entry:
      entry = HAREntry()
      fieldBytes = 0
    case .requestField, .responseField:
      fieldName = []
      fieldValue = []
    default: break
    }
    places.append(place)
    return true
  }

  private func inner(isArray: Bool) -> Place {
    guard let outer = places.last else { return isArray ? .other : .document }
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
    switch places.popLast() {
    case .requestField:
      for line in lines(behind: entry.requestFields.lines.count) { entry.requestFields.append(line) }
    case .responseField:
      for line in lines(behind: entry.responseFields.lines.count) { entry.responseFields.append(line) }
    case .entry:
      entry.offset = offset + UInt64(scanner?.takenBytes ?? 0)
      finished.append(entry)
      entry = HAREntry()
    default: break
    }
  }

  /// The field that has been read, as lines behind so many others.
  private func lines(behind count: Int) -> [Field] {
    fieldBytes += fieldName.count + fieldValue.count
    guard fieldBytes <= HeadBounds.bytes, count < HeadBounds.fields else {
      entry.isOversized = true
      return []
    }
    // What HTTP/2 sends in the place of the first line is among the fields for some: `:status`.
    guard let name = FieldName(fieldName) else { return [] }
    // Several lines of one name are one value, with line ends in it, for others.
    return fieldValue.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).map { line in
      // "Field values containing CR, LF, or NUL characters are invalid and dangerous" (RFC 9110 section 5.5); other
      // control characters are kept, as those of a head are.
      let clean = line.map { $0 == ASCII.carriageReturn || $0 == 0 ? ASCII.space : $0 }
      return Field(name, FieldValue(ASCII.trimmed(clean[...])))
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, isCut: Bool) {
    guard let place = places.last, place != .other else { return }
    let isContent = place == .content && isKey("text")
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
    switch place {
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
    switch places.last {
    case .response where isKey("status"):
      entry.status = ASCII.decimalUInt64(whole).flatMap { UInt16(exactly: $0) } ?? 0
    // Browsers measure fractions.
    case .entry where isKey("time"): entry.milliseconds = ASCII.decimalUInt64(whole) ?? 0
    // "... size ... in bytes ... Set to -1 if the info is not available".
    case .response where isKey("bodySize"): entry.receivedSize = ASCII.decimalUInt64(whole) ?? 0
    case .content where isKey("size"): entry.contentSize = ASCII.decimalUInt64(whole) ?? 0
    default: break
    }
  }

  private func isKey(_ name: String) -> Bool { key.elementsEqual(name.utf8) }
}
