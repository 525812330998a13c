import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Brings up to date what a run has served stale, when it has answered.
///
/// - Source: RFC 5861 section 3.
struct Revalidation {
  /// After which the process that does it is ended: nobody waits for it, and nobody would notice that it hangs.
  static let limitSeconds: UInt32 = 60

  let hops: [Hop]
  let store: StorePlan
  let context: ProcessContext

  func run() {
    let diagnostics = Diagnostics.silent(context)
    let cache = ResponseCache(store, context.clock, diagnostics)
    let exchange = Exchange(
      cache: cache, transport: context.makeTransport(), clock: context.clock,
      redirects: RedirectRules(areFollowed: false), diagnostics: diagnostics, isLast: false)
    for hop in hops {
      cache.alone(with: hop) { revalidate(hop, exchange, leading: $0, diagnostics) }
    }
  }

  private func revalidate(_ hop: Hop, _ exchange: Exchange, leading lead: Lead?, _ diagnostics: Diagnostics) {
    var hop = hop
    let lookup = exchange.cache.lookup(&hop)
    let decision = decideReuse(
      of: lookup.selection, for: hop.request, under: hop.policy, by: hop.terms.leave, at: context.clock.timestamp)
    // Another run may have done it meanwhile.
    guard case .serve(let reuse) = decision, reuse.grant == .staleWhileRevalidate else { return }
    hop.policy = .revalidate
    hop.attempts = nil
    hop.timeLimitMilliseconds = Int(Self.limitSeconds) * 1000
    let delivery = Delivery(
      DeliveryPlan(sink: .nowhere), printingOn: .standardOutput(context.standardOutput), diagnostics: diagnostics,
      clock: context.clock)
    // What fails now is tried again when the response is asked for again.
    _ = exchange.perform(hop, into: delivery, leading: lead)
  }
}
