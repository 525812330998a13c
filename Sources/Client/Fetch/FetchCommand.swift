import HTTPCaching
import Interface
import Platform

/// `garner URL...`: one URL after the other, or side by side; a failure in one does not stop the others.
struct FetchCommand {
  private let plan: FetchPlan
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let cache: ResponseCache
  private let records: OriginRecords

  init(_ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    self.plan = plan
    self.context = context
    self.diagnostics = diagnostics
    cache = ResponseCache(plan.store, context.clock, diagnostics)
    records = OriginRecords(plan, context, diagnostics)
  }

  /// - Returns: the exit status of the first failure; without one, that of `--exit-unchanged` if nothing new has come,
  ///   else 0.
  func run() -> Int32 {
    var outcome =
      plan.parallelLimit > 1 && !plan.transfers.hasOneURL
      ? ParallelFetch(plan, context, diagnostics, cache, records).run() : inOrder()
    outcome.end(records, of: plan, cache.failure)
    revalidateInBackground(outcome.revalidations)
    let status = outcome.exitStatus(whereUnchanged: plan.unchangedStatus)
    context.end(status)
    return status
  }

  private func inOrder() -> FetchOutcome {
    let outputEnd = OutputEnd()
    var outcome = FetchOutcome(context.standardOutput, outputEnd, diagnostics)
    let runner = TransferRunner(
      context: context, diagnostics: diagnostics, cache: cache, transport: LazyTransport(context.makeTransport),
      records: records, outputEnd: outputEnd)
    let queue = plan.transfers
    while Signals.pending == nil, let planned = queue.nextToFetch() {
      let result = runner.run(planned, printingOn: .standardOutput(context.standardOutput))
      outcome.take(result)
      if result.failure != nil, plan.endsEarly { break }
    }
    return outcome
  }

  private func revalidateInBackground(_ hops: [Hop]) {
    if hops.isEmpty { return }
    var store = plan.store
    // No request is made of the revalidating process: it needs no memory tier.
    store.memory = .nothing
    let revalidation = Revalidation(hops: hops, store: store, hosts: records.hosts, context: context)
    context.detach(Revalidation.limitSeconds) { revalidation.run() }
  }
}
