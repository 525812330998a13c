import CacheStore
import HTTPCaching
import HTTPSemantics

/// The responses that a run keeps in memory until it ends, in front of the disk or in its place.
struct MemoryTier {
  let store: MemoryStore
  private let scope: MemoryPlan.Scope

  init(_ plan: MemoryPlan) {
    store = MemoryStore(capacity: plan.capacity)
    scope = plan.scope
  }

  /// Whether responses under that policy are kept here.
  func holds(_ storage: StoragePolicy) -> Bool {
    guard store.capacity > 0 else { return false }
    switch storage {
    case .allowed: return scope == .everything
    case .memoryOnly: return true
    case .notAllowed: return false
    }
  }

  /// Begins to keep a response. If it is not to be kept, the commit still removes what it replaces.
  ///
  /// - Returns: `nil` for a part.
  func beginInsertion(of stored: StoredResponse, as storage: StoragePolicy) -> MemoryWriter? {
    if stored.isPart { return nil }
    return store.beginInsertion(
      limit: refusal(of: stored, as: storage) == nil ? store.largestSize : 0,
      expecting: Int(clamping: stored.announcedLength ?? 0))
  }

  /// Why a response is not kept here, as far as its head tells.
  func refusal(of stored: StoredResponse, as storage: StoragePolicy) -> NotStored? {
    if stored.isPart { return .partialContent }
    guard holds(storage) else { return .policy }
    return store.hasRoom(for: stored, contentLength: stored.announcedLength ?? 0) ? nil : .tooLarge
  }

  /// Keeps a response that the disk has given twice, because most responses of a run are asked for only once. Content
  /// that would have to be read again is not kept: the kernel has it in memory already.
  func hold(_ found: CachedLookup, as storage: StoragePolicy) {
    guard holds(storage), let stored = found.selection.stored, store.noteAsked(for: found.key),
      let content = found.residentBytes
    else { return }
    store.insert(stored, content: content)
  }

  /// Gives a response a new head, after a 304.
  ///
  /// Removes an older response that memory has in its place. If the new head may not be written to the disk, the
  /// content is copied from there into memory.
  ///
  /// - Returns: whether it is kept here.
  func freshen(_ validated: CachedLookup, with stored: StoredResponse, as storage: StoragePolicy) -> Bool {
    guard let old = validated.selection.stored, !old.isPart else { return false }
    if store.freshen(old, with: stored) { return true }
    store.removeReplaced(by: old)
    guard holds(storage) else { return false }
    let content =
      storage == .memoryOnly ? validated.contentBytes(limit: store.largestSize) : validated.residentBytes
    guard let content else { return false }
    var fresh = stored.fitting(contentOf: old)
    fresh.marks = old.marks.adding(stored.marks)
    return store.insert(fresh, content: content)
  }
}
