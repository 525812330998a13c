import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface

/// `garner cache prune`: removes what is beyond some limit, and nothing that is pinned.
extension CacheCommand {
  func prune() throws(Failure) {
    let limits = invocation.storeCommand.pruning
    let isTrial = invocation.storeCommand.isDryRun
    var pruned = Pruned()
    var gone: Set<EntryName> = []
    if limits.concernAge {
      for entry in try overaged(by: limits) {
        if !isTrial { try using("prune") { () throws(StoreError) in try store.remove(entry.walked) } }
        pruned.add(bytes: entry.walked.size)
        gone.insert(entry.walked.name)
        try tell(entry.url)
      }
    }
    if limits.maximumBytes != nil || !limits.concernAge {
      var urls: [String] = []
      try using("prune") { () throws(StoreError) in
        let more = try store.prune(
          to: limits.maximumBytes ?? store.limits.capacity, besides: gone, isTrial: isTrial
        ) { stored in
          if let stored { urls.append(Masking.masked(stored.key.target)) }
        }
        pruned.count += more.count
        pruned.bytes += more.bytes
      }
      for url in urls { try tell(url) }
    }
    let count = pruned.count == 1 ? "1 entry" : "\(pruned.count) entries"
    let bytes = ByteCount(UInt64(clamping: pruned.bytes))
    try printer.write("\(isTrial ? "would remove" : "removed") \(count), \(bytes)\n")
  }

  /// What is removed is listed on trial only.
  private func tell(_ url: String) throws(Failure) {
    if invocation.storeCommand.isDryRun { try printer.write(Escaping.visible(url) + "\n") }
  }

  private func overaged(by limits: PruningLimits) throws(Failure) -> [(walked: WalkedEntry, url: String)] {
    let now = clock.timestamp
    var doomed: [(walked: WalkedEntry, url: String)] = []
    try using("list") { () throws(StoreError) in
      try store.forEachEntry { walked in
        guard let entry = ListedEntry(walked, at: now), !entry.stored.isPinned else { return true }
        let isOld = limits.oldest.map { .seconds(entry.freshness.age.seconds) > $0 } ?? false
        let unusedSeconds = Double(now.secondsSinceEpoch) - Double(entry.usedAt.secondsSinceEpoch)
        let isUnused = limits.longestUnused.map { .seconds(unusedSeconds) > $0 } ?? false
        let isStale = limits.removeStale && entry.state == .stale
        if isOld || isUnused || isStale { doomed.append((walked, entry.url(showingSecrets: false))) }
        return true
      }
    }
    return doomed
  }
}
