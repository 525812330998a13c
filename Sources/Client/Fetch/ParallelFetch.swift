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
  /// Between two looks at whether the run is to end.
  private static let pauseMilliseconds = 100
  /// What a run that is to end gives its threads, in pauses: one that waits for whoever reads standard output may never
  /// notice.
  private static let pausesOfGrace = 20

  private let plan: FetchPlan
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let cache: ResponseCache
  private let records: OriginRecords
  private let turns = KeyTurns()
  private let transport: any Transport & Sendable
  private let output: OrderedOutput
  private let outputEnd = OutputEnd()
  private let condition = Condition()
  // Under its lock.
  private let queue: TransferQueue
  private var hasMore = true
  private var threads: [Thread] = []
  private var workingCount = 0
  /// In their order, one at a time: see `OrderedOutput.end`.
  private var outcome: FetchOutcome

  init(
    _ plan: FetchPlan, _ context: ProcessContext, _ diagnostics: Diagnostics, _ cache: ResponseCache,
    _ records: OriginRecords
  ) {
    self.plan = plan
    self.context = context
    self.diagnostics = diagnostics
    self.cache = cache
    self.records = records
    transport = context.makeParallelTransport()
    output = OrderedOutput(
      context.standardOutput, directory: context.environment.path("TMPDIR") ?? Self.temporaryDirectory)
    queue = plan.transfers
    outcome = FetchOutcome(context.standardOutput, diagnostics)
  }

  private static let temporaryDirectory: Path = "/tmp"

  func run() -> FetchOutcome {
    for _ in 0..<Self.firstThreads { addThread() }
    condition.lock()
    // Where there can be no thread at all.
    let isAlone = workingCount == 0
    condition.unlock()
    if isAlone { work() }
    // What those that are left behind have come to is nobody's any more.
    guard waitForThreads() else { return FetchOutcome(context.standardOutput, diagnostics) }
    for thread in threads { thread.join() }
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
  private func addThread() {
    condition.lock()
    defer { condition.unlock() }
    guard hasMore, workingCount < plan.parallelLimit else { return }
    guard let thread = try? Thread({ [self] in workAndLeave() }) else { return }
    threads.append(thread)
    workingCount += 1
  }

  private func workAndLeave() {
    work()
    condition.lock()
    workingCount -= 1
    condition.unlock()
    condition.notifyAll()
  }

  private func work() {
    let runner = TransferRunner(
      context: context, diagnostics: diagnostics, cache: ResponseCache(besides: cache, turns: turns),
      transport: WaitingTransport(transport) { [unowned self] in addThread() }, records: records,
      outputEnd: outputEnd)
    let (output, standardOutput) = (output, context.standardOutput)
    while let planned = next() {
      let place = planned.prints ? output.place(of: planned.number) : .standardOutput(standardOutput)
      let result = runner.run(planned, printingOn: place, isAlone: false)
      if result.failure != nil, plan.endsEarly { stop() }
      output.end(planned.number, in: place) { [self] in
        pass(result, on: place)
        outcome.take(result)
      }
    }
  }

  private func next() -> PlannedTransfer? {
    condition.lock()
    defer { condition.unlock() }
    guard hasMore, Signals.pending == nil, let planned = queue.next() else {
      hasMore = false
      return nil
    }
    if planned.isLast { hasMore = false }
    return planned
  }

  private func stop() {
    condition.lock()
    hasMore = false
    condition.unlock()
  }

  private func pass(_ result: TransferResult, on place: PrintPlace) {
    // Behind a signal, what goes before it may have broken off.
    guard case .spool(let spool) = place, Signals.pending == nil else { return }
    do throws(Errno) {
      try spool.release(to: context.standardOutput)
    } catch {
      if result.failure != nil { return }
      let failure = Failure.output(nil, error)
      result.failure = failure
      if !outputEnd.isKnown(failure) { diagnostics.report(failure) }
    }
  }
}

extension PlannedTransfer {
  /// Whether anything of it may go to standard output before it is over.
  fileprivate var prints: Bool {
    guard case .success(let plan) = plan else { return false }
    return plan.delivery.sink == .standardOutput
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
