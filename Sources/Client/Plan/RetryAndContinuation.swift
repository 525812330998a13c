import HTTPSemantics
import Interface
import Transport

/// The options about origins that fail or lag.
extension PlanBuilder {
  func retryRules() -> RetryRules {
    let options = invocation.resilience
    return RetryRules(
      maximumRetries: options.retryCount, delay: options.retryDelay.map(Self.nanoseconds),
      timeLimit: options.retryTimeLimit.map(Self.nanoseconds), includesAllErrors: options.retriesAllErrors,
      includesRefusedConnections: options.retriesRefusedConnections)
  }

  func checkContinuation() throws(Failure) {
    guard invocation.resilience.continuation != nil else { return }
    let request = invocation.request
    let isPlainGet = !request.sendsContent && !request.wantsHead && (request.method ?? .get) == .get
    if !isPlainGet { throw .contradiction("--continue-at is for GET requests") }
    if request.range != nil { throw .contradiction("--continue-at and --range cannot be combined") }
    if requestBuilder.leftOut.contains(.range) {
      throw .contradiction("--continue-at requests a range, and --header leaves Range out")
    }
    if invocation.integrity.expected != nil {
      throw .contradiction("--continue-at requests a part, but a digest is for the whole content")
    }
    if invocation.output.takesServersName {
      throw .contradiction("--continue-at and --remote-header-name cannot be combined")
    }
    if invocation.output.replacesFiles == false, invocation.output.hasFiles {
      throw .contradiction(
        "--continue-at changes an existing file, and --no-clobber keeps it", hint: "--clobber turns --no-clobber off")
    }
  }

  func applyRates(to options: inout TransferOptions) {
    options.maximumRate = invocation.resilience.maximumRate
    let (rate, time) = (invocation.resilience.minimumRate, invocation.resilience.minimumRateTime)
    guard rate != nil || time != nil else { return }
    options.speedFloor = TransferOptions.SpeedFloor(
      bytesPerSecond: rate ?? Self.slowestRate, seconds: time ?? Self.longestLag)
  }

  /// curl's rate if only the time is given: slower than this is nothing at all.
  private static let slowestRate = 1
  /// curl's time if only the rate is given, in seconds.
  private static let longestLag = 30
}
