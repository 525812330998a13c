import Platform
import Synchronization

/// Standard output of transfers side by side, in the order of the command line.
///
/// The transfer whose turn it is writes there itself, what is there at once together with those behind it. What later
/// ones print is held, for as many as `mostSpools`, and printed when their turn comes; who would be one more, or finds
/// no room left, waits, and the first of them goes on first. Whoever has the turn has been begun before them, and waits
/// for none of them: this always ends.
final class OrderedOutput: @unchecked Sendable {
  /// How far the others may run ahead of a slow one: what each has come to is kept until it is told.
  static let mostSpools = 1_024
  /// Between two looks at whether the run is to end.
  private static let pauseMilliseconds = 200

  private let standardOutput: Descriptor
  private let directory: Path
  private let room = SpoolRoom()
  private let lentRoom: LentRoom
  private let screen: Diagnostics?
  private let condition = Condition()
  /// Whose it is; changed under the condition's lock.
  private let turn = Atomic(0)
  // Under its lock.
  private var spoolCount = 0
  /// Those that would be one more.
  private var unbegun: Set<Int> = []
  private var ended: [Int: (work: () -> Void, count: Int, isSpooled: Bool)] = [:]
  /// What those have printed that wait for something else than their turn.
  private var waiting: [Int: () -> Void] = [:]
  private var isPassingOn = false

  /// - Parameters:
  ///   - directory: of the files without a name.
  ///   - lentRoom: what can be given back where there is none for standard output.
  ///   - screen: told of what is printed, where that is a terminal.
  init(
    _ standardOutput: Descriptor, directory: Path, over lentRoom: LentRoom, on screen: Diagnostics? = nil
  ) {
    self.standardOutput = standardOutput
    self.directory = directory
    self.lentRoom = lentRoom
    self.screen = screen
  }

  func hasTurn(_ number: Int) -> Bool { turn.load(ordering: .relaxed) == number }

  /// To be asked before a transfer that prints is begun. Those that follow it may print there too.
  ///
  /// - Parameters:
  ///   - noteWait: called before one of them waits for its turn, or to be begun, which others have to get out of the
  ///     way of.
  ///   - notePassing: called before anything is printed while one of them goes on: whoever reads it may be slow.
  func place(
    of number: Int, noteWait: @escaping () -> Void, notePassing: @escaping () -> Void
  ) -> PrintPlace {
    condition.lock()
    defer { condition.unlock() }
    awaitSpool(for: number, noteWait)
    spoolCount += 1
    let claimRoom = lentRoom.claim()
    let turn = Spool.Turn(
      output: { [unowned self] in
        // Behind a signal, what goes before it may have broken off.
        guard hasTurn(number), Signals.pending == nil else { return nil }
        notePassing()
        return standardOutput
      },
      awaitOutput: { [unowned self] in
        if !hasTurn(number) { noteWait() }
        return awaitTurn(of: number)
      },
      whenOutput: { [unowned self] work in printInTurn(of: number, work) },
      makeRoom: { [unowned self] error in error.isWantOfRoom && claimRoom(error, try? standardOutput.status()) })
    return .spool(Spool(in: directory, of: room, turn: turn, on: screen))
  }

  private func awaitSpool(for number: Int, _ noteWait: () -> Void) {
    guard isBeyondMost(number) else { return }
    unbegun.insert(number)
    outsideLock(noteWait)
    // Behind a signal nothing is printed, and so nothing held for long.
    while isBeyondMost(number), Signals.pending == nil { condition.wait(milliseconds: Self.pauseMilliseconds) }
    unbegun.remove(number)
    // The one behind it has waited for it, too.
    if !unbegun.isEmpty { condition.notifyAll() }
  }

  /// Whether there is no spool for it: one that were not begun when its turn comes would keep all others waiting.
  private func isBeyondMost(_ number: Int) -> Bool {
    !hasTurn(number) && (spoolCount >= Self.mostSpools || unbegun.contains { $0 < number })
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
  ///   - count: of all of them.
  ///   - work: done when its turn comes, by whichever thread; one at a time, in order.
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

  /// Has done what the turn has come for.
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

  /// A large one that is printed does not keep the others from fetching.
  private func outsideLock(_ work: () -> Void) {
    condition.unlock()
    defer { condition.lock() }
    work()
  }
}
