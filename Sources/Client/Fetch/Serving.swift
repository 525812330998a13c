import CacheStore
import HTTPCaching
import HTTPSemantics
import Transport

/// Serving from the store.
extension Exchange {
  func serve(_ reuse: Reuse, _ report: CacheReport, _ attempt: Attempt) -> HopOutcome {
    let delivery = attempt.delivery
    // Nothing more comes from the origin, so those that wait for this run can go on.
    attempt.turn?.end()
    let head = reuse.head(isValidated: report.result == .validated)
    let isFollowed = parties.follows(head, to: attempt.hop)
    if isLast, !isFollowed { transport.finish() }
    let outcome = HopOutcome(response: head, cache: report)
    delivery.begin(head, report, to: attempt.target, isContentWanted: !isFollowed)
    if delivery.plan.integrity == nil, delivery.failure == nil { warnIfStale(reuse, attempt) }
    let range = reuse.contentRange(for: attempt.hop.request.method)
    if let bytes = range,
      case .damaged(let entry, let delivered) = attempt.lookup.deliver(bytes, into: delivery)
    {
      return replaceDamaged(entry, delivered, mayBeContinued: reuse.form == .whole, attempt, outcome)
    }
    delivery.endContent()
    outcome.failure = delivery.failure
    if let failure = outcome.failure, failure.isOfStoredCoding {
      return replaceUnfit(failure, isPart: false, attempt, outcome)
    }
    outcome.isToBeRevalidated = reuse.grant == .staleWhileRevalidate
    outcome.savedBytes = delivery.takenBytes(of: range)
    cache.noteUse(of: attempt.lookup, by: attempt.hop)
    return outcome
  }

  /// Warns that a stale response is served because nothing may be sent.
  func warnIfStale(_ reuse: Reuse, _ attempt: Attempt) {
    guard !attempt.hop.policy.allowsNetwork, !reuse.freshness.isFresh else { return }
    diagnostics.warn("\(Escaping.shown(attempt.target)) is served, \(reuse.freshness.staleWords)")
  }
}
