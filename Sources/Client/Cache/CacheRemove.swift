import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// `garner cache rm`.
extension CacheCommand {
  /// - Returns: the exit status.
  func remove(_ diagnostics: Diagnostics) throws(Failure) -> Int32 {
    let options = invocation.storeCommand
    if options.removesAll {
      guard !invocation.selectsEntries else {
        throw .contradiction(
          "--all removes everything, and cannot be combined with a PATTERN or an option that selects")
      }
      try removeEverything()
      return ExitStatus.success.rawValue
    }
    let doomed = try doomed()
    if patterns.isEmpty, doomed.isEmpty, !options.toleratesAbsence { throw .nothingMatched([]) }
    let removal = remove(doomed)
    try printRemoved(removal.sum)
    let status = report(options.toleratesAbsence ? [] : doomed.unmatched.texts, to: diagnostics)
    try removal.end()
    return status
  }

  /// The entries to remove, without their heads, of which there may be a great many.
  private struct Doomed {
    /// The targets that were typed. All their responses are removed, including those that are stored meanwhile.
    var targets: [DoomedTarget] = []
    /// Entries that are removed one by one, because other responses for the same target may not be selected.
    var files: [EntryFile] = []
    var unmatched: UnmatchedPatterns

    var isEmpty: Bool { files.isEmpty && targets.allSatisfy { $0.found.count == 0 } }
  }

  private struct DoomedTarget {
    let target: TargetURI
    /// What is stored for the target, damaged entries included.
    var found = EntrySum()
  }

  private func doomed() throws(Failure) -> Doomed {
    let (patterns, filters) = (try self.patterns(of: invocation.operands[...]), invocation.storeCommand.filters)
    var doomed = Doomed(unmatched: UnmatchedPatterns(patterns, typedAs: self.patterns))
    // With filters, no target is removed as a whole: they may select only some of its responses.
    if filters.isEmpty { doomed.targets = Set(patterns.flatMap(\.targets)).map { DoomedTarget(target: $0) } }
    var places: [TargetURI: Int] = [:]
    for index in doomed.targets.indices { places[doomed.targets[index].target] = index }
    try forEachEntry(in: EntrySelection(patterns, filters)) { (entry) throws(Failure) in
      let primary = entry.stored.key.primary
      doomed.unmatched.note(primary)
      // Usually this is the key's own target. Only otherwise are all targets searched, of which there may be thousands.
      let index = places[primary.target] ?? doomed.targets.firstIndex { primary.concerns($0.target) }
      if let index {
        doomed.targets[index].found.add(bytes: entry.walked.size)
      } else {
        doomed.files.append(entry.walked.file)
      }
      try printOnDryRun(entry)
    }
    for index in doomed.targets.indices {
      try addDamaged(to: &doomed.targets[index])
      if doomed.targets[index].found.count > 0 { doomed.unmatched.note(doomed.targets[index].target) }
    }
    return doomed
  }

  /// Adds the damaged entries for a target: their names tell that they are for it.
  private func addDamaged(to doomed: inout DoomedTarget) throws(Failure) {
    let damaged = try withStore { () throws(StoreError) in
      try store.entries(for: doomed.target).filter { if case .damaged = $0.state { true } else { false } }
    }
    if damaged.isEmpty { return }
    for walked in damaged {
      skipped.forget(walked)
      doomed.found.add(bytes: walked.size)
    }
    if invocation.storeCommand.isDryRun {
      try printer.write(Escaping.visible(Masking.masked(doomed.target)) + "\n")
    }
  }

  /// - Returns: what has been removed, or would be; not all of it if a signal asks the run to end.
  private func remove(_ doomed: Doomed) -> Removal {
    var removal = Removal()
    for typed in doomed.targets where typed.found.count > 0 && Signals.pending == nil {
      var gone = typed.found
      if !invocation.storeCommand.isDryRun {
        do throws(StoreError) {
          try store.removeAll(for: typed.target)
        } catch {
          removal.note(.store(cannot: purpose, in: store.root, error))
          for left in (try? store.entries(for: typed.target)) ?? [] where gone.count > 0 {
            gone.count -= 1
            gone.bytes -= left.size
          }
        }
      }
      removal.sum.count += gone.count
      removal.sum.bytes += max(0, gone.bytes)
    }
    for file in doomed.files where Signals.pending == nil { remove(file, .ifSameFile, &removal) }
    return removal
  }

  /// Removes every entry, including damaged ones, which no listing shows.
  private func removeEverything() throws(Failure) {
    var found = EntrySum()
    try forEachEntry { (entry) throws(Failure) in
      found.add(bytes: entry.walked.size)
      try printOnDryRun(entry)
    }
    found += skipped.sum
    if !invocation.storeCommand.isDryRun {
      try withStore { () throws(StoreError) in try store.removeEverything() }
      // After a signal, it is unknown how much is left.
      try Failure.throwIfInterrupted()
    }
    try printRemoved(found)
  }

  private func printRemoved(_ removed: EntrySum) throws(Failure) {
    // Nothing to remove is no error here, and not worth a message.
    if removed.count == 0 { return }
    let responses = Words.count(removed.count, "response")
    let verb = invocation.storeCommand.isDryRun ? "would remove" : "removed"
    try printer.write("\(verb) \(responses), \(ByteCount(clamping: removed.bytes))\n")
  }
}
