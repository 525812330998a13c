import CacheStore
import HTTPCaching
import Platform

/// Room on the disk that a run takes for the cache, and gives back where what its user gets has none.
///
/// Whatever thread needs it, gives back what all have taken.
final class LentRoom: @unchecked Sendable {
  private struct Borrower {
    weak var insertion: (any Insertion)?
  }

  /// Of what has been stored, the last ones can be given back: what tells them from others is a megabyte.
  private static let mostEntries = 10_000

  private let store: Store?
  private let faults: StoreFaults
  // Made when they are needed: each run having its own cost a hit 7,000 instructions. A process has one, but for tests.
  /// One at a time gives back: who comes meanwhile finds that it has been done.
  private static let giving = Lock()
  private static let lock = Lock()
  // Under the first lock.
  private var givenBackCount = 0
  // Under the other lock, which is held for moments.
  private var borrowers: [Borrower] = []
  private var entries: [WrittenEntry] = []
  private var storedCount = 0
  private var freedCount = 0

  init(_ store: Store?, _ faults: StoreFaults) {
    self.store = store
    self.faults = faults
  }

  /// Takes note of what is on its way to the disk, for as long as it lives.
  func note(_ insertion: any Insertion) {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    var free = 0
    while free < borrowers.count, borrowers[free].insertion != nil { free += 1 }
    let borrower = Borrower(insertion: insertion)
    if free < borrowers.count { borrowers[free] = borrower } else { borrowers.append(borrower) }
  }

  /// Takes note of what the disk has now.
  func noteStored(_ entry: WrittenEntry) {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    if entries.count < Self.mostEntries {
      entries.append(entry)
    } else {
      entries[storedCount % Self.mostEntries] = entry
    }
    storedCount += 1
  }

  /// Takes note that something on its way has failed, and has no room any more: who has met the same want beside it may
  /// go on.
  func noteFreed() {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    freedCount += 1
  }

  /// Says whether there may be room now, after an error, where what was written is there, or was to be.
  typealias Claim = (Errno, FileStatus?) -> Bool

  /// What one of those who deliver calls after an error: gives the room back, where that is what was wanting, of what
  /// is on its way, and if that is not enough of what this run has stored.
  func claim() -> Claim {
    var seen = 0
    return { [self] error, place in makesRoom(after: error, at: place, seen: &seen) }
  }

  /// As a claim of whoever keeps `seen`: how often there had been more room when they asked last, at first 0.
  func makesRoom(after error: Errno, at place: FileStatus?, seen: inout Int) -> Bool {
    isHere(place) && giveBack(after: error, seen: &seen)
  }

  /// Whether a file, or one in a directory, has its room where the store has: a device has none, and what another disk
  /// wants no entry can give.
  private func isHere(_ place: FileStatus?) -> Bool {
    guard let place, place.kind == .regular || place.kind == .directory, let store,
      let root = try? Descriptor.workingDirectory.status(of: store.root)
    else { return false }
    return root.device == place.device
  }

  /// - Parameter seen: how often there had been more room when this was asked last: others may have seen to it since.
  private func giveBack(after error: Errno, seen: inout Int) -> Bool {
    guard error.isWantOfRoom else { return false }
    Self.giving.lock()
    defer { Self.giving.unlock() }
    if seen == roomCount(), letGoOfInsertions() || removeStored() {
      givenBackCount += 1
      faults.noteGivenBack()
    }
    // What has failed meanwhile was waited for.
    let count = roomCount()
    defer { seen = count }
    return seen != count
  }

  /// Under the first lock.
  private func roomCount() -> Int {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    return givenBackCount + freedCount
  }

  /// What is just being stored is waited for.
  private func letGoOfInsertions() -> Bool {
    Self.lock.lock()
    let insertions = borrowers
    borrowers = []
    Self.lock.unlock()
    var isAny = false
    for borrower in insertions where borrower.insertion?.letGo() ?? false { isAny = true }
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
