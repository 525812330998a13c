package import HTTPSemantics

extension Method {
  /// Whether a stored response may answer it (RFC 9110 section 9.2.3, RFC 10008 section 2.7).
  package var isAnsweredFromCache: Bool { self == .head || isKept }

  /// Whether an answer to it is kept for the same request: a HEAD's has no content that could be.
  package var isKept: Bool { self == .get || self == .query }
}

/// What makes a query another one, beside its target.
package enum QueryContent {
  private static let metadata: [FieldName] = [.contentType, .contentEncoding, "Content-Language"]

  /// What is to be digested for the key: "the cache key for a QUERY request MUST incorporate the request content and
  /// related metadata" (RFC 10008 section 2.7).
  ///
  /// - Returns: `nil` for every other method.
  package static func canonicalBytes(of request: Request, content: [UInt8]) -> [UInt8]? {
    guard request.method == .query else { return nil }
    var bytes: [UInt8] = []
    for name in metadata {
      for value in request.fields.values(of: name) {
        bytes += Array(name.lowercased.utf8) + [ASCII.colon] + value.bytes + [ASCII.lineFeed]
      }
    }
    return bytes + [ASCII.lineFeed] + content
  }
}
