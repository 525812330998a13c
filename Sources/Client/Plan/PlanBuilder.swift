import CacheStore
import ContentCoding
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// A builder of plans from what was typed: it fills in defaults, finds contradictions and reads files with data.
final class PlanBuilder {
  let invocation: Invocation
  let context: ProcessContext
  let requestBuilder: RequestBuilder
  private(set) lazy var terms = makeTerms()
  /// Files that the run's sets of options name for something other than content; empty if there is only one set.
  var filesOfRun: [OutputFile.Other] = []
  /// The delivery of content that is printed from its beginning, which is the same for all URLs.
  private var sharedDelivery: DeliveryPlan?
  /// The number of URLs that share `terms` and `sharedDelivery` so far.
  private var sharingCount = 0
  /// The most URLs to share them: as many as a thread takes at a time. References to what all URLs share are counted
  /// dozens of times for each URL, and two threads that count the same reference wait for each other.
  private static let maximumSharingCount = 32
  // Found out once for all URLs.
  private lazy var printsOnTerminal = context.standardOutput.isTerminal
  private lazy var holdingSpace = DeliveryPlan.HoldingSpace(
    directory: invocation.cache.storage == .memoryOnly ? nil : context.temporaryDirectory,
    memoryCapacity: invocation.cache.memoryCapacity ?? MemoryPlan.defaultCapacity)

  init(_ invocation: Invocation, _ context: ProcessContext, _ netrcFiles: NetrcFiles = NetrcFiles()) {
    self.invocation = invocation
    self.context = context
    requestBuilder = RequestBuilder(
      invocation.request, directives: invocation.freshness.requestDirectives, context, netrcFiles)
  }

  /// - Parameter settings: the settings whose invocation for the run is this builder's.
  func fetchPlan(_ settings: RunSettings) throws(Failure) -> FetchPlan {
    let transfers = try TransferQueue(settings, self)
    var store = storePlan()
    let (many, isPrefetch) = (invocation.many, invocation.command == .prefetch)
    // A prefetch keeps nothing in memory besides the disk, because that does not fill the cache.
    store.memory = memoryPlan(transfers.hasOneURL || isPrefetch ? .memoryOnly : .everything)
    store.isNeeded = isPrefetch
    return FetchPlan(
      transfers: transfers, store: store,
      parallelLimit: many.isParallel ?? isPrefetch ? many.parallelLimit : 1,
      endsEarly: many.endsEarly, unchangedStatus: invocation.output.unchangedStatus,
      strictHosts: invocation.connection.route.hstsFile, alternatives: invocation.connection.route.altSvcFile)
  }

  /// Makes the plan for the URL of a command that takes URLs as they are, without globs.
  func transferPlan(for typed: ArgumentText) throws(Failure) -> TransferPlan {
    try checkOptions()
    let policy = policyChoice(knowing: nil)
    let content = try RequestContent(invocation.request, context)
    return try transferPlan(for: typed, at: OutputPlace(position: 0), sending: content, headsTo: nil, policy)
  }

  /// The position of a URL among the places for output.
  struct OutputPlace {
    /// The position of its operand, or of its line.
    let position: Int
    /// The texts for `#1`, `#2` and so on in the name of a file.
    var choices: [[UInt8]] = []
  }

  func storePlan() -> StorePlan {
    let directories = BaseDirectories(context.environment)
    var plan = StorePlan(limits: storeLimits())
    if let typed = invocation.cache.directory {
      plan.root = Path(typed.bytes)
    } else {
      plan.root = directories.cache?.appending("garner")
      plan.home = directories.homeOfCache
      if plan.root == nil { plan.noDirectory = .noStoreDirectory(relative: directories.relativeCacheVariable) }
    }
    plan.dropsDamaged = true
    if let limit = invocation.cache.collapseTimeout { plan.collapseLimitNanoseconds = Self.nanoseconds(limit) }
    return plan
  }

  private func storeLimits() -> StoreLimits {
    StoreLimits(
      capacity: invocation.cache.diskCapacity ?? StoreLimits.defaultCapacity,
      largestContent: invocation.cache.largestObject, isDurable: invocation.cache.isDurable)
  }

  /// Returns a builder for other options of the same run.
  func with(_ invocation: Invocation) -> PlanBuilder {
    let builder = PlanBuilder(invocation, context, requestBuilder.netrcFiles)
    builder.filesOfRun = filesOfRun
    return builder
  }

  // MARK: The request

  /// - Parameters:
  ///   - content: what is sent to every URL without an upload of its own.
  ///   - headDump: the dump of the URL's set of options.
  func transferPlan(
    for typed: ArgumentText, at place: OutputPlace, sending content: RequestContent, headsTo headDump: HeadDump?,
    _ policy: PolicyChoice
  ) throws(Failure) -> TransferPlan {
    renewShared()
    let reference = try reference(typed)
    let scheme = reference.target.origin.scheme
    // With a file of hosts that are asked over TLS only, the scheme is not settled yet.
    guard invocation.connection.route.hstsFile != nil || invocation.connection.route.schemes.allows(scheme) else {
      throw .schemeNotAllowed(scheme, typed.visible)
    }
    let reachability = policy.reachability(of: reference.target)
    let cachePolicy = policy.named ?? reachability?.policy ?? .useProtocol
    var (request, content, hasNetrcLogin) = try requestBuilder.message(to: reference, at: place.position, content)
    request.postIsQuery = invocation.key.cachesPosts
    let delivery = try delivery(at: place, of: request.target, typed, request.method, headsTo: headDump)
    if delivery.continuesAt > 0 {
      request.fields.set(.range, ByteRange.from(delivery.continuesAt, through: nil).fieldValue)
    }
    requestBuilder.declineCodings(of: &request)
    return TransferPlan(
      typed: typed,
      request: request,
      content: content,
      policy: cachePolicy,
      storage: cachePolicy == .noStore ? .notAllowed : invocation.cache.storage ?? .allowed,
      bypassReason: terms.options.skipsContent ? .contentSkipped : nil,
      reachability: reachability,
      delivery: delivery,
      terms: terms,
      hasNetrcLogin: hasNetrcLogin)
  }

  private func renewShared() {
    if sharingCount == Self.maximumSharingCount {
      sharingCount = 0
      terms = terms.copy
      sharedDelivery = nil
      requestBuilder.renewShared()
    }
    sharingCount += 1
  }

  private func makeTerms() -> TransferTerms {
    let options = transferOptions()
    return TransferTerms(
      options: options,
      trust: connectionTrust(),
      timeLimitMilliseconds: invocation.connection.totalTimeLimit.map(Self.milliseconds),
      keyRules: keyRules(),
      stalePermission: invocation.freshness.stalePermission,
      unsentDirectives: requestBuilder.unsentDirectives,
      storing: storingRules,
      hook: storeHook,
      marks: marks,
      redirects: redirectRules(),
      retry: retryRules(),
      failsOnError: invocation.output.errorStatus != .succeeds)
  }

  func reference(_ typed: ArgumentText) throws(Failure) -> URIReference {
    try typed.reference(dotSegments: invocation.request.keepsDotSegments ? .kept : .removed)
  }

  /// Checks that no options contradict each other, and that the file of a pinned key can be read.
  func checkOptions() throws(Failure) {
    try requestBuilder.checkContradictions()
    if invocation.cache.offline != nil, let option = invocation.cache.policyOption {
      throw .contradiction("--offline and \(option.spelling) contradict each other")
    }
    try checkContinuation()
    if invocation.integrity.isContradicted { throw ExpectedDigests.twice }
    let security = invocation.connection.security
    if security.minimumVersion == .tls13, security.maximumVersion == .tls12 {
      throw .contradiction("--tlsv1.3 and --tls-max 1.2 contradict each other")
    }
    // libcurl takes a file that cannot be read for one with other keys.
    if let key = security.pinnedKey, !key.bytes.starts(with: "sha256//".utf8) { _ = try context.status(of: key) }
    if invocation.output.includesHead, invocation.output.takesServersName {
      throw .contradiction("--include and --remote-header-name cannot be combined")
    }
    if invocation.cache.storage == .memoryOnly, invocation.cache.policy == .noStore,
      let option = invocation.cache.policyOption
    {
      throw .contradiction("--memory-only stores in memory, and \(option.spelling) stores nothing")
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
      keepsMethod: invocation.request.method != nil, setsReferer: requestBuilder.setsReferer,
      typedSchemes: connection.route.schemes,
      schemes: connection.route.schemes.intersection(connection.route.redirectSchemes ?? .all),
      allowsDowngrade: connection.route.redirectSchemes != nil, credentialFields: credentialFields)
  }

  // MARK: The cache

  /// The policy that an option names; `nil` without one.
  var namedPolicy: CachePolicy? {
    switch invocation.cache.offline {
    case .lenient: .cacheOnly
    case .strict: .cacheOnlyStrict
    case nil: invocation.cache.policy
    }
  }

  private func memoryPlan(_ scope: MemoryPlan.Scope) -> MemoryPlan {
    MemoryPlan(capacity: invocation.cache.memoryCapacity ?? MemoryPlan.defaultCapacity, scope: scope)
  }

  // MARK: Times

  /// Returns at least 1, because libcurl takes 0 for no limit.
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
    at place: OutputPlace, of target: TargetURI, _ typed: ArgumentText, _ method: Method, headsTo headDump: HeadDump?
  ) throws(Failure) -> DeliveryPlan {
    let output = invocation.output
    var sink = try sink(at: place, of: target, typed)
    let continuesAt = try continuationOffset(into: &sink)
    let showsContent = printsOnTerminal && sink == .standardOutput
    // A URL for which no place was typed shares its delivery with the others.
    let isShared = sink == .standardOutput && continuesAt == 0 && place.position >= output.destinations.count
    if isShared, let sharedDelivery { return sharedDelivery }
    let plan = DeliveryPlan(
      sink: sink,
      includesHeads: output.includesHead || invocation.request.wantsHead,
      headDump: headDump,
      isHeadOnly: method == .head || invocation.request.wantsHead,
      decodesContent: invocation.request.acceptsCodings,
      maximumRatio: maximumRatio,
      // A run that fails leaves a named file as it was.
      suppressesErrors: omitsErrors || output.errorStatus == .failsWithoutBody
        || (output.errorStatus == .failsWithBody && sink.isFile),
      printsOnTerminal: printsOnTerminal,
      refusesBinary: showsContent && place.position >= output.destinations.count,
      progress: output.progress,
      maximumSize: invocation.resilience.maximumSize.map { UInt64($0) },
      integrity: invocation.integrity.expected,
      holdingSpace: holdingSpace,
      continuesAt: continuesAt,
      keepsBeginning: invocation.resilience.continuation == .fromEndOfFile && sink.isFile)
    if isShared { sharedDelivery = plan }
    return plan
  }

  private var maximumRatio: Int64? {
    switch invocation.resilience.maximumRatio {
    case nil: ContentDecoder.defaultRatio
    case .atMost(let ratio): Int64(ratio)
    case .unlimited: nil
    }
  }

  func headDump() throws(Failure) -> HeadDump? {
    switch invocation.output.headDestination {
    case nil, .remoteName: return nil
    case .standardOutput: return .standardOutput
    case .file(let name):
      let makesDirectories = invocation.output.createsDirectories
      // A dry run makes no directories, and without them the file cannot be checked.
      if makesDirectories, invocation.output.isDryRun { return nil }
      return try HeadDump(path(name, of: "--dump-header"), makingDirectories: makesDirectories)
    }
  }

  func writeOut() throws(Failure) -> WriteOut? {
    guard let source = invocation.output.writeOut else { return nil }
    var format = try context.read(source, for: "--write-out", upTo: .settings)
    // As in curl's file2string: a file's line ends are only layout, and `\n` stands for one that is meant.
    if case .file = source { format.removeAll { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed } }
    return WriteOut(format: format)
  }

  /// - Parameter option: the option that gave the name.
  func path(_ name: ArgumentText, of option: String) throws(Failure) -> Path {
    guard let path = Path(name.bytes) else { throw .contradiction("\(option): the name of the file is empty") }
    return path
  }
}
