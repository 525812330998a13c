import CacheStore
import Interface

/// `garner cache rm`.
extension CacheCommand {
  func remove() throws(Failure) {
    let options = invocation.storeCommand
    let doomed = try entries()
    guard !doomed.isEmpty else {
      if options.removesAll || options.toleratesAbsence { return }
      throw .nothingMatched("nothing that is stored matches")
    }
    for entry in doomed {
      if !options.isDryRun { try using("remove from") { () throws(StoreError) in try store.remove(entry.walked) } }
    }
    let bytes = doomed.reduce(UInt64(0)) { $0 + UInt64(clamping: $1.walked.size) }
    if options.isDryRun {
      try printer.write(doomed.map { Escaping.visible($0.url(showingSecrets: false)) + "\n" }.joined())
    }
    let count = doomed.count == 1 ? "1 response" : "\(doomed.count) responses"
    try printer.write("\(options.isDryRun ? "would remove" : "removed") \(count), \(ByteCount(bytes))\n")
  }
}
