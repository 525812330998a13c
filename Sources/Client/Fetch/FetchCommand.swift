import CacheStore
import HTTPSemantics
import Interface
import Platform
import Transport

/// `garner URL...`: one URL after the other; a failure in one does not stop the others.
struct FetchCommand {
  private let plan: FetchPlan
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let exchange: ExchangeParties

  /// What all transfers of a run share.
  private struct ExchangeParties {
    let cache: ResponseCache
    let transport: LazyTransport
    let cookies: CookieRecord?
    let strictHosts: StrictHostRecord?
  }

  init(_ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    self.plan = plan
    self.context = context
    self.diagnostics = diagnostics
    exchange = ExchangeParties(
      cache: ResponseCache(plan.store, context.clock, diagnostics), transport: LazyTransport(context.makeTransport),
      cookies: plan.cookies.map { CookieRecord($0, context, diagnostics) },
      strictHosts: plan.strictHosts.map { StrictHostRecord($0, context, diagnostics) })
  }

  /// - Returns: the exit status of the first transfer that failed, else 0.
  func run() throws(Failure) -> Int32 {
    var revalidations: [Hop] = []
    defer { revalidateInBackground(revalidations) }
    var ending = RunEnding()
    var heads: [UInt8] = []
    for (index, transferPlan) in plan.transfers.enumerated() {
      let delivery = Delivery(
        transferPlan.delivery, standardOutput: context.standardOutput, diagnostics: diagnostics, clock: context.clock)
      let failure = perform(transferPlan, number: index, into: delivery, &revalidations, &ending)
      heads += delivery.heads
      if case .interrupted = failure { break }
    }
    try writeHeads(heads)
    try exchange.cookies?.finish()
    try exchange.strictHosts?.finish()
    return ending.exitCode(whereUnchanged: plan.unchangedStatus)
  }

  private func revalidateInBackground(_ hops: [Hop]) {
    if hops.isEmpty { return }
    var store = plan.store
    // Nobody asks that process for anything.
    store.memory = .nothing
    let revalidation = Revalidation(hops: hops, store: store, context: context)
    context.detach(Revalidation.limitSeconds) { revalidation.run() }
  }

  private func perform(
    _ transferPlan: TransferPlan, number: Int, into delivery: Delivery, _ revalidations: inout [Hop],
    _ ending: inout RunEnding
  ) -> Failure? {
    var transfer = Transfer(
      transferPlan,
      exchange: Exchange(
        cache: exchange.cache, transport: exchange.transport, clock: context.clock, redirects: transferPlan.redirects,
        diagnostics: diagnostics, isLast: number == plan.transfers.count - 1, cookies: exchange.cookies,
        strictHosts: exchange.strictHosts),
      delivery: delivery, clock: context.clock)
    if let reachability = transferPlan.reachability { diagnostics.note(reachability.summary) }
    var failure: Failure?
    do throws(Failure) {
      try transfer.run()
    } catch {
      failure = error
      let isForbidden = error.exitCode == ExitStatus.notCached.rawValue
      diagnostics.report(error, hint: isForbidden ? transferPlan.reachability?.hint : nil)
    }
    revalidations += transfer.revalidations
    ending.note(failure, isUnchanged: transfer.isUnchanged)
    writeOut(transfer.facts, number: number, failure)
    return failure
  }

  private func writeOut(_ facts: WriteOut.Facts, number: Int, _ failure: Failure?) {
    guard let writeOut = plan.writeOut else { return }
    var facts = facts
    facts.urlNumber = number
    facts.exitStatus = failure?.exitCode ?? 0
    facts.errorMessage = failure?.message ?? ""
    let text = writeOut.text(facts) { diagnostics.warn("--write-out: %{\(Escaping.visible($0))} is no variable") }
    // A closed standard output has been reported by the body, where there was one.
    try? context.standardOutput.writeAll(text.output)
    diagnostics.emit(text.diagnostics)
  }

  /// `-D`: the heads that were received, of failed transfers too.
  private func writeHeads(_ heads: [UInt8]) throws(Failure) {
    guard let target = plan.headDump else { return }
    let sink =
      switch target {
      case .standardOutput: BodySink(.standardOutput, standardOutput: context.standardOutput)
      case .file(let path): BodySink(.file(OutputFile(path)), standardOutput: context.standardOutput)
      }
    try sink.write(heads)
    try sink.finish()
  }
}

/// What a run comes to, of all its transfers.
private struct RunEnding {
  private var firstFailure: Int32?
  private var isUnchanged = true

  mutating func note(_ failure: Failure?, isUnchanged: Bool) {
    if firstFailure == nil { firstFailure = failure?.exitCode }
    if !isUnchanged { self.isUnchanged = false }
  }

  /// - Parameter status: of a run that has brought nothing new, where that is a status of its own.
  func exitCode(whereUnchanged status: Int32?) -> Int32 {
    if let firstFailure { return firstFailure }
    return (isUnchanged ? status : nil) ?? ExitStatus.success.rawValue
  }
}

/// A transport that is made when the first request is sent: a hit starts no other program.
private final class LazyTransport: Transport {
  private let make: () -> any Transport
  private var transport: (any Transport)?

  init(_ make: @escaping () -> any Transport) { self.make = make }

  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    try made().send(message, to: receiver, report: &report)
  }

  func prepare() { made().prepare() }

  private func made() -> any Transport {
    let transport = transport ?? make()
    self.transport = transport
    return transport
  }

  func finish() { transport?.finish() }
}
