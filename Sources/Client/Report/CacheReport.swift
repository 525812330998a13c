import CacheStore
import HTTPCaching
import HTTPSemantics

/// What the cache did for a response, for `-w`, `-v` and Cache-Status.
struct CacheReport: Equatable {
  var status: CacheStatus
  var result: CacheResult
  /// Seconds; of what was served from the store.
  var age: Int64?
  /// The sentence of `-v`.
  var reason: String
  /// The sentence while it is open whether the response will be stored.
  private(set) var prospect: String?
}

extension CacheResult {
  /// The word of `%{cache_result}`.
  var word: String {
    switch self {
    case .hit: "hit"
    case .stale: "stale"
    case .validated: "validated"
    case .updated: "updated"
    case .miss: "miss"
    case .bypass: "bypass"
    }
  }
}

extension CacheReport {
  /// A stored response was served and nothing was sent.
  ///
  /// - Parameter reason: why the request would have been sent, had it not waited for another run's.
  static func served(_ reuse: Reuse, key: CacheKey, collapsed reason: ForwardReason? = nil) -> CacheReport {
    let freshness = reuse.freshness
    let status = CacheStatus(
      reason.map { .forwarded($0) } ?? .hit, isCollapsed: reason != nil, timeToLive: freshness.remaining, key: key,
      detail: reuse.grant?.rawValue)
    let waited = reason.map { "waited for another run (\($0.sentence)); " } ?? ""
    let age = freshness.age.seconds
    if let grant = reuse.grant {
      return CacheReport(
        status: status, result: freshness.isFresh ? .hit : .stale, age: age,
        reason:
          "\(waited)stored \(age) s ago\(staleWords(freshness)), served by leave of \(grant.rawValue): nothing was sent"
      )
    }
    return CacheReport(
      status: status, result: .hit, age: age,
      reason: "\(waited)stored, fresh for \(freshness.remaining) s more (\(freshness.lifetime.seconds) s by "
        + "\(freshness.lifetime.source.rawValue), age \(age) s): nothing was sent")
  }

  /// A stored response has the digest that was asked for.
  static func servedByDigest(_ reuse: Reuse, key: CacheKey) -> CacheReport {
    let age = reuse.freshness.age.seconds
    return CacheReport(
      status: CacheStatus(.hit, key: key, detail: "integrity"), result: .hit, age: age,
      reason: "stored \(age) s ago, and of the digest that is asked for: nothing was sent")
  }

  /// The origin failed, and a stored response took the place of its answer.
  static func servedOnError(_ reuse: Reuse, because reason: ForwardReason, status: StatusCode?, key: CacheKey)
    -> CacheReport
  {
    CacheReport(
      status: CacheStatus(
        .forwarded(reason), forwardStatus: status, timeToLive: reuse.freshness.remaining, key: key,
        detail: reuse.grant?.rawValue),
      result: .stale, age: reuse.freshness.age.seconds,
      reason: "the origin \(status.map { "answered \($0)" } ?? "could not be asked"): stored response"
        + "\(staleWords(reuse.freshness)) served by leave of \(reuse.grant?.rawValue ?? "nobody")")
  }

  /// A 304 confirmed the stored response.
  static func validated(_ reuse: Reuse, because reason: ForwardReason, isStored: Bool, key: CacheKey) -> CacheReport {
    CacheReport(
      status: CacheStatus(
        .forwarded(reason), forwardStatus: 304, isStored: isStored, timeToLive: reuse.freshness.remaining, key: key),
      result: .validated, age: reuse.freshness.age.seconds,
      reason: "the origin confirmed the stored response (304): stored content served, now fresh for "
        + "\(max(0, reuse.freshness.remaining)) s")
  }

  /// The origin's answer was delivered.
  ///
  /// - Parameters:
  ///   - tier: where what is inserted is kept.
  ///   - count: the bytes of a stored part that were delivered before it.
  static func forwarded(
    _ answer: Answer, because reason: ForwardReason, hadStored: Bool, change: Conclusion.Change, key: CacheKey,
    in tier: StorageTier?, continuing count: UInt64? = nil
  ) -> CacheReport {
    var status = CacheStatus(.forwarded(reason), forwardStatus: answer.response.status, key: key)
    let result: CacheResult =
      switch reason {
      case .bypass, .method, .request: hadStored && reason == .request ? .updated : .bypass
      case .uriMiss, .varyMiss: .miss
      case .partial: count == nil ? .miss : .updated
      case .stale: .updated
      }
    var prospect: String?
    let outcome: String
    switch change {
    case .insert(let stored):
      let freshness = Freshness(of: stored, at: answer.responseTime)
      status.isStored = true
      status.timeToLive = freshness.remaining
      let place = tier == .memory ? "kept in memory only" : "stored"
      outcome = "\(place), fresh for \(max(0, freshness.remaining)) s by \(freshness.lifetime.source.rawValue)"
      prospect = "to be \(outcome)"
    case .freshen:
      status.isStored = true
      outcome = "the stored response was updated"
    case .remove(let refusal), .none(let refusal):
      status.detail = refusal.rawValue
      outcome = "not stored: \(refusal.sentence)"
    }
    let continued = count.map { "; the stored part (\($0) bytes) was continued" } ?? ""
    let course = "sent to the origin (\(reason.sentence))\(continued); "
    return CacheReport(
      status: status, result: result, age: nil, reason: course + outcome, prospect: prospect.map { course + $0 })
  }

  /// The origin was asked, and no whole head came back.
  static func failed(because reason: ForwardReason, key: CacheKey) -> CacheReport {
    CacheReport(
      status: CacheStatus(.forwarded(reason), key: key, detail: NotStored.incomplete.rawValue), result: .miss, age: nil,
      reason: "sent to the origin (\(reason.sentence)); no response came")
  }

  /// Nothing stored answers, and nothing may be sent.
  static func unsatisfiable(_ reason: ForwardReason, key: CacheKey) -> CacheReport {
    CacheReport(
      status: CacheStatus(.forwarded(reason), key: key, detail: "only-if-cached"), result: .miss, age: nil,
      reason: "nothing may be sent, and nothing stored answers the request (\(reason.sentence))")
  }

  /// Notes where what was freshened is kept.
  ///
  /// - Parameter tier: `nil` where nothing is.
  mutating func noteFreshened(in tier: StorageTier?) {
    status.isStored = tier != nil
    switch tier {
    case .disk: break
    case .memory: reason += "; kept in memory only"
    case nil: reason += "; that is not kept"
    }
  }

  /// Notes that what was to be stored is not.
  mutating func noteRefused(_ refusal: NotStored) {
    status.isStored = false
    status.detail = refusal.rawValue
    reason = "\(prospect ?? reason); in the end not stored: \(refusal.sentence)"
  }

  private static func staleWords(_ freshness: Freshness) -> String {
    freshness.staleness > 0 ? ", stale for \(freshness.staleness) s" : ""
  }
}

extension ForwardReason {
  fileprivate var sentence: String {
    switch self {
    case .bypass: "the cache is bypassed"
    case .method: "the method is not answered from the cache"
    case .uriMiss: "nothing is stored for the URL"
    case .varyMiss: "what is stored is for other request fields"
    case .request: "the request asks for it"
    case .stale: "the stored response needs validation"
    case .partial: "only a part is stored"
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
    case .noStore: "the response says no-store"
    case .requestNoStore: "the request says no-store"
    case .nothingAllowsIt: "nothing in it allows that"
    case .varyAnything: "it varies by more than the request's fields"
    case .cannotConceal: "the values that select it could not be concealed"
    case .policy: "the cache policy says so"
    case .hook: "the store hook refuses it"
    case .hookFailed: "the store hook failed"
    case .status: "its status is none of those that are to be stored"
    case .framing: "its length is not certain"
    case .tooLarge: "it is larger than what is kept"
    case .storeFull: "there is no room for it"
    case .incomplete: "it did not come whole"
    case .storeUnavailable: "the store cannot be used"
    }
  }
}
