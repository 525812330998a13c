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

  /// Of what has been stored, the last ones can be given back: their names are a megabyte.
  private static let mostNames = 10_000

  private let store: Store?
  private let faults: StoreFaults
  private let lock = Lock()
  // Under the lock.
  private var borrowers: [Borrower] = []
  private var names: [EntryName] = []
  private var storedCount = 0

  init(_ store: Store?, _ faults: StoreFaults) {
    self.store = store
    self.faults = faults
  }

  /// Takes note of what is on its way to the disk, for as long as it lives.
  func note(_ insertion: any Insertion) {
    lock.lock()
    defer { lock.unlock() }
    var free = 0
    while free < borrowers.count, borrowers[free].insertion != nil { free += 1 }
    let borrower = Borrower(insertion: insertion)
    if free < borrowers.count { borrowers[free] = borrower } else { borrowers.append(borrower) }
  }

  /// Takes note of what the disk has now.
  func noteStored(_ stored: StoredResponse) {
    let name = EntryName(of: stored)
    lock.lock()
    defer { lock.unlock() }
    if names.count < Self.mostNames { names.append(name) } else { names[storedCount % Self.mostNames] = name }
    storedCount += 1
  }

  /// Gives it back where it is wanting: what is on its way, and if that is not enough, what this run has stored.
  ///
  /// - Returns: whether there may be room now.
  func giveBack(after error: Errno) -> Bool {
    guard error.isWantOfRoom else { return false }
    lock.lock()
    defer { lock.unlock() }
    var isGivenBack = false
    for borrower in borrowers where borrower.insertion?.letGo() ?? false { isGivenBack = true }
    borrowers = []
    if !isGivenBack, let store {
      isGivenBack = store.remove(names) > 0
      names = []
    }
    // Nothing more is to be stored there.
    if isGivenBack { faults.noteGivenBack() }
    return isGivenBack
  }
}
