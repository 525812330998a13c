import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The `garner cache` commands: they read and change the store, and never touch the network.
final class CacheCommand: Sendable {
  let invocation: Invocation
  /// The fields with credentials, including those that the user lists for all fetches.
  let credentialFields: CredentialFields
  let store: Store
  let clock: Clock
  let printer: Printer
  let skipped = SkippedEntries()
  let evictions = EvictionRecord()

  init(
    _ settings: RunSettings, _ plan: StorePlan, _ context: ProcessContext, _ printer: Printer
  ) throws(Failure) {
    guard let root = plan.root else { throw plan.noDirectory }
    invocation = settings.run
    credentialFields = settings.credentialFields
    self.printer = printer
    // Responses of an archive wait for their requests, and each would otherwise hold the directories open for itself.
    let isKeptOpen = invocation.command == .cache(.importArchive)
    store = Store(
      root: root, home: plan.home, clock: context.clock, limits: plan.limits, isKeptOpen: isKeptOpen, noting: evictions)
    clock = context.clock
  }

  /// - Returns: the exit status.
  func run(
    _ action: CacheAction, _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    warnOfUnusableShards(action, diagnostics)
    defer { if !removesAll { skipped.report(in: store.root, to: diagnostics) } }
    switch action {
    case .ls: try list()
    case .show: try show()
    case .cat: try cat()
    case .explain: try explain(settings, context, diagnostics)
    case .rm: return try remove(diagnostics)
    case .prune: try prune(diagnostics)
    case .verify: try verify(diagnostics)
    case .stats: try statistics()
    case .pin: return try setPinned(true, diagnostics)
    case .unpin: return try setPinned(false, diagnostics)
    case .tag: return try tag(diagnostics)
    case .check: return try check(settings, context, diagnostics)
    case .export: try exportArchive(diagnostics)
    case .importArchive: try importArchive(context, diagnostics)
    case .dir:
      // A script gets the exact bytes of the path.
      let root = printer.isTerminal ? Array(store.root.visible.utf8)[...] : store.root.bytes
      try printer.write(bytes: root + [ASCII.lineFeed])
    case .complete(let kind): try complete(kind)
    }
    return ExitStatus.success.rawValue
  }

  /// Warns of directories that cannot be looked at, for a command that looks at all of them and has no report of its
  /// own.
  private func warnOfUnusableShards(_ action: CacheAction, _ diagnostics: Diagnostics) {
    switch action {
    case .rm where removesAll: return
    case .stats, .verify, .explain, .check, .export, .importArchive, .dir, .complete: return
    case .ls, .show, .cat, .rm, .prune, .pin, .unpin, .tag: break
    }
    // The command itself reports an error in opening the store.
    let unusable = ((try? store.unusableDirectories()) ?? []).filter(\.isOfEntries)
    guard let first = unusable.first else { return }
    // Only the first is named, because a failing disk makes all of them unusable.
    let others = unusable.count == 1 ? "" : ", and \(Words.count(unusable.count - 1, "directory", "directories")) more"
    let root = Escaping.visible(store.root.bytes)
    diagnostics.warn("not all of the cache in \(root) was read: \(first.place)\(others)")
  }

  /// Whether the command removes every entry, in good order or not.
  private var removesAll: Bool { invocation.storeCommand.removesAll && !invocation.storeCommand.isDryRun }

  /// Calls `body` with each stored response that the command line selects, one at a time and in no order, so that not
  /// all heads are in memory at once.
  func forEachEntry(_ body: (ListedEntry) throws(Failure) -> Void) throws(Failure) {
    try forEachEntry(in: try selection(), body)
  }

  /// Does the same as `forEachEntry`, but calls `body` from several threads at the same time.
  func forEachEntryInParallel(_ body: @escaping @Sendable (ListedEntry) -> Void) throws(Failure) {
    let (selection, skipped, now) = (try selection(), skipped, clock.timestamp)
    let show: @Sendable (WalkedEntry) -> Bool = { walked in
      if let entry = selection.entry(walked, at: now) {
        body(entry)
      } else {
        skipped.note(walked, in: selection)
      }
      return Signals.pending == nil
    }
    try withStore { () throws(StoreError) in
      if selection.targets != nil { return try store.forEachEntry(in: selection, show) }
      try store.forEachEntryInParallel(show)
    }
    // After a signal, not all entries have been seen.
    try Failure.throwIfInterrupted()
  }

  func forEachEntry(
    in selection: EntrySelection, _ body: (ListedEntry) throws(Failure) -> Void
  ) throws(Failure) {
    let now = clock.timestamp
    try store.forEachEntry(in: selection, to: purpose) { (walked) throws(Failure) in
      guard let entry = selection.entry(walked, at: now) else { return skipped.note(walked, in: selection) }
      try body(entry)
      try Failure.throwIfInterrupted()
    }
    // After a signal, not all entries have been seen.
    try Failure.throwIfInterrupted()
  }

  /// Returns the stored responses for the one URL that was typed, under all of its keys: the most recent first, but
  /// those to requests with content after the others.
  func entriesOfURL() throws(Failure) -> [ListedEntry] {
    let typed = try (invocation.operands.first ?? "").withHostInASCII()
    let target = try typed.asciiTarget()
    let spelt = try storedTargets(spelt: typed)
    let targets = spelt.isEmpty ? URLPattern.targets(of: typed) : spelt
    let now = clock.timestamp
    var entries: [ListedEntry] = []
    var damage: Damage?
    for meant in targets {
      for walked in try withStore({ () throws(StoreError) in try store.entries(for: meant) }) {
        if let entry = ListedEntry(walked, at: now) { entries.append(entry) }
        guard case .damaged(let found) = walked.state else { continue }
        if damage?.mayBeInGoodOrder ?? true { damage = found }
      }
    }
    // Entries are found by a hash of the target, which another target may share.
    entries.removeAll { entry in !targets.contains { entry.stored.key.primary.concerns($0) } }
    guard !entries.isEmpty else {
      throw damage.map { InaccessibleEntries.failure(of: target, $0) } ?? failure(ofAbsent: targets, or: target)
    }
    return entries.ordered { one, other in
      let (oneHasContent, otherHasContent) = (one.stored.key.content != nil, other.stored.key.content != nil)
      return oneHasContent == otherHasContent ? one.stored.responseTime > other.stored.responseTime : otherHasContent
    }
  }

  /// Returns the failure for a URL without entries. If a directory that may hold them cannot be looked at, the failure
  /// says so, because they are then not known to be absent.
  func failure(ofAbsent targets: [TargetURI], or target: TargetURI) -> Failure {
    for target in targets {
      guard let place = (try? store.unusableDirectories(for: target))?.first?.place else { continue }
      return .store(cannot: purpose, in: store.root, .unsafe(place))
    }
    return .absent(target)
  }

  /// What the command does, completing "cannot ... the cache".
  var purpose: String {
    // A fetch gets here only by its dry run, which reads.
    guard case .cache(let action) = invocation.command else { return "read" }
    return switch action {
    case .show, .cat, .explain, .check: "read"
    case .rm: invocation.storeCommand.removesAll ? "empty" : "remove from"
    case .prune: "prune"
    case .verify: "verify"
    case .stats, .complete(.hosts): "count"
    case .ls, .complete: "list"
    case .pin: "pin in"
    case .unpin: "unpin in"
    case .tag: "tag in"
    case .export: "export"
    case .importArchive: "import into"
    case .dir: "find"
    }
  }

  /// Does some work with the store, and turns its errors into failures.
  ///
  /// - Parameter purpose: what the work does, completing "cannot ... the cache"; `nil` for the command's purpose.
  func withStore<Result>(
    to purpose: String? = nil, _ work: () throws(StoreError) -> Result
  ) throws(Failure) -> Result {
    do throws(StoreError) {
      return try work()
    } catch {
      throw .store(cannot: purpose ?? self.purpose, in: store.root, error)
    }
  }

  // MARK: rm and prune

  /// Lists an entry that is to be removed, but only with `--dry-run`.
  func printOnDryRun(_ entry: ListedEntry) throws(Failure) {
    guard invocation.storeCommand.isDryRun else { return }
    try printer.write(Escaping.visible(entry.url(showingSecrets: false)) + "\n")
  }

  /// Removes an entry that a walk has shown, if `condition` still holds; with `--dry-run`, only counts it.
  ///
  /// - Returns: false if the entry stays: it could not be removed, which `removal` has noted, or `condition` does
  ///   not hold.
  @discardableResult
  func remove(_ file: EntryFile, _ condition: RemovalCondition, _ removal: inout Removal) -> Bool {
    if !invocation.storeCommand.isDryRun {
      do throws(StoreError) {
        guard let freed = try store.remove(file, condition) else { return false }
        if freed == 0 { return true }
      } catch {
        removal.note(.store(cannot: purpose, in: store.root, error))
        return false
      }
    }
    // A list of variants that is removed with the entry does not count, because it was not listed either.
    removal.sum.add(bytes: file.size)
    return true
  }

  /// The URL patterns as the user typed them.
  var patterns: [String] { invocation.operands.map(\.visible) }
}

/// The sum of what has been removed, or would be, and the first failure, which does not keep the rest from being
/// removed.
struct Removal {
  var sum = EntrySum()
  private(set) var failure: Failure?

  mutating func note(_ failure: Failure) { self.failure = self.failure ?? failure }

  /// Throws the first failure, or that a signal has ended the work; to be called after reporting what has been removed.
  func end() throws(Failure) {
    if let failure { throw failure }
    try Failure.throwIfInterrupted()
  }
}
