import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// Makes a plan of what was typed: defaults are filled in, contradictions found, files with data read.
struct PlanBuilder {
  let invocation: Invocation
  let context: ProcessContext

  /// - Parameter settings: of which the invocation is what counts for the run.
  func fetchPlan(_ settings: RunSettings) throws(Failure) -> FetchPlan {
    try checkContradictions()
    let content = try RequestContent(invocation.request, context)
    var transfers: [TransferPlan] = []
    var path: NetworkPath?
    for (index, typed) in invocation.operands.enumerated() {
      let builder = PlanBuilder(invocation: settings.invocation(for: typed), context: context)
      try builder.checkContradictions()
      var policy = builder.policyChoice(knowing: path)
      transfers.append(try builder.transfer(typed, at: index, content, &policy))
      path = policy.check?.path ?? path
    }
    var store = storePlan()
    store.memory = memoryPlan(for: transfers)
    return FetchPlan(
      transfers: transfers, store: store, writeOut: try writeOut(), headDump: try headDump(),
      cookies: try requestBuilder.cookiePlan(), unchangedStatus: invocation.output.unchangedStatus,
      strictHosts: invocation.connection.route.hstsFile)
  }

  func storePlan() -> StorePlan {
    var plan = StorePlan(root: storeRoot(), limits: storeLimits())
    if let limit = invocation.cache.collapseTimeout { plan.collapseLimitNanoseconds = Self.nanoseconds(limit) }
    return plan
  }

  private func storeRoot() -> Path? {
    if let typed = invocation.cache.directory { return Path(typed.bytes) }
    return BaseDirectories(context.environment).cache?.appending("garner")
  }

  private func storeLimits() -> StoreLimits {
    StoreLimits(
      capacity: invocation.cache.diskCapacity ?? StoreLimits.defaultCapacity,
      largestContent: invocation.cache.largestObject, isDurable: invocation.cache.isDurable)
  }

  // MARK: The request

  private func transfer(
    _ typed: ArgumentText, at index: Int, _ content: RequestContent, _ policy: inout PolicyChoice
  ) throws(Failure) -> TransferPlan {
    let reference = try reference(typed)
    let scheme = reference.target.origin.scheme
    guard invocation.connection.route.schemes.allows(scheme) else {
      throw .schemeNotAllowed(scheme, typed.visible)
    }
    let reachability = policy.reachability(of: reference.target)
    let cachePolicy = policy.named ?? reachability?.policy ?? .useProtocol
    var (request, content) = try requestBuilder.message(to: reference, at: index, content)
    let delivery = try delivery(at: index, of: request.target, request.method)
    if delivery.continuesAt > 0 { request.fields.set(.range, FieldValue("bytes=\(delivery.continuesAt)-")) }
    return TransferPlan(
      typedURL: typed.visible,
      request: request,
      content: content,
      options: transferOptions(),
      trust: trust(),
      timeLimitMilliseconds: invocation.connection.totalTimeLimit.map(Self.milliseconds),
      policy: cachePolicy,
      storage: cachePolicy == .noStore ? .notAllowed : invocation.cache.storage ?? .allowed,
      leave: invocation.freshness.leave,
      storing: storingRules,
      hook: storeHook,
      marks: marks,
      reachability: reachability,
      redirects: redirectRules(),
      retry: retryRules(),
      delivery: delivery,
      failsOnError: invocation.output.errorStatus != .succeeds)
  }

  func reference(_ typed: ArgumentText) throws(Failure) -> URIReference {
    do throws(URIError) {
      return try URIReference(
        typed: typed.bytes, dotSegments: invocation.request.keepsDotSegments ? .kept : .removed)
    } catch {
      throw .malformedURL(typed.visible, error)
    }
  }

  private var requestBuilder: RequestBuilder {
    RequestBuilder(
      options: invocation.request, directives: invocation.freshness.requestDirectives, context: context)
  }

  private func checkContradictions() throws(Failure) {
    try requestBuilder.checkContradictions()
    if invocation.cache.offline != nil, let option = invocation.cache.policyOption {
      throw .contradiction("--offline and \(option) contradict each other")
    }
    if invocation.resilience.continuation != nil {
      let request = invocation.request
      if request.sendsContent || request.wantsHead { throw .contradiction("--continue-at is for what a GET brings") }
      if request.range != nil { throw .contradiction("--continue-at and --range cannot be combined") }
      if invocation.output.takesServersName {
        throw .contradiction("--continue-at and --remote-header-name cannot be combined")
      }
    }
    if invocation.output.includesHead, invocation.output.takesServersName {
      throw .contradiction("--include and --remote-header-name cannot be combined")
    }
    if invocation.cache.storage == .memoryOnly, invocation.cache.policy == .noStore {
      let option = invocation.cache.policyOption ?? "--no-store"
      throw .contradiction("--memory-only stores in memory, and \(option) stores nothing")
    }
  }

  private func redirectRules() -> RedirectRules {
    let connection = invocation.connection
    let limit: Int? =
      switch connection.redirectLimit {
      case .unlimited: nil
      case .atMost(let count): count
      }
    return RedirectRules(
      areFollowed: connection.followsRedirects, limit: limit, trustsEveryOrigin: connection.trustsRedirects,
      keepsMethod: invocation.request.method != nil,
      schemes: connection.route.schemes.intersection(connection.route.redirectSchemes ?? .all),
      allowsDowngrade: connection.route.redirectSchemes != nil)
  }

  // MARK: The cache

  /// `nil` where nobody names one.
  var namedPolicy: CachePolicy? {
    switch invocation.cache.offline {
    case .lenient: .cacheOnly
    case .strict: .cacheOnlyStrict
    case nil: invocation.cache.policy
    }
  }

  private func memoryPlan(for transfers: [TransferPlan]) -> MemoryPlan {
    MemoryPlan(
      capacity: invocation.cache.memoryCapacity ?? MemoryPlan.defaultCapacity,
      holding: transfers.count > 1 ? .everything : .memoryOnly)
  }

  // MARK: Times

  /// At least one: libcurl takes 0 for no limit.
  static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return max(1, Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  static func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    return UInt64(clamping: seconds) &* 1_000_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000)
  }

  // MARK: The output

  private func delivery(
    at index: Int, of target: TargetURI, _ method: Method
  ) throws(Failure) -> DeliveryPlan {
    let output = invocation.output
    var plan = DeliveryPlan()
    plan.sink = try sink(at: index, of: target)
    plan.maximumSize = invocation.resilience.maximumSize.map { UInt64($0) }
    plan.continuesAt = try continuationOffset(into: &plan.sink)
    plan.includesHeads = output.includesHead || invocation.request.wantsHead
    plan.isHeadOnly = method == .head
    plan.decodesContent = invocation.request.acceptsCodings
    // A run that fails leaves a named file as it was.
    plan.suppressesErrors =
      output.errorStatus == .failsWithoutBody || (output.errorStatus == .failsWithBody && plan.sink.isFile)
    let isTerminal = plan.sink == .standardOutput && context.standardOutput.isTerminal
    plan.isTerminal = isTerminal
    // A progress line would stand amid the content that a terminal shows.
    plan.wantsProgress = output.progress == .bar || (output.progress == .automatic && !isTerminal)
    return plan
  }

  private func headDump() throws(Failure) -> FetchPlan.HeadDump? {
    switch invocation.output.headDestination {
    case nil, .remoteName: return nil
    case .standardOutput: return .standardOutput
    case .file(let name): return .file(try path(name))
    }
  }

  private func writeOut() throws(Failure) -> WriteOut? {
    guard let source = invocation.output.writeOut else { return nil }
    return WriteOut(format: try context.read(source))
  }

  func path(_ name: ArgumentText) throws(Failure) -> Path {
    guard let path = Path(name.bytes) else { throw .contradiction("a file's name is empty") }
    return path
  }
}
