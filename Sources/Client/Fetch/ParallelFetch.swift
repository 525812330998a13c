import Interface
import Platform
import Transport

/// `--parallel`: transfers side by side, each on a thread that does what a run with one URL does.
///
/// There are threads enough to keep the processors at work, and one more whenever one is about to wait for an origin:
/// what is answered from the store alone needs few.
final class ParallelFetch: @unchecked Sendable {
  /// One that works while another waits for the disk.
  private static let firstThreads = 2
  /// After which a thread goes on with no more of its block: others may be idle by now.
  private static let blockNanoseconds: UInt64 = 1_000_000
  /// Between two looks at whether the run is to end.
  private static let pauseMilliseconds = 100
  /// What a run that is to end gives its threads, in pauses: one that waits for whoever reads standard output may never
  /// notice.
  private static let pausesOfGrace = 20

  private let plan: FetchPlan
  /// How many go on at a time: fewer than the user lets, where this process may not have the files open for them, or
  /// the stacks.
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
  // Under its lock.
  private var threads: [Thread] = []
  private var workingCount = 0
  /// In their order, one at a time: see `OrderedOutput.end`.
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
      context.standardOutput, directory: context.temporaryDirectory, over: cache.lentRoom,
      on: diagnostics.screen(isTerminal: printsOnTerminal))
    // What `-w` prints stands behind what it is about, and on a terminal what is told of a transfer beside it.
    let areApart =
      plan.endsEarly || printsOnTerminal || plan.transfers.groups.contains { $0.writeOut != nil }
    blocks = TransferBlocks(plan.transfers, areApart: areApart)
    board = ProgressBoard.shown(by: diagnostics, clock: context.clock, urlCount: plan.transfers.urlCount)
    outcome = FetchOutcome(context.standardOutput, outputEnd, diagnostics)
  }

  private static func limit(upTo most: Int) -> Int {
    let room = Descriptor.limit - min(Descriptor.limit, descriptorsOfRun)
    return max(1, min(most, Int(clamping: min(room / descriptorsOfTransfer, Thread.limit))))
  }

  /// Standard streams, garner-transport's pipes, what is open of the store, and what is open for a moment only.
  private static let descriptorsOfRun: UInt64 = 24
  /// The file of the output and its directory, what is stored for the request, and what is going to be.
  private static let descriptorsOfTransfer: UInt64 = 4

  func run() -> FetchOutcome {
    for _ in 0..<Self.firstThreads { addThread(upTo: Self.firstThreads) }
    condition.lock()
    // Where there can be no thread at all.
    let isAlone = workingCount == 0
    condition.unlock()
    if isAlone { work(isLikelyToWait: false) }
    // What those that are left behind have come to is nobody's any more.
    guard waitForThreads() else { return FetchOutcome(context.standardOutput, outputEnd, diagnostics) }
    for thread in threads { thread.join() }
    board?.close()
    transport.finish()
    return outcome
  }

  /// - Returns: whether all have ended; the process is ended otherwise, and they with it.
  private func waitForThreads() -> Bool {
    var pauses = 0
    condition.lock()
    defer { condition.unlock() }
    while workingCount > 0 {
      condition.wait(milliseconds: Self.pauseMilliseconds)
      if Signals.pending != nil { pauses += 1 }
      if pauses > Self.pausesOfGrace { return false }
    }
    return true
  }

  // MARK: Threads

  /// Adds one where there is something left to do, and there may be another one.
  ///
  /// - Parameter isLikelyToWait: whether what it finds to do may have to be waited for, too.
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
    // Since it found nothing to do, somebody may have given something back, and counted it among those at work.
    if Signals.pending == nil { addThreadUnderLock(upTo: limit, true) }
    condition.unlock()
    condition.notifyAll()
  }

  private func work(isLikelyToWait: Bool) {
    var isLikelyToWait = isLikelyToWait
    var block: TransferBlocks.Block?
    // Its spool knows who is told before a wait, which knows the block.
    defer { block = nil }
    var ownCache: ResponseCache?
    // It has the turns, which have what is done before a wait.
    defer { ownCache = nil }
    let noteWait = { [unowned self] in
      ownCache?.endVisit()
      if let block { blocks.takeBack(beforeWaiting: block) }
      addThread(upTo: limit, isLikelyToWait: true)
    }
    let turns = ThreadTurns(turns, noteWait: noteWait)
    let cache = ResponseCache(besides: cache, turns: turns)
    ownCache = cache
    let runner = TransferRunner(
      context: context, diagnostics: diagnostics, cache: cache,
      transport: WaitingTransport(transport, noteWait: noteWait), records: records, outputEnd: outputEnd,
      others: TransferRunner.Others(board: board))
    while Signals.pending == nil, let taken = blocks.take(isLikelyToWait: isLikelyToWait) {
      block = taken
      cache.endVisit()
      work(at: taken, runner, turns)
      isLikelyToWait = taken.hasWaited
    }
  }

  /// Carries out the transfers of a block, as long as nothing is to be waited for.
  ///
  /// - Parameter turns: let go before one of them waits for its turn to print.
  private func work(at block: TransferBlocks.Block, _ runner: TransferRunner, _ turns: ThreadTurns) {
    guard let first = block.takeFirst() else { return }
    turns.place = first.prints ? first.number : nil
    let place = place(of: first, in: block) { turns.letGo() }
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
    of first: PlannedTransfer, in block: TransferBlocks.Block, noteWait: @escaping () -> Void
  ) -> PrintPlace {
    guard first.prints else { return .standardOutput(context.standardOutput) }
    let place = output.place(
      of: first.number, noteWait: noteWait,
      notePassing: { [blocks, weak block] in if let block { blocks.takeBack(block) } })
    if case .spool(let spool) = place { block.spool = spool }
    return place
  }

  /// Whether what the next transfer prints is better held behind what has been, than not begun.
  private func mayGoOn(in place: PrintPlace) -> Bool {
    guard Signals.pending == nil, case .spool(let spool) = place else { return Signals.pending == nil }
    return spool.hasRoom
  }

  private func pass(_ results: [TransferResult], on place: PrintPlace) {
    guard case .spool(let spool) = place else { return }
    if let signal = Signals.pending {
      // What goes before it may have broken off.
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

/// A transport that says when it is about to keep its thread waiting.
private final class WaitingTransport: Transport {
  private let transport: any Transport
  private let noteWait: () -> Void

  init(_ transport: any Transport, noteWait: @escaping () -> Void) {
    self.transport = transport
    self.noteWait = noteWait
  }

  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    noteWait()
    try transport.send(message, to: receiver, report: &report)
  }

  func prepare() {
    noteWait()
    transport.prepare()
  }
}
