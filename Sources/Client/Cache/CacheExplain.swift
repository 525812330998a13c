import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// `garner cache explain`: what a fetch would do now, found out by the functions that a fetch decides with.
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
      let unread = explained.damaged.first ?? explained.foreign.first
      throw unread.map { ForeignEntries.failure(of: target, $0.damage) } ?? failure(ofAbsent: [target], or: target)
    }
  }

  /// - Parameter isLast: whether nothing is fetched behind it but what a redirection leads to.
  func explained(
    _ plan: TransferPlan, _ cookies: CookieRecord?, _ hosts: StrictHostRecord?, isLast: Bool,
    _ diagnostics: Diagnostics
  ) throws(Failure) -> ExplainedRequest {
    let cache = ResponseCache(StorePlan(root: store.root, limits: store.limits), clock, diagnostics)
    var hop = Hop(plan)
    hop.request = try plan.request(securedBy: hosts)
    if let cookies { hop.request = cookies.added(to: hop.request) }
    // A look-up that may not go on to the network makes nothing in the store.
    (hop.policy, hop.storage) = (.cacheOnly, .allowed)
    let lookup = cache.lookup(hop)
    if plan.delivery.ignoresRange(of: lookup.selection.stored) { hop.request.fields.removeAll(.range) }
    let request = hop.request
    let conceal = cache.concealer(for: hop)
    let key = lookup.key
    let selection = lookup.selection
    var terms = hop.reuseTerms
    terms.takesCookies = hop.takesCookies(setBy: selection.stored, into: cookies, isLast: isLast)
    terms.revalidatesLater = cache.canRevalidateLater(plan.storage, cookies)
    var walked: [WalkedEntry] = []
    // Of a disk that is turned off, a fetch knows nothing.
    if store.limits.capacity > 0 {
      try using("read") { () throws(StoreError) in walked = try store.entries(for: request.target, under: key) }
    }
    var explained = ExplainedRequest(
      request: request, key: key, keptOut: plan.keptOut ?? lookup.keptOut.flatMap { $0 == .contentUnread ? $0 : nil },
      showsSecrets: invocation.storeCommand.showsSecrets,
      explanation: Explanation(of: selection, for: request, under: terms, at: clock.timestamp))
    for entry in walked {
      switch entry.state {
      case .damaged(let damage) where damage.isForeign || damage.isUnread:
        explained.foreign.append((path(of: entry), damage))
      case .damaged(let damage):
        explained.damaged.append((path(of: entry), damage))
      // Without a secret nothing is stored for such a request, and the key is not all of what it would have.
      case .response(let stored) where stored.key == key && lookup.keptOut == nil:
        if let damage = contentDamage(of: entry) {
          explained.damaged.append((path(of: entry), damage))
          continue
        }
        explained.variants.append(
          ExplainedRequest.Variant(
            stored: stored, usedAt: Timestamp(secondsSinceEpoch: entry.modified.seconds), path: path(of: entry),
            fileBytes: entry.size, isSelected: stored == selection.stored,
            comparisons: stored.selecting.comparisons(with: request.fields, concealing: conceal)))
      case .response:
        explained.countForOthers += 1
      }
    }
    if let stored = selection.stored,
      case .to(let next, _) = plan.terms.redirects.redirection(
        of: request, plan.content, by: stored.response, securedBy: hosts)
    {
      explained.redirectTarget = next.target
    }
    if plan.delivery.integrity != nil, request.mayBeKnown {
      explained.known = cache.known(
        lookup, for: plan.delivery, searching: DigestSearch(for: request, under: plan.policy))
      explained.hasOtherDigest = lookup.holdsWhole && explained.known == nil
    }
    explained.variants = explained.variants.ordered { $0.stored.responseTime > $1.stored.responseTime }
    return explained
  }

  /// What a look-up would have found wrong beside the head, which the walk has verified.
  private func contentDamage(of entry: WalkedEntry) -> Damage? {
    do throws(StoreError) {
      _ = try store.open(entry)
    } catch .damaged(let damaged) {
      return damaged.damage
    } catch {
      // Anything else is told of by the look-up.
    }
    return nil
  }

  func path(of entry: WalkedEntry) -> String {
    store.root.appending(entry.name.path).description
  }
}

/// All that there is to tell of how a request would be answered.
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
  /// Why a fetch would let the cache alone, where that is not the policy's word.
  let keptOut: NotStored?
  let showsSecrets: Bool
  let explanation: Explanation
  /// The most recent first.
  var variants: [Variant] = []
  /// Responses for the same URL to requests with other credentials, trust or content.
  var countForOthers = 0
  var damaged: [(path: String, damage: Damage)] = []
  /// Of other users, or such as may not be read.
  var foreign: [(path: String, damage: Damage)] = []
  /// Where a fetch would go on to from what is stored; that would be explained by itself.
  var redirectTarget: TargetURI?
  /// What is stored, for whatever URL, and has the digest that is expected.
  var known: KnownContent?
  /// Whether what is stored for the URL has none that is expected, and nothing else has.
  var hasOtherDigest = false

  func words(_ target: TargetURI) -> String { showsSecrets ? target.description : Masking.masked(target) }

  var selected: Variant? { variants.first(where: \.isSelected) }
}

extension PolicyVerdict {
  /// What is done, in a word.
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

  /// In RFC 9211's words; `nil` for what is served.
  var reason: ForwardReason? {
    if case .unsatisfiable(let reason) = ruling.decision { reason } else { ruling.decision.forwardReason }
  }

  /// The status of what is served; `nil` where it is what is stored, whole.
  var madeStatus: StatusCode? {
    guard case .serve(let reuse) = ruling.decision, reuse.form != .whole else { return nil }
    return reuse.head(isValidated: false).status
  }
}
