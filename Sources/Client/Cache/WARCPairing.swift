import Archives
import HTTPSemantics

/// A request that an archive records.
struct ArchivedRequest {
  let record: WARCRecord
  let method: Method
  let fields: Fields
}

/// A response of an archive, as far as it is known without its request.
struct ArchivedResponse {
  var exchange: ArchivedExchange
  /// `nil` for a revisit whose content was not stored when its record was read.
  let content: ImportedContent?
  /// How many responses had been imported when its content was looked for.
  let importedCount: Int
}

/// A response whose request has not come.
struct WaitingResponse {
  let record: WARCRecord
  /// `nil` if it has been refused already. It waits all the same, because its request belongs to no other response.
  let response: ArchivedResponse?
}

/// The requests and responses of an archive that wait for each other.
///
/// Programs write the two side by side, in either order; those of several connections may be mixed.
struct WARCPairing {
  /// The most requests that wait, and the most responses, each of which has a file open.
  private static let maximumCount = 32
  /// The most bytes of content that wait with the responses, because they do not count towards the store's capacity.
  private static let maximumContentLength: UInt64 = 8 << 20

  private var requests: [ArchivedRequest] = []
  private var responses: [WaitingResponse] = []
  private(set) var hasRequests = false

  /// Notes that the archive has a record of a request, even if it cannot be used.
  mutating func noteRequest() { hasRequests = true }

  /// Returns whether a response without a request counts as an answer to a GET: it names no other record, and no
  /// request has been found in the archive.
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

  /// Returns whether a request and a response that name no other records belong together, by their URIs.
  private static func mayBelong(_ request: WARCRecord, to response: WARCRecord) -> Bool {
    !request.namesOthers && !response.namesOthers && request.target == response.target
  }

  /// Adds a request. The oldest one may be dropped for it; if that one's response comes, it has no request.
  mutating func add(_ request: ArchivedRequest) {
    if requests.count == Self.maximumCount { requests.removeFirst() }
    requests.append(request)
  }

  mutating func add(_ response: WaitingResponse) { responses.append(response) }

  /// Takes the response that has waited longest, if too much is waiting.
  mutating func takeOverdue() -> WaitingResponse? {
    let length = responses.reduce(0) { $0 + ($1.response?.content?.length ?? 0) }
    let isCrowded = responses.count > Self.maximumCount || responses.count > 1 && length > Self.maximumContentLength
    return isCrowded ? responses.removeFirst() : nil
  }

  /// Takes the response that has waited longest.
  mutating func takeFirst() -> WaitingResponse? { responses.isEmpty ? nil : responses.removeFirst() }
}
