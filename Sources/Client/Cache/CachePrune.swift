import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The command `garner cache prune`: removes entries that are beyond some limit, but none that is pinned.
extension CacheCommand {
  func prune(_ diagnostics: Diagnostics) throws(Failure) {
    let limits = try pruneLimits()
    var pruned = Removal()
    let gone = try removeBeyond(limits, &pruned)
    // After a signal, what has been removed is reported below.
    if let size = limits.size, Signals.pending == nil {
      if let selection = limits.selection {
        try prune(selection, to: size.bytes, besides: gone, &pruned)
      } else {
        try prune(to: size.bytes, besides: gone, &pruned)
      }
    }
    try printPruned(pruned)
    try pruned.end()
    if limits.selection == nil, let size = limits.size, !invocation.storeCommand.isDryRun {
      try warn(of: size.bytes, size.option, diagnostics)
    }
  }

  /// Returns the limits that the command line sets; without any, that of the capacity.
  ///
  /// - Throws: `.contradiction` if the command line selects entries, but sets no limit.
  private func pruneLimits() throws(Failure) -> PruneLimits {
    let options = invocation.storeCommand
    let narrowing = options.filters.withoutLimits
    let selection =
      invocation.operands.isEmpty && narrowing.isEmpty
      ? nil : EntrySelection(try patterns(of: invocation.operands[...]), narrowing)
    let filters = options.filters != narrowing ? options.filters : nil
    if let size = options.maximumBytes {
      return PruneLimits(selection: selection, filters: filters, size: (size, "--max-size"))
    }
    guard filters == nil else { return PruneLimits(selection: selection, filters: filters, size: nil) }
    guard selection == nil else {
      throw .contradiction(
        "prune needs a limit, such as --unused-for", hint: "'garner cache rm' removes all of it")
    }
    return PruneLimits(selection: nil, filters: nil, size: (store.limits.capacity, "--disk-capacity"))
  }

  /// Warns if the entries that stay, because they may not be removed, take more than the limit.
  private func warn(of size: Int64, _ limit: String, _ diagnostics: Diagnostics) throws(Failure) {
    let left = try withStore { () throws(StoreError) in try store.statistics().bytes }
    guard left > size else { return }
    diagnostics.warn(
      "\(ByteCount(clamping: left)) remain, which exceeds \(limit): pinned and unreadable entries are kept")
  }

  private func printPruned(_ pruned: Removal) throws(Failure) {
    guard pruned.sum.count > 0 || pruned.failure == nil else { return }
    let count = Words.count(pruned.sum.count, "entry", "entries")
    let bytes = ByteCount(clamping: pruned.sum.bytes)
    try printer.write("\(invocation.storeCommand.isDryRun ? "would remove" : "removed") \(count), \(bytes)\n")
  }

  /// Removes the entries that are beyond at least one limit other than that of the size.
  ///
  /// - Returns: the names of the removed entries.
  private func removeBeyond(_ limits: PruneLimits, _ pruned: inout Removal) throws(Failure) -> Set<EntryName> {
    guard let filters = limits.filters else { return [] }
    var gone: Set<EntryName> = []
    for file in try beyond(filters, in: limits.selection) where Signals.pending == nil {
      if remove(file, .ifUntouched, &pruned) { gone.insert(file.name) }
    }
    return gone
  }

  /// Returns the entries that are beyond at least one limit.
  private func beyond(_ limits: EntryFilters, in selection: EntrySelection?) throws(Failure) -> [EntryFile] {
    let now = clock.timestamp
    var doomed: [EntryFile] = []
    try forEachEntry(in: selection ?? EntrySelection([], EntryFilters())) { (entry) throws(Failure) in
      guard !entry.stored.isPinned, entry.isBeyond(limits, at: now) else { return }
      try printOnDryRun(entry)
      doomed.append(entry.walked.file)
    }
    return doomed
  }

  private func prune(to bytes: Int64, besides gone: Set<EntryName>, _ pruned: inout Removal) throws(Failure) {
    let isDryRun = invocation.storeCommand.isDryRun
    var urls: [String] = []
    do throws(StoreError) {
      try store.prune(to: bytes, besides: gone, isDryRun: isDryRun) { stored, freed in
        pruned.sum.add(bytes: freed)
        if isDryRun, let stored { urls.append(Masking.masked(stored.key.target)) }
      }
    } catch {
      pruned.note(.store(cannot: purpose, in: store.root, error))
    }
    for url in urls { try printer.write(Escaping.visible(url) + "\n") }
  }

  /// Removes the least recently used of the selected entries, until the rest of them take at most `bytes`.
  private func prune(
    _ selection: EntrySelection, to bytes: Int64, besides gone: Set<EntryName>, _ pruned: inout Removal
  ) throws(Failure) {
    var rest: Int64 = 0
    var files: [(lastUse: WallTime, url: String, file: EntryFile)] = []
    try forEachEntry(in: selection) { (entry) throws(Failure) in
      let file = entry.walked.file
      guard !gone.contains(file.name) else { return }
      rest += file.size
      if !entry.stored.isPinned { files.append((file.lastUse, entry.url(showingSecrets: false), file)) }
    }
    files = files.ordered { ($0.lastUse, $0.url) < ($1.lastUse, $1.url) }
    for (_, url, file) in files where Signals.pending == nil {
      if rest <= bytes { return }
      if invocation.storeCommand.isDryRun { try printer.write(Escaping.visible(url) + "\n") }
      if remove(file, .ifUntouched, &pruned) { rest -= file.size }
    }
  }
}

/// The limits of a run of `prune`, and the entries that they apply to.
private struct PruneLimits {
  /// `nil` if the limits apply to all entries.
  let selection: EntrySelection?
  /// Limits that each entry is compared with; `nil` without any.
  let filters: EntryFilters?
  /// The most bytes that the entries may take together, and the option that sets it; `nil` without such a limit.
  let size: (bytes: Int64, option: String)?
}

extension ListedEntry {
  fileprivate func isBeyond(_ limits: EntryFilters, at now: Timestamp) -> Bool {
    (limits.olderThan.map { isOlder(than: $0, at: now) } ?? false)
      || (limits.unusedFor.map { isUnused(for: $0, at: now) } ?? false)
      || (limits.largerThan.map(isLarger) ?? false) || (limits.states.contains(.stale) && state == .stale)
  }
}
