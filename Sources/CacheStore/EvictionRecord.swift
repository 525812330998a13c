import Synchronization

/// The number of bytes that all insertions into a store have removed to make room.
package final class EvictionRecord: Sendable {
  private let sum = Atomic<Int64>(0)

  package init() {}

  /// The bytes of the removed files.
  package var bytes: Int64 { sum.load(ordering: .relaxed) }

  func note(_ bytes: Int64) { sum.add(bytes, ordering: .relaxed) }
}
