import Interface
import Platform
import Transport

/// `--parallel`: parallel transfers, on threads that each do what a run with one URL does.
///
/// There are enough threads to keep the processors busy, and one more whenever one is about to wait for an origin:
/// transfers that are answered from the store alone need few.
final class ParallelFetch: @unchecked Sendable {
  /// Two, so that one works while the other waits for the disk.
  private static let firstThreads = 2
  /// The time after which a thread takes no more of its block, because others may be idle by then.
  private static let blockNanoseconds: UInt64 = 1_000_000
  /// The time between two checks whether the run is to end.
  private static let pauseMilliseconds = 100
  /// How many such pauses a run that is to end gives its threads. A thread that waits for the reader of standard output
  /// may never notice that it is to end.
  private static let gracePauses = 20

  private let plan: FetchPlan
  /// How many threads work at a time: fewer than the user allows if this process may not have enough open files or
  /// stacks for them.
  private let limit: Int
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let cache: ResponseCache
  private let records: OriginRecords
  private let turns = KeyTurns()
  private let transport: any Transport & Sendable
  private let output: OrderedOutput
  private let outputEnd = OutputEnd()
  private let blocks: TransferBlocks
  private let board: ProgressBoard?
  private let condition = Condition()
  // Guarded by the condition's lock.
  private var threads: [Thread] = []
  private var workingCount = 0
  /// Changed in the order of the transfers, one at a time: see `OrderedOutput.end`.
  private var outcome: FetchOutcome

  init(
    _ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics, _ cache: ResponseCache,
    _ records: OriginRecords
  ) {
    self.plan = plan
    limit = Self.limit(upTo: plan.parallelLimit)
    self.context = context
    self.diagnostics = diagnostics
    self.cache = cache
    self.records = records
    transport = context.makeParallelTransport()
    let printsOnTerminal = context.standardOutput.isTerminal
    output = OrderedOutput(
      context.standardOutput, directory: context.temporaryDirectory, over: cache.reclaimableSpace,
      on: diagnostics.screen(isTerminal: printsOnTerminal))
    // A block is one URL if a failure ends the run, or if the text of `-w` or, on a terminal, a message has to stand
    // beside the output of its transfer.
    let onePerBlock =
      plan.endsEarly || printsOnTerminal || plan.transfers.groups.contains { $0.writeOut != nil }
    blocks = TransferBlocks(plan.transfers, onePerBlock: onePerBlock)
    board = ProgressBoard.shown(by: diagnostics, clock: context.clock, urlCount: plan.transfers.urlCount)
    outcome = FetchOutcome(context.standardOutput, outputEnd, diagnostics)
  }

  private static func limit(upTo maximum: Int) -> Int {
    let reserved = ResponseCache.fewestDescriptors + UInt64(SpoolRoom.usualFiles)
    let room = Descriptor.limit - min(Descriptor.limit, reserved)
    return max(1, min(maximum, Int(clamping: min(1 + room / descriptorsOfTransfer, Thread.limit))))
  }

  /// What each further transfer may take: the output file and its directory, the stored response and the entry that is
  /// being written; while that is published, its directory, the old entry's lock and two duplicates; and one more for
  /// what is open only for a moment. Transfers whose answers come together do take all that together.
  private static let descriptorsOfTransfer: UInt64 = 9

  func run() -> FetchOutcome {
    for _ in 0..<Self.firstThreads { addThread(upTo: Self.firstThreads) }
    condition.lock()
    // If no thread could be made at all, this one does the work.
    let isAlone = workingCount == 0
    condition.unlock()
    if isAlone { work(isLikelyToWait: false) }
    // The results of threads that are left behind are not used.
    guard waitForThreads() else { return FetchOutcome(context.standardOutput, outputEnd, diagnostics) }
    for thread in threads { thread.join() }
    board?.close()
    transport.finish()
    return outcome
  }

  /// - Returns: whether all threads have ended. If not, the process ends, and they with it.
  private func waitForThreads() -> Bool {
    var pauses = 0
    condition.lock()
    defer { condition.unlock() }
    while workingCount > 0 {
      condition.wait(milliseconds: Self.pauseMilliseconds)
      if Signals.pending != nil { pauses += 1 }
      if pauses > Self.gracePauses { return false }
    }
    return true
  }

  // MARK: Threads

  /// Adds a thread if there is work left, and the limit allows one more.
  ///
  /// - Parameter isLikelyToWait: whether its first transfer is likely to have to wait, too.
  private func addThread(upTo wanted: Int, isLikelyToWait: Bool = false) {
    condition.lock()
    defer { condition.unlock() }
    addThreadUnderLock(upTo: wanted, isLikelyToWait)
  }

  private func addThreadUnderLock(upTo wanted: Int, _ isLikelyToWait: Bool) {
    guard workingCount < min(wanted, limit), !blocks.isEmpty else { return }
    guard let thread = try? Thread({ [self] in workAndLeave(isLikelyToWait) }) else { return }
    threads.append(thread)
    workingCount += 1
  }

  private func workAndLeave(_ isLikelyToWait: Bool) {
    work(isLikelyToWait: isLikelyToWait)
    condition.lock()
    workingCount -= 1
    // After this thread found no work, another may have given URLs back, and counted this one among those at work.
    if Signals.pending == nil { addThreadUnderLock(upTo: limit, true) }
    condition.unlock()
    condition.notifyAll()
  }

  private func work(isLikelyToWait: Bool) {
    var isLikelyToWait = isLikelyToWait
    var block: TransferBlocks.Block?
    // Breaks a cycle: the block's spool holds closures that reach `prepareToWait`, which captures the block.
    defer { block = nil }
    var ownCache: ResponseCache?
    // Breaks a cycle: the cache holds the turns, whose `prepareToWait` captures the cache.
    defer { ownCache = nil }
    let prepareToWait = { [unowned self] in
      ownCache?.endVisit()
      if let block { blocks.takeBack(beforeWaiting: block) }
      addThread(upTo: limit, isLikelyToWait: true)
    }
    let turns = ThreadTurns(turns, prepareToWait: prepareToWait)
    let cache = ResponseCache(besides: cache, turns: turns)
    ownCache = cache
    let runner = TransferRunner(
      context: context, diagnostics: diagnostics, cache: cache,
      transport: WaitingTransport(transport, prepareToWait: prepareToWait), records: records, outputEnd: outputEnd,
      isParallel: true, board: board)
    while Signals.pending == nil, let taken = blocks.take(isLikelyToWait: isLikelyToWait) {
      block = taken
      cache.endVisit()
      work(at: taken, runner, turns)
      isLikelyToWait = taken.hasWaited
    }
  }

  /// Carries out the transfers of a block until one has had to wait, or the block's time is over; gives back the rest.
  ///
  /// - Parameter turns: those of this thread, which releases earlier printers before it waits to print.
  private func work(at block: TransferBlocks.Block, _ runner: TransferRunner, _ turns: ThreadTurns) {
    guard let first = block.takeFirst() else { return }
    turns.place = first.prints ? first.number : nil
    let place = place(of: first, in: block) { turns.releaseEarlierPrinters() }
    let start = context.clock.monotonic()
    var results: [TransferResult] = []
    var next: PlannedTransfer? = first
    while let planned = next {
      let result = runner.run(planned, printingOn: place)
      if result.failure != nil, plan.endsEarly { blocks.close() }
      results.append(result)
      let isShort = context.clock.monotonic() &- start < Self.blockNanoseconds
      next = isShort && mayGoOn(in: place) ? block.next(printing: first.prints) : nil
    }
    blocks.takeBack(block)
    addThread(upTo: Self.firstThreads)
    output.end(first.number, count: results.count, in: place) { [self] in
      pass(results, on: place)
      for result in results { outcome.take(result) }
    }
  }

  private func place(
    of first: PlannedTransfer, in block: TransferBlocks.Block, prepareToWait: @escaping () -> Void
  ) -> PrintPlace {
    guard first.prints else { return .standardOutput(context.standardOutput) }
    let place = output.place(
      of: first.number, prepareToWait: prepareToWait,
      notePassing: { [blocks, weak block] in if let block { blocks.takeBack(block) } })
    if case .spool(let spool) = place { block.spool = spool }
    return place
  }

  /// Whether the spool has room to hold the output of another transfer. If not, that is better not begun yet.
  private func mayGoOn(in place: PrintPlace) -> Bool {
    guard Signals.pending == nil, case .spool(let spool) = place else { return Signals.pending == nil }
    return spool.hasRoom
  }

  private func pass(_ results: [TransferResult], on place: PrintPlace) {
    guard case .spool(let spool) = place else { return }
    if let signal = Signals.pending {
      // The output that belongs before this may have broken off.
      guard spool.isHolding else { return }
      for result in results where result.failure == nil { result.failure = .interrupted(signal) }
      return
    }
    do throws(Errno) {
      try spool.release(to: context.standardOutput)
    } catch {
      let failure = Failure.output(nil, error)
      let undelivered = results.filter { $0.failure == nil }
      for result in undelivered { result.failure = failure }
      if !undelivered.isEmpty, outputEnd.claimReport(of: failure) { diagnostics.report(failure) }
    }
  }
}
