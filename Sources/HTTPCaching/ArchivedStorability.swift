package import HTTPSemantics

/// May a response out of an archive be stored?
///
/// The user wants to have it: that stands in for all that would allow a cache to keep an answer of its own accord, and
/// not for what makes an answer unfit for later requests.
package enum ArchivedStorability {
  /// - Parameters:
  ///   - fields: of the request, as far as the archive has them.
  ///   - heedsOrigin: whether the origin's own word against it counts.
  /// - Returns: the reason why not, or `nil` where it may.
  package static func refusal(
    of response: Response, to method: Method, with fields: Fields = Fields(), heedsOrigin: Bool
  ) -> NotStored? {
    // A query's content is not in the archive, and another's answer is not to be kept for a later GET.
    if method != .get { return .method }
    if isContentAnnounced(by: fields) { return .requestBound }
    if response.status.isInformational { return .interimStatus }
    if response.status == 304 { return .notModified }
    // Without its request nobody knows what it is a part of.
    if response.status == 206 || response.fields.contains(.contentRange) { return .partialContent }
    if response.status == 412 || response.status == 416 { return .requestBound }
    if response.status.isNeverStored { return .statusForbidsIt }
    guard heedsOrigin else { return nil }
    let directives = CacheControl(of: response.fields)
    if directives.forbidsStoring(response.status) { return .noStore }
    if Vary(of: response.fields) == .anything { return .varyAnything }
    return nil
  }

  /// Whether a request has content: "the presence of content in a request is signaled by a Content-Length or
  /// Transfer-Encoding header field" (RFC 9112 section 6). Its answer is not one to a GET without.
  private static func isContentAnnounced(by fields: Fields) -> Bool {
    if fields.contains(.transferEncoding) { return true }
    guard let length = fields[.contentLength] else { return false }
    return length.decimal != 0
  }
}
