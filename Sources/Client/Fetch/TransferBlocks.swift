import Platform

/// The URLs of a run, for threads that fetch them side by side: each takes a few that follow each other at a time.
///
/// A hit takes so little that to ask whose turn it is, for each, cost a run with two threads a fifth of its time, and
/// to wait for plans a quarter. A thread that is about to wait gives back what it has not begun, so that no URL waits
/// for another.
final class TransferBlocks: @unchecked Sendable {
  /// Consecutive URLs, in the hands of one thread.
  final class Block {
    /// What is left of them, the next one last: what has been taken is let go of.
    fileprivate var rest: [PlannedTransfer]
    /// Whether its thread has had to wait.
    fileprivate(set) var hasWaited = false
    /// What its transfers print, and nobody has seen yet.
    var spool: Spool?

    fileprivate init(_ transfers: [PlannedTransfer]) { rest = transfers }

    func takeFirst() -> PlannedTransfer? { rest.popLast() }

    /// The next one, where it prints as those before it do.
    func next(printing prints: Bool) -> PlannedTransfer? { rest.last?.prints == prints ? rest.popLast() : nil }
  }

  private static let usualLength = 32
  /// So many blocks are planned before a thread asks for one.
  private static let plannedAhead = 2

  private let length: Int
  /// Whoever has it plans, in order. Nobody else waits for that as long as something is planned.
  private let planning = Lock()
  // Under that one.
  private let queue: TransferQueue
  private let lock = Lock()
  // Under the lock.
  private var isQueueEmpty = false
  /// What has been planned, or given back, and nobody has; the first URLs last, in each of them, too.
  private var ready: [[PlannedTransfer]] = []

  /// - Parameter areApart: whether something comes between two transfers, so that a block is one URL.
  init(_ queue: TransferQueue, areApart: Bool) {
    self.queue = queue
    length = areApart ? 1 : Self.usualLength
  }

  /// The first URLs that nobody has; `nil` where there are none.
  ///
  /// - Parameter isLikelyToWait: whether one is enough, for it may have to be waited for.
  func take(isLikelyToWait: Bool) -> Block? {
    let length = isLikelyToWait ? 1 : self.length
    if let block = takeReady(upTo: length) {
      if planning.tryLock() {
        planAhead()
        planning.unlock()
      }
      return block
    }
    planning.lock()
    defer { planning.unlock() }
    // Whoever has been waited for may have planned some.
    if let block = takeReady(upTo: length) { return block }
    planAhead()
    return takeReady(upTo: length)
  }

  private func takeReady(upTo length: Int) -> Block? {
    lock.lock()
    defer { lock.unlock() }
    guard var first = ready.popLast() else { return nil }
    if first.count <= length { return Block(first) }
    let taken = Array(first.suffix(length))
    first.removeLast(length)
    ready.append(first)
    return Block(taken)
  }

  private func planAhead() {
    lock.lock()
    let isWanted = !isQueueEmpty && ready.count < Self.plannedAhead
    lock.unlock()
    guard isWanted else { return }
    var transfers: [PlannedTransfer] = []
    transfers.reserveCapacity(length)
    while transfers.count < length, let planned = queue.nextToFetch() {
      transfers.append(planned)
      if planned.isLast { break }
    }
    lock.lock()
    defer { lock.unlock() }
    // Nobody begins another where it has been closed meanwhile.
    if isQueueEmpty { return }
    isQueueEmpty = transfers.last?.isLast ?? true
    transfers.reverse()
    if !transfers.isEmpty { ready.insert(transfers, at: 0) }
  }

  /// Takes back what is left of a block whose thread is about to wait.
  func takeBack(beforeWaiting block: Block) {
    block.hasWaited = true
    takeBack(block)
    block.spool?.noteWait()
  }

  /// Takes back what is left of a block; its thread takes another one in the end, so that nothing is left.
  func takeBack(_ block: Block) {
    guard let first = block.rest.last else { return }
    lock.lock()
    defer { lock.unlock() }
    let place = ready.firstIndex { $0[$0.count - 1].number < first.number } ?? ready.endIndex
    ready.insert(block.rest, at: place)
    block.rest = []
  }

  var isEmpty: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isQueueEmpty && ready.isEmpty
  }

  /// Lets nobody begin another.
  func close() {
    lock.lock()
    defer { lock.unlock() }
    isQueueEmpty = true
    ready = []
  }
}

extension PlannedTransfer {
  /// Whether anything of it may go to standard output before it is over.
  var prints: Bool {
    guard case .success(let plan) = plan else { return false }
    return plan.delivery.sink == .standardOutput || plan.delivery.headDump?.isStandardOutput == true
  }
}

extension TransferQueue {
  /// The next one, with the directories made that those behind it may want, whichever is answered first.
  func nextToFetch() -> PlannedTransfer? {
    let planned = next()
    if makesDirectoriesForOthers, case .success(let plan)? = planned?.plan,
      case .file(let file) = plan.delivery.sink, file.createsDirectories == true, let path = file.path
    {
      // What cannot be made is told of when the file is opened.
      try? Descriptor.workingDirectory.createParents(of: path)
    }
    return planned
  }
}
