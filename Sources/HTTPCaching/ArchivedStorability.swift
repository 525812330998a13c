package import HTTPSemantics

/// The rules that say whether a response from an archive may be stored.
///
/// The user has asked for it to be stored. This replaces the conditions under which a cache may store a response of its
/// own accord, but not the rules that exclude responses unfit for later requests.
package enum ArchivedStorability {
  /// - Parameters:
  ///   - fields: the request's fields, as far as the archive has them.
  ///   - respectsOrigin: whether the response's own `no-store` and `Vary: *` count.
  /// - Returns: the reason for not storing it, or `nil` if it may be stored.
  package static func refusal(
    of response: Response, to method: Method, with fields: Fields = Fields(), respectsOrigin: Bool
  ) -> NotStored? {
    // The archive lacks a QUERY's content, and the answer to any other method must not be stored for a later GET.
    if method != .get { return .method }
    if isContentAnnounced(by: fields) { return .requestBound }
    if response.status.isInformational { return .interimStatus }
    if !response.status.isInRange { return .statusOutOfRange }
    if response.status == 304 { return .notModified }
    // Without its request, nothing tells what the content is a part of.
    if response.status == 206 || response.fields.contains(.contentRange) { return .partialContent }
    if response.status == 412 || response.status == 416 { return .requestBound }
    if response.status.isNeverStored { return .statusForbidsStoring }
    guard respectsOrigin else { return nil }
    let directives = CacheControl(of: response.fields)
    if directives.forbidsStoring(response.status) { return .noStore }
    if Vary(of: response.fields) == .anything { return .varyAnything }
    return nil
  }

  /// Whether a request has content: "the presence of content in a request is signaled by a Content-Length or
  /// Transfer-Encoding header field" (RFC 9112 section 6). Its response does not answer a GET without content.
  private static func isContentAnnounced(by fields: Fields) -> Bool {
    if fields.contains(.transferEncoding) { return true }
    guard let length = fields[.contentLength] else { return false }
    return length.decimal != 0
  }
}
