import Platform

/// How long garner waits for a garner-transport that may hang: libcurl keeps the limits of a transfer, but not where
/// its process is stopped, or opens a FIFO that nobody writes to.
struct TransferWatch {
  /// What the program has for ending a transfer that it has been told to end, or whose time is over.
  private static let grace: UInt64 = 1_000_000_000

  /// What the rest has that nobody gets. A connection is made anew in less; what is stored of the content, by the way,
  /// takes longer over slow networks only.
  private static let longestBriefWait: UInt64 = 1_000_000_000

  private var end: UInt64?
  /// Of a wait that is brief.
  private var briefEnd: UInt64?
  private var isCancelled = false

  /// - Parameter milliseconds: what the transfer may take.
  init(limit milliseconds: Int?) {
    guard let milliseconds else { return }
    end = Clock.system.monotonic().adding(
      saturating: UInt64(clamping: milliseconds).multiplied(saturating: 1_000_000).adding(saturating: Self.grace))
  }

  /// What is to be done next.
  enum Step {
    /// To wait for what comes.
    case goOn
    /// To tell the program that the transfer is to end.
    case cancel
    /// To wait for the end, as it has been told.
    case awaitEnd
    /// Nothing is to be expected of the program any more.
    case giveUp(TransportError)
  }

  /// Looks after a transfer, again and again until its end.
  ///
  /// - Parameter shouldStop: whether the user wants it to end.
  mutating func step(_ transfer: inout ProgramTransfer, shouldStop: () -> Bool) -> Step {
    if transfer.failure == nil, shouldStop() { transfer.interrupt() }
    if transfer.failure == nil, transfer.isBrief { step(&transfer, briefly: Clock.system.monotonic()) }
    // The program should have said so by now.
    if transfer.failure == nil, isOver { transfer.noteTimeOver() }
    guard let failure = transfer.failure else { return .goOn }
    if isCancelled { return isOver ? .giveUp(failure) : .awaitEnd }
    isCancelled = true
    end = Clock.system.monotonic().adding(saturating: Self.grace)
    return .cancel
  }

  private mutating func step(_ transfer: inout ProgramTransfer, briefly now: UInt64) {
    let end = briefEnd ?? now.adding(saturating: Self.longestBriefWait)
    briefEnd = end
    if now >= end { transfer.letGo() }
  }

  private var isOver: Bool { end.map { Clock.system.monotonic() >= $0 } ?? false }
}
