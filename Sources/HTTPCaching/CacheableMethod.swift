package import HTTPSemantics

extension Method {
  /// Whether a stored response may answer a request with this method (RFC 9110 section 9.2.3, RFC 10008 section 2.7).
  package var isAnsweredFromCache: Bool { self == .head || hasStorableAnswer }

  /// Whether an answer to this method is stored for the same request. A HEAD's answer has no content to store.
  var hasStorableAnswer: Bool { self == .get || self == .query }
}

extension Request {
  /// Whether the request is a POST that its sender has declared to be a query. It is answered and stored like a QUERY,
  /// but neither validated nor continued: preconditions have another meaning for POST (RFC 9110 section 13.1.2), and
  /// Range has none.
  var isPostedQuery: Bool { postIsQuery && method == .post }

  package var isAnsweredFromCache: Bool { method.isAnsweredFromCache || isPostedQuery }

  var hasStorableAnswer: Bool { method.hasStorableAnswer || isPostedQuery }
}

/// The request content that belongs to the key, as a keyed digest: a request with other content asks another question.
package enum SentContent: Hashable, Sendable {
  /// The content of a QUERY, or of a GET or HEAD that has any.
  case query([UInt8])
  /// The content of a POST that its sender has declared to be a query.
  case post([UInt8])

  private static let metadata: [FieldName] = [.contentType, .contentEncoding, "Content-Language"]

  /// Returns the bytes to be digested for the key: "the cache key for a QUERY request MUST incorporate the request
  /// content and related metadata" (RFC 10008 section 2.7).
  ///
  /// The content of a GET "has no generally defined semantics" (RFC 9110 section 9.3.1), but some origins search by it.
  /// The answer to one search must answer neither another search nor the GET without content.
  ///
  /// - Returns: `nil` if the content is no part of the key.
  package static func canonicalBytes(of request: Request, content: [UInt8]) -> [UInt8]? {
    let isQuery = request.method == .query || request.isPostedQuery
    guard isQuery || (request.isAnsweredFromCache && !content.isEmpty) else { return nil }
    // A HEAD shares the key of a GET; a QUERY with the same content asks another question.
    var bytes = isQuery ? [] : Array("GET\n".utf8)
    for name in metadata {
      for value in request.fields.values(of: name) {
        bytes += Array(name.lowercased.utf8) + [ASCII.colon] + value.bytes + [ASCII.lineFeed]
      }
    }
    return bytes + [ASCII.lineFeed] + content
  }

  package init(_ digest: [UInt8], sentWith method: Method) {
    self = method == .post ? .post(digest) : .query(digest)
  }

  package var digest: [UInt8] {
    switch self {
    case .query(let digest), .post(let digest): digest
    }
  }
}
