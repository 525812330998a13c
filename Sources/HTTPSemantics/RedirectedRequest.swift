/// The request that follows a redirection (RFC 9110 section 15.4, and curl if the RFC leaves a choice).
extension Request {
  /// Whether the request that follows a redirection with this status is sent without the content of this one.
  ///
  /// "the user agent MAY change the request method from POST to GET for the subsequent request" after 301 and 302;
  /// after 303 it asks for another resource, with GET or HEAD (RFC 9110 sections 15.4.2 to 15.4.4).
  package func losesContent(after status: StatusCode, hasContent: Bool) -> Bool {
    switch status {
    case 301, 302: method == .post
    case 303: hasContent || (method != .get && method != .head)
    default: false
    }
  }

  /// Makes this the request that follows a redirection with this status and is sent without content.
  ///
  /// - Parameter keepsMethod: whether the user wants the method to be kept, whatever the status.
  package mutating func loseContent(after status: StatusCode, keepsMethod: Bool) {
    // After a 303, a kept method would be applied to another resource, and without content: that would be emptied, or
    // removed.
    if !keepsMethod || (status == 303 && method != .head) { method = .get }
    // Even if the method is kept, the content is not sent again: curl does the same.
    fields.removeAll { $0.name.goesWithContent }
  }

  /// Makes the target that redirected here the Referer.
  ///
  /// "A user agent MUST NOT send a Referer header field in an unsecured HTTP request if the referring resource was
  /// accessed with a secure protocol" (RFC 9110 section 10.1.3).
  package mutating func setReferer(_ referring: TargetURI) {
    if referring.isDowngraded(to: target) {
      fields.removeAll(.referer)
    } else {
      fields.set(.referer, FieldValue(referring.description))
    }
  }
}

extension TargetURI {
  /// Whether a redirection to the next target leads from https to http, so that a request that was protected would go
  /// on without protection.
  package func isDowngraded(to next: TargetURI) -> Bool {
    origin.scheme == .https && next.origin.scheme == .http
  }
}

extension FieldName {
  /// Whether a redirected request that loses its content loses the field, too: "Content-Encoding, Content-Language,
  /// Content-Location, Content-Type, Content-Length, Digest, Last-Modified" and their kin (RFC 9110 section 15.4).
  package var goesWithContent: Bool {
    lowercased.hasPrefix("content-") || self == .transferEncoding || self == "Digest" || self == .reprDigest
  }
}
