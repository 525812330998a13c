import Platform

/// How much the store may hold, and how it keeps it.
package struct StoreLimits: Equatable, Sendable {
  /// Of all entries together, in bytes.
  package var capacity: Int64
  /// Of the content of one response, in bytes.
  package var largestContent: Int64
  /// Whether an entry is on the disk when it is committed.
  package var isDurable: Bool

  /// - Parameter largestContent: by default a twentieth of the capacity, as NSURLCache has it.
  package init(
    capacity: Int64 = Self.defaultCapacity, largestContent: Int64? = nil, isDurable: Bool = false
  ) {
    self.capacity = capacity
    self.largestContent = largestContent ?? capacity / 20
    self.isDurable = isDurable
  }

  /// - Throws: where content of `length` bytes cannot have `count` more: `.contentTooLong`, which no entry holds, or
  ///   `.tooLarge`, which is not wanted.
  func check(_ length: UInt64, adding count: Int) throws(StoreError) {
    guard UInt64(count) <= EntryFormat.maximumContentLength - length else { throw .contentTooLong }
    guard Int64(length) + Int64(count) <= largestContent else { throw .tooLarge }
  }

  /// 10 GiB: a small share of any disk that software is built on, and more than most caches ever hold.
  package static let defaultCapacity: Int64 = 10 << 30
}

/// What publishing an entry goes by.
struct PublishingTerms: Sendable {
  var limits: StoreLimits
  let clock: Clock
  var evictions: EvictionRecord?
  /// What is being changed, which makes no room for its own change.
  var spared: EntryName?
  /// Of the target of what is published, where its invalidation is to stop that.
  var watch: InvalidationWatch?
}
