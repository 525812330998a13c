import Platform
import Synchronization

/// Standard output of parallel transfers, in the order of the command line.
///
/// The transfers of the block whose turn it is write there themselves, small outputs together. The output of later
/// blocks is held in a limited number of spools, and printed when their turn comes. A block for which no spool is left
/// waits for one, the first such block first; one whose spool has no room left waits for its turn. No wait is endless:
/// the block whose turn it is was begun before the others, and waits for none of them.
final class OrderedOutput: @unchecked Sendable {
  /// How many blocks of transfers may run ahead of a slow one; the results of each are kept until its turn.
  static let maximumSpools = 1_024
  /// The time between two checks whether the run is to end.
  private static let pauseMilliseconds = 200

  private let standardOutput: Descriptor
  private let directory: Path
  private let room = SpoolRoom()
  private let reclaimableSpace: ReclaimableSpace
  private let screen: Diagnostics?
  private let condition = Condition()
  /// The number of the transfer whose turn it is; changed under the condition's lock.
  private let turn = Atomic(0)
  // Guarded by the condition's lock.
  private var spoolCount = 0
  private var waitingForSpool: Set<Int> = []
  private var ended: [Int: (work: () -> Void, count: Int, isSpooled: Bool)] = [:]
  /// By the number of the transfer: work to be done when its turn comes, while it is in progress. It prints what the
  /// transfer's spool holds, because its thread is about to wait for something other than the turn.
  private var waiting: [Int: () -> Void] = [:]
  private var isPassingOn = false

  /// - Parameters:
  ///   - directory: where the files without a name are made.
  ///   - reclaimableSpace: disk space to reclaim when standard output is a file that runs out of it.
  ///   - screen: told of what is printed, if standard output is a terminal.
  init(
    _ standardOutput: Descriptor, directory: Path, over reclaimableSpace: ReclaimableSpace, on screen: Diagnostics?
  ) {
    self.standardOutput = standardOutput
    self.directory = directory
    self.reclaimableSpace = reclaimableSpace
    self.screen = screen
  }

  func hasTurn(_ number: Int) -> Bool { turn.load(ordering: .relaxed) == number }

  /// Returns the place where a transfer prints, and where those print that follow it in its block. It is called before
  /// the transfer begins, and waits for a spool if too many are in use.
  ///
  /// - Parameters:
  ///   - prepareToWait: called before one of them waits for a spool or for its turn, so that the transfers that it
  ///     waits for do not wait for it.
  ///   - notePassing: called before anything is printed while one of them is in progress: the reader may be slow.
  func place(
    of number: Int, prepareToWait: @escaping () -> Void, notePassing: @escaping () -> Void
  ) -> PrintPlace {
    condition.lock()
    defer { condition.unlock() }
    awaitSpool(for: number, prepareToWait)
    spoolCount += 1
    let claimRoom = reclaimableSpace.claim()
    let turn = Spool.Turn(
      output: { [unowned self] in
        // After a signal, the output that belongs before this may have broken off.
        guard hasTurn(number), Signals.pending == nil else { return nil }
        notePassing()
        return standardOutput
      },
      awaitOutput: { [unowned self] in
        if !hasTurn(number) { prepareToWait() }
        return awaitTurn(of: number)
      },
      whenOutput: { [unowned self] work in printInTurn(of: number, work) },
      makeRoom: { [unowned self] error in error.isSpaceShortage && claimRoom(error, try? standardOutput.status()) })
    return .spool(Spool(in: directory, of: room, turn: turn, on: screen))
  }

  private func awaitSpool(for number: Int, _ prepareToWait: () -> Void) {
    guard isBeyondMost(number) else { return }
    waitingForSpool.insert(number)
    outsideLock(prepareToWait)
    // After a signal nothing is printed, and so nothing is held for long.
    while isBeyondMost(number), Signals.pending == nil { condition.wait(milliseconds: Self.pauseMilliseconds) }
    waitingForSpool.remove(number)
    // The next one has waited for this transfer, too.
    if !waitingForSpool.isEmpty { condition.notifyAll() }
  }

  /// Whether a transfer has to wait for a spool. The one whose turn it is never does: it would keep all others waiting.
  private func isBeyondMost(_ number: Int) -> Bool {
    !hasTurn(number) && (spoolCount >= Self.maximumSpools || waitingForSpool.contains { $0 < number })
  }

  private func printInTurn(of number: Int, _ work: @escaping () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    waiting[number] = work
    passOn()
  }

  private func awaitTurn(of number: Int) -> Descriptor? {
    condition.lock()
    defer { condition.unlock() }
    while !hasTurn(number), Signals.pending == nil { condition.wait(milliseconds: Self.pauseMilliseconds) }
    return Signals.pending == nil ? standardOutput : nil
  }

  /// Ends a transfer, and those that have followed it, whether they printed or not.
  ///
  /// - Parameters:
  ///   - count: the number of these transfers.
  ///   - work: done by any thread when the turn comes; one at a time, in order.
  func end(_ number: Int, count: Int, in place: PrintPlace, _ work: @escaping () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    var isSpooled = false
    if case .spool(let spool) = place {
      isSpooled = true
      if !hasTurn(number) { spool.trim() }
    }
    waiting[number] = nil
    ended[number] = (work, count, isSpooled)
    passOn()
  }

  /// Does what waits for the present turn, then passes the turn on.
  private func passOn() {
    if isPassingOn { return }
    isPassingOn = true
    while true {
      let number = turn.load(ordering: .relaxed)
      if let work = waiting.removeValue(forKey: number) {
        outsideLock(work)
      } else if let next = ended.removeValue(forKey: number) {
        outsideLock(next.work)
        if next.isSpooled { spoolCount -= 1 }
        turn.wrappingAdd(next.count, ordering: .relaxed)
        condition.notifyAll()
      } else {
        break
      }
    }
    isPassingOn = false
  }

  /// Runs `work` without the lock, so that a large output being printed does not keep other threads from fetching.
  private func outsideLock(_ work: () -> Void) {
    condition.unlock()
    defer { condition.lock() }
    work()
  }
}
