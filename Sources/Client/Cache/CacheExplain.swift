import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The command `garner cache explain`: tells what a fetch would do now, by the functions that a fetch decides with.
extension CacheCommand {
  func explain(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) {
    let requests = PlanBuilder(invocation, context).requestBuilder
    let cookies = try requests.cookiePlan().map { CookieRecord($0, context, diagnostics) }
    let hosts = invocation.connection.route.hstsFile.map { StrictHostRecord($0, context, diagnostics) }
    for typed in invocation.operands {
      try Failure.throwIfInterrupted()
      try explain(try plan(for: typed, settings, context), cookies, hosts, diagnostics)
    }
  }

  private func plan(
    for typed: ArgumentText, _ settings: RunSettings, _ context: ProcessContext
  ) throws(Failure) -> TransferPlan {
    do throws(Failure) {
      return try PlanBuilder(settings.invocation(for: typed), context).transferPlan(for: typed)
    } catch {
      throw settings.inWordsOfUser(error, for: typed, in: settings.groupCount - 1)
    }
  }

  private func explain(
    _ plan: TransferPlan, _ cookies: CookieRecord?, _ hosts: StrictHostRecord?, _ diagnostics: Diagnostics
  ) throws(Failure) {
    let explained = try explained(plan, cookies, hosts, isLast: true, diagnostics)
    if invocation.storeCommand.form == .json {
      try printer.write(explained.json.text + "\n")
    } else {
      try printer.write(explained.text(coloured: printer.usesColor, width: printer.terminalWidth))
    }
    if invocation.storeCommand.requiresPresence, explained.selected == nil {
      let target = explained.request.target
      let found = explained.damaged.first ?? explained.inaccessible.first
      throw found.map { InaccessibleEntries.failure(of: target, $0.damage) } ?? failure(ofAbsent: [target], or: target)
    }
  }

  /// - Parameter isLast: whether nothing is fetched after this request, except what a redirection leads to.
  func explained(
    _ plan: TransferPlan, _ cookies: CookieRecord?, _ hosts: StrictHostRecord?, isLast: Bool,
    _ diagnostics: Diagnostics
  ) throws(Failure) -> ExplainedRequest {
    let cache = ResponseCache(StorePlan(root: store.root, home: store.home, limits: store.limits), clock, diagnostics)
    var hop = Hop(plan)
    hop.request = try plan.request(securedBy: hosts)
    if let cookies { hop.request = cookies.added(to: hop.request) }
    // A look-up under a policy without a network creates nothing in the store.
    (hop.policy, hop.storage) = (.cacheOnly, .allowed)
    let lookup = cache.lookup(hop)
    hop.dropIgnoredRange(of: lookup.selection.stored, by: plan.delivery)
    let request = hop.request
    let selection = lookup.selection
    var terms = hop.reuseTerms(for: selection.stored, into: cookies, isLast: isLast)
    terms.revalidatesLater = cache.canRevalidateLater(plan.storage, cookies)
    let walked = try entries(for: request.target, under: lookup.key)
    // Whether the key's parts can be concealed does not count: this look-up creates no secret, and one under a policy
    // with a network would have created it.
    let bypassReason = plan.bypassReason ?? lookup.bypassReason.flatMap { $0 == .contentUnread ? $0 : nil }
    var explained = ExplainedRequest(
      request: request, key: lookup.key, bypassReason: bypassReason,
      showsSecrets: invocation.storeCommand.showsSecrets,
      explanation: Explanation(
        of: selection, for: request, under: terms, at: clock.timestamp, isBypassing: bypassReason != nil))
    let conceal = cache.concealer(for: hop)
    for entry in walked { add(entry, to: &explained, lookup, concealing: conceal) }
    explained.variants = explained.variants.ordered { $0.stored.responseTime > $1.stored.responseTime }
    if let stored = selection.stored,
      case .to(let next, _) = plan.terms.redirects.redirection(
        of: request, plan.content, by: stored.response, securedBy: hosts)
    {
      explained.redirectTarget = next.target
    }
    if plan.delivery.integrity != nil, request.mayBeAnsweredByDigest {
      explained.digestMatch = cache.digestMatch(
        at: lookup, for: plan.delivery, searching: DigestSearch(for: request, under: plan.policy))
      explained.hasOtherDigest = lookup.hasComparableContent && explained.digestMatch == nil
    }
    return explained
  }

  private func entries(for target: TargetURI, under key: CacheKey) throws(Failure) -> [WalkedEntry] {
    // With a capacity of 0, the disk is turned off, and a fetch does not look at it.
    guard store.limits.capacity > 0 else { return [] }
    return try withStore { () throws(StoreError) in try store.entries(for: target, under: key) }
  }

  /// Adds an entry for the target of the request to the list that it belongs in.
  private func add(
    _ entry: WalkedEntry, to explained: inout ExplainedRequest, _ lookup: CachedLookup,
    concealing conceal: SelectingFields.Concealer
  ) {
    switch entry.state {
    case .damaged(let damage) where damage.mayBeInGoodOrder:
      explained.inaccessible.append((path(of: entry), damage))
    case .damaged(let damage):
      explained.damaged.append((path(of: entry), damage))
    // A look-up for a request that bypasses the cache has no complete key, and nothing is stored for such a request.
    case .response(let stored) where stored.key == explained.key && lookup.bypassReason == nil:
      if let damage = contentDamage(of: entry) {
        explained.damaged.append((path(of: entry), damage))
        return
      }
      explained.variants.append(
        ExplainedRequest.Variant(
          stored: stored, usedAt: Timestamp(secondsSinceEpoch: entry.modified.seconds), path: path(of: entry),
          fileBytes: entry.size, isSelected: stored == lookup.selection.stored,
          comparisons: stored.selecting.comparisons(with: explained.request.fields, concealing: conceal)))
    case .response:
      explained.countForOthers += 1
    }
  }

  /// Returns the damage that a look-up would find beside the head, which the walk has verified.
  private func contentDamage(of entry: WalkedEntry) -> Damage? {
    do throws(StoreError) {
      _ = try store.open(entry)
    } catch .damaged(let damaged) {
      return damaged.damage
    } catch {
      // The look-up reports any other error.
    }
    return nil
  }

  func path(of entry: WalkedEntry) -> String {
    store.root.appending(entry.name.path).description
  }
}

/// An explanation of how a request would be answered.
struct ExplainedRequest {
  /// A stored response under the request's key.
  struct Variant {
    let stored: StoredResponse
    let usedAt: Timestamp
    let path: String
    let fileBytes: Int64
    let isSelected: Bool
    let comparisons: [SelectingFields.Comparison]

    var isMatch: Bool { comparisons.allSatisfy(\.isMatch) }
  }

  let request: Request
  let key: CacheKey
  /// Why a fetch would bypass the cache, if the reason is not its policy.
  let bypassReason: NotStored?
  let showsSecrets: Bool
  let explanation: Explanation
  /// The stored responses under the request's key, the most recent first.
  var variants: [Variant] = []
  /// Responses for the same URL to requests with other credentials, trust or content.
  var countForOthers = 0
  var damaged: [(path: String, damage: Damage)] = []
  /// Entries that belong to other users or may not be read.
  var inaccessible: [(path: String, damage: Damage)] = []
  /// The target that the stored response redirects to. The request for it is not explained here.
  var redirectTarget: TargetURI?
  /// Stored content, for whatever URL, that has the expected digest.
  var digestMatch: DigestMatch?
  /// Whether the content stored for the URL does not have an expected digest, and no other stored content has one.
  var hasOtherDigest = false

  func words(_ target: TargetURI) -> String { showsSecrets ? target.description : Masking.masked(target) }

  var selected: Variant? { variants.first(where: \.isSelected) }
}

extension PolicyVerdict {
  /// What a policy does with a request, as a word of the output.
  enum Action: String {
    case serve, validate, complete, forward, fail
  }

  var action: Action {
    switch ruling.decision {
    case .serve: .serve
    case .validate: .validate
    case .complete: .complete
    case .forward, .resume: .forward
    case .unsatisfiable: .fail
    }
  }

  /// Why the stored response does not suffice, in the terms of RFC 9211; `nil` if it is served.
  var reason: ForwardReason? {
    if case .unsatisfiable(let reason) = ruling.decision { reason } else { ruling.decision.forwardReason }
  }

  /// The status of a response that is made from the stored one; `nil` if the stored one is served whole, or not at
  /// all.
  var madeStatus: StatusCode? {
    guard case .serve(let reuse) = ruling.decision, reuse.form != .whole else { return nil }
    return reuse.head(isValidated: false).status
  }
}
