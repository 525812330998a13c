import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// Reports why a transfer has failed, with a hint. `Failure` has the hints for all failures of a kind; what was typed,
/// and the stored responses, may give a better one.
struct TransferFailures {
  let diagnostics: Diagnostics
  let cache: ResponseCache
  let outputEnd: OutputEnd
  /// Whether no other transfer runs meanwhile.
  let isAlone: Bool

  /// Reports why a transfer cannot even begin.
  static func report(_ failure: Failure, ofUnplanned planned: PlannedTransfer, to diagnostics: Diagnostics) {
    // An interruption concerns the whole run, which reports it once.
    if case .interrupted = failure { return }
    diagnostics.report(failure, hint: hint(of: planned, failure))
  }

  /// Reports a failure, and notes it in `result`.
  func report(
    _ error: Failure, of transfer: Transfer, _ planned: PlannedTransfer, in result: TransferResult
  ) {
    let failure = madeExactByStore(error)
    result.failure = failure
    if transfer.losesPart { result.hint = Self.hintOfLoss }
    if case .interrupted = failure { return }
    guard outputEnd.claimReport(of: failure) else { return }
    diagnostics.report(failure, hint: hint(of: failure, transfer, planned, result))
  }

  private func hint(
    of failure: Failure, _ transfer: Transfer, _ planned: PlannedTransfer, _ result: TransferResult
  ) -> String? {
    if failure.exitStatus == ExitStatus.notCached.rawValue {
      // The state of the network may have chosen the policy that forbids asking the origin.
      return transfer.plan.reachability?.hint ?? hintOfAbsence(failure, planned)
    }
    return result.hint ?? Self.hint(of: planned, failure) ?? Self.hintOfStored(failure, transfer)
      ?? Self.hintOfProxy(failure, planned)
  }

  // MARK: What the store knows

  /// Makes "not stored" more exact: the response may be in a cache that is not used, or stored for other requests.
  private func madeExactByStore(_ failure: Failure) -> Failure {
    guard case .notStored(let target) = failure else { return failure }
    if let reason = cache.faults.offReason { return .cacheNotUsed(target, because: reason) }
    // This reads a directory of the store, so it is not done when many URLs are fetched in parallel.
    return isAlone && cache.holdsSome(for: target) ? .storedForOthers(target) : failure
  }

  /// The hint for a response that only the origin could give: what forbids asking it comes first.
  private func hintOfAbsence(_ failure: Failure, _ planned: PlannedTransfer) -> String? {
    if let hint = planned.group.hintOfOffline(for: planned.typed) { return hint }
    if case .cacheNotUsed = failure { return cache.hint }
    return nil
  }

  /// Tells of a stored response that `--offline` serves if the origin cannot be reached, and the policy lets nothing
  /// take its place.
  private static func hintOfStored(_ failure: Failure, _ transfer: Transfer) -> String? {
    guard case .transport(let error, _) = failure, error.isDisconnection,
      transfer.facts.cache?.hasAnswerOffline == true, !transfer.plan.terms.storing.forgetsOnError
    else { return nil }
    return "the cache has a stored response: --offline serves it, even if it is stale"
  }

  private static let hintOfLoss =
    "no part of it is kept: it is larger than --max-object-size; with a larger limit, the next run continues it"

  // MARK: What was typed

  /// The hint for a 407 if there is a proxy. Without one, an origin has mistaken itself for a proxy.
  private static func hintOfProxy(_ failure: Failure, _ planned: PlannedTransfer) -> String? {
    guard case .httpError(407, _, let target) = failure,
      planned.group.builder.proxies.host(for: target.origin) != nil
    else { return nil }
    return Failure.hintOfProxy
  }

  /// The hint for a URL that cannot be fetched, often because the name of a file was typed in its place.
  private static func hint(of planned: PlannedTransfer, _ failure: Failure) -> String? {
    switch failure {
    case .transport(.couldNotResolve, _), .malformedURL, .noFileName: break
    default: return nil
    }
    if case .transport = failure, planned.group.builder.invocation.connection.route.dohURL?.bytes.isEmpty == false {
      return "the name was looked up at the server of --doh-url; -v shows that look-up"
    }
    if planned.isNameForWget(failure) { return "wget's -O FILE is --output FILE: -O has no value here" }
    let typed = planned.typed
    guard let path = Path(typed.bytes), (try? Descriptor.workingDirectory.status(of: path))?.kind == .regular else {
      return nil
    }
    return "\(typed.visible) is a file: --input-file reads URLs from one, and --output writes one"
  }
}

extension PlannedTransfer {
  /// Whether what was typed stands behind `-O` and before a URL: that is where wget has the name of the file.
  ///
  /// - Parameter failure: why it cannot be fetched as a URL.
  fileprivate func isNameForWget(_ failure: Failure) -> Bool {
    // Text that looks like a host with a path is mostly meant to be that.
    if case .transport = failure, typed.bytes.contains(ASCII.slash), typed.bytes.first != ASCII.slash { return false }
    let invocation = group.builder.invocation
    guard invocation.output.destinations.contains(.remoteName), typed == invocation.operands.first else { return false }
    return !typed.isPlainlyURL && invocation.operands.dropFirst().contains { $0.isPlainlyURL }
  }
}
