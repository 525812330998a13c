import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Takes an origin's answer: at its head the conclusion falls, then content goes to the user first and to the store
/// second.
final class OriginReply: ResponseReceiver {
  /// Who takes part.
  struct Parties {
    let cache: ResponseCache
    let delivery: Delivery
    let clock: Clock
    let redirects: RedirectRules
    let diagnostics: Diagnostics
  }

  /// Content that nobody wants is read so far, to keep the connection; beyond that the connection is given up.
  private static let longestDiscard = 256 << 10

  private let hop: Hop
  private let decision: ReuseDecision
  private let reason: ForwardReason
  private let selection: Selection
  private let key: CacheKey
  private let parties: Parties
  private let requestTime: Timestamp

  private(set) var answer: Answer?
  private(set) var conclusion: Conclusion?
  private(set) var report: CacheReport?
  /// Whether the answer was let go of on purpose: something else is delivered, and how it ends does not matter.
  private(set) var isLetGo = false
  private var insertion: Insertion?
  private var discarded = 0

  init(
    hop: Hop, decision: ReuseDecision, reason: ForwardReason, selection: Selection, key: CacheKey, parties: Parties
  ) {
    self.hop = hop
    self.decision = decision
    self.reason = reason
    self.selection = selection
    self.key = key
    self.parties = parties
    requestTime = parties.clock.timestamp
  }

  func receive(interim: Response) {
    parties.delivery.receive(interim: interim)
  }

  func receive(head: Response, framing: Framing) -> Reception {
    let answer = Answer(
      head, requestTime: requestTime, responseTime: parties.clock.timestamp, isSoundlyFramed: framing == .storable)
    let conclusion = conclude(
      decision, .answer(answer), for: hop.request, selection, under: hop.policy, key: key,
      concealing: parties.cache.conceal)
    if case .deliverOnly(let fault) = framing { parties.diagnostics.note("cache: not stored: \(fault.reason)") }
    self.answer = answer
    self.conclusion = conclusion
    switch conclusion.delivery {
    case .answer, .failure:
      deliver(answer, conclusion.change)
    case .stored(let reuse):
      isLetGo = true
      report =
        if head.status == 304 {
          .validated(reuse, because: reason, isStored: conclusion.change.keeps, key: key)
        } else {
          .servedOnError(reuse, because: reason, status: head.status, key: key)
        }
    case .unconditionalRequest:
      isLetGo = true
    }
    if isLetGo { parties.delivery.note(letGo: head) }
    return parties.delivery.failure == nil ? .proceed : .abort
  }

  func receive(content: UnsafeRawBufferPointer) -> Reception {
    if isLetGo {
      discarded += content.count
      return discarded <= Self.longestDiscard ? .proceed : .abort
    }
    guard parties.delivery.write(content) else { return .abort }
    insertion?.append(content)
    return .proceed
  }

  func receive(trace: Trace) {
    switch trace {
    case .remark(let text): parties.diagnostics.note(Escaping.visible(text))
    case .requestHead(let head): parties.diagnostics.trace(head, mark: ">")
    }
  }

  /// Keeps what was received, or lets go of it.
  func settle(isWhole: Bool) {
    guard let insertion else { return }
    self.insertion = nil
    if isWhole, insertion.commit() { return }
    report?.status.isStored = false
    report?.status.detail = (isWhole ? NotStored.storeUnavailable : .incomplete).rawValue
  }

  private func deliver(_ answer: Answer, _ change: Conclusion.Change) {
    var change = change
    if case .insert(let stored) = change {
      insertion = parties.cache.beginInsertion(of: stored)
      if insertion == nil { change = .none(.storeUnavailable) }
    }
    let report = CacheReport.forwarded(
      answer, because: reason, hadStored: selection.stored != nil, change: change, key: key)
    self.report = report
    let redirection = parties.redirects.redirection(of: hop.request, hop.content, by: answer.response)
    parties.delivery.begin(
      answer.response, report, to: hop.request.target, isFollowed: redirection != .none)
  }
}

extension Conclusion.Change {
  /// Whether something is stored when the change is done.
  var keeps: Bool {
    switch self {
    case .insert, .freshen: true
    case .remove, .none: false
    }
  }
}
