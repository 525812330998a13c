import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// One URL, fetched through all its redirections.
struct Transfer {
  let plan: TransferPlan
  let exchange: Exchange
  let delivery: Delivery
  let clock: Clock

  /// What there is to tell when it is over, however it ended.
  private(set) var facts = WriteOut.Facts()
  /// Hops that were answered stale, to be brought up to date when the run is over.
  private(set) var revalidations: [Hop] = []

  init(_ plan: TransferPlan, exchange: Exchange, delivery: Delivery, clock: Clock) {
    self.plan = plan
    self.exchange = exchange
    self.delivery = delivery
    self.clock = clock
    facts.request = plan.request
    facts.typedURL = plan.typedURL
    facts.referer = plan.request.fields[.referer]?.text ?? ""
    if case .file(let path) = plan.delivery.sink { facts.filename = path.description }
  }

  mutating func run() throws(Failure) {
    defer { facts.deliveredBytes = delivery.deliveredContent }
    let response = try follow()
    try delivery.finish()
    if plan.failsOnError, response.status.isError {
      throw .httpError(response.status, response.reason, facts.request?.target ?? plan.request.target)
    }
  }

  /// The last response of the chain, delivered.
  private mutating func follow() throws(Failure) -> Response {
    let start = clock.monotonic()
    var hop = Hop(
      request: plan.request, content: plan.content, options: plan.options, trust: plan.trust, policy: plan.policy,
      storage: plan.storage, keyRules: plan.keyRules, leave: plan.leave, storing: plan.storing, marks: plan.marks)
    while true {
      hop.options.timeLimitMilliseconds = try timeLeft(since: start, for: hop.request.target)
      let response = try perform(hop)
      switch plan.redirects.redirection(of: hop.request, hop.content, by: response) {
      case .none:
        return response
      case .malformedLocation(let error):
        throw .malformedLocation(error, hop.request.target)
      case .downgrade(let target):
        throw .downgrade(to: target, from: hop.request.target)
      case .to(let request, let content):
        facts.redirectCount += 1
        if let limit = plan.redirects.limit, facts.redirectCount > limit {
          throw .tooManyRedirects(limit: limit, request.target)
        }
        facts.redirectMicroseconds += facts.report.times.total
        hop.request = request
        hop.content = content
        hop.keyRules = hop.keyRules.behindRedirection
        facts.request = request
      }
    }
  }

  private mutating func perform(_ plain: Hop) throws(Failure) -> Response {
    var hop = plain
    // Of the hop alone: the next one has other cookies.
    if let cookies = exchange.cookies { hop.request = cookies.added(to: plain.request) }
    var exchanged: Exchanged?
    defer {
      facts.response = exchanged?.response
      facts.cache = exchanged?.cache
      facts.report = exchanged?.transfer ?? TransferReport()
      facts.redirectURL = Self.location(of: exchanged?.response, hop.request)
    }
    try exchange.perform(hop, into: delivery, &exchanged)
    // What would come of it may not be stored, and its process would end with it.
    if exchanged?.isToBeRevalidated == true, hop.storage == .allowed { revalidations.append(hop) }
    guard let response = exchanged?.response else { throw .transport(.emptyReply, hop.request.target) }
    return response
  }

  /// Where a redirection that is not followed would have led.
  private static func location(of response: Response?, _ request: Request) -> String {
    guard let response, response.status.rawValue / 100 == 3, let location = response.fields[.location],
      let reference = try? URIReference(location, relativeTo: request.target)
    else { return "" }
    return reference.target.description
  }

  /// Milliseconds that the next hop may take.
  private func timeLeft(since start: UInt64, for target: TargetURI) throws(Failure) -> Int? {
    guard let limit = plan.timeLimitMilliseconds else { return nil }
    let elapsed = Int((clock.monotonic() &- start) / 1_000_000)
    guard elapsed < limit else { throw .transport(.timedOut(.waiting), target) }
    return limit - elapsed
  }
}
