import HTTPCaching
import HTTPSemantics
import Transport

/// A report of what the cache did for a response, for `-w`, `-v` and Cache-Status.
final class CacheReport {
  /// What was done, for the sentence of `-v`, which is made only when it is wanted.
  fileprivate enum Course {
    /// - Parameter waitingFor: why the request would have been sent, had it not waited for an equal one.
    case served(Freshness, StaleGrant?, waitingFor: ForwardReason?)
    /// - Parameter isAsked: whether the origin was asked first, and no answer came.
    case servedByDigest(age: Int64, isAsked: Bool)
    /// - Parameter status: `nil` if no answer came.
    case servedOnError(Freshness, StaleGrant?, status: StatusCode?)
    case validated(Freshness)
    /// - Parameter continued: the bytes of a stored part that were delivered before the answer.
    case forwarded(ForwardReason, Storing, continued: UInt64?)
    case failed(ForwardReason)
    case unsatisfiable(ForwardReason)
  }

  /// What became of an answer.
  fileprivate enum Storing {
    case stored(Freshness, inMemoryOnly: Bool)
    case freshened
    case refused(NotStored)
    /// Refused because of a fault in its framing.
    case unsound(FramingFault)
  }

  /// What became of the response in the store in the end.
  private enum Outcome {
    /// Nothing, or what the head of the response has announced.
    case asForeseen
    /// The response was to be stored, and is not.
    case refused(NotStored)
    /// In memory alone. `insteadOf` is as that of an `InsertionOutcome`.
    case held(insteadOf: NotStored?)
    /// - Parameter insteadOfDisk: whether only memory has it, although it was meant for the disk.
    case freshened(in: StorageTier, insteadOfDisk: Bool)
    /// - Parameter because: `nil` if no reason is known.
    case notFreshened(because: NotStored?)
  }

  private(set) var status: CacheStatus
  private(set) var result: CacheResult
  /// The age of the delivered response, in seconds; `nil` if none was delivered.
  let age: Int64?
  /// Whether the origin was not reached, and a stored response would answer the same request under `--offline`.
  private(set) var hasAnswerOffline = false
  private var course: Course
  private var outcome = Outcome.asForeseen

  private init(_ course: Course, _ result: CacheResult, _ status: CacheStatus, age: Int64? = nil) {
    self.course = course
    self.result = result
    self.status = status
    self.age = age
  }
}

extension CacheReport {
  /// Whether the cache has what was delivered, and will still have it when the run is over.
  var isKept: Bool {
    if case .forwarded(_, .stored(_, inMemoryOnly: true), continued: _) = course { return false }
    return result.isServed || status.isStored
  }

  /// Whether the response was stored or updated where it was meant to be, for `-w`. What memory keeps in place of the
  /// disk is gone when the run is over, and a run with one URL would keep it nowhere.
  var isStoredAsMeant: Bool {
    switch outcome {
    case .held(insteadOf: _?), .freshened(in: .memory, insteadOfDisk: true): false
    default: status.isStored
    }
  }

  /// Why the response that was delivered is not on the disk with the user's marks, as a part of a sentence about it;
  /// `nil` if it is, as far as is known.
  var absence: String? {
    switch outcome {
    // A failed hook has a warning of its own.
    case .refused(.hookFailed): return nil
    case .refused(let refusal), .held(insteadOf: let refusal?): return refusal.sentence
    case .held(insteadOf: nil), .freshened(in: .memory, insteadOfDisk: _): return "it is kept in memory only"
    case .freshened(in: .disk, insteadOfDisk: _): return nil
    case .notFreshened(because: let refusal):
      // The stored response was served, and marked if it is still there: a hook that failed leaves it, and a changed
      // Vary may.
      if case .validated = course, refusal == nil || refusal == .hookFailed || refusal == .varyAnything { return nil }
      return refusal?.sentence ?? "its update is not stored"
    case .asForeseen: break
    }
    guard case .forwarded(_, let storing, continued: _) = course else { return nil }
    switch storing {
    case .refused(let refusal): return refusal.sentence
    case .unsound(let fault): return fault.reason
    case .stored, .freshened: return nil
    }
  }

  /// Returns the head of a response with Cache-Status. "New members are appended": an upstream's come first (RFC 9211
  /// section 2).
  func annotatedHead(of response: Response) -> [UInt8] {
    var annotated = response
    annotated.fields.append(.cacheStatus, status.member)
    return annotated.head
  }
}

extension CacheReport {
  /// A stored response was served and nothing was sent.
  ///
  /// - Parameter reason: why the request would have been sent, had it not waited for an equal one.
  static func served(_ reuse: Reuse, key: CacheKey, collapsed reason: ForwardReason?) -> CacheReport {
    let freshness = reuse.freshness
    let status = CacheStatus(
      reason.map { .forwarded($0) } ?? .hit, isCollapsed: reason != nil, timeToLive: freshness.remaining, key: key,
      detail: reuse.grant?.rawValue)
    return CacheReport(
      .served(freshness, reuse.grant, waitingFor: reason), reuse.grant == nil || freshness.isFresh ? .hit : .stale,
      status, age: freshness.age.seconds)
  }

  /// A stored response has the digest that was asked for.
  ///
  /// - Parameter reason: why the origin was asked first, without an answer; `nil` if it was not asked.
  static func servedByDigest(_ reuse: Reuse, insteadOfAnswer reason: ForwardReason?, key: CacheKey) -> CacheReport {
    let age = reuse.freshness.age.seconds
    let status = CacheStatus(reason.map { .forwarded($0) } ?? .hit, key: key, detail: "integrity")
    return CacheReport(.servedByDigest(age: age, isAsked: reason != nil), .hit, status, age: age)
  }

  /// The origin failed, and a stored response took the place of its answer.
  static func servedOnError(_ reuse: Reuse, because reason: ForwardReason, status: StatusCode?, key: CacheKey)
    -> CacheReport
  {
    let cacheStatus = CacheStatus(
      .forwarded(reason), forwardStatus: status, timeToLive: reuse.freshness.remaining, key: key,
      detail: reuse.grant?.rawValue)
    return CacheReport(
      .servedOnError(reuse.freshness, reuse.grant, status: status), reuse.freshness.isFresh ? .hit : .stale,
      cacheStatus, age: reuse.freshness.age.seconds)
  }

  /// A 304 confirmed the stored response.
  static func validated(
    _ reuse: Reuse, because reason: ForwardReason, change: Conclusion.Change, key: CacheKey
  ) -> CacheReport {
    let status = CacheStatus(
      .forwarded(reason), forwardStatus: 304, isStored: change.keeps, timeToLive: reuse.freshness.remaining, key: key)
    let report = CacheReport(.validated(reuse.freshness), .validated, status, age: reuse.freshness.age.seconds)
    if case .remove(let refusal) = change { report.noteNotFreshened(because: refusal) }
    return report
  }

  /// The origin's answer was delivered.
  ///
  /// - Parameters:
  ///   - fault: the fault in the answer's framing, if any.
  ///   - tier: where an inserted response is kept.
  ///   - count: the bytes of a stored part that were delivered before the answer.
  static func forwarded(
    _ answer: Answer, _ fault: FramingFault?, because reason: ForwardReason, hadStored: Bool,
    change: Conclusion.Change, key: CacheKey, in tier: StorageTier?, continuing count: UInt64?
  ) -> CacheReport {
    var status = CacheStatus(.forwarded(reason), forwardStatus: answer.response.status, key: key)
    var result = prospect(of: reason, hadStored: hadStored, isContinued: count != nil)
    // A 304 to the user's own condition brings no new response.
    if answer.response.status == 304, result == .updated {
      result = if case .freshen = change { .validated } else { .miss }
    }
    // If the stored response stays, nothing has been updated either.
    if case .none = change, count == nil, result == .updated { result = .miss }
    let storing: Storing
    switch change {
    case .insert(let stored):
      let freshness = Freshness(of: stored, at: answer.responseTime)
      status.isStored = true
      status.timeToLive = freshness.remaining
      storing = .stored(freshness, inMemoryOnly: tier == .memory)
    case .freshen(let stored):
      status.isStored = true
      status.timeToLive = Freshness(of: stored, at: answer.responseTime).remaining
      storing = .freshened
    case .remove(let refusal), .none(let refusal):
      status.detail = refusal.rawValue
      storing = refusal == .framing ? fault.map { .unsound($0) } ?? .refused(refusal) : .refused(refusal)
    case .removeOutdatedByPart:
      status.detail = NotStored.partialContent.rawValue
      storing = .refused(.partialContent)
    }
    return CacheReport(.forwarded(reason, storing, continued: count), result, status, age: Age(of: answer).seconds)
  }

  /// The origin was asked, and no whole head came back.
  static func failed(because reason: ForwardReason, hadStored: Bool, key: CacheKey) -> CacheReport {
    let prospect = prospect(of: reason, hadStored: hadStored, isContinued: false)
    return CacheReport(
      .failed(reason), prospect == .updated ? .miss : prospect,
      CacheStatus(.forwarded(reason), key: key, detail: NotStored.incomplete.rawValue))
  }

  /// Returns the result of a request that is sent, as far as it does not depend on the answer.
  private static func prospect(of reason: ForwardReason, hadStored: Bool, isContinued: Bool) -> CacheResult {
    switch reason {
    case .bypass, .method, .request: hadStored && reason == .request ? .updated : .bypass
    case .uriMiss, .varyMiss: .miss
    case .partial: isContinued ? .updated : .miss
    case .stale: .updated
    }
  }

  /// Nothing stored answers, and nothing may be sent.
  static func unsatisfiable(_ reason: ForwardReason, key: CacheKey) -> CacheReport {
    CacheReport(.unsatisfiable(reason), .miss, CacheStatus(.unanswered, key: key, detail: "only-if-cached"))
  }

  /// Notes that the origin was not reached, and a stored response would answer the same request under `--offline`.
  func noteAnswerOffline() { hasAnswerOffline = true }

  /// Notes where the freshened response is kept.
  ///
  /// - Parameters:
  ///   - stored: the freshness of the response as it is stored, which a hook may have changed.
  ///   - isMisplaced: whether only memory has it, although it was meant for the disk.
  func noteFreshened(_ stored: Freshness, in tier: StorageTier, insteadOfDisk isMisplaced: Bool) {
    status.isStored = true
    status.timeToLive = stored.remaining
    outcome = .freshened(in: tier, insteadOfDisk: isMisplaced)
    if case .validated = course { course = .validated(stored) }
  }

  /// Notes that the freshened response is not kept.
  func noteNotFreshened(because refusal: NotStored?) {
    status.isStored = false
    // The answer itself was delivered, and not the stored response that it would have freshened.
    if case .forwarded = course { status.timeToLive = nil }
    if let refusal { status.detail = refusal.rawValue }
    outcome = .notFreshened(because: refusal)
    noteNoUpdate()
  }

  /// Notes that nothing has replaced the stored response.
  func noteNoUpdate() {
    if result == .updated { result = .miss }
  }

  /// Notes that the new response is on the disk.
  ///
  /// - Parameter stored: the freshness of the response as it is stored, which a hook may have changed.
  func noteInserted(_ stored: Freshness) { note(stored, inMemoryOnly: false) }

  /// Notes that the new response is kept in memory alone.
  ///
  /// - Parameter refusal: why the disk does not have it; `nil` if it was not meant for the disk.
  func noteHeld(_ stored: Freshness, insteadOf refusal: NotStored?) {
    outcome = .held(insteadOf: refusal)
    note(stored, inMemoryOnly: true)
  }

  private func note(_ stored: Freshness, inMemoryOnly isInMemoryOnly: Bool) {
    status.timeToLive = stored.remaining
    guard case .forwarded(let reason, .stored, continued: let count) = course else { return }
    course = .forwarded(reason, .stored(stored, inMemoryOnly: isInMemoryOnly), continued: count)
  }

  /// Notes that the response is not stored after all.
  func noteRefused(_ refusal: NotStored) {
    status.isStored = false
    status.detail = refusal.rawValue
    outcome = .refused(refusal)
    noteNoUpdate()
  }
}

extension Conclusion.Change {
  /// Whether a response is stored when the change is done.
  fileprivate var keeps: Bool {
    switch self {
    case .insert, .freshen: true
    case .remove, .removeOutdatedByPart, .none: false
    }
  }
}

// MARK: The sentence

extension CacheReport {
  /// The sentence of `-v`: what was done, and why.
  var reason: String {
    switch outcome {
    case .asForeseen, .held, .freshened: course.sentence() + freshened
    case .notFreshened: prospect
    case .refused(let refusal): "\(prospect); in the end not stored: \(refusal.sentence)"
    }
  }

  /// The same sentence as `reason`, while it is open whether the response will be stored.
  var prospect: String { course.sentence(isProspect: true) + freshened }

  private var freshened: String {
    switch outcome {
    case .asForeseen, .refused, .held, .freshened(in: .disk, insteadOfDisk: _): ""
    case .freshened(in: .memory, insteadOfDisk: _): "; kept in memory only"
    case .notFreshened(because: nil): "; the update is not stored"
    case .notFreshened(because: let refusal?): "; the update is not stored: \(refusal.sentence)"
    }
  }
}

extension CacheReport.Course {
  /// - Parameter isProspect: whether the response is yet to be stored.
  fileprivate func sentence(isProspect: Bool = false) -> String {
    switch self {
    case .served(let freshness, let grant, waitingFor: let reason):
      let waited = reason.map { "waited for an equal request (\($0.sentence)); " } ?? ""
      let age = freshness.age.seconds
      if let grant {
        return "\(waited)stored, \(age) s old, \(Self.servedWords(freshness, grant)): nothing was sent"
      }
      return "\(waited)stored, fresh for \(freshness.remaining) s more (\(freshness.lifetime.seconds) s by "
        + "\(freshness.lifetime.source.words), age \(age) s): nothing was sent"
    case .servedByDigest(let age, let isAsked):
      let found = "stored, \(age) s old, with the requested digest"
      return isAsked ? "the origin could not be asked: \(found)" : "\(found): nothing was sent"
    case .servedOnError(let freshness, let grant, let status):
      return "the origin \(status.map { "answered \($0)" } ?? "could not be asked"): stored response "
        + Self.servedWords(freshness, grant)
    case .validated(let freshness):
      return "the origin confirmed the stored response (304): stored content served, now fresh for "
        + "\(max(0, freshness.remaining)) s"
    case .forwarded(let reason, let storing, continued: let count):
      let continued = count.map { "; the stored part (\($0) bytes) was continued" } ?? ""
      return "sent to the origin (\(reason.sentence))\(continued); \(isProspect ? storing.prospect : storing.words)"
    case .failed(let reason):
      return "sent to the origin (\(reason.sentence)); no response came"
    case .unsatisfiable(let reason):
      return "nothing may be sent, and no stored response answers the request (\(reason.sentence))"
    }
  }

  private static func servedWords(_ freshness: Freshness, _ grant: StaleGrant?) -> String {
    let reason = grant.map { ", because \($0.reason) (\($0.rawValue))" } ?? ""
    return (freshness.isFresh ? "served" : "served, \(freshness.staleWords)") + reason
  }
}

extension CacheReport.Storing {
  fileprivate var prospect: String {
    switch self {
    case .stored: "to be \(words)"
    case .freshened: "the stored response is to be updated"
    case .refused, .unsound: words
    }
  }

  fileprivate var words: String {
    switch self {
    case .stored(let freshness, inMemoryOnly: let isInMemoryOnly):
      let place = isInMemoryOnly ? "kept in memory only" : "stored"
      if freshness.lifetime.source == .none { return "\(place); it states no lifetime" }
      return "\(place), fresh for \(max(0, freshness.remaining)) s by \(freshness.lifetime.source.words)"
    case .freshened: return "the stored response was updated"
    case .refused(let refusal): return "not stored: \(refusal.sentence)"
    case .unsound(let fault): return "not stored: \(fault.reason)"
    }
  }
}
