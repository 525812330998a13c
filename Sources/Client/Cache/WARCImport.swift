import Archives
import CacheStore
import Digests
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Imports the responses of a WARC file. Each record of a response belongs to one of a request; either may come first.
final class WARCImport {
  /// The longest line of a head to read, as long as `HeadParser` takes.
  private static let longestLine = HeadBounds.maximumBytes + 1

  private let input: ArchiveInput
  private var reader: WARCReader
  private let destination: ImportStore
  private let tally: ImportTally
  private var pairing = WARCPairing()
  private let file: Descriptor?
  private var hasLookedForRequest = false
  private var rereading: WARCRereading

  /// - Parameter file: the imported file, if it can be read more than once.
  init(_ input: ArchiveInput, of file: Descriptor?, _ destination: ImportStore, _ tally: ImportTally) {
    self.input = input
    reader = WARCReader(input)
    self.file = file
    rereading = WARCRereading(of: file)
    self.destination = destination
    self.tally = tally
  }

  func run() throws(ImportFault) {
    do throws(ImportFault) {
      while let record = try next() {
        tally.advance()
        switch record.kind {
        case .request: try takeRequest(record)
        case .response, .revisit: try takeResponse(record)
        case .information, .metadata, .resource, .conversion, .continuation, .unknown: break
        }
      }
    } catch {
      // Responses before a fault of the archive are complete. After an interruption, their requests might still have
      // come.
      if case .archive = error { try? settleAll() }
      throw error
    }
    try settleAll()
  }

  private func next() throws(ImportFault) -> WARCRecord? {
    if Signals.pending != nil { throw .interrupted }
    do throws(ArchiveError) {
      let record = try reader.next()
      if let record { rereading.notePoint(of: record, in: input) }
      return record
    } catch {
      throw .archive(error)
    }
  }

  // MARK: Pairs

  private func takeRequest(_ record: WARCRecord) throws(ImportFault) {
    // Noted before the record is read, because the archive may end within it.
    pairing.noteRequest()
    var request: ArchivedRequest?
    try tally.attempting(at: record.offset) { () throws(RecordFault) in
      request = record.holdsMessage ? try readRequest(record) : nil
    }
    guard let request else { return }
    guard let waiting = pairing.takeResponse(to: record) else { return pairing.add(request) }
    try settle(waiting, with: request)
  }

  private func takeResponse(_ record: WARCRecord) throws(ImportFault) {
    // Whatever becomes of the response, its request belongs to no other.
    let request = pairing.takeRequest(of: record)
    var response: ArchivedResponse?
    try tally.attempting(at: record.offset) { () throws(RecordFault) in
      response = try readResponse(record, to: request)
    }
    let waiting = WaitingResponse(record: record, response: response)
    if let request { return try settle(waiting, with: request) }
    pairing.add(waiting)
    while let overdue = pairing.takeOverdue() {
      lookForRequest()
      try settle(overdue)
    }
  }

  /// Looks for a request in the whole file, if none has been read so far.
  private func lookForRequest() {
    guard !pairing.hasRequests, !hasLookedForRequest, let file else { return }
    hasLookedForRequest = true
    guard let input = try? ArchiveInput(fromFrontOf: file) else { return }
    var ahead = WARCReader(input)
    while let record = try? ahead.next() {
      // After a signal, the part that has not been looked at may have one.
      if record.kind == .request || Signals.pending != nil { return pairing.noteRequest() }
    }
  }

  private func settleAll() throws(ImportFault) {
    while let waiting = pairing.takeFirst() { try settle(waiting) }
  }

  /// Stores a response, with or without its request.
  private func settle(_ waiting: WaitingResponse, with request: ArchivedRequest? = nil) throws(ImportFault) {
    guard let response = waiting.response else { return }
    try tally.attempting(at: waiting.record.offset) { () throws(RecordFault) in
      try commit(response, of: waiting.record, with: request)
    }
  }

  private func commit(
    _ response: ArchivedResponse, of record: WARCRecord, with request: ArchivedRequest?
  ) throws(RecordFault) {
    var exchange = response.exchange
    if let request {
      exchange.answer(request)
    } else if !destination.importsAll, !pairing.isAnswerToGET(record) {
      throw .refused(.withoutRequest)
    }
    // Content that was not found is looked for again only if something has been imported since.
    guard response.content != nil || response.importedCount != tally.importedCount else {
      throw .refused(.contentAbsent)
    }
    let content = if let known = response.content { known } else { try contentOfRevisit(record) }
    tally.countImported(try destination.commit(content, exchange))
  }

  // MARK: Requests

  /// - Returns: `nil` if the block is not a request, or its head is incomplete, so that credentials may be missing.
  private func readRequest(_ record: WARCRecord) throws(RecordFault) -> ArchivedRequest? {
    var size = 0
    guard let first = try readHeadLine(&size), let method = Method(first.prefix { $0 != ASCII.space }) else {
      return nil
    }
    var fields = Fields()
    var hasEnd = false
    while let line = try readHeadLine(&size) {
      hasEnd = line.allSatisfy { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed }
      if hasEnd { break }
      guard let colon = line.firstIndex(of: ASCII.colon), let name = FieldName(line[..<colon]),
        fields.lines.count < HeadBounds.maximumFields
      else { return nil }
      let value = line[(colon + 1)...].filter { ![ASCII.carriageReturn, ASCII.lineFeed, 0].contains($0) }
      fields.append(name, FieldValue(ASCII.trimmed(value[...])))
    }
    guard hasEnd || record.isWhole && size <= HeadBounds.maximumBytes else { return nil }
    return ArchivedRequest(record: record, method: method, fields: fields)
  }

  /// - Parameter size: the bytes of the head read so far.
  /// - Returns: `nil` at the end of the block, or if the head is larger than allowed.
  private func readHeadLine(_ size: inout Int) throws(RecordFault) -> [UInt8]? {
    guard let line = try readLine() else { return nil }
    size += line.count
    return size <= HeadBounds.maximumBytes ? line : nil
  }

  // MARK: Responses

  private func readResponse(
    _ record: WARCRecord, to request: ArchivedRequest?
  ) throws(RecordFault) -> ArchivedResponse {
    let isRevisit = record.kind == .revisit
    // It "may have no record block" (WARC 1.1, section 6.7.2); then there is no head.
    let isEmptyRevisit = isRevisit && record.blockLength == 0
    guard record.holdsMessage || isEmptyRevisit else { throw .refused(.otherScheme) }
    let reference = try ArchivedExchange.reference(record.target)
    guard let date = record.date else { throw .refused(.damaged("WARC-Date is missing or malformed")) }
    guard record.isWhole, !isEmptyRevisit else { throw .refused(.noContent) }
    // For a revisit, wget states the digest of nothing. The content must have the digest of the payload instead.
    var block = isRevisit ? nil : record.blockDigest.map { Digester($0.algorithm) }
    var response = try readHead(&block)
    if let version = record.fields[.warcProtocol].flatMap({ ProtocolName.version($0.bytes) }) {
      response.version = version
    }
    // A response from the future would remain the newest for ever.
    let responseTime = min(date, destination.now)
    var exchange = ArchivedExchange(
      target: reference.target, userInfo: reference.userInfo, method: .get, requestFields: Fields(),
      requestTime: responseTime, response: response, responseTime: responseTime,
      selectingNames: ArchivedExchange.names(in: record.fields[.garnerVariesBy]?.bytes),
      isRestricted: record.fields.contains(.garnerRestricted),
      tags: ArchivedExchange.tags(record.fields.values(of: .garnerTag)))
    if let request { exchange.answer(request) }
    try destination.check(exchange)
    let content = isRevisit ? try storedContentOfRevisit(record) : try readContent(of: record, response, &block)
    if let promised = record.blockDigest, let block, block.finish() != promised.bytes {
      throw .refused(.damaged("block does not have the stated digest"))
    }
    return ArchivedResponse(exchange: exchange, content: content, importedCount: tally.importedCount)
  }

  /// Reads the head of a response, after any interim ones.
  private func readHead(_ block: inout Digester?) throws(RecordFault) -> Response {
    // The end of the record ends the content.
    var parser = HeadParser(method: .get, isLengthKnown: true)
    while let line = try readLine() {
      block?.update(line)
      let head: HeadParser.Head?
      do throws(HeadError) { head = try parser.consume(line) } catch {
        throw .refused(.damaged(error.reason))
      }
      guard case .final(let response, let framing) = head else { continue }
      if case .deliverOnly(let fault) = framing {
        throw .refused(.damaged("response is malformed: \(fault.reason)"))
      }
      return response
    }
    throw .refused(.damaged("head has no end"))
  }

  private func readContent(
    of record: WARCRecord, _ response: Response, _ block: inout Digester?, digesting algorithm: DigestAlgorithm? = nil
  ) throws(RecordFault) -> ImportedContent {
    let isChunked = response.fields.contains(.transferEncoding)
    // The request may still come and be a HEAD: then the head speaks of content that is not there.
    let length = response.delimitingLength.map { min($0, record.blockLength) }
    let content = try destination.begin(expecting: length, digesting: algorithm)
    var chunked = ChunkedContent()
    let payload = record.blockDigest == nil ? record.payloadDigest : nil
    var digester = payload.map { Digester($0.algorithm) }
    while let piece = try reading({ () throws(ArchiveError) in try reader.readBlock() }) {
      if Signals.pending != nil { throw .fatal(.interrupted) }
      block?.update(piece)
      digester?.update(piece)
      tally.advance()
      try destination.storing { () throws(StoreError) in
        guard isChunked else { return try content.append(piece) }
        try chunked.feed(piece) { (bytes) throws(StoreError) in try content.append(bytes) }
      }
    }
    if isChunked {
      try destination.storing { () throws(StoreError) in
        try chunked.finish { (bytes) throws(StoreError) in try content.append(bytes) }
      }
      try checkChunks(chunked, of: record, response)
    }
    // Some programs state the digest of the decoded chunks, which nothing else here needs.
    if let payload, let digester, !isChunked, digester.finish() != payload.bytes {
      throw .refused(.damaged("content does not have the stated digest"))
    }
    return content
  }

  private func checkChunks(_ chunked: ChunkedContent, of record: WARCRecord, _ response: Response) throws(RecordFault) {
    // Only the head of a redirection matters.
    let isSure = record.blockDigest != nil || record.payloadDigest != nil || response.status.rawValue / 100 == 3
    guard chunked.isComplete, isSure || !chunked.mayBeCut else {
      throw .refused(.damaged("chunks are malformed, or end too early"))
    }
  }

  // MARK: Revisits

  /// Returns the content of a revisit: that of the response it refers to.
  private func contentOfRevisit(_ record: WARCRecord) throws(RecordFault) -> ImportedContent {
    guard let payload = record.payloadDigest else { throw .refused(.contentAbsent) }
    let referred = try ArchivedExchange.reference(record.referredTarget ?? record.target).target
    do throws(RecordFault) {
      let content = try destination.begin(expecting: nil)
      try destination.copy((payload.algorithm, payload.bytes), of: referred, into: content)
      return content
    } catch {
      guard case .refused(.contentAbsent) = error, let content = try readAgain(payload, of: referred) else {
        throw error
      }
      return content
    }
  }

  /// Reads the content of an earlier response again, which was not imported or has been evicted since.
  ///
  /// - Returns: `nil` if the archive has no such response before this record, or too much would be read again.
  private func readAgain(_ payload: LabelledDigest, of referred: TargetURI) throws(RecordFault) -> ImportedContent? {
    guard let earlier = rereading.input(at: payload, of: referred, before: input.offset) else { return nil }
    let (here, start) = (reader, earlier.offset)
    reader = WARCReader(earlier)
    defer {
      rereading.count(earlier.offset - start)
      reader = here
    }
    guard let record = try? reader.next(), record.kind == .response, record.holdsMessage, record.isWhole,
      (try? ArchivedExchange.reference(record.target).target) == referred
    else { return nil }
    do throws(RecordFault) {
      var block: Digester?
      let response = try readHead(&block)
      let content = try readContent(of: record, response, &block, digesting: payload.algorithm)
      return content.digest == payload.bytes ? content : nil
    } catch .refused(.damaged) {
      // The damage was reported when the record was first read.
      return nil
    }
  }

  /// - Returns: `nil` if the content is absent, because the response that has it may still be waiting.
  private func storedContentOfRevisit(_ record: WARCRecord) throws(RecordFault) -> ImportedContent? {
    do throws(RecordFault) {
      return try contentOfRevisit(record)
    } catch {
      guard case .refused(.contentAbsent) = error else { throw error }
      return nil
    }
  }

  // MARK: Errors

  private func readLine() throws(RecordFault) -> [UInt8]? {
    try reading { () throws(ArchiveError) in try reader.readBlockLine(limit: Self.longestLine) }
  }

  private func reading<Result>(_ work: () throws(ArchiveError) -> Result) throws(RecordFault) -> Result {
    do throws(ArchiveError) { return try work() } catch { throw .fatal(.archive(error)) }
  }
}
