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
  /// - Parameter urls: of the plan's transfers, one by one.
  func check(_ plan: FetchPlan, _ urls: [ArgumentText], _ context: ProcessContext) throws(Failure) {
    try using("read") { () throws(StoreError) in _ = try store.isPresent() }
    let silence = Diagnostics.silent(context)
    let cache = ResponseCache(StorePlan(root: store.root), clock, silence)
    let cookies = plan.cookies.map { CookieRecord($0, context, silence) }
    let end = invocation.storeCommand.form == .nulSeparated ? [0] : [ASCII.lineFeed]
    var missing = 0
    for (transfer, url) in zip(plan.transfers, urls) {
      if isAnswered(transfer, by: cache, cookies, silence) { continue }
      if let signal = Signals.pending { throw .interrupted(signal) }
      missing += 1
      try printer.write(bytes: (printer.isTerminal ? Array(url.visible.utf8) : url.bytes) + end)
    }
    if missing > 0 { throw .missing(missing, of: urls.count) }
  }

  /// Does what the fetch would do, redirections and verified content included, and delivers it to nobody.
  private func isAnswered(
    _ plan: TransferPlan, by cache: ResponseCache, _ cookies: CookieRecord?, _ diagnostics: Diagnostics
  ) -> Bool {
    var plan = plan
    plan.policy = plan.policy == .cacheOnlyStrict ? .cacheOnlyStrict : .cacheOnly
    // Leaves no trace on the disk: nothing is counted, and no use is noted.
    plan.storage = .memoryOnly
    (plan.storing, plan.marks, plan.retry) = (.none, .none, .never)
    plan.reachability = nil
    plan.failsOnError = false
    plan.delivery = DeliveryPlan(sink: .nowhere, decodesContent: plan.delivery.decodesContent)
    let delivery = Delivery(plan.delivery, standardOutput: printer.output, diagnostics: diagnostics, clock: clock)
    let exchange = Exchange(
      cache: cache, transport: NoTransport(), clock: clock, redirects: plan.redirects, diagnostics: diagnostics,
      isLast: true, cookies: cookies)
    var transfer = Transfer(plan, exchange: exchange, delivery: delivery, clock: clock)
    do throws(Failure) {
      try transfer.run()
      return true
    } catch {
      return false
    }
  }
}

/// For what is answered without a network, or not at all.
private struct NoTransport: Transport {
  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    throw .unsendable(reason: "nothing may be sent")
  }

  func prepare() {}
  func finish() {}
}

extension ProcessContext {
  /// The operands, and behind them the lines of the file that was named; blank ones, and those that begin with `#`, are
  /// skipped.
  func listedURLs(_ invocation: Invocation) throws(Failure) -> [ArgumentText] {
    guard let name = invocation.storeCommand.inputFile else { return invocation.operands }
    let lines = try read(.file(name)).split(separator: ASCII.lineFeed).map { ASCII.trimmed($0) }
    return invocation.operands
      + lines.compactMap { line in
        let line = line.last == ASCII.carriageReturn ? line.dropLast() : line
        return line.isEmpty || line.first == UInt8(ascii: "#") ? nil : ArgumentText(line)
      }
  }
}
