import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
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
  /// Whether others run transfers meanwhile, and where they all show how far they have come.
  let others: Others?
  private let parties: Exchange.Parties

  struct Others {
    let board: ProgressBoard?
  }

  init(
    context: ProcessContext, diagnostics: Diagnostics, cache: ResponseCache, transport: any Transport,
    records: OriginRecords, outputEnd: OutputEnd, others: Others? = nil
  ) {
    self.context = context
    self.diagnostics = diagnostics
    self.cache = cache
    self.transport = transport
    self.records = records
    self.outputEnd = outputEnd
    self.others = others
    parties = Exchange.Parties(
      cache: cache, clock: context.clock, diagnostics: diagnostics, hosts: records.hosts)
  }

  func run(_ planned: PlannedTransfer, printingOn place: PrintPlace) -> TransferResult {
    let facts = WriteOut.Facts()
    facts.typed = planned.typed
    let result = TransferResult(planned, facts)
    // What a set of options keeps is written though none of its URLs is one.
    let cookies = records.cookies[planned.group]
    switch planned.plan {
    case .success(let plan):
      if plan.delivery.sink == .standardOutput, let failure = outputEnd.failure {
        result.failure = failure
        break
      }
      run(plan, planned, place, cookies, isLast: others == nil && planned.isLast, facts, result)
    case .failure(let failure):
      result.failure = failure
      if case .interrupted = failure { break }
      diagnostics.report(failure, hint: Self.hint(of: planned, failure))
    }
    return result
  }

  private func run(
    _ plan: TransferPlan, _ planned: PlannedTransfer, _ place: PrintPlace, _ cookies: CookieRecord?, isLast: Bool,
    _ facts: WriteOut.Facts, _ result: TransferResult
  ) {
    if plan.storage == .memoryOnly, case .spool(let spool) = place { spool.stayInMemory() }
    diagnostics.hide(plan.terms.keyRules.credentialFields)
    let delivery = Delivery(
      plan.delivery, printingOn: place, diagnostics: diagnostics, clock: context.clock,
      showingProgress: others.map { .amongOthers($0.board, number: planned.number) } ?? .ownLine,
      over: cache.lentRoom)
    defer { others?.board?.note(done: planned.number, isShown: delivery.wantsProgress) }
    let exchange = Exchange(parties: parties.with(cookies), transport: transport, isLast: isLast)
    let transfer = Transfer(plan, exchange: exchange, delivery: delivery, facts: facts)
    if let reachability = plan.reachability { diagnostics.note(reachability.summary) }
    let start = planned.group.writeOut == nil ? 0 : context.clock.monotonic()
    defer {
      if planned.group.writeOut != nil {
        facts.elapsedMicroseconds = Int64(clamping: (context.clock.monotonic() &- start) / 1_000)
      }
    }
    do throws(Failure) {
      try transfer.run()
    } catch {
      let failure = knowingStore(error)
      result.failure = failure
      if transfer.losesPart { result.hint = Self.hintOfLoss }
      let hint =
        result.hint ?? Self.hint(of: planned, failure) ?? Self.hintOfStored(failure, facts.cache, plan)
        ?? Self.hintOfProxy(failure, planned)
      report(failure, hint: hint, of: planned, plan.reachability)
    }
    facts.cacheDisuse = cache.faults.disuse
    result.cacheResult = facts.cache?.result
    result.isStored = facts.areStored
    result.receivedBytes = facts.receivedBytes
    result.revalidations = transfer.revalidations
    result.isUnchanged = transfer.isUnchanged
    if let heads = delivery.heads { result.heads = heads.kept }
  }

  private static let hintOfLoss =
    "no part of it is kept, since it is larger than --max-object-size; with a larger one the next run continues it"

  /// What is not found may be there all the same: in a cache that is not used, or for other requests.
  private func knowingStore(_ failure: Failure) -> Failure {
    guard case .notStored(let target) = failure else { return failure }
    if let disuse = cache.faults.disuse { return .cacheNotUsed(target, because: disuse) }
    return holdsSome(for: target) ? .storedForOthers(target) : failure
  }

  /// Nobody is told of what is stored where the origin cannot be reached, and the policy lets nothing take its place.
  private static func hintOfStored(_ failure: Failure, _ report: CacheReport?, _ plan: TransferPlan) -> String? {
    guard case .transport(let error, _) = failure, error.isDisconnection, report?.wantsOriginInVain == true,
      !plan.terms.storing.forgetsOnError
    else { return nil }
    return "a response for it is stored: --offline takes it, however stale"
  }

  /// An origin that takes itself for a proxy is none.
  private static func hintOfProxy(_ failure: Failure, _ planned: PlannedTransfer) -> String? {
    guard case .httpError(407, _, let target) = failure,
      planned.group.builder.proxies.host(for: target.origin) != nil
    else { return nil }
    return Failure.hintOfProxy
  }

  /// It takes a look at a directory of the store, and is for whoever has asked for few URLs.
  private func holdsSome(for target: TargetURI) -> Bool { others == nil && cache.holdsSome(for: target) }

  /// Where the name of a file was typed for a URL.
  private static func hint(of planned: PlannedTransfer, _ failure: Failure) -> String? {
    switch failure {
    case .transport(.couldNotResolve, _), .malformedURL, .noFileName: break
    default: return nil
    }
    if case .transport = failure, planned.group.builder.invocation.connection.route.dohURL?.bytes.isEmpty == false {
      return "the server of --doh-url was asked, and -v tells how that went"
    }
    if planned.isNameForWget(failure) { return "wget's -O FILE is --output FILE: -O has no value here" }
    let typed = planned.typed
    guard let path = Path(typed.bytes), (try? Descriptor.workingDirectory.status(of: path))?.kind == .regular else {
      return nil
    }
    return "\(typed.visible) is a file: --input-file reads URLs from one, and --output writes one"
  }

  private func report(_ failure: Failure, hint: String?, of planned: PlannedTransfer, _ reachability: Reachability?) {
    // Of the run: whoever carries it out says so once.
    if case .interrupted = failure { return }
    guard outputEnd.claimReport(of: failure) else { return }
    let isForbidden = failure.exitCode == ExitStatus.notCached.rawValue
    var hint = isForbidden ? reachability?.hint : hint
    if case .notStored = failure { hint = hint ?? planned.group.hintOfOffline(for: planned.typed) }
    if case .cacheNotUsed = failure { hint = hint ?? cache.hint }
    diagnostics.report(failure, hint: hint)
  }
}

extension PlannedTransfer {
  /// Whether it stands behind `-O`, and before what is a URL: there, wget has the name of the file.
  ///
  /// - Parameter failure: why it is no URL that can be fetched.
  fileprivate func isNameForWget(_ failure: Failure) -> Bool {
    // What looks like a host with a path is meant to be that, mostly.
    if case .transport = failure, typed.bytes.contains(ASCII.slash), typed.bytes.first != ASCII.slash { return false }
    let invocation = group.builder.invocation
    guard invocation.output.destinations.contains(.remoteName), typed == invocation.operands.first else { return false }
    return !typed.isPlainlyURL && invocation.operands.dropFirst().contains { $0.isPlainlyURL }
  }
}
