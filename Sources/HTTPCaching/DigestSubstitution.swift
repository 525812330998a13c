package import HTTPSemantics

/// The rules for answering a request with content that is known by its digest, whatever request brought it.
extension Request {
  /// Whether stored content with an expected digest may answer the request.
  package var mayBeAnsweredByDigest: Bool { method == .get && Validation.isPlain(self) }
}

extension StoredResponse {
  /// Whether its content can be compared with a digest: the response is whole, and a success.
  package var mayHaveDigest: Bool { !isPart && response.status == 200 }

  /// The response with a head that describes the content and says nothing else. The rest of the head was meant for
  /// another request, perhaps came from another origin, and perhaps was for another user.
  package var contentAlone: StoredResponse {
    var alone = self
    let kept: [FieldName] = [.contentType, .contentEncoding, .contentLength, .date]
    alone.response = Response(200, reason: "OK", fields: Fields(fields.lines.filter { kept.contains($0.name) }))
    return alone
  }
}
