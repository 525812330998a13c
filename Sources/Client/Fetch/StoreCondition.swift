import CacheStore
import Platform
import Synchronization

/// What a run has found out of its store, whichever of its threads has.
final class StoreCondition: @unchecked Sendable {
  private let lock = Lock()
  // Asked several times for each URL by every thread.
  private let isLetAlone = Atomic(false)
  private let isUnwritable = Atomic(false)
  // Under the lock.
  private var hasWarned = false
  private var firstFailure: Failure?
  private var sentenceOfDisuse: String?
  private var storeSecret: [UInt8]?
  private var processSecret: [UInt8]?
  private var hasInserted = false
  private var counter: ResultCounter?

  /// Whether the store is let alone.
  var isOff: Bool { isLetAlone.load(ordering: .relaxed) }

  /// Why that is so, as a sentence; `nil` where it is not.
  var disuse: String? { isOff ? locked { sentenceOfDisuse } : nil }

  /// At the first failure: the store is let alone for the rest of the run.
  func turnOff(because sentence: String) {
    locked { sentenceOfDisuse = sentenceOfDisuse ?? sentence }
    isLetAlone.store(true, ordering: .relaxed)
  }

  /// Set when the store turns out not to be writable.
  var isReadOnly: Bool {
    get { isUnwritable.load(ordering: .relaxed) }
    set { isUnwritable.store(newValue, ordering: .relaxed) }
  }

  /// The key of all keyed digests, once it has been read.
  var secret: [UInt8]? {
    get { locked { storeSecret } }
    set { locked { storeSecret = newValue } }
  }

  /// In its place where the store has none and may not get one: of what is kept in memory alone.
  var ownSecret: [UInt8]? {
    locked {
      if processSecret == nil { processSecret = try? SecureRandom.bytes(count: Store.secretBytes) }
      return processSecret
    }
  }

  /// The first, and why nothing could be stored.
  var failure: Failure? { locked { firstFailure } }

  func note(_ failure: Failure) {
    locked { if firstFailure == nil { firstFailure = failure } }
  }

  /// - Returns: true once.
  func takeFirstWarning() -> Bool {
    locked {
      defer { hasWarned = true }
      return !hasWarned
    }
  }

  /// - Returns: true once: one look for what the dead have left is enough for a run.
  func takeFirstInsertion() -> Bool {
    locked {
      defer { hasInserted = true }
      return !hasInserted
    }
  }

  /// Where results are counted, once there are such numbers.
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
