import Platform

extension Store {
  /// Does the same as `forEachEntry` with a thread for each processor, four at most.
  ///
  /// Entries of one shard are shown one after the other, those of different shards at the same time.
  ///
  /// - Parameter body: guards what its calls share. After it has returned false, it may be called a few more times.
  package func forEachEntryInParallel(_ body: @escaping @Sendable (WalkedEntry) -> Bool) throws(StoreError) {
    guard let opened = try ReadableStore(root, for: .listing) else { return }
    let walk = ParallelWalk(of: self, opened, body)
    try storing(.listing) { () throws(Errno) in try walk.run() }
  }
}

/// Threads that take one shard after the other until none is left.
private final class ParallelWalk: @unchecked Sendable {
  /// More threads would only wait for the disk and the allocator.
  private static let maximumThreads = 4
  /// Starting a thread costs as much as showing this many entries.
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
      // If no thread can be started, this one does all the work.
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

  /// - Returns: the number of entries that have been shown.
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
