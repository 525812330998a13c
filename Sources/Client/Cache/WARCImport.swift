import Archives
import CacheStore
import Digests
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Imports the responses of a WARC file. A record of a request belongs to one of a response; either may come first.
final class WARCImport {
  private struct ArchivedRequest {
    let record: WARCRecord
    let method: Method
    let fields: Fields
  }

  /// A response that is whole, and whose request may still come.
  private struct Pending {
    let record: WARCRecord
    let exchange: ArchivedExchange
    let content: ImportedContent
  }

  /// Requests and their responses are near each other: those of one connection, or of one page.
  private static let maximumRequests = 16
  /// As much as `HeadParser` takes.
  private static let longestLine = HeadBounds.bytes + 1

  private var reader: WARCReader
  private let target: ImportTarget
  private let tally: ImportTally
  private var requests: [ArchivedRequest] = []
  private var pending: Pending?

  init(_ input: ArchiveInput, _ target: ImportTarget, _ tally: ImportTally) {
    reader = WARCReader(input)
    self.target = target
    self.tally = tally
  }

  func run() throws(ImportFault) {
    do throws(ImportFault) {
      while let record = try next() {
        tally.advance()
        if record.kind == .response || record.kind == .revisit { try finishPending() }
        try attempting(record) { () throws(RecordFault) in try take(record) }
      }
    } catch {
      // What came before the fault is whole.
      try? finishPending()
      throw error
    }
    try finishPending()
  }

  private func next() throws(ImportFault) -> WARCRecord? {
    if Signals.pending != nil { throw .interrupted }
    do throws(ArchiveError) { return try reader.next() } catch { throw .archive(error) }
  }

  private func take(_ record: WARCRecord) throws(RecordFault) {
    switch record.kind {
    case .request: try takeRequest(record)
    case .response, .revisit: try takeResponse(record)
    case .information, .metadata, .resource, .conversion, .continuation, .unknown: break
    }
  }

  // MARK: Requests

  private func takeRequest(_ record: WARCRecord) throws(RecordFault) {
    guard record.holdsMessage, let request = try request(record) else { return }
    if let waiting = pending, belongs(request, to: waiting.record) {
      pending = nil
      try commit(waiting, with: request)
      return
    }
    if requests.count == Self.maximumRequests { requests.removeFirst() }
    requests.append(request)
  }

  private func belongs(_ request: ArchivedRequest, to response: WARCRecord) -> Bool {
    if request.record.isConcurrent(with: response) { return true }
    let isNamed = [request.record, response].contains { $0.fields.contains(.warcConcurrentTo) }
    return !isNamed && request.record.target == response.target
  }

  /// - Returns: `nil` where the block is no request: then the response is as if there were none.
  private func request(_ record: WARCRecord) throws(RecordFault) -> ArchivedRequest? {
    var size = 0
    guard let first = try line(&size), let method = Method(first.prefix { $0 != ASCII.space }) else { return nil }
    var fields = Fields()
    while let line = try line(&size) {
      if line.allSatisfy({ $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed }) { break }
      guard let colon = line.firstIndex(of: ASCII.colon), let name = FieldName(line[..<colon]),
        fields.lines.count < HeadBounds.fields
      else { return nil }
      let value = line[(colon + 1)...].filter { ![ASCII.carriageReturn, ASCII.lineFeed, 0].contains($0) }
      fields.append(name, FieldValue(ASCII.trimmed(value[...])))
    }
    return ArchivedRequest(record: record, method: method, fields: fields)
  }

  /// - Parameter size: of the head until now.
  /// - Returns: `nil` at the end of the block, and beyond the largest head.
  private func line(_ size: inout Int) throws(RecordFault) -> [UInt8]? {
    guard let line = try blockLine() else { return nil }
    size += line.count
    return size <= HeadBounds.bytes ? line : nil
  }

  // MARK: Responses

  private func takeResponse(_ record: WARCRecord) throws(RecordFault) {
    guard record.holdsMessage else { throw .refused(.otherScheme) }
    let target = try ArchivedExchange.target(record.target)
    guard let date = record.date else { throw .refused(.damaged("WARC-Date is missing or malformed")) }
    guard record.isWhole else { throw .refused(.noContent) }
    var block = record.blockDigest.map { Digester($0.algorithm) }
    var response = try head(&block)
    if let version = record.fields[.warcProtocol].flatMap({ ProtocolName.version($0.bytes) }) {
      response.version = version
    }
    let request = requests.firstIndex { belongs($0, to: record) }.map { requests.remove(at: $0) }
    // Nothing was received in the future; it would be the newest for ever.
    let responseTime = min(date, self.target.now)
    let exchange = ArchivedExchange(
      target: target, method: request?.method ?? .get, requestFields: request?.fields ?? Fields(),
      requestTime: request?.record.date ?? responseTime, response: response, responseTime: responseTime,
      selectingNames: ArchivedExchange.names(in: record.fields[.garnerVariesBy]?.bytes),
      isRestricted: record.fields.contains(.garnerRestricted),
      tags: ArchivedExchange.tags(record.fields.values(of: .garnerTag)))
    try self.target.check(exchange)
    let content =
      record.kind == .revisit ? try revisited(record) : try content(of: record, response, &block)
    if let promised = record.blockDigest, let block, block.finish() != promised.bytes {
      throw .refused(.damaged("block does not have the digest that is stated"))
    }
    let whole = Pending(record: record, exchange: exchange, content: content)
    if request != nil { try commit(whole) } else { pending = whole }
  }

  /// Reads the head of a response, and the interim ones before it.
  private func head(_ block: inout Digester?) throws(RecordFault) -> Response {
    // The end of the record ends the content.
    var parser = HeadParser(method: .get, isLengthKnown: true)
    while let line = try blockLine() {
      block?.update(line)
      let head: HeadParser.Head?
      do throws(HeadError) { head = try parser.consume(line) } catch {
        throw .refused(.damaged("head \(error.reason)"))
      }
      guard case .final(let response, let framing) = head else { continue }
      if case .deliverOnly(let fault) = framing {
        throw .refused(.damaged("response is malformed: \(fault.reason)"))
      }
      return response
    }
    throw .refused(.damaged("head has no end"))
  }

  private func content(
    of record: WARCRecord, _ response: Response, _ block: inout Digester?
  ) throws(RecordFault) -> ImportedContent {
    let isChunked = response.fields.contains(.transferEncoding)
    let stated = isChunked ? nil : response.fields[.contentLength]?.decimal
    let content = try target.begin(expecting: stated)
    var chunked = ChunkedContent()
    let payload = record.blockDigest == nil ? record.payloadDigest : nil
    var digester = payload.map { Digester($0.algorithm) }
    while let piece = try reading({ () throws(ArchiveError) in try reader.readBlock() }) {
      if Signals.pending != nil { throw .fatal(.interrupted) }
      block?.update(piece)
      digester?.update(piece)
      tally.advance()
      try storing { () throws(StoreError) in
        guard isChunked else { return try content.append(piece) }
        try chunked.feed(piece) { (bytes) throws(StoreError) in try content.append(bytes) }
      }
    }
    if isChunked {
      try storing { () throws(StoreError) in
        try chunked.finish { (bytes) throws(StoreError) in try content.append(bytes) }
      }
      guard chunked.isComplete else { throw .refused(.damaged("chunks are malformed, or end too early")) }
    }
    if let stated, stated != content.length {
      throw .refused(.damaged("content has \(content.length) bytes, and its head says \(stated)"))
    }
    // Some have the digest of what is in the chunks, which nothing else here needs.
    if let payload, let digester, !isChunked, digester.finish() != payload.bytes {
      throw .refused(.damaged("content does not have the digest that is stated"))
    }
    return content
  }

  /// The content of a revisit is that of the response that it refers to.
  private func revisited(_ record: WARCRecord) throws(RecordFault) -> ImportedContent {
    guard let payload = record.payloadDigest else { throw .refused(.contentAbsent) }
    let referred = try ArchivedExchange.target(record.referredTarget ?? record.target)
    let content = try target.begin(expecting: nil)
    try target.copy((payload.algorithm, payload.bytes), of: referred, into: content)
    return content
  }

  /// Stores the response whose request has not come.
  private func finishPending() throws(ImportFault) {
    guard let waiting = pending else { return }
    pending = nil
    try attempting(waiting.record) { () throws(RecordFault) in try commit(waiting) }
  }

  private func commit(_ whole: Pending, with request: ArchivedRequest? = nil) throws(RecordFault) {
    var exchange = whole.exchange
    if let request {
      exchange.method = request.method
      exchange.requestFields = request.fields
      exchange.requestTime = request.record.date ?? exchange.requestTime
    }
    try target.commit(whole.content, exchange)
    tally.countImported()
  }

  // MARK: Errors

  /// A refusal is the record's alone.
  private func attempting(_ record: WARCRecord, _ work: () throws(RecordFault) -> Void) throws(ImportFault) {
    do throws(RecordFault) {
      try work()
    } catch {
      switch error {
      case .refused(let refusal): tally.count(refusal, at: record.offset)
      case .fatal(let fault): throw fault
      }
    }
  }

  private func blockLine() throws(RecordFault) -> [UInt8]? {
    try reading { () throws(ArchiveError) in try reader.readBlockLine(limit: Self.longestLine) }
  }

  private func reading<Result>(_ work: () throws(ArchiveError) -> Result) throws(RecordFault) -> Result {
    do throws(ArchiveError) { return try work() } catch { throw .fatal(.archive(error)) }
  }

  private func storing(_ work: () throws(StoreError) -> Void) throws(RecordFault) {
    do throws(StoreError) { try work() } catch { throw ImportTarget.fault(error) }
  }
}
