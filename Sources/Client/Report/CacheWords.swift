import HTTPCaching

// The findings of the cache's rules in words for people: parts of sentences, which callers put together.

extension FreshnessLifetime.Source {
  /// The source of a lifetime, as a part of a sentence.
  var words: String {
    switch self {
    case .maxAge, .expires: rawValue
    case .heuristic: "a tenth of the Last-Modified age"
    case .none: "nothing"
    }
  }
}

extension ForwardReason {
  var sentence: String {
    switch self {
    case .bypass: "the cache is bypassed"
    case .method: "the method is not answered from the cache"
    case .uriMiss: "no response is stored for this request"
    case .varyMiss: "the stored responses are for other request fields"
    case .request: "the request asks for it"
    case .stale: "the stored response needs validation"
    case .partial: "only a part is stored"
    }
  }
}

extension Freshness {
  /// The words for a response that is not fresh.
  var staleWords: String { isDatable ? "stale for \(staleness) s" : "of unknown age" }
}

extension StaleGrant {
  var reason: String {
    switch self {
    case .maxStale: "the request allows it"
    case .staleWhileRevalidate: "it is validated in the background"
    case .staleIfError: "the origin fails"
    case .disconnected: "the origin cannot be reached"
    case .userPolicy: "the cache policy says so"
    case .collapsed: "an equal request of this run received it"
    }
  }
}

extension NotStored {
  /// Why it is not stored, as a part of a sentence about the response.
  var sentence: String {
    switch self {
    case .method: "responses to this method are not stored"
    case .interimStatus: "it is not final"
    case .statusOutOfRange: "its status code is not an HTTP status code"
    case .statusNotUnderstood: "it says must-understand, and its status is unknown"
    case .notModified: "it is a 304"
    case .partialContent: "it is a partial response"
    case .requestBound: "it answers only this request's range or preconditions"
    case .statusForbidsStoring: "its status forbids storing it"
    case .noStore: "the response says no-store"
    case .requestNoStore: "the request says no-store"
    case .notCacheable: "it states no lifetime, and its status allows no heuristic one"
    case .varyAnything:
      "its Vary is *, malformed, too long, or names a field whose value is unknown"
    case .errorWithoutLifetime: "it is an error that is not usable without validation, and the stored response is kept"
    case .cannotConceal: "the values of its selecting fields cannot be concealed"
    case .contentUnread: "its key depends on the request content, which can be read only once"
    case .contentSkipped: "its content is not read"
    case .policy: "the cache policy says so"
    case .hook: "the store hook refuses it"
    case .hookFailed: "the store hook failed"
    case .status: "its status is not among those to be stored"
    case .framing: "its length is uncertain"
    case .tooLarge: "it is larger than the limit for stored responses"
    case .headTooLarge: "its head is too large for an entry of the cache"
    case .diskOff: "storing on disk is turned off"
    case .storeFull: "the cache has no room for it"
    case .variantsPinned: "its key has the maximum number of variants, and all are pinned"
    case .overtaken: "a more recent response has been stored meanwhile"
    case .invalidated: "it was requested before its URL was invalidated, or removed from the cache"
    case .storeChanged:
      "the cache has changed while it came: its lock file is not the same any more, or cannot be checked"
    case .incomplete: "it is incomplete"
    case .brokenContent: "its content cannot be decoded, or has the wrong digest"
    case .storeUnavailable: "the store cannot be used"
    }
  }
}
