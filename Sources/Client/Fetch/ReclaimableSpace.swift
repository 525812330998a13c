import CacheStore
import HTTPCaching
import Platform

/// Disk space that a run's cache writes occupy, and that is freed when the user's own output runs out of space.
///
/// Any thread that needs space reclaims what all threads have taken.
final class ReclaimableSpace: @unchecked Sendable {
  private struct WeakInsertion {
    weak var insertion: (any Insertion)?
  }

  /// How many stored entries can be reclaimed: the latest ones. Remembering them takes a megabyte.
  private static let maximumEntries = 10_000

  private let store: Store?
  private let faults: StoreFaults
  // Static, so that they are made only when needed: locks of each run's own would cost a hit 7,000 instructions. A
  // process has one run, except in tests.
  /// Serializes reclaiming: a thread that had to wait for it finds the space already freed.
  private static let reclaiming = Lock()
  private static let lock = Lock()
  // Guarded by `reclaiming`.
  private var reclaimedCount = 0
  // Guarded by `lock`, which is held for moments only.
  private var insertions: [WeakInsertion] = []
  private var entries: [WrittenEntry] = []
  private var storedCount = 0
  private var freedCount = 0

  init(_ store: Store?, _ faults: StoreFaults) {
    self.store = store
    self.faults = faults
  }

  /// Registers an insertion in progress. The reference is weak, so it counts for as long as the insertion lives.
  func note(_ insertion: any Insertion) {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    let reference = WeakInsertion(insertion: insertion)
    // In place of one that has ended, if there is one.
    var index = 0
    while index < insertions.count, insertions[index].insertion != nil { index += 1 }
    if index < insertions.count { insertions[index] = reference } else { insertions.append(reference) }
  }

  /// Registers an entry that this run has stored.
  func noteStored(_ entry: WrittenEntry) {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    if entries.count < Self.maximumEntries {
      entries.append(entry)
    } else {
      entries[storedCount % Self.maximumEntries] = entry
    }
    storedCount += 1
  }

  /// Notes that an insertion has failed and freed its space, so that a thread that ran out of space meanwhile may try
  /// again.
  func noteFreed() {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    freedCount += 1
  }

  /// Notes the error that an insertion has failed with. To be called when what it has written is gone, because this
  /// reports its space as freed.
  ///
  /// - Returns: why the response is not stored.
  func noteFailure(_ error: StoreError) -> NotStored {
    noteFreed()
    faults.noteUnwritable(error)
    return error.refusal
  }

  /// Tells whether there may be space after an error, given the status of the output file, or of the directory that it
  /// was to be in.
  typealias Claim = (Errno, FileStatus?) -> Bool

  /// Returns the claim that one delivery calls after each error. If the error is a lack of space, the claim reclaims
  /// the space of insertions in progress and, if that is not enough, of the entries that this run has stored.
  func claim() -> Claim {
    var seen = 0
    return { [self] error, place in makesRoom(after: error, at: place, seen: &seen) }
  }

  /// As `claim()`, for a caller that keeps `seen` itself: how often space had been freed when it last asked, at first
  /// 0.
  func makesRoom(after error: Errno, at place: FileStatus?, seen: inout Int) -> Bool {
    isOnDiskOfStore(place) && reclaim(after: error, seen: &seen)
  }

  /// Whether the output is a file or directory on the store's file system: a device needs no space, and entries free
  /// none on another disk.
  private func isOnDiskOfStore(_ place: FileStatus?) -> Bool {
    guard let place, place.kind == .regular || place.kind == .directory, let store,
      let root = try? Descriptor.workingDirectory.status(of: store.root)
    else { return false }
    return root.device == place.device
  }

  /// - Parameter seen: how often space had been freed when the caller last asked. Other threads may have freed some
  ///   since.
  private func reclaim(after error: Errno, seen: inout Int) -> Bool {
    guard error.isSpaceShortage else { return false }
    Self.reclaiming.lock()
    defer { Self.reclaiming.unlock() }
    if seen == freedTotal(), abandonInsertions() || removeStored() {
      reclaimedCount += 1
      faults.noteSpaceReclaimed()
    }
    // Includes the insertions that failed while this thread waited for them.
    let count = freedTotal()
    defer { seen = count }
    return seen != count
  }

  /// To be called with `reclaiming` locked.
  private func freedTotal() -> Int {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    return reclaimedCount + freedCount
  }

  /// Abandons the insertions in progress. Waits for one that is being committed.
  private func abandonInsertions() -> Bool {
    Self.lock.lock()
    let current = insertions
    insertions = []
    Self.lock.unlock()
    var isAny = false
    for reference in current where reference.insertion?.abandon() ?? false { isAny = true }
    return isAny
  }

  private func removeStored() -> Bool {
    Self.lock.lock()
    let stored = entries
    entries = []
    Self.lock.unlock()
    guard let store else { return false }
    return store.remove(stored) > 0
  }
}
