package import HTTPSemantics

extension Method {
  /// Whether a stored response may answer it (RFC 9110 section 9.2.3, RFC 10008 section 2.7).
  package var isAnsweredFromCache: Bool { self == .head || isKept }

  /// Whether an answer to it is kept for the same request: a HEAD's has no content that could be.
  package var isKept: Bool { self == .get || self == .query }
}

extension Request {
  /// A POST that its sender has declared to be a query. It is answered and kept as one, but neither validated nor
  /// continued: preconditions have another meaning for POST (RFC 9110 section 13.1.2), and Range has none.
  var isPostedQuery: Bool { asksByPost && method == .post }

  package var isAnsweredFromCache: Bool { method.isAnsweredFromCache || isPostedQuery }

  package var isKept: Bool { method.isKept || isPostedQuery }
}

/// What was sent with a request and makes it another question, as a keyed digest.
package enum SentContent: Hashable, Sendable {
  /// Of a QUERY, or of a GET or HEAD that has content.
  case query([UInt8])
  /// Of a POST that its sender has declared to be a query.
  case post([UInt8])

  private static let metadata: [FieldName] = [.contentType, .contentEncoding, "Content-Language"]

  /// What is to be digested for the key: "the cache key for a QUERY request MUST incorporate the request content and
  /// related metadata" (RFC 10008 section 2.7).
  ///
  /// Content of a GET "has no generally defined semantics" (RFC 9110 section 9.3.1), but for the origins that search by
  /// it: one search's answer is not another's, nor that of the GET without.
  ///
  /// - Returns: `nil` where the content says nothing of what is asked.
  package static func canonicalBytes(of request: Request, content: [UInt8]) -> [UInt8]? {
    let isQuery = request.method == .query || request.isPostedQuery
    guard isQuery || (request.isAnsweredFromCache && !content.isEmpty) else { return nil }
    // A HEAD asks what a GET does; a QUERY with the same content is another question.
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
