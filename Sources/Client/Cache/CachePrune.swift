import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The command `garner cache prune`: removes entries that are beyond some limit, but none that is pinned.
extension CacheCommand {
  func prune(_ diagnostics: Diagnostics) throws(Failure) {
    let limits = invocation.storeCommand.filters
    let narrowing = limits.withoutLimits
    let selection =
      invocation.operands.isEmpty && narrowing.isEmpty
      ? nil : EntrySelection(try patterns(of: invocation.operands[...]), narrowing)
    let size = invocation.storeCommand.maximumBytes
    let hasLimit = limits != narrowing
    guard selection == nil || size != nil || hasLimit else {
      throw .contradiction(
        "prune needs a limit, such as --unused-for", hint: "'garner cache rm' removes all of it")
    }
    var pruned = Removal()
    var gone: Set<EntryName> = []
    if hasLimit {
      for file in try beyond(limits, in: selection) where Signals.pending == nil {
        if remove(file, .ifUntouched, &pruned) { gone.insert(file.name) }
      }
    }
    if Signals.pending != nil {
      // What has been removed is reported below.
    } else if let selection, let size {
      try prune(selection, to: size, besides: gone, &pruned)
    } else if size != nil || !hasLimit {
      try prune(to: size ?? store.limits.capacity, besides: gone, &pruned)
    }
    let count = Words.count(pruned.sum.count, "entry", "entries")
    let bytes = ByteCount(UInt64(clamping: pruned.sum.bytes))
    if pruned.sum.count > 0 || pruned.failure == nil {
      try printer.write("\(invocation.storeCommand.isDryRun ? "would remove" : "removed") \(count), \(bytes)\n")
    }
    try pruned.end()
    if selection == nil, size != nil || !hasLimit, !invocation.storeCommand.isDryRun {
      try warn(of: size ?? store.limits.capacity, size == nil ? "--disk-capacity" : "--max-size", diagnostics)
    }
  }

  /// Warns if the entries that stay, because they may not be removed, take more than the limit.
  private func warn(of size: Int64, _ limit: String, _ diagnostics: Diagnostics) throws(Failure) {
    let left = try withStore { () throws(StoreError) in try store.statistics().bytes }
    guard left > size else { return }
    diagnostics.warn(
      "\(ByteCount(UInt64(clamping: left))) remain, which exceeds \(limit): pinned and unreadable entries are kept")
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

extension ListedEntry {
  fileprivate func isBeyond(_ limits: EntryFilters, at now: Timestamp) -> Bool {
    (limits.olderThan.map { isOlder(than: $0, at: now) } ?? false)
      || (limits.unusedFor.map { isUnused(for: $0, at: now) } ?? false)
      || (limits.largerThan.map(isLarger) ?? false) || (limits.states.contains(.stale) && state == .stale)
  }
}
