import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// Tells why a transfer has failed, and what helps with it: `Failure` knows what helps with all of its kind, what was
/// typed and what is stored may know more.
struct TransferFailures {
  let diagnostics: Diagnostics
  let cache: ResponseCache
  let outputEnd: OutputEnd
  /// Whether no other transfer runs meanwhile.
  let isAlone: Bool

  func report(_ failure: Failure, ofUnplanned planned: PlannedTransfer) {
    // Of the run: whoever carries it out says so once.
    if case .interrupted = failure { return }
    diagnostics.report(failure, hint: Self.hint(of: planned, failure))
  }

  /// Notes it in `result`, too.
  func report(
    _ error: Failure, of transfer: Transfer, _ planned: PlannedTransfer, in result: TransferResult
  ) {
    let failure = knowingStore(error)
    result.failure = failure
    if transfer.losesPart { result.hint = Self.hintOfLoss }
    if case .interrupted = failure { return }
    guard outputEnd.claimReport(of: failure) else { return }
    diagnostics.report(failure, hint: hint(of: failure, transfer, planned, result))
  }

  private func hint(
    of failure: Failure, _ transfer: Transfer, _ planned: PlannedTransfer, _ result: TransferResult
  ) -> String? {
    if failure.exitCode == ExitStatus.notCached.rawValue {
      // The state of the network may have chosen the policy that keeps it from the origin.
      return transfer.plan.reachability?.hint ?? hintOfAbsence(failure, planned)
    }
    return result.hint ?? Self.hint(of: planned, failure) ?? Self.hintOfStored(failure, transfer)
      ?? Self.hintOfProxy(failure, planned)
  }

  // MARK: What the store knows

  /// What is not found may be there all the same: in a cache that is not used, or for other requests.
  private func knowingStore(_ failure: Failure) -> Failure {
    guard case .notStored(let target) = failure else { return failure }
    if let disuse = cache.faults.disuse { return .cacheNotUsed(target, because: disuse) }
    // That takes a look at a directory of the store, and is for whoever has asked for few URLs.
    return isAlone && cache.holdsSome(for: target) ? .storedForOthers(target) : failure
  }

  private func hintOfAbsence(_ failure: Failure, _ planned: PlannedTransfer) -> String? {
    switch failure {
    case .notStored: planned.group.hintOfOffline(for: planned.typed)
    case .cacheNotUsed: cache.hint
    default: nil
    }
  }

  /// Nobody is told of what is stored where the origin cannot be reached, and the policy lets nothing take its place.
  private static func hintOfStored(_ failure: Failure, _ transfer: Transfer) -> String? {
    guard case .transport(let error, _) = failure, error.isDisconnection,
      transfer.facts.cache?.wantsOriginInVain == true, !transfer.plan.terms.storing.forgetsOnError
    else { return nil }
    return "a response for it is stored: --offline takes it, however stale"
  }

  private static let hintOfLoss =
    "no part of it is kept, since it is larger than --max-object-size; with a larger one the next run continues it"

  // MARK: What was typed

  /// An origin that takes itself for a proxy is none.
  private static func hintOfProxy(_ failure: Failure, _ planned: PlannedTransfer) -> String? {
    guard case .httpError(407, _, let target) = failure,
      planned.group.builder.proxies.host(for: target.origin) != nil
    else { return nil }
    return Failure.hintOfProxy
  }

  /// Where the name of a file was typed for a URL.
  private static func hint(of planned: PlannedTransfer, _ failure: Failure) -> String? {
    switch failure {
    case .transport(.couldNotResolve, _), .malformedURL, .noFileName: break
    default: return nil
    }
    if case .transport = failure, planned.group.builder.invocation.connection.route.dohURL?.bytes.isEmpty == false {
      return "the server of --doh-url was asked, and -v tells how that went"
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
  /// Whether it stands behind `-O`, and before what is a URL: there, wget has the name of the file.
  ///
  /// - Parameter failure: why it is no URL that can be fetched.
  fileprivate func isNameForWget(_ failure: Failure) -> Bool {
    // What looks like a host with a path is meant to be that, mostly.
    if case .transport = failure, typed.bytes.contains(ASCII.slash), typed.bytes.first != ASCII.slash { return false }
    let invocation = group.builder.invocation
    guard invocation.output.destinations.contains(.remoteName), typed == invocation.operands.first else { return false }
    return !typed.isPlainlyURL && invocation.operands.dropFirst().contains { $0.isPlainlyURL }
  }
}
