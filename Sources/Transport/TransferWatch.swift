import Platform

/// Bounds how long garner waits for a garner-transport that may hang. libcurl keeps the limits of a transfer, but not
/// while its process is stopped, or opens a FIFO that nobody writes to.
struct TransferWatch {
  /// How long to wait for the program before `step` is called again, which ends the transfer if the user wants that.
  /// Users do not notice such a delay after Control-C.
  static let intervalMilliseconds: Int32 = 200

  /// How long, in nanoseconds, the program may take to end a transfer that it was told to end, or whose time is over.
  private static let grace: UInt64 = 1_000_000_000

  /// How long, in nanoseconds, to wait for the rest of a response that nobody gets. Waiting longer would cost more than
  /// the new connection that it may save. Over slow networks, this also ends content that would have been stored.
  private static let longestBriefWait: UInt64 = 1_000_000_000

  private var end: UInt64?
  /// The end of the brief wait.
  private var briefEnd: UInt64?
  private var isCancelled = false

  /// - Parameter milliseconds: the time that the transfer may take.
  init(limit milliseconds: Int?) {
    guard let milliseconds else { return }
    end = Clock.system.monotonic().adding(
      saturating: UInt64(clamping: milliseconds).multiplied(saturating: 1_000_000).adding(saturating: Self.grace))
  }

  /// What the caller does next.
  enum Step {
    /// Wait for what comes.
    case wait
    /// Tell the program to end the transfer.
    case cancel
    /// Wait for the end, which the program has been told to make.
    case awaitEnd
    /// Expect nothing more of the program.
    case giveUp(TransportError)
  }

  /// Checks on a transfer. It is called again and again until the end.
  ///
  /// - Parameter shouldStop: whether the user wants the transfer to end.
  mutating func step(_ transfer: inout ProgramTransfer, shouldStop: () -> Bool) -> Step {
    if transfer.failure == nil, shouldStop() { transfer.interrupt() }
    if transfer.failure == nil, transfer.isRestOptional { boundBriefWait(of: &transfer, at: Clock.system.monotonic()) }
    // The program should have reported this by now.
    if transfer.failure == nil, isOver { transfer.noteTimeOver() }
    guard let failure = transfer.failure else { return .wait }
    if isCancelled { return isOver ? .giveUp(failure) : .awaitEnd }
    isCancelled = true
    end = Clock.system.monotonic().adding(saturating: Self.grace)
    return .cancel
  }

  /// Begins the brief wait for the rest of a response, or ends it when it is over.
  private mutating func boundBriefWait(of transfer: inout ProgramTransfer, at now: UInt64) {
    let end = briefEnd ?? now.adding(saturating: Self.longestBriefWait)
    briefEnd = end
    if now >= end { transfer.noteAborted() }
  }

  private var isOver: Bool { end.map { Clock.system.monotonic() >= $0 } ?? false }
}
