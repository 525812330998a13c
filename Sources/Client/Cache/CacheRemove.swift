import CacheStore
import HTTPSemantics
import Interface

/// `garner cache rm`.
extension CacheCommand {
  func remove() throws(Failure) {
    let options = invocation.storeCommand
    if options.removesAll {
      guard !invocation.selectsEntries else {
        throw .contradiction("--all removes everything: it goes with no PATTERN and with nothing that selects")
      }
      return try removeEverything()
    }
    var doomed = try doomed()
    if doomed.count == 0, !options.toleratesAbsence { throw .nothingMatched(patterns) }
    if !options.isDryRun { try remove(&doomed) }
    try tellRemoved(doomed.count, doomed.bytes)
  }

  /// What is to be removed, without the heads, of which there may be a great many.
  private struct Doomed {
    var count = 0
    var bytes: Int64 = 0
    /// All of whose responses go: there is nothing that tells one from another.
    var targets: Set<TargetURI> = []
    /// Each for itself.
    var files: [EntryFile] = []
  }

  private func doomed() throws(Failure) -> Doomed {
    let goesByTarget = invocation.storeCommand.filters.isEmpty
    var doomed = Doomed()
    try forEachEntry { (entry) throws(Failure) in
      doomed.count += 1
      doomed.bytes += entry.walked.size
      if goesByTarget { doomed.targets.insert(entry.target) } else { doomed.files.append(entry.walked.file) }
      try tellOnTrial(entry)
    }
    if goesByTarget { try addDamaged(to: &doomed) }
    return doomed
  }

  /// What is stored for a URL and cannot be read any more: its name says for which.
  private func addDamaged(to doomed: inout Doomed) throws(Failure) {
    for target in Set(try URLPattern.typed(invocation.operands[...]).flatMap(\.targets)) {
      var damaged: [WalkedEntry] = []
      try using("remove from") { () throws(StoreError) in
        damaged = try store.entries(for: target).filter { if case .damaged = $0.state { true } else { false } }
      }
      if damaged.isEmpty { continue }
      for walked in damaged { unread.forget(walked) }
      doomed.count += damaged.count
      doomed.bytes += damaged.reduce(0) { $0 + $1.size }
      doomed.targets.insert(target)
      if invocation.storeCommand.isDryRun { try printer.write(Escaping.visible(Masking.masked(target)) + "\n") }
    }
  }

  private func remove(_ doomed: inout Doomed) throws(Failure) {
    for target in doomed.targets {
      try using("remove from") { () throws(StoreError) in try store.removeAll(for: target) }
    }
    for file in doomed.files {
      var freed: Int64 = 0
      try using("remove from") { () throws(StoreError) in freed = try store.remove(file) }
      // Another response has its name by now, or none.
      if freed == 0 { (doomed.count, doomed.bytes) = (doomed.count - 1, doomed.bytes - file.size) }
    }
  }

  /// Damaged entries, too, which no listing shows.
  private func removeEverything() throws(Failure) {
    var (count, bytes) = (0, Int64(0))
    try forEachEntry { (entry) throws(Failure) in
      count += 1
      bytes += entry.walked.size
      try tellOnTrial(entry)
    }
    if !invocation.storeCommand.isDryRun {
      try using("empty") { () throws(StoreError) in try store.removeEverything() }
    }
    try tellRemoved(count, bytes)
  }

  /// What is removed is listed on trial only.
  func tellOnTrial(_ entry: ListedEntry) throws(Failure) {
    guard invocation.storeCommand.isDryRun else { return }
    try printer.write(Escaping.visible(entry.url(showingSecrets: false)) + "\n")
  }

  private func tellRemoved(_ count: Int, _ bytes: Int64) throws(Failure) {
    // Nothing to do was no error, and is nothing to tell.
    if count == 0 { return }
    let responses = Words.count(count, "response")
    let verb = invocation.storeCommand.isDryRun ? "would remove" : "removed"
    try printer.write("\(verb) \(responses), \(ByteCount(UInt64(clamping: bytes)))\n")
  }
}
