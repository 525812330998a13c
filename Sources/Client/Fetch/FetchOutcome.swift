import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// What is left to report of a transfer when it is over.
final class TransferResult {
  let group: TransferGroup
  var cacheResult: CacheResult?
  /// Whether the cache has every answer of the transfer.
  var isStored = false
  /// Bytes of content that came from the origin.
  var receivedBytes: Int64 = 0
  /// `nil` without `-w`: another thread may hold this result until its turn comes, and need not hold the facts with it.
  let facts: WriteOut.Facts?
  var failure: Failure?
  /// A hint that helps with the failure, in place of the failure's own.
  var hint: String?
  /// The heads that were received, if they go to a file.
  var heads: [UInt8] = []
  /// Hops that were answered stale, to be brought up to date when the run is over.
  var revalidations: [Hop] = []
  /// Whether the transfer has brought nothing new.
  var isUnchanged = false

  init(_ planned: PlannedTransfer, _ facts: WriteOut.Facts) {
    group = planned.group
    self.facts = group.writeOut == nil ? nil : facts
    facts.urlNumber = planned.position
  }
}

/// The outcome of a run's transfers, which are taken in their order.
struct FetchOutcome {
  let standardOutput: Descriptor
  let diagnostics: Diagnostics
  private let outputEnd: OutputEnd
  /// The exit status of the first transfer that failed.
  private var firstFailure: Int32?
  /// Whether writing to standard output behind the bodies has failed: that is reported once.
  private var hasOutputFailed = false
  private var isUnchanged = true
  private(set) var summary = RunSummary()
  private(set) var revalidations: [Hop] = []
  /// More than can be done in the time that there is for them (`Revalidation.limitSeconds`).
  private static let maximumRevalidations = 1_000
  /// The hint for a transfer that a signal has ended.
  private var hint: String?
  /// The latest result. The next one may be of another set of options.
  private var latest: TransferResult?
  /// The heads of all transfers in the latest result's set of options.
  private var heads: [UInt8] = []

  init(_ standardOutput: Descriptor, _ outputEnd: OutputEnd, _ diagnostics: Diagnostics) {
    self.standardOutput = standardOutput
    self.outputEnd = outputEnd
    self.diagnostics = diagnostics
  }

  mutating func take(_ result: TransferResult) {
    if let latest, latest.group !== result.group { endGroup() }
    latest = result
    if !result.heads.isEmpty { heads += result.heads }
    if !result.revalidations.isEmpty {
      revalidations += result.revalidations.prefix(max(0, Self.maximumRevalidations - revalidations.count))
    }
    if let failure = result.failure { note(failure) }
    if case .interrupted = result.failure { hint = hint ?? result.hint }
    if !result.isUnchanged { isUnchanged = false }
    summary.note(
      result.cacheResult, received: result.receivedBytes, failed: result.failure != nil, stored: result.isStored)
    writeOut(result)
  }

  private mutating func report(_ failure: Failure) {
    diagnostics.report(failure)
    note(failure)
  }

  private mutating func note(_ failure: Failure) {
    if firstFailure == nil { firstFailure = failure.exitStatus }
  }

  private mutating func writeOut(_ result: TransferResult) {
    guard let writeOut = result.group.writeOut, let facts = result.facts else { return }
    facts.exitStatus = result.failure?.exitStatus ?? 0
    facts.errorMessage = result.failure?.message ?? ""
    let terminals = WriteOut.Terminals(output: standardOutput.isTerminal, diagnostics: diagnostics.isTerminal)
    let text = writeOut.text(facts, on: terminals)
    do throws(Errno) {
      try text.output.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
        try standardOutput.writeAll(bytes, on: diagnostics.screen(isTerminal: terminals.output))
      }
    } catch {
      noteUnwritten(error, after: result)
    }
    diagnostics.emit(text.diagnostics)
  }

  private mutating func noteUnwritten(_ error: Errno, after result: TransferResult) {
    // A signal is reported at the end, and a failure that the body met has been reported already.
    if hasOutputFailed || Signals.pending != nil { return }
    hasOutputFailed = true
    if case .output(nil, _) = result.failure { return }
    let failure = Failure.output(nil, error)
    if outputEnd.claimReport(of: failure) { report(failure) } else { note(failure) }
  }

  /// - Parameter status: the exit status of a run that has brought nothing new; `nil` if there is none for that.
  func exitStatus(whereUnchanged status: Int32?) -> Int32 {
    if let firstFailure { return firstFailure }
    return (isUnchanged ? status : nil) ?? ExitStatus.success.rawValue
  }

  /// Ends the report. Must be called after all results have been taken.
  ///
  /// - Parameters:
  ///   - plan: the run's.
  ///   - storeFailure: why a run that has to store could not.
  mutating func end(_ records: OriginRecords, of plan: FetchPlan, _ storeFailure: Failure?) {
    endGroup()
    records.finish { report($0) }
    if let storeFailure { report(storeFailure) }
    if let signal = Signals.pending {
      diagnostics.report(.interrupted(signal), hint: hint)
    } else {
      // Counted only if some URLs are left out, because that may mean to walk through files of them.
      if plan.endsEarly, summary.hasFailures { summary.note(all: plan.transfers.urlCount) }
      // If the store is at fault, its failure says why.
      let hint = "-v says why, and 'garner cache check --offline' lists the URLs that have no stored answer"
      diagnostics.sum(up: summary, isFilling: plan.store.isNeeded, hint: storeFailure == nil ? hint : nil)
    }
  }

  /// `-D FILE`: writes the received heads of a set of options, those of failed transfers too.
  private mutating func endGroup() {
    guard case .file(let path) = latest?.group.headDump else { return }
    let sink = BodySink(.file(OutputFile(path)), printingOn: .standardOutput(standardOutput))
    do throws(Failure) {
      try sink.write(heads)
      try sink.finish()
    } catch {
      report(error)
    }
    heads = []
  }
}
