import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// The command `garner cache check`: tells which URLs a fetch without a network could not answer.
extension CacheCommand {
  /// Prints the URLs without an answer as they were typed, one per line, in the form that a later fetch can read.
  ///
  /// An invalid URL is reported when its turn comes, and is one without an answer.
  ///
  /// - Returns: the exit status of the first invalid URL, or 0 without any.
  /// - Throws: `.missing` if a valid URL has no answer.
  func check(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    let plan = try PlanBuilder(invocation, context).fetchPlan(settings)
    _ = try withStore { () throws(StoreError) in try store.isPresent() }
    let silence = Diagnostics.silent(context)
    var needed = StorePlan(root: store.root, home: store.home, limits: store.limits)
    (needed.isNeeded, needed.purpose) = (true, purpose)
    let cache = ResponseCache(needed, clock, diagnostics)
    let records = OriginRecords(plan, context, silence)
    var (missing, wrong, count) = (0, 0, 0)
    var firstStatus: Int32?
    let queue = plan.transfers
    while let planned = queue.next() {
      count += 1
      let plan: TransferPlan
      do throws(Failure) {
        plan = try planned.plan.get()
      } catch {
        if case .interrupted = error { throw error }
        diagnostics.report(error)
        wrong += 1
        firstStatus = firstStatus ?? error.exitStatus
        try printUnanswered(planned.typed)
        continue
      }
      let isAnswered = isAnswered(plan, by: cache, records, of: planned.group, silence)
      try Failure.throwIfInterrupted()
      if isAnswered { continue }
      // A store that cannot be read may have an answer.
      if let failure = cache.failure { throw failure }
      missing += 1
      try printUnanswered(planned.typed)
    }
    if missing > 0 { throw .missing(missing + wrong, of: count) }
    return firstStatus ?? ExitStatus.success.rawValue
  }

  private func printUnanswered(_ url: ArgumentText) throws(Failure) {
    let end = invocation.storeCommand.form == .nulSeparated ? 0 : ASCII.lineFeed
    try printer.write(bytes: (printer.isTerminal ? Array(url.visible.utf8) : url.bytes) + [end])
  }

  /// Does what the fetch would do, including redirections and the verification of content, but delivers nothing.
  private func isAnswered(
    _ plan: TransferPlan, by cache: ResponseCache, _ records: OriginRecords, of group: TransferGroup,
    _ diagnostics: Diagnostics
  ) -> Bool {
    let plan = plan.withoutEffects
    let delivery = Delivery(
      plan.delivery, printingOn: .standardOutput(printer.output), diagnostics: diagnostics, clock: clock)
    let parties = Exchange.Parties(
      cache: cache, clock: clock, diagnostics: diagnostics, cookies: records.cookies[group],
      hosts: records.hosts)
    let exchange = Exchange(parties: parties, transport: NoTransport(), isLast: true)
    let transfer = Transfer(plan, exchange: exchange, delivery: delivery)
    do throws(Failure) {
      try transfer.run()
      return true
    } catch {
      return false
    }
  }
}

extension TransferPlan {
  /// The plan, changed to find out whether it can be answered without a network: nothing is sent, delivered or noted.
  fileprivate var withoutEffects: TransferPlan {
    TransferPlan(
      typed: typed, request: request, content: content,
      policy: policy.withoutNetwork,
      // Leaves no trace on the disk: no result is counted, and no use is noted.
      storage: .memoryOnly,
      bypassReason: nil,
      reachability: nil,
      delivery: .deliveringNothing(decodingContent: delivery.decodesContent, expecting: delivery.integrity),
      terms: terms.withoutEffects,
      hasNetrcLogin: hasNetrcLogin)
  }
}

/// A transport that sends nothing, for transfers that are answered without a network or not at all.
private struct NoTransport: Transport {
  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    throw .unsendable(reason: "nothing may be sent")
  }
}
