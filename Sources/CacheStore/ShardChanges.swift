/// What has become of a shard's sums: two counters in one number of `v1/tallies`.
///
/// The high half counts the listings that have begun, the low half how often one has set the sums, or an entry was
/// taken off them. It is one number, because one atomic addition then counts the one and tells how both stood.
struct ShardChanges: Equatable {
  let number: Int64

  /// Added when a listing begins.
  static let oneListing: Int64 = 1 << 32
  /// Added when a listing is about to set the sums, and when an entry is taken off them.
  static let oneRevision: Int64 = 1

  /// Modulo 2^32, as all that are compared with it.
  private var revisions: Int32 { Int32(truncatingIfNeeded: number) }

  /// Whether nobody has set the sums in between, nor taken anything off them; listings may have begun.
  func hasRevisions(of other: ShardChanges) -> Bool { revisions == other.revisions }

  /// Whether one revision is all that has come since.
  func isNext(after other: ShardChanges) -> Bool { number == other.number &+ Self.oneRevision }
}
