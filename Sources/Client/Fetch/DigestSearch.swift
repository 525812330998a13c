import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform

/// How far what is stored is looked through for content to which no hint leads.
enum DigestSearch {
  /// No longer than an origin takes to answer.
  case brief
  /// To the end: there is nobody else to ask.
  case thorough

  /// - Parameter request: for which it is looked before anybody is asked.
  init(for request: Request, under policy: CachePolicy) {
    self = policy.allowsSending(CacheControl(of: request.fields)) ? .brief : .thorough
  }

  fileprivate var entryLimit: Int { self == .brief ? 1_000 : .max }
  /// Of content, in bytes: what SHA-256 takes a tenth of a second for, at most.
  fileprivate var byteLimit: UInt64 { self == .brief ? 32 << 20 : .max }
}

extension ResponseCache {
  /// Looks up what is said to have a digest.
  ///
  /// - Parameter key: of who asks, for reports.
  func lookup(digest: [UInt8], for key: CacheKey) -> CachedLookup {
    guard let store, !isOff else { return CachedLookup(key: key) }
    // What is wrong with it is found, and told, by whoever asks for its URL.
    return CachedLookup(key: key, store.lookup(digest: digest))
  }

  /// Notes that what is stored has this digest.
  func note(_ digest: [UInt8], of stored: StoredResponse, storedAs storage: StoragePolicy) {
    if storage == .allowed, let store = storeForWriting() { store.note(digest: digest, of: stored) }
  }

  /// Looks through all that is stored on the disk.
  ///
  /// - Parameter key: of who asks, for reports.
  /// - Returns: the first whole 200 that is wanted; `nil` where there is none as far as was looked.
  func search(
    _ extent: DigestSearch, for key: CacheKey, _ isWanted: (CachedLookup) -> Bool
  ) -> CachedLookup? {
    guard let store, !isOff, Signals.pending == nil else { return nil }
    let meter = extent == .thorough ? searchMeter(over: store) : nil
    defer { meter?.finish() }
    var found: CachedLookup?
    var (entries, bytes) = (0, UInt64(0))
    // What cannot be walked has nothing to be found; what is wrong with it, others tell.
    try? store.forEachEntry { entry in
      entries += 1
      meter?.advance(by: UInt64(clamping: entry.size))
      guard entries <= extent.entryLimit, Signals.pending == nil else { return false }
      guard case .response(let stored) = entry.state, stored.mayHaveDigest,
        stored.contentLength <= extent.byteLimit - bytes
      else { return true }
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
