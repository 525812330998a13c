package import HTTPCaching
package import HTTPSemantics
import Platform

/// A watch that tells whether a target has been invalidated since a request for it was sent, or an answer has removed a
/// stored response for it. The answer to that request may show the state before the change, and must not be stored as
/// if it were new (RFC 9111 section 4.4).
///
/// The lock file has a number for each target, and every invalidation and every such removal writes a new one. Rarely,
/// two targets share a number; then an answer is not stored although it could be.
package struct InvalidationWatch: Sendable {
  private let store: Store
  private let place: Int64
  /// `nil` if there was no lock file when the watch began: nothing had been invalidated then.
  private let file: LockFile?
  private let number: UInt64
  /// The result of the look-up for that request; `nil` if it is unknown.
  package var selection: Selection?

  fileprivate init(_ store: Store, _ target: TargetURI) {
    self.store = store
    place = Self.place(of: target)
    file = (try? store.existingLockFile()) ?? nil
    number = (try? file?.number(at: place)) ?? Self.none
  }

  /// The outcome of storing the answer now, if it must not be stored.
  var refusal: CommitOutcome? {
    // Once the file has been replaced, invalidations are written to the new one, and may have been missed.
    if let file, !store.isInPlace(file) { return .storeChanged }
    guard let file = file ?? (try? store.existingLockFile()) ?? nil,
      let current = try? file.number(at: place)
    else { return nil }
    return current == number ? nil : .invalidated
  }

  /// The value of a number that has never been written.
  private static let none: UInt64 = 0

  /// Returns the offset of the target's number. The numbers of the slots come before it.
  fileprivate static func place(of target: TargetURI) -> Int64 {
    LockFile.offset(ofHash: NameHash.of(target.bytes).low, inRow: LockFile.invalidationNumbers)
  }
}

extension Store {
  /// Begins to watch a target; to be called before the request is sent.
  package func watch(_ target: TargetURI) -> InvalidationWatch { InvalidationWatch(self, target) }

  /// Triggers every watch of the target. If nothing can be written, the watches learn nothing, and their answers are
  /// stored.
  func noteInvalidation(of target: TargetURI) {
    // Not the old number plus one: two processes could write the same at the same moment.
    guard let file = try? openLockFile(), let random = try? SecureRandom.bytes(count: MemoryLayout<UInt64>.size)
    else { return }
    let number = random.reduce(0) { $0 << 8 | UInt64($1) }
    try? file.write(number, at: InvalidationWatch.place(of: target))
  }
}
