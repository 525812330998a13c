import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// `garner cache check`: which URLs a fetch without a network would have no answer for.
extension CacheCommand {
  /// Prints them as they were typed, a line each: what a later fetch can read.
  ///
  /// What is wrong with a URL is told in its turn, and it has no answer.
  ///
  /// - Returns: the exit status of the first URL that is none, else 0; where another has no answer, that is thrown.
  func check(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    let plan = try PlanBuilder(invocation, context).fetchPlan(settings)
    try using("read") { () throws(StoreError) in _ = try store.isPresent() }
    let silence = Diagnostics.silent(context)
    var needed = StorePlan(root: store.root, limits: store.limits)
    (needed.isNeeded, needed.purpose) = (true, "read")
    let cache = ResponseCache(needed, clock, diagnostics)
    let records = OriginRecords(plan, context, silence)
    let end = invocation.storeCommand.form == .nulSeparated ? [0] : [ASCII.lineFeed]
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
        firstStatus = firstStatus ?? error.exitCode
        continue
      }
      let isAnswered = isAnswered(plan, by: cache, records, of: planned.group, silence)
      try Failure.throwIfInterrupted()
      if isAnswered { continue }
      // What cannot be read may be an answer.
      if let failure = cache.failure { throw failure }
      missing += 1
      let url = planned.typed
      try printer.write(bytes: (printer.isTerminal ? Array(url.visible.utf8) : url.bytes) + end)
    }
    if missing > 0 { throw .missing(missing + wrong, of: count) }
    return firstStatus ?? ExitStatus.success.rawValue
  }

  /// Does what the fetch would do, redirections and verified content included, and delivers it to nobody.
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
  /// For finding out whether it would be answered without a network: nothing is sent, delivered or noted.
  fileprivate var withoutEffects: TransferPlan {
    TransferPlan(
      typed: typed, request: request, content: content,
      policy: policy.withoutNetwork,
      // Leaves no trace on the disk: nothing is counted, and no use is noted.
      storage: .memoryOnly,
      keptOut: nil,
      reachability: nil,
      delivery: .toNobody(decodingContent: delivery.decodesContent, expecting: delivery.integrity),
      terms: terms.withoutEffects,
      hasNetrcLogin: hasNetrcLogin)
  }
}

/// For what is answered without a network, or not at all.
private struct NoTransport: Transport {
  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    throw .unsendable(reason: "nothing may be sent")
  }
}
