import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Carries out the transfers of a run, or of one of its threads.
struct TransferRunner {
  let context: ProcessContext
  let diagnostics: Diagnostics
  let cache: ResponseCache
  let transport: any Transport
  let records: OriginRecords
  let outputEnd: OutputEnd
  /// Whether other threads carry out transfers at the same time.
  let isParallel: Bool
  /// The place where parallel transfers show their progress; `nil` if none is shown.
  let board: ProgressBoard?
  private let parties: Exchange.Parties

  init(
    context: ProcessContext, diagnostics: Diagnostics, cache: ResponseCache, transport: any Transport,
    records: OriginRecords, outputEnd: OutputEnd, isParallel: Bool = false, board: ProgressBoard? = nil
  ) {
    self.context = context
    self.diagnostics = diagnostics
    self.cache = cache
    self.transport = transport
    self.records = records
    self.outputEnd = outputEnd
    self.isParallel = isParallel
    self.board = board
    parties = Exchange.Parties(
      cache: cache, clock: context.clock, diagnostics: diagnostics, hosts: records.hosts)
  }

  func run(_ planned: PlannedTransfer, printingOn place: PrintPlace) -> TransferResult {
    let facts = WriteOut.Facts()
    facts.typed = planned.typed
    let result = TransferResult(planned, facts)
    // Asked for even if the plan has failed: the cookies that a set of options keeps are written though none of its
    // URLs can be fetched.
    let cookies = records.cookies[planned.group]
    switch planned.plan {
    case .success(let plan):
      if plan.delivery.sink == .standardOutput, let failure = outputEnd.failure {
        result.failure = failure
        break
      }
      let delivery = delivery(for: plan, of: planned, printingOn: place)
      defer { board?.note(done: planned.number, isShown: delivery.wantsProgress) }
      let exchange = Exchange(
        parties: parties.with(cookies), transport: transport, isLast: !isParallel && planned.isLast)
      let transfer = Transfer(plan, exchange: exchange, delivery: delivery, facts: facts)
      run(transfer, of: planned, result)
    case .failure(let failure):
      result.failure = failure
      TransferFailures.report(failure, ofUnplanned: planned, to: diagnostics)
    }
    return result
  }

  private func delivery(
    for plan: TransferPlan, of planned: PlannedTransfer, printingOn place: PrintPlace
  ) -> Delivery {
    if plan.storage == .memoryOnly, case .spool(let spool) = place { spool.stayInMemory() }
    diagnostics.hide(plan.terms.keyRules.credentialFields)
    return Delivery(
      plan.delivery, printingOn: place, diagnostics: diagnostics, clock: context.clock,
      showingProgress: isParallel ? .amongOthers(board, number: planned.number) : .ownLine,
      over: cache.reclaimableSpace)
  }

  private func run(_ transfer: Transfer, of planned: PlannedTransfer, _ result: TransferResult) {
    let facts = transfer.facts
    if planned.isListed { planned.noteSite(to: diagnostics) }
    if let reachability = transfer.plan.reachability { diagnostics.note(reachability.summary) }
    let start = planned.group.writeOut == nil ? 0 : context.clock.monotonic()
    defer {
      if planned.group.writeOut != nil {
        facts.elapsedMicroseconds = Int64(clamping: (context.clock.monotonic() &- start) / 1_000)
      }
    }
    do throws(Failure) {
      try transfer.run()
      warnOfMarks(of: transfer, in: planned.group)
    } catch {
      // The answer came whole, and was not stored for another reason than its status.
      if case .httpError = error { warnOfMarks(of: transfer, in: planned.group) }
      failures.report(error, of: transfer, planned, in: result)
    }
    facts.cacheOffReason = cache.faults.offReason
    result.cacheResult = facts.cache?.result
    result.isStored = facts.areStored
    result.receivedBytes = facts.receivedBytes
    result.revalidations = transfer.revalidations
    result.isUnchanged = transfer.isUnchanged
    if let heads = transfer.delivery.heads { result.heads = heads.kept }
  }

  /// Warns of `--tag` and `--pin` if the response is not stored.
  private func warnOfMarks(of transfer: Transfer, in group: TransferGroup) {
    guard transfer.plan.terms.marks != .none, let reason = transfer.facts.cache?.absence else { return }
    if cache.isOff || cache.condition.isReadOnly {
      // That is the same for all URLs, and said once. A run that has to store fails for this reason.
      if cache.failure == nil { cache.warnOfUnwritableMarks() }
      return
    }
    let target = transfer.facts.request?.target ?? transfer.plan.request.target
    group.warnOfMarks(of: transfer.plan, at: target, because: reason, to: diagnostics)
  }

  private var failures: TransferFailures {
    TransferFailures(diagnostics: diagnostics, cache: cache, outputEnd: outputEnd, isAlone: !isParallel)
  }
}
