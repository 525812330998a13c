package import HTTPSemantics

/// Why a response is not stored: the reasons of RFC 9111 section 3, then the user's and the store's.
package enum NotStored: String, Equatable, Sendable, CaseIterable {
  case method
  case interimStatus = "interim-status"
  case statusNotUnderstood = "status-not-understood"
  case notModified = "not-modified"
  case partialContent = "partial-content"
  /// It speaks of the request's own range or preconditions.
  case requestBound = "request-bound"
  /// What it says of the client is over with the next request.
  case statusForbidsIt = "status-forbids"
  case noStore = "no-store"
  case requestNoStore = "request-no-store"
  case nothingAllowsIt = "not-cacheable"
  case varyAnything = "vary-any"
  /// Of what it was asked with, or of what selects it: there is no secret to be had.
  case cannotConceal = "cannot-conceal"
  /// What was sent for it, which belongs to its key, is not at hand before.
  case contentUnread = "content-unread"
  /// Its own content is not waited for.
  case contentLeft = "content-left"
  case policy
  /// An error without a lifetime, and what is stored is the resource.
  case worthLess = "error"
  /// Its status is none of those that the user wants stored.
  case status
  /// The user's hook has refused it.
  case hook
  /// The user's hook has said nothing that can be understood.
  case hookFailed = "hook-failed"
  case framing
  case incomplete
  /// It came whole, and is not what its head promises or the user expects, or no data of its content coding.
  case brokenContent = "broken-content"
  /// Larger than the user lets a stored response be.
  case tooLarge = "too-large"
  /// The user has given the disk no room at all.
  case diskOff = "disk-off"
  /// No room can be made for it.
  case storeFull = "store-full"
  /// The key has as many variants as it may have, and all are pinned.
  case variantsPinned = "variants-pinned"
  /// Another run has stored a more recent one while it came.
  case overtaken
  /// An unsafe request has invalidated its target since it was asked for (RFC 9111 section 4.4).
  case invalidated
  case storeUnavailable = "store-unavailable"

  /// Whether what is stored stays, though the response supersedes it: a hook that has failed has judged nothing, what
  /// is pinned stays, and what is more recent has superseded the response.
  package var leavesStored: Bool { [.hookFailed, .variantsPinned, .overtaken, .invalidated].contains(self) }
}

/// May this response be stored (RFC 9111 section 3)?
package enum Storability {
  /// - Parameters:
  ///   - directives: the answer's.
  ///   - request: one that does not pass the cache by.
  /// - Returns: the reason why not, or `nil` where it may.
  static func refusal(of answer: Answer, _ directives: CacheControl, to request: Request) -> NotStored? {
    let response = answer.response
    // "the request method is understood by the cache"; a HEAD's answer has no content that could be kept.
    if !request.isKept && !isForLaterGet(response, directives, to: request) { return .method }
    // "the response status code is final"
    if response.status.isInformational { return .interimStatus }
    // Range and preconditions are no part of the key: what refuses them answers no other request.
    if response.status == 412 || response.status == 416 { return .requestBound }
    // "if the response status code is 206 or 304 ... the cache understands the response status code"
    if response.status == 304 { return .notModified }
    if response.status == 206 {
      // One range that was asked for; parts of several, in one message, are not taken apart.
      guard request.method.isKept, request.fields.contains(.range), PartialContent.extent(of: response) != nil else {
        return .partialContent
      }
    } else if response.fields.contains(.contentRange), response.status != 200 {
      return .partialContent
    }
    if response.status.isNeverStored { return .statusForbidsIt }
    // "if the response status code is 206 or 304, or the must-understand cache directive ... is present: the cache
    // understands the response status code"
    if directives.mustUnderstand, !response.status.isUnderstood { return .statusNotUnderstood }
    // "the no-store cache directive is not present in the response"
    if directives.forbidsStoring(response.status) { return .noStore }
    if !isAllowedByResponse(response, directives) { return .nothingAllowsIt }
    if Vary(of: response.fields) == .anything { return .varyAnything }
    if !answer.isSoundlyFramed { return .framing }
    return nil
  }

  /// Whether an answer shows that what was stored for its URI is no longer the resource: an error of the server's, a
  /// refusal, or a part of it show nothing.
  package static func supersedes(_ status: StatusCode, to request: Request) -> Bool {
    guard request.isKept else { return false }
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
  /// sections 3 to 6). What a proxy says to its client (RFC 9110 section 15.5.8) is no answer of the origin's, and
  /// proxies are no part of a key.
  var isNeverStored: Bool {
    switch rawValue {
    case 407, 428, 429, 431, 511: true
    default: false
    }
  }
}
