package import HTTPSemantics

extension Reuse {
  /// Returns the head with which the stored response is served.
  ///
  /// - Parameter isValidated: whether the origin has just confirmed it.
  package func head(isValidated: Bool) -> Response {
    var response = stored.response
    // "When a stored response is used to satisfy a request without validation, a cache MUST generate an Age header
    // field ..., replacing any present in the response" (RFC 9111 section 4). A validated response needs no Age. If it
    // has one, its Age is made current, because a 304 that updates nothing leaves the Age of long ago.
    if !isValidated || response.fields.contains(.age) {
      response.fields.set(.age, FieldValue(String(freshness.age.seconds)))
    }
    switch form {
    case .whole:
      break
    case .notModified:
      response.status = 304
      response.reason = "Not Modified"
      // "... the sender SHOULD NOT generate representation metadata other than the above listed fields unless said
      // metadata exists for the purpose of guiding cache updates" (RFC 9110 section 15.4.5).
      response.fields.removeAll { Self.describesOtherContent($0.name) || Self.contentMetadata.contains($0.name) }
    case .part(let range):
      response.status = 206
      response.reason = "Partial Content"
      response.fields.removeAll { Self.describesOtherContent($0.name) }
      response.fields.set(
        .contentRange,
        FieldValue(
          "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(stored.completeLength.map(String.init) ?? "*")"))
      response.fields.set(.contentLength, FieldValue(String(range.length)))
    case .unsatisfiableRange:
      response.status = 416
      response.reason = "Range Not Satisfiable"
      response.fields.removeAll { StorableFields.describesContent($0.name) || Self.contentMetadata.contains($0.name) }
      response.fields.set(.contentRange, FieldValue("bytes */\(stored.contentLength)"))
      response.fields.set(.contentLength, "0")
    }
    return response
  }

  /// The bytes of the stored content that belong to the answer; `nil` if it has none.
  package func contentRange(for method: Method) -> Range<UInt64>? {
    if method == .head { return nil }
    switch form {
    case .whole: return 0..<stored.contentLength
    case .part(let range):
      let start = stored.heldBytes.lowerBound
      return (range.lowerBound - start)..<(range.upperBound - start)
    case .notModified, .unsatisfiableRange: return nil
    }
  }

  private static let contentMetadata: [FieldName] = [
    .contentLength, .contentEncoding, .contentType, "Content-Language", .contentRange,
  ]

  /// Whether a field is a digest of one message's content, which does not hold for a part of it (RFC 9530 section 2).
  /// Repr-Digest holds for the whole representation, whatever part of it is sent.
  private static func describesOtherContent(_ name: FieldName) -> Bool {
    name == "Content-Digest" || name == "Content-MD5"
  }
}

extension Response {
  /// The answer of a cache that may not send the request and has nothing stored for it (RFC 9111 section 5.2.1.7).
  package static let unsatisfiable = Response(504, reason: "Gateway Timeout", fields: [.contentLength: "0"])
}
