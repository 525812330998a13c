import Platform

/// The URLs of a run, handed out to parallel threads in blocks of a few that follow each other.
///
/// A hit takes so little time that taking each URL by itself would cost a run with two threads a fifth of its time, and
/// waiting for plans a quarter. A thread that is about to wait gives back the URLs that it has not begun, so that no
/// URL waits for another.
final class TransferBlocks: @unchecked Sendable {
  /// Consecutive URLs that one thread has taken.
  final class Block {
    /// The URLs that are left, the next one last, so that taking one releases it.
    fileprivate var rest: [PlannedTransfer]
    /// Whether its thread has had to wait.
    fileprivate(set) var hasWaited = false
    /// Holds what the transfers have printed until it is shown.
    var spool: Spool?

    fileprivate init(_ transfers: [PlannedTransfer]) { rest = transfers }

    func takeFirst() -> PlannedTransfer? { rest.popLast() }

    /// Takes the next URL, if it prints as those before it do.
    func next(printing prints: Bool) -> PlannedTransfer? { rest.last?.prints == prints ? rest.popLast() : nil }
  }

  private static let usualLength = 32
  /// How many blocks are planned before a thread asks for one.
  private static let plannedAhead = 2

  private let length: Int
  /// Held by the thread that plans, so that URLs are planned in order. The other threads do not wait for it as long as
  /// something is planned.
  private let planning = Lock()
  // Guarded by `planning`.
  private let queue: TransferQueue
  private let lock = Lock()
  // Guarded by `lock`.
  private var isQueueEmpty = false
  /// URLs that have been planned, or given back, and that no thread has. The first URLs are last, both in the array and
  /// in each of its elements.
  private var ready: [[PlannedTransfer]] = []

  /// - Parameter onePerBlock: whether a block holds one URL only, because something comes between two transfers.
  init(_ queue: TransferQueue, onePerBlock: Bool) {
    self.queue = queue
    length = onePerBlock ? 1 : Self.usualLength
  }

  /// Takes the first URLs that no thread has; returns `nil` if there are none.
  ///
  /// - Parameter isLikelyToWait: whether to take only one, because it may have to be waited for.
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
    // The thread that held the lock may have planned some.
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
    // No other transfer is begun if this has been closed meanwhile.
    if isQueueEmpty { return }
    isQueueEmpty = transfers.last?.isLast ?? true
    transfers.reverse()
    if !transfers.isEmpty { ready.insert(transfers, at: 0) }
  }

  /// Takes back what is left of a block whose thread is about to wait.
  func takeBack(beforeWaiting block: Block) {
    block.hasWaited = true
    takeBack(block)
    block.spool?.printAtOnce()
  }

  /// Takes back what is left of a block. Its thread takes another block in the end, so that no URL is left over.
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

  /// Lets no other transfer begin.
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
  /// Returns the next transfer, and makes its directories first: those behind it may need them, and be answered before
  /// it.
  func nextToFetch() -> PlannedTransfer? {
    let planned = next()
    if makesDirectoriesForOthers, case .success(let plan)? = planned?.plan,
      case .file(let file) = plan.delivery.sink, file.createsDirectories == true, let path = file.path
    {
      // A directory that cannot be made is reported when the file is opened.
      try? Descriptor.workingDirectory.createParents(of: path)
    }
    return planned
  }
}
