import Platform

extension Store {
  /// As `forEachEntry`, by as many threads as there are processors.
  ///
  /// Those of a shard come one after the other, those of several at the same time.
  ///
  /// - Parameter body: what it shares, it guards; once it has answered false, it may be called a few times more.
  package func forEachEntryInParallel(_ body: @escaping @Sendable (WalkedEntry) -> Bool) throws(StoreError) {
    guard let opened = try ReadableStore(root, for: .listing) else { return }
    let walk = ParallelWalk(of: self, opened, body)
    try storing(.listing) { () throws(Errno) in try walk.run() }
  }
}

/// Threads that take a shard after the other, until there is none.
private final class ParallelWalk: @unchecked Sendable {
  /// More would wait for the disk and the allocator.
  private static let maximumThreads = 4
  /// A thread costs as much as this many entries.
  private static let entriesBeforeHelp = 100

  private let store: Store
  private let opened: ReadableStore
  private let body: @Sendable (WalkedEntry) -> Bool

  // Guarded by the lock.
  private let lock = Lock()
  private var nextShard = 0
  private var failure: Errno?

  init(of store: Store, _ opened: consuming ReadableStore, _ body: @escaping @Sendable (WalkedEntry) -> Bool) {
    self.store = store
    self.opened = opened
    self.body = body
  }

  func run() throws(Errno) {
    var helpers: [Thread] = []
    var seen = 0
    while let shard = takeShard() {
      seen += walk(shard)
      guard helpers.isEmpty, seen >= Self.entriesBeforeHelp else { continue }
      // Where there can be no thread, this one does it all.
      for _ in 1..<max(1, min(Thread.usableProcessors, Self.maximumThreads)) {
        guard let helper = try? Thread({ [self] in help() }) else { break }
        helpers.append(helper)
      }
    }
    for helper in helpers { helper.join() }
    if let failure { throw failure }
  }

  private func help() {
    while let shard = takeShard() { _ = walk(shard) }
  }

  private func takeShard() -> UInt8? {
    lock.lock()
    defer { lock.unlock() }
    guard failure == nil, let shard = UInt8(exactly: nextShard) else { return nil }
    nextShard += 1
    return shard
  }

  /// - Returns: how many entries it has shown.
  private func walk(_ shard: UInt8) -> Int {
    var seen = 0
    do throws(Errno) {
      let goesOn = try store.showEntries(of: shard, in: opened) { entry in
        seen += 1
        return body(entry)
      }
      if !goesOn { stop(nil) }
    } catch {
      stop(error)
    }
    return seen
  }

  private func stop(_ reason: Errno?) {
    lock.lock()
    nextShard = .max
    failure = failure ?? reason
    lock.unlock()
  }
}
