import HTTPCaching
import HTTPSemantics

// MARK: What an answer changes

extension Invariants {
  static let ofChange: [Invariant<Concluded>] = [
    .init("The answers to GET and POST alone are stored", "RFC 9111 section 3") {
      $0.inserted == nil || [.get, .post].contains($0.situation.request.method)
    },
    .init("A POST's answer is stored for GET where it says that it is one's", "RFC 9110 section 9.3.3") {
      $0.inserted == nil || $0.situation.request.method != .post || $0.came.fields[.contentLocation] != nil
    },
    .init("Nothing is stored against the request's word", "RFC 9111 section 5.2.1.5") {
      $0.inserted == nil || !$0.situation.passesBy
    },
    .init("Nothing is stored against no-store", "RFC 9111 section 5.2.2.5") { $0.inserted == nil || !$0.came.keepsOut },
    .init("With must-understand, what is understood alone is stored", "RFC 9111 section 5.2.2.3") {
      $0.inserted == nil || !$0.came.control.mustUnderstand || $0.came.status.isUnderstood
    },
    .init("What answers this request alone is not stored", "RFC 9110 section 15") {
      $0.inserted == nil || ![304, 412, 416].contains($0.came.status.rawValue)
    },
    .init("What speaks of the client alone is not stored", "RFC 6585, RFC 9110 section 15.5.8") {
      $0.inserted == nil || ![407, 428, 429, 431, 511].contains($0.came.status.rawValue)
    },
    .init("What is not soundly framed is not stored", "RFC 9111 section 3.3") {
      $0.inserted == nil || $0.came.answer.isSoundlyFramed
    },
    .init("What no request will select is not stored", "RFC 9111 section 4.1") {
      $0.inserted == nil || Vary(of: $0.came.fields) != .anything
    },
    .init("What is stored has the status that came, but for a part", "RFC 9111 section 3.1") {
      $0.inserted == nil || $0.came.status == 206 || $0.inserted?.response.status == $0.came.status
    },
    .init("What is stored and fresh answers a plain GET at once", "RFC 9111 section 4") {
      guard let inserted = $0.inserted, $0.came.status != 206 else { return true }
      let now = $0.came.answer.responseTime
      guard Freshness(of: inserted, at: now).isFresh else { return true }
      return decideReuse(of: .selected(inserted), for: get(), under: ReuseTerms(.useProtocol), at: now).verdict
        == .served
    },
    .init("What is stored of a 206 has the head that the whole would have", "RFC 9111 section 3.3") {
      guard let inserted = $0.inserted, $0.came.status == 206 else { return true }
      return inserted.response.status == 200 && !inserted.fields.contains(.contentRange)
    },
    .init("A part is stored for who has asked for one", "RFC 9111 section 3.3") {
      guard let inserted = $0.inserted, $0.came.status == 206, inserted.isPart else { return true }
      return $0.situation.request.fields.contains(.range)
    },
    .init("A 206 is stored as the whole that it makes of a part with its tag", "RFC 9110 section 15.3.7.3") {
      guard let inserted = $0.inserted, $0.came.status == 206, !inserted.isPart else { return true }
      guard let part = $0.continued else { return false }
      return part.fields[.etag] == inserted.fields[.etag]
    },
    .init("What passes the cache by removes nothing", "RFC 9111 section 5.2.1.5") {
      !$0.conclusion.change.isRemoval || !$0.situation.passesBy
    },
    .init("What is unsafe freshens nothing", "RFC 9111 section 4.3.4") {
      $0.freshened == nil || $0.situation.request.method.isSafe
    },
    .init("What passes the cache by freshens nothing", "RFC 9111 section 5.2.1.5") {
      $0.freshened == nil || !$0.situation.passesBy
    },
    .init("What has no-store freshens nothing", "RFC 9111 section 5.2.2.5") {
      $0.freshened == nil || !$0.came.keepsOut
    },
    .init("What is freshened keeps its content", "RFC 9111 section 4.3.4") {
      $0.freshened == nil || $0.freshened?.contentLength == $0.situation.stored?.contentLength
    },
    .init("What is freshened keeps its status", "RFC 9111 section 4.3.4") {
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
    .init("An answer is no failure", "RFC 9111 section 4.3.3") { $0.conclusion.delivery != .failure },
    // Whom the cache did not speak for gets the 304 that he asked for.
    .init("A 304 to a condition of the cache's is not delivered", "RFC 9111 section 4.3.3") {
      guard case .answer = $0.conclusion.delivery else { return true }
      return $0.validated == nil || $0.came.status != 304
    },
    .init("Joined is a stored part with a 206 of the same tag, to a whole", "RFC 9110 section 15.3.7.3") {
      guard case .joined(let whole) = $0.conclusion.delivery else { return true }
      guard let part = $0.continued, $0.came.status == 206 else { return false }
      return !whole.isPart && part.fields[.etag] == $0.came.fields[.etag]
    },
    .init("Asked again is what the cache's own condition has spoilt", "RFC 9111 section 4.3.3") {
      guard case .unconditionalRequest = $0.conclusion.delivery else { return true }
      return $0.validated != nil && [304, 412].contains($0.came.status.rawValue)
        || $0.continued != nil && [206, 304, 416].contains($0.came.status.rawValue)
    },
    .init("A 304 delivers what was validated, if it is about that", "RFC 9111 section 4.3.4") {
      guard case .stored(let reuse) = $0.conclusion.delivery, $0.came.status == 304 else { return true }
      guard let validated = $0.validated else { return false }
      return $0.came.fields[.etag] != "\"z\"" && reuse.stored.contentLength == validated.contentLength
    },
    .init("In the place of another answer the fallback is delivered, and for a 503", "RFC 5861 section 4") {
      guard case .stored(let reuse) = $0.conclusion.delivery, $0.came.status != 304 else { return true }
      return reuse == $0.situation.decision.onError && $0.came.status == 503
    },
  ]
}

// MARK: What comes of a failure

extension Invariants {
  static let ofFailure: [Invariant<Failed>] = [
    .init("A failure changes nothing", "RFC 9111 section 4.3.3") {
      $0.answered.change == .none(.incomplete) && $0.answered.invalidated.isEmpty
    },
    .init("Without a fallback a failure is one", "RFC 9111 section 4.2.4") {
      $0.situation.decision.onError != nil || $0.answered.delivery == .failure
    },
    .init("A fallback is served by somebody's leave", "RFC 9111 section 4.2.4") {
      $0.situation.decision.onError == nil || $0.situation.decision.onError?.grant != nil
    },
    .init("Who is disconnected gets the fallback", "RFC 9111 section 4.2.4") {
      guard let reuse = $0.situation.decision.onError else { return true }
      return $0.disconnected.delivery == .stored(reuse)
    },
    .init("Who was answered, however badly, is not disconnected", "RFC 9111 section 4.2.4") {
      guard let reuse = $0.situation.decision.onError else { return true }
      return $0.answered.delivery == (reuse.grant == .disconnected ? .failure : .stored(reuse))
    },
  ]
}
