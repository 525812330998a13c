import CHash
package import HTTPSemantics
import Platform

/// Whether a target has been invalidated since an answer was asked for. That may be older than what the request has
/// changed which invalidated the target, and is not to be stored behind it (RFC 9111 section 4.4).
///
/// The lock file has a number of every target, which each invalidation makes another one. Two targets may share one,
/// rarely: then an answer is not stored that could be.
package struct InvalidationWatch: Sendable {
  private let store: Store
  private let place: Int64
  /// `nil` where there was none: then nobody had invalidated anything.
  private let file: LockFile?
  private let number: UInt64

  fileprivate init(_ store: Store, _ target: TargetURI) {
    self.store = store
    place = Self.place(of: target)
    file = (try? store.existingLockFile()) ?? nil
    number = (try? file?.number(at: place)) ?? Self.none
  }

  var isTriggered: Bool {
    guard let file = file ?? (try? store.existingLockFile()) ?? nil,
      let current = try? file.number(at: place)
    else { return false }
    return current != number
  }

  /// What has never been written.
  private static let none: UInt64 = 0

  /// Of the number. Those of the slots are before it.
  fileprivate static func place(of target: TargetURI) -> Int64 {
    let hash = target.bytes.span.bytes.withUnsafeBytes { chash_xxh3_128($0.baseAddress, $0.count, 0) }
    return LockFile.invalidationNumbers + Int64(hash.low % UInt64(LockFile.numberCount)) * LockFile.numberBytes
  }
}

extension Store {
  /// Watches a target from now on; to be called before an answer is asked for.
  package func watch(_ target: TargetURI) -> InvalidationWatch { InvalidationWatch(self, target) }

  /// Lets those know who watch a target. Where that cannot be written, they store what they get, as if they had asked
  /// for it now.
  func noteInvalidation(of target: TargetURI) {
    // One more than the number that is there could be what another process makes of it at the same moment.
    guard let file = try? openLockFile(), let random = try? SecureRandom.bytes(count: MemoryLayout<UInt64>.size)
    else { return }
    let number = random.reduce(0) { $0 << 8 | UInt64($1) }
    try? file.write(number, at: InvalidationWatch.place(of: target))
  }
}
