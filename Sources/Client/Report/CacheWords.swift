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
    case .uriMiss: "nothing is stored for such a request"
    case .varyMiss: "what is stored is for other request fields"
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
    case .collapsed: "it has come to an equal request of this run"
    }
  }
}

extension NotStored {
  /// Why it is not stored, as a part of a sentence about the response.
  var sentence: String {
    switch self {
    case .method: "responses to this method are not"
    case .interimStatus: "it is not final"
    case .statusNotUnderstood: "it must be understood, and its status is not"
    case .notModified: "it is a 304"
    case .partialContent: "it is a part"
    case .requestBound: "it speaks of this request's range or preconditions"
    case .statusForbidsStoring: "its status forbids that"
    case .noStore: "the response says no-store"
    case .requestNoStore: "the request says no-store"
    case .notCacheable: "it states no lifetime, and its status lets none be guessed"
    case .varyAnything:
      "its Vary is *, malformed, too long, or names a field of which the value is not known"
    case .errorWithoutLifetime: "it is an error without a lifetime, and what is stored is kept"
    case .cannotConceal: "the values that select it could not be concealed"
    case .contentUnread: "its key needs the content that was sent, which can be read only once"
    case .contentSkipped: "its content is not waited for"
    case .policy: "the cache policy says so"
    case .hook: "the store hook refuses it"
    case .hookFailed: "the store hook failed"
    case .status: "its status is none of those that are to be stored"
    case .framing: "its length is not certain"
    case .tooLarge: "it is larger than what is kept"
    case .diskOff: "the disk is turned off"
    case .storeFull: "there is no room for it"
    case .variantsPinned: "its key has as many variants as it may have, and all are pinned"
    case .overtaken: "a more recent one has been stored meanwhile"
    case .invalidated: "it was asked for before another request invalidated its URL"
    case .incomplete: "it did not come whole"
    case .brokenContent: "its content is not what it should be"
    case .storeUnavailable: "the store cannot be used"
    }
  }
}
