import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// One URL, fetched through all its redirections.
final class Transfer {
  let plan: TransferPlan
  let exchange: Exchange
  let delivery: Delivery

  /// What there is to report when the transfer is over, however it ended.
  let facts: WriteOut.Facts
  /// Hops that were answered stale, to be revalidated when the run is over.
  private(set) var revalidations: [Hop] = []
  /// Whether what came is not kept only because the whole is too large.
  private(set) var losesPart = false
  /// `nil` if nothing is tried again.
  private let retries: RetryBudget?
  /// When the present attempt began.
  private var start: UInt64 = 0

  init(
    _ plan: TransferPlan, exchange: Exchange, delivery: Delivery, facts: WriteOut.Facts = WriteOut.Facts()
  ) {
    self.facts = facts
    self.plan = plan
    self.exchange = exchange
    self.delivery = delivery
    let (rules, failsOnError) = (plan.terms.retry, plan.terms.failsOnError)
    retries =
      rules.maximumRetries > 0
      ? RetryBudget(rules, failsOnError: failsOnError, clock: exchange.clock) : nil
    facts.request = plan.request
    facts.typed = plan.typed
    facts.file = delivery.sink.path
  }

  func run() throws(Failure) {
    defer { facts.deliveredBytes = delivery.deliveredBytes }
    if case .file(let file) = plan.delivery.sink, file.path == nil, !file.takesServersName {
      throw .noFileName(plan.request.target)
    }
    let response: Response
    do throws(Failure) {
      response = try follow()
    } catch {
      if delivery.keepBeginning(after: error) { losesPart = false }
      // The message names the typed URL, wherever that has led to.
      if case .noFileName = error { throw .noFileName(plan.request.target) }
      throw error
    }
    try delivery.finish()
    facts.file = delivery.sink.path
    if plan.terms.failsOnError, response.status.isError, delivery.use != .nothingMissing {
      let target = facts.request?.target ?? plan.request.target
      if let length = plan.delivery.length(ofShorter: response) {
        throw .endsBefore(offset: plan.delivery.continuesAt, length: length, target)
      }
      switch facts.cache?.result {
      case .hit, .stale: throw .storedError(response.status, response.reason, target)
      default: throw .httpError(response.status, response.reason, target)
      }
    }
    if delivery.use == .errorInPlaceOfRest { throw .notContinued(facts.request?.target ?? plan.request.target) }
  }

  private var clock: Clock { exchange.clock }

  /// Whether the transfer brought nothing new: the output file held the content already, or there is no such file, and
  /// the content was stored before.
  var isUnchanged: Bool {
    if delivery.use == .nothingMissing || delivery.isNotModified { return true }
    return switch delivery.sink.publication {
    case .unchanged: true
    // Another run may have stored the content, and this file held something else until now (docs/decisions/0055).
    case .published: false
    case .written, nil: facts.cache?.result.isServed == true
    }
  }

  /// Follows redirections, and returns the last response of the chain, which has been delivered.
  private func follow() throws(Failure) -> Response {
    start = clock.monotonic()
    var hop = Hop(plan)
    let hosts = exchange.parties.hosts.strictHosts
    // Without them, the plan's request is used as it is.
    if let hosts {
      hop.request = try plan.request(securedBy: hosts)
      facts.request = hop.request
    }
    var first: Request?
    while true {
      let response = try perform(hop)
      guard exchange.parties.follows(response, to: hop) else { return response }
      first = first ?? hop.request
      let redirection = plan.terms.redirects.redirection(
        of: hop.request, hop.content, by: response, after: first, hasNetrcLogin: plan.hasNetrcLogin,
        securedBy: hosts)
      switch redirection {
      case .none:
        return response
      case .malformedLocation(let error):
        throw .malformedLocation(error, hop.request.target)
      case .downgrade(let target):
        throw .downgrade(to: target, from: hop.request.target)
      case .forbidden(let target):
        throw .redirectNotAllowed(to: target, from: hop.request.target)
      case .to(let request, let content):
        // Stored redirections may lead in a circle without end.
        try Failure.throwIfInterrupted()
        guard content.canBeSent else { throw .transport(.contentSpent, request.target) }
        if let limit = plan.terms.redirects.limit, facts.redirectCount >= limit {
          throw .tooManyRedirects(limit: limit, request.target)
        }
        facts.noteRedirect()
        delivery.settleHeads()
        hop.request = request
        hop.content = content
        hop.isRedirected = true
        hop.showsClientCertificate = plan.terms.redirects.showsClientCertificate(to: request, after: first)
        facts.request = request
      }
    }
  }

  private func perform(_ hop: Hop) throws(Failure) -> Response {
    var tried = hop
    while true {
      // Added to this attempt alone: the next one, and the next hop, may have other cookies.
      if let cookies = exchange.parties.cookies { tried.request = cookies.added(to: tried.request) }
      tried.retries = retries
      tried.timeLimitMilliseconds = try timeLeft(for: hop.request.target)
      switch try attempt(&tried) {
      case .response(let response): return response
      case .retry(let retry):
        try pause(before: retry)
        tried = hop
        tried.resumption = retry.resumption
      }
    }
  }

  private func pause(before retry: Retry) throws(Failure) {
    // Tenths of a second, rounded up: nobody notices less.
    let tenths = (retry.pause + 99_999_999) / 100_000_000
    let seconds = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    let left = retries?.left ?? 0
    exchange.diagnostics.warn("\(retry.reason.message); trying again in \(seconds) s (tries left: \(left))")
    clock.pause(retry.pause)
    try Failure.throwIfInterrupted()
    retries?.begin()
    start = clock.monotonic()
  }

  private enum Outcome {
    case response(Response)
    case retry(Retry)
  }

  private func attempt(_ hop: inout Hop) throws(Failure) -> Outcome {
    let outcome = exchange.perform(&hop, into: delivery)
    outcome.takeCertificates(of: facts.lastOutcome)
    facts.lastOutcome = outcome
    losesPart = losesPart || outcome.losesPart
    facts.redirectURL = Self.location(of: outcome.response, hop.request)
    if let failure = outcome.failure { throw failure }
    if let retry = outcome.retry { return .retry(retry) }
    if outcome.isToBeRevalidated { revalidations.append(hop) }
    if let retries, let response = outcome.response, retries.wouldRepeat(response), !hop.content.isRepeatable {
      exchange.diagnostics.warn("not tried again: the content that was sent can be read only once")
    }
    guard let response = outcome.response else { throw .transport(.emptyReply, hop.request.target) }
    return .response(response)
  }

  /// Returns where a redirection that is not followed would have led; the text of its Location if that is no http URL.
  private static func location(of response: Response?, _ request: Request) -> String {
    guard let response, response.status.rawValue / 100 == 3, let location = response.fields[.location],
      !location.bytes.isEmpty
    else { return "" }
    guard let reference = try? URIReference.received(location, relativeTo: request.target) else { return location.text }
    return reference.target.description + URIReference.fragment(of: location.bytes)
  }

  /// Milliseconds that the next hop may take.
  private func timeLeft(for target: TargetURI) throws(Failure) -> Int? {
    guard let limit = plan.terms.timeLimitMilliseconds else { return nil }
    let elapsed = clock.milliseconds(since: start)
    guard elapsed < limit else { throw .transport(.timedOut(.waiting), target) }
    return limit - elapsed
  }
}
