import Platform

/// How much the store may hold, and how safely it keeps that.
package struct StoreLimits: Equatable, Sendable {
  /// The limit on all entries together, in bytes.
  package var capacity: Int64
  /// The limit on the content of one response, in bytes.
  package var largestContent: Int64
  /// Whether an entry is synchronized to the disk before its commit returns.
  package var isDurable: Bool

  /// - Parameter largestContent: a twentieth of the capacity by default, as in NSURLCache.
  package init(
    capacity: Int64 = Self.defaultCapacity, largestContent: Int64? = nil, isDurable: Bool = false
  ) {
    self.capacity = capacity
    self.largestContent = largestContent ?? capacity / 20
    self.isDurable = isDurable
  }

  /// - Throws: an error if `count` bytes cannot be added to content of `length` bytes: `.contentTooLong` if no entry
  ///   can hold that many bytes, `.tooLarge` if the limit is exceeded.
  func check(_ length: UInt64, adding count: Int) throws(StoreError) {
    guard UInt64(count) <= EntryFormat.maximumContentLength - length else { throw .contentTooLong }
    guard Int64(length) + Int64(count) <= largestContent else { throw .tooLarge }
  }

  /// 10 GiB: a small share of any disk that software is built on, and more than most caches ever hold.
  package static let defaultCapacity: Int64 = 10 << 30
}

/// The terms on which an entry is published.
struct PublishingTerms: Sendable {
  var limits: StoreLimits
  let clock: Clock
  var evictions: EvictionRecord?
  /// The entry that is being changed, which is not removed to make room for its own change.
  var spared: EntryName?
  /// A watch on the target of the entry, if an invalidation is to keep the entry from being published.
  var watch: InvalidationWatch?
}
