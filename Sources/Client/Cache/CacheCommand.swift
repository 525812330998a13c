import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// `garner cache ...`: looks at the store and removes from it; never touches the network.
struct CacheCommand {
  let invocation: Invocation
  let store: Store
  let clock: Clock
  let printer: Printer

  init(
    _ invocation: Invocation, _ plan: StorePlan, _ context: ProcessContext, _ printer: Printer
  ) throws(Failure) {
    guard let root = plan.root else {
      throw .store("there is no directory for the cache: set HOME, XDG_CACHE_HOME or GARNER_CACHE_DIR")
    }
    self.invocation = invocation
    self.printer = printer
    store = Store(root: root, clock: context.clock, limits: plan.limits)
    clock = context.clock
  }

  func run() throws(Failure) {
    switch invocation.command {
    case .cacheLs: try list()
    case .cacheShow: try show()
    case .cacheCat: try cat()
    case .cacheRm: try remove()
    case .cachePrune: try prune()
    case .cacheStats: try statistics()
    case .cachePin: try setPinned(true)
    case .cacheUnpin: try setPinned(false)
    case .cacheDir: try printer.write(bytes: store.root.bytes + [ASCII.lineFeed])
    case .fetch, .cacheExplain, .cacheExport, .cacheImport, .configCheck, .configShow, .network, .completions, .help,
      .version:
      break
    }
  }

  /// Every stored response that one of the operands means; all where there are no operands.
  func entries() throws(Failure) -> [ListedEntry] {
    var entries: [ListedEntry] = []
    try forEachEntry { entries.append($0) }
    return entries
  }

  /// As `entries`, one by one: of many, nobody needs all heads at once.
  func forEachEntry(_ body: (ListedEntry) -> Void) throws(Failure) {
    let patterns = invocation.operands.map { URLPattern($0) }
    try forEachEntry(where: { target in patterns.isEmpty || patterns.contains { $0.matches(target) } }, body)
  }

  private func forEachEntry(
    where isMeant: (TargetURI) -> Bool, _ body: (ListedEntry) -> Void
  ) throws(Failure) {
    let now = clock.timestamp
    try using("list") { () throws(StoreError) in
      try store.forEachEntry { walked in
        guard let entry = ListedEntry(walked, at: now), isMeant(entry.target) else { return true }
        body(entry)
        return true
      }
    }
  }

  /// The stored responses of the one URL that was typed: those to QUERY last, and the most recent first.
  func entriesOfURL() throws(Failure) -> [ListedEntry] {
    let typed = invocation.operands.first ?? ""
    let target: TargetURI
    do throws(URIError) {
      target = try URIReference(typed: typed.bytes).target
    } catch {
      throw .malformedURL(typed.visible, error)
    }
    var entries: [ListedEntry] = []
    try forEachEntry(where: { URLPattern.isMeant($0, by: typed) }) { entries.append($0) }
    guard !entries.isEmpty else { throw .notStored(target, isStale: false) }
    return entries.sorted { one, other in
      let (isOneQuery, isOtherQuery) = (one.stored.requestMethod == .query, other.stored.requestMethod == .query)
      return isOneQuery == isOtherQuery ? one.stored.responseTime > other.stored.responseTime : isOtherQuery
    }
  }

  func using(_ purpose: String, _ work: () throws(StoreError) -> Void) throws(Failure) {
    do throws(StoreError) {
      try work()
    } catch {
      throw .store("cannot \(purpose) the cache in \(Escaping.visible(store.root.bytes)): \(error)")
    }
  }

  // MARK: cat

  private func cat() throws(Failure) {
    let entries = try entriesOfURL()
    guard let entry = entries.first(where: { !$0.stored.isPart }) else { throw .partlyStored(entries[0].target) }
    var failure: Failure?
    try using("read") { () throws(StoreError) in
      // What is damaged is as good as absent.
      guard let content = try? store.open(entry.walked) else {
        failure = .notStored(entry.target, isStale: false)
        return
      }
      do throws(DeliveryFailure<Errno>) {
        try content.send(to: printer.output)
      } catch {
        switch error {
        case .damaged(_, delivered: 0): failure = .notStored(entry.target, isStale: false)
        case .damaged: failure = .damaged(entry.target)
        case .sink(let error): failure = .output(nil, error)
        }
      }
    }
    if let failure { throw failure }
  }
}
