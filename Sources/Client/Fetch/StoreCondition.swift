import CacheStore
import Platform
import Synchronization

/// What the threads of a run have found out about its store.
final class StoreCondition: @unchecked Sendable {
  private let lock = Lock()
  // Atomic, because every thread asks for these several times for each URL.
  private let isTurnedOff = Atomic(false)
  private let isUnwritable = Atomic(false)
  // Under the lock.
  private var hasWarned = false
  private var firstFailure: Failure?
  private var firstOffReason: String?
  private var storeSecret: [UInt8]?
  private var processSecret: [UInt8]?
  private var hasInserted = false
  private var counter: ResultCounter?

  /// Whether the store is off for the rest of the run.
  var isOff: Bool { isTurnedOff.load(ordering: .relaxed) }

  /// Why the store is off, as a sentence; `nil` if it is not.
  var offReason: String? { isOff ? locked { firstOffReason } : nil }

  /// Turns the store off for the rest of the run. The sentence of the first failure counts.
  func turnOff(because sentence: String) {
    locked { firstOffReason = firstOffReason ?? sentence }
    isTurnedOff.store(true, ordering: .relaxed)
  }

  /// Whether the run stores nothing more on the disk: the store has turned out not to be writable, or its space is
  /// needed for the output.
  var isReadOnly: Bool {
    get { isUnwritable.load(ordering: .relaxed) }
    set { isUnwritable.store(newValue, ordering: .relaxed) }
  }

  /// The key of all keyed digests, once it has been read.
  var secret: [UInt8]? {
    get { locked { storeSecret } }
    set { locked { storeSecret = newValue } }
  }

  /// The key in place of `secret` for responses kept in memory alone, if the store has none and may not get one.
  var ownSecret: [UInt8]? {
    locked {
      if processSecret == nil { processSecret = try? SecureRandom.bytes(count: Store.secretBytes) }
      return processSecret
    }
  }

  /// The first failure that kept anything from being stored.
  var failure: Failure? { locked { firstFailure } }

  func note(_ failure: Failure) {
    locked { if firstFailure == nil { firstFailure = failure } }
  }

  /// - Returns: `true` the first time.
  func takeFirstWarning() -> Bool {
    locked {
      defer { hasWarned = true }
      return !hasWarned
    }
  }

  /// - Returns: `true` the first time: a run looks once for what killed processes have left in the store.
  func takeFirstInsertion() -> Bool {
    locked {
      defer { hasInserted = true }
      return !hasInserted
    }
  }

  /// Returns where results are counted, once the store has tallies.
  func resultCounter(of store: Store) -> ResultCounter? {
    locked {
      if counter == nil { counter = store.resultCounter() }
      return counter
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}
