import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// How far the store is searched for content to which no hint leads.
enum DigestSearch {
  /// For no longer than an origin takes to answer.
  case brief
  /// To the end, because the origin cannot be asked.
  case thorough

  /// - Parameter request: the request for which the store is searched before the origin is asked.
  init(for request: Request, under policy: CachePolicy) {
    self = policy.allowsSending(CacheControl(of: request.fields)) ? .brief : .thorough
  }

  fileprivate var entryLimit: Int { self == .brief ? 1_000 : .max }
  /// A limit in bytes of content, which SHA-256 hashes in a tenth of a second at most.
  fileprivate var byteLimit: UInt64 { self == .brief ? 32 << 20 : .max }
}

extension ResponseCache {
  /// Looks up the entry that a hint names for a digest.
  ///
  /// - Parameter key: the request's, for reports.
  func lookup(digest: [UInt8], for key: CacheKey) -> CachedLookup {
    guard let store = storeInUse else { return CachedLookup(key: key) }
    // Damage is found and reported by a look-up for the entry's own URL.
    return CachedLookup(key: key, store.lookup(digest: digest))
  }

  /// Records as a hint that a stored response has this digest.
  func note(_ digest: [UInt8], of stored: StoredResponse, storedAs storage: StoragePolicy) {
    if storage == .allowed, let store = storeForWriting() { store.note(digest: digest, of: stored) }
  }

  /// Searches all that is stored on the disk.
  ///
  /// - Parameter key: the request's, for reports.
  /// - Returns: the first whole 200 that is wanted; `nil` if there is none within the extent of the search.
  func search(
    _ extent: DigestSearch, for key: CacheKey, _ isWanted: (CachedLookup) -> Bool
  ) -> CachedLookup? {
    guard let store = storeInUse, Signals.pending == nil else { return nil }
    let meter = extent == .thorough ? searchMeter(over: store) : nil
    defer { meter?.finish() }
    var found: CachedLookup?
    var (entries, bytes) = (0, UInt64(0))
    // A store that cannot be walked holds nothing to find. Other users of the store report what is wrong with it.
    try? store.forEachEntry { entry in
      entries += 1
      meter?.advance(by: UInt64(clamping: entry.size))
      guard entries <= extent.entryLimit, Signals.pending == nil else { return false }
      guard let stored = entry.stored, stored.mayHaveDigest, stored.contentLength <= extent.byteLimit - bytes else {
        return true
      }
      bytes += stored.contentLength
      let candidate = CachedLookup(key: key, store.lookup(entry))
      if isWanted(candidate) { found = candidate }
      return found == nil
    }
    return found
  }

  private func searchMeter(over store: Store) -> ProgressMeter {
    let bytes = (try? store.statistics())?.bytes ?? 0
    return ProgressMeter(on: ProgressBoard.shown(by: diagnostics, clock: clock), expected: UInt64(clamping: bytes))
  }
}
