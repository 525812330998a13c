package import HTTPSemantics

/// The reason why a response is not stored: one of RFC 9111 section 3, of the user's, or of the store's.
package enum NotStored: String, Equatable, Sendable, CaseIterable {
  case method
  case interimStatus = "interim-status"
  /// It is none of HTTP's status codes, so that nothing is known of its meaning.
  case statusOutOfRange = "status-out-of-range"
  case statusNotUnderstood = "status-not-understood"
  case notModified = "not-modified"
  case partialContent = "partial-content"
  /// It is about the request's own range or preconditions.
  case requestBound = "request-bound"
  /// What its status says about the client does not hold for the next request.
  case statusForbidsStoring = "status-forbids"
  case noStore = "no-store"
  case requestNoStore = "request-no-store"
  case notCacheable = "not-cacheable"
  case varyAnything = "vary-any"
  /// Its key or its selecting fields need a keyed digest, and there is no secret to make it with.
  case cannotConceal = "cannot-conceal"
  /// Its key needs the content that was sent, which is not available before the request.
  case contentUnread = "content-unread"
  /// The run does not wait for its content.
  case contentSkipped = "content-left"
  case policy
  /// It is an error that could not be reused without validation, and something other than such an error is stored.
  case errorWithoutLifetime = "error"
  /// Its status is none of those that the user wants stored.
  case status
  /// The user's hook has refused it.
  case hook
  /// The user's hook failed, or its answer cannot be understood.
  case hookFailed = "hook-failed"
  case framing
  case incomplete
  /// It came whole, but its content is not what its head promises or the user expects, or cannot be decoded.
  case brokenContent = "broken-content"
  /// It is larger than the user lets a stored response be.
  case tooLarge = "too-large"
  /// Its head does not fit into an entry.
  case headTooLarge = "head-too-large"
  /// The user has given the disk no room at all.
  case diskOff = "disk-off"
  /// No room can be made for it.
  case storeFull = "store-full"
  /// The key has as many variants as it may have, and all are pinned.
  case variantsPinned = "variants-pinned"
  /// Another run stored a more recent response while this one came.
  case overtaken
  /// Since it was asked for, an unsafe request has invalidated its target (RFC 9111 section 4.4), or another answer has
  /// removed a stored response for it.
  case invalidated
  /// Nobody can tell whether its target has been invalidated, because the store is not the same any more.
  case storeChanged = "store-changed"
  case storeUnavailable = "store-unavailable"

  /// Whether the stored response stays, although a response that is not stored usually removes the one that it
  /// supersedes: a hook that failed has judged nothing, pinned variants stay, and a response that was overtaken or
  /// invalidated, or of which that cannot be ruled out, supersedes nothing.
  package var leavesStored: Bool {
    [.hookFailed, .variantsPinned, .overtaken, .invalidated, .storeChanged].contains(self)
  }
}

/// The rules that say whether a response may be stored (RFC 9111 section 3).
package enum Storability {
  /// - Parameters:
  ///   - directives: the answer's.
  ///   - request: a request that does not bypass the cache.
  /// - Returns: the reason for not storing it, or `nil` if it may be stored.
  static func refusal(of answer: Answer, _ directives: CacheControl, to request: Request) -> NotStored? {
    let response = answer.response
    // "the request method is understood by the cache"; a HEAD's answer has no content that could be kept.
    if !request.hasStorableAnswer && !isForLaterGet(response, directives, to: request) { return .method }
    // "the response status code is final"
    if response.status.isInformational { return .interimStatus }
    if !response.status.isInRange { return .statusOutOfRange }
    // Range and preconditions are no part of the key: a response that refuses them answers no other request.
    if response.status == 412 || response.status == 416 { return .requestBound }
    // "if the response status code is 206 or 304 ... the cache understands the response status code"
    if response.status == 304 { return .notModified }
    if response.status == 206 {
      // Only a single range that was asked for is stored; a message with several parts is not taken apart.
      guard request.method.hasStorableAnswer, request.fields.contains(.range),
        PartialContent.extent(of: response) != nil
      else { return .partialContent }
    } else if response.fields.contains(.contentRange), response.status != 200 {
      return .partialContent
    }
    if response.status.isNeverStored { return .statusForbidsStoring }
    // "if the response status code is 206 or 304, or the must-understand cache directive ... is present: the cache
    // understands the response status code"
    if directives.mustUnderstand, !response.status.isUnderstood { return .statusNotUnderstood }
    // "the no-store cache directive is not present in the response"
    if directives.forbidsStoring(response.status) { return .noStore }
    if !isAllowedByResponse(response, directives) { return .notCacheable }
    if Vary(of: response.fields) == .anything { return .varyAnything }
    if !answer.isSoundlyFramed { return .framing }
    return nil
  }

  /// Whether an answer shows that what was stored for its URI is no longer the resource. A server error, a refusal, or
  /// a part of the resource shows nothing.
  package static func supersedes(_ status: StatusCode, to request: Request) -> Bool {
    guard request.hasStorableAnswer else { return false }
    switch status.rawValue {
    case 206: return false
    case 200..<400, 404, 410: return true
    default: return false
    }
  }

  /// "Responses to POST requests are only cacheable when they include explicit freshness information ... and a
  /// Content-Location header field that has the same value as the POST's target URI. A cached POST response can be
  /// reused to satisfy a later GET or HEAD request" (RFC 9110 section 9.3.3).
  private static func isForLaterGet(_ response: Response, _ directives: CacheControl, to request: Request) -> Bool {
    guard request.method == .post, response.status == 200,
      directives.maxAge.seconds != nil || response.fields.contains(.expires),
      let location = response.fields[.contentLocation],
      response.fields.values(of: .contentLocation).allSatisfy({ $0 == location }),
      let reference = try? URIReference(location, relativeTo: request.target)
    else { return false }
    return reference.target == request.target
  }

  /// "the response contains at least one of the following: a public response directive; a private response directive,
  /// if the cache is not shared; an Expires header field; a max-age response directive; ... a status code that is
  /// defined as heuristically cacheable".
  private static func isAllowedByResponse(_ response: Response, _ directives: CacheControl) -> Bool {
    directives.isPublic || directives.isPrivate || response.fields.contains(.expires)
      || directives.maxAge.seconds != nil || response.status.isHeuristicallyCacheable
  }
}

extension StatusCode {
  /// Final status codes whose caching requirements garner knows: those of RFC 9110 section 15.
  package var isUnderstood: Bool {
    switch rawValue {
    case 200...206, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }

  /// "Responses with the 428 status code MUST NOT be stored by a cache", and so with 429, 431 and 511 (RFC 6585
  /// sections 3 to 6). A proxy's 407 (RFC 9110 section 15.5.8) is not the origin's answer, and proxies are no part of a
  /// key.
  var isNeverStored: Bool {
    switch rawValue {
    case 407, 428, 429, 431, 511: true
    default: false
    }
  }
}
