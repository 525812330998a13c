import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Revalidates, after the run has answered, what the run has served stale.
///
/// - Source: RFC 5861 section 3.
struct Revalidation {
  /// The time after which the background process is ended: nobody waits for it, and nobody would notice that it hangs.
  static let limitSeconds: UInt32 = 60

  let hops: [Hop]
  let store: StorePlan
  /// The hosts as the run knows them. It has written what it learnt, so only what is learnt here is still to be
  /// written.
  let hosts: HostRecords
  let context: ProcessContext

  func run() {
    let diagnostics = Diagnostics.silent(context)
    let cache = ResponseCache(store, context.clock, diagnostics)
    let parties = Exchange.Parties(
      cache: cache, clock: context.clock, diagnostics: diagnostics, hosts: hosts, followsRedirects: false)
    let exchange = Exchange(parties: parties, transport: context.makeTransport(), isLast: false)
    // A response that was served several times, or in parts, is revalidated once.
    var tried: [(key: CacheKey, fields: Fields)] = []
    for var hop in hops {
      let key = widen(&hop, exchange)
      if tried.contains(where: { $0.key == key && $0.fields == hop.request.fields }) { continue }
      tried.append((key, hop.request.fields))
      cache.unlessOtherRunIsAtWork(for: hop) { revalidate(hop, exchange, holding: $0, diagnostics) }
      // Written after each hop, because the next one may take all the remaining time.
      hosts.finish()
    }
  }

  /// Turns a request for a range, for the head, or with a condition into one for the whole if the stored response is
  /// whole, because an answer to the original request would be of no use to it. A stored part is revalidated by the
  /// request as it was made.
  ///
  /// - Returns: the key of the stored response.
  private func widen(_ hop: inout Hop, _ exchange: Exchange) -> CacheKey {
    let lookup = exchange.lookUp(&hop)
    if lookup.selection.stored?.isPart == false {
      if hop.request.method == .head { hop.request.method = .get }
      for name in [FieldName.range, .ifRange, .ifNoneMatch, .ifModifiedSince] { hop.request.fields.removeAll(name) }
    }
    return lookup.key
  }

  private func revalidate(_ hop: Hop, _ exchange: Exchange, holding turn: ForwardingTurn?, _ diagnostics: Diagnostics) {
    var hop = hop
    let lookup = exchange.lookUp(&hop)
    let decision = decideReuse(
      of: lookup.selection, for: hop.request, under: hop.reuseTerms, at: context.clock.timestamp)
    // Another run may have revalidated it meanwhile.
    guard decision.isToBeRevalidated else { return }
    hop.policy = .revalidate
    (hop.retries, hop.resumption) = (nil, nil)
    hop.timeLimitMilliseconds = Int(Self.limitSeconds) * 1000
    let delivery = Delivery(
      .deliveringNothing(decodingContent: false, expecting: nil), printingOn: .standardOutput(context.standardOutput),
      diagnostics: diagnostics, clock: context.clock)
    // A failure does not matter: the next request for the response tries again.
    _ = exchange.perform(&hop, into: delivery, holding: turn)
  }
}
