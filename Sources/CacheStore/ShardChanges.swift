/// The changes of a shard: two counters in one number of `v1/tallies`.
///
/// The high half counts the listings that have begun. The low half counts revisions: each is a listing that sets the
/// sums, or an entry that is taken off them. Both are in one number, so that one atomic addition counts and tells how
/// both stood.
struct ShardChanges: Equatable {
  let number: Int64

  /// Added when a listing begins.
  static let oneListing: Int64 = 1 << 32
  /// Added when a listing is about to set the sums, and when an entry is taken off them.
  static let oneRevision: Int64 = 1

  /// Modulo 2^32, like all that are compared with it.
  private var revisions: Int32 { Int32(truncatingIfNeeded: number) }

  /// Whether the sums have not been set in between and nothing has been taken off them. Listings may have begun.
  func hasRevisions(of other: ShardChanges) -> Bool { revisions == other.revisions }

  /// Whether one revision is the only change since `other`.
  func isNext(after other: ShardChanges) -> Bool { number == other.number &+ Self.oneRevision }
}
