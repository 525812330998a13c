import CacheStore
import Interface

/// `garner cache rm`.
extension CacheCommand {
  func remove() throws(Failure) {
    let options = invocation.storeCommand
    let doomed = try entries()
    guard !doomed.isEmpty else {
      if options.removesAll, !options.isDryRun { try clear() }
      if options.removesAll || options.toleratesAbsence { return }
      throw .nothingMatched("nothing that is stored matches")
    }
    if !options.isDryRun { try removeAll(of: doomed) }
    let bytes = doomed.reduce(UInt64(0)) { $0 + UInt64(clamping: $1.walked.size) }
    if options.isDryRun {
      try printer.write(doomed.map { Escaping.visible($0.url(showingSecrets: false)) + "\n" }.joined())
    }
    let count = doomed.count == 1 ? "1 response" : "\(doomed.count) responses"
    try printer.write("\(options.isDryRun ? "would remove" : "removed") \(count), \(ByteCount(bytes))\n")
  }

  /// A URL's responses go together: every variant, for every audience, and the list of them.
  private func removeAll(of doomed: [ListedEntry]) throws(Failure) {
    if invocation.storeCommand.removesAll, invocation.operands.isEmpty { return try clear() }
    try using("remove from") { () throws(StoreError) in
      for target in Set(doomed.map(\.target)) { try store.removeAll(for: target) }
    }
  }

  /// Damaged entries, too, which no listing shows.
  private func clear() throws(Failure) {
    try using("empty") { () throws(StoreError) in try store.removeEverything() }
  }
}
