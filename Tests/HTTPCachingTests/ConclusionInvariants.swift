import HTTPCaching
import HTTPSemantics

// MARK: What an answer changes in the store

extension Invariants {
  static let ofChange: [Invariant<Concluded>] = [
    .init("Only answers to GET and POST are stored", "RFC 9111 section 3") {
      $0.inserted == nil || [.get, .post].contains($0.situation.request.method)
    },
    .init("A POST's answer is stored for GET only with Content-Location", "RFC 9110 section 9.3.3") {
      $0.inserted == nil || $0.situation.request.method != .post || $0.came.fields[.contentLocation] != nil
    },
    .init("Nothing is stored if the request or the policy says no-store", "RFC 9111 section 5.2.1.5") {
      $0.inserted == nil || !$0.situation.passesBy
    },
    .init("A response with no-store is not stored", "RFC 9111 section 5.2.2.5") {
      $0.inserted == nil || !$0.came.keepsOut
    },
    .init("With must-understand only a response of an understood status is stored", "RFC 9111 section 5.2.2.3") {
      $0.inserted == nil || !$0.came.control.mustUnderstand || $0.came.status.isUnderstood
    },
    .init("A response that answers this request alone is not stored", "RFC 9110 section 15") {
      $0.inserted == nil || ![304, 412, 416].contains($0.came.status.rawValue)
    },
    .init("A response that concerns the client alone is not stored", "RFC 6585, RFC 9110 section 15.5.8") {
      $0.inserted == nil || ![407, 428, 429, 431, 511].contains($0.came.status.rawValue)
    },
    .init("A response that is not soundly framed is not stored", "RFC 9111 section 3.3") {
      $0.inserted == nil || $0.came.answer.isSoundlyFramed
    },
    .init("A response that no request selects is not stored", "RFC 9111 section 4.1") {
      $0.inserted == nil || Vary(of: $0.came.fields) != .anything
    },
    .init("A response is stored with the status it came with, unless it is a part", "RFC 9111 section 3.1") {
      $0.inserted == nil || $0.came.status == 206 || $0.inserted?.response.status == $0.came.status
    },
    .init("A stored and fresh response answers a plain GET at once", "RFC 9111 section 4") {
      guard let inserted = $0.inserted, $0.came.status != 206 else { return true }
      let now = $0.came.answer.responseTime
      guard Freshness(of: inserted, at: now).isFresh else { return true }
      return decideReuse(of: .selected(inserted), for: get(), under: ReuseTerms(.useProtocol), at: now).verdict
        == .served
    },
    .init("A stored 206 has the head that the whole response would have", "RFC 9111 section 3.3") {
      guard let inserted = $0.inserted, $0.came.status == 206 else { return true }
      return inserted.response.status == 200 && !inserted.fields.contains(.contentRange)
    },
    .init("A part is stored only if the request asked for a range", "RFC 9111 section 3.3") {
      guard let inserted = $0.inserted, $0.came.status == 206, inserted.isPart else { return true }
      return $0.situation.request.fields.contains(.range)
    },
    .init("A 206 is stored as a whole only if it completes a part with its tag", "RFC 9110 section 15.3.7.3") {
      guard let inserted = $0.inserted, $0.came.status == 206, !inserted.isPart else { return true }
      guard let part = $0.continued else { return false }
      return part.fields[.etag] == inserted.fields[.etag]
    },
    .init("A request that bypasses the cache removes nothing", "RFC 9111 section 5.2.1.5") {
      !$0.conclusion.change.isRemoval || !$0.situation.passesBy
    },
    .init("An unsafe request freshens nothing", "RFC 9111 section 4.3.4") {
      $0.freshened == nil || $0.situation.request.method.isSafe
    },
    .init("A request that bypasses the cache freshens nothing", "RFC 9111 section 5.2.1.5") {
      $0.freshened == nil || !$0.situation.passesBy
    },
    .init("A response with no-store freshens nothing", "RFC 9111 section 5.2.2.5") {
      $0.freshened == nil || !$0.came.keepsOut
    },
    .init("A freshened response keeps its content", "RFC 9111 section 4.3.4") {
      $0.freshened == nil || $0.freshened?.contentLength == $0.situation.stored?.contentLength
    },
    .init("A freshened response keeps its status", "RFC 9111 section 4.3.4") {
      $0.freshened == nil || $0.freshened?.response.status == $0.situation.stored?.response.status
    },
  ]
}

// MARK: What is delivered after an answer

extension Invariants {
  static let ofDelivery: [Invariant<Concluded>] = [
    .init("A 2xx or 3xx to an unsafe method invalidates the target, and nothing else does", "RFC 9111 section 4.4") {
      let isInvalidating = !$0.situation.request.method.isSafe && (200..<400).contains($0.came.status.rawValue)
      return $0.conclusion.invalidated.contains(.example) == isInvalidating
    },
    .init("An answer of the origin is never delivered as a failure", "RFC 9111 section 4.3.3") {
      $0.conclusion.delivery != .failure
    },
    // A user who set the condition gets the 304.
    .init("A 304 to the cache's own condition is not delivered", "RFC 9111 section 4.3.3") {
      guard case .answer = $0.conclusion.delivery else { return true }
      return $0.validated == nil || $0.came.status != 304
    },
    .init("Only a 206 with the stored part's tag is joined with it, and makes a whole", "RFC 9110 section 15.3.7.3") {
      guard case .joined(let whole) = $0.conclusion.delivery else { return true }
      guard let part = $0.continued, $0.came.status == 206 else { return false }
      return !whole.isPart && part.fields[.etag] == $0.came.fields[.etag]
    },
    .init("A request is repeated only if the cache's own condition spoilt the answer", "RFC 9111 section 4.3.3") {
      guard case .unconditionalRequest = $0.conclusion.delivery else { return true }
      return $0.validated != nil && [304, 412].contains($0.came.status.rawValue)
        || $0.continued != nil && [206, 304, 416].contains($0.came.status.rawValue)
    },
    .init("After a 304 the validated response is delivered, if the 304 is about it", "RFC 9111 section 4.3.4") {
      guard case .stored(let reuse) = $0.conclusion.delivery, $0.came.status == 304 else { return true }
      guard let validated = $0.validated else { return false }
      return $0.came.fields[.etag] != "\"z\"" && reuse.stored.contentLength == validated.contentLength
    },
    .init("A stored response is delivered instead of an answer only for a 503, as the fallback", "RFC 5861 section 4") {
      guard case .stored(let reuse) = $0.conclusion.delivery, $0.came.status != 304 else { return true }
      return reuse == $0.situation.decision.onError && $0.came.status == 503
    },
  ]
}

// MARK: What follows from a failure

extension Invariants {
  static let ofFailure: [Invariant<Failed>] = [
    .init("A failure changes nothing in the store", "RFC 9111 section 4.3.3") {
      $0.answered.change == .none(.incomplete) && $0.answered.invalidated.isEmpty
    },
    .init("Without a fallback a failure is delivered", "RFC 9111 section 4.2.4") {
      $0.situation.decision.onError != nil || $0.answered.delivery == .failure
    },
    .init("A fallback is served only with a grant", "RFC 9111 section 4.2.4") {
      $0.situation.decision.onError == nil || $0.situation.decision.onError?.grant != nil
    },
    .init("A disconnected run gets the fallback", "RFC 9111 section 4.2.4") {
      guard let reuse = $0.situation.decision.onError else { return true }
      return $0.disconnected.delivery == .stored(reuse)
    },
    .init("A failure of an origin that was reached does not count as disconnection", "RFC 9111 section 4.2.4") {
      guard let reuse = $0.situation.decision.onError else { return true }
      return $0.answered.delivery == (reuse.grant == .disconnected ? .failure : .stored(reuse))
    },
  ]
}
