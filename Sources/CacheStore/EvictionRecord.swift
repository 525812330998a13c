import Synchronization

/// What has had to go to make room, of all insertions into a store.
package final class EvictionRecord: Sendable {
  private let sum = Atomic<Int64>(0)

  package init() {}

  /// Of the files that are gone.
  package var bytes: Int64 { sum.load(ordering: .relaxed) }

  func note(_ bytes: Int64) { sum.add(bytes, ordering: .relaxed) }
}
