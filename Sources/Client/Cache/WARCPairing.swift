import Archives
import HTTPSemantics

/// A request that an archive tells of.
struct ArchivedRequest {
  let record: WARCRecord
  let method: Method
  let fields: Fields
}

/// A response of an archive, as far as it is known without its request.
struct ArchivedResponse {
  var exchange: ArchivedExchange
  /// `nil` for a revisit of what was not stored when it came.
  let content: ImportedContent?
  /// How many responses had been imported when its content was looked for.
  let importedCount: Int
}

/// A response whose request has not come.
struct WaitingResponse {
  let record: WARCRecord
  /// `nil` where it has been refused already: its request is still not that of another.
  let response: ArchivedResponse?
}

/// The requests and responses of an archive that wait for each other.
///
/// Programs write both side by side, in either order; what several connections brought may be mixed.
struct WARCPairing {
  /// Of requests, and of responses, each of which has a file open.
  private static let maximumCount = 32
  /// Of the responses together, in bytes: what waits is beside what the store's capacity allows.
  private static let maximumContentLength: UInt64 = 8 << 20

  private var requests: [ArchivedRequest] = []
  private var responses: [WaitingResponse] = []
  private(set) var hasRequests = false

  /// Notes that the archive has a record of a request, whatever can be made of it.
  mutating func noteRequest() { hasRequests = true }

  /// Whether a response without a request is taken for an answer to a GET: in an archive that has none, as far as is
  /// known.
  func isAnswerToGET(_ response: WARCRecord) -> Bool { !hasRequests && !response.namesOthers }

  /// Takes the request that a response answers.
  mutating func takeRequest(of response: WARCRecord) -> ArchivedRequest? {
    let index =
      requests.firstIndex { $0.record.isConcurrent(with: response) }
      ?? requests.firstIndex { Self.mayBelong($0.record, to: response) }
    return index.map { requests.remove(at: $0) }
  }

  /// Takes the response that has waited for a request.
  mutating func takeResponse(to request: WARCRecord) -> WaitingResponse? {
    let index =
      responses.firstIndex { $0.record.isConcurrent(with: request) }
      ?? responses.firstIndex { Self.mayBelong(request, to: $0.record) }
    return index.map { responses.remove(at: $0) }
  }

  /// Where nobody has named anything, the URI tells.
  private static func mayBelong(_ request: WARCRecord, to response: WARCRecord) -> Bool {
    !request.namesOthers && !response.namesOthers && request.target == response.target
  }

  /// What goes for it is forgotten: its response, should it come, is one without.
  mutating func add(_ request: ArchivedRequest) {
    if requests.count == Self.maximumCount { requests.removeFirst() }
    requests.append(request)
  }

  mutating func add(_ response: WaitingResponse) { responses.append(response) }

  /// Takes the response that has waited longest, where too much waits.
  mutating func takeOverdue() -> WaitingResponse? {
    let length = responses.reduce(0) { $0 + ($1.response?.content?.length ?? 0) }
    let isCrowded = responses.count > Self.maximumCount || responses.count > 1 && length > Self.maximumContentLength
    return isCrowded ? responses.removeFirst() : nil
  }

  /// Takes the response that has waited longest.
  mutating func takeFirst() -> WaitingResponse? { responses.isEmpty ? nil : responses.removeFirst() }
}
