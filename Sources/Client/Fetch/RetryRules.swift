import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// When a request that failed is sent again, and after what pause: curl's `--retry`.
struct RetryRules {
  static let never = RetryRules()

  /// Beyond the first attempt.
  var maximumRetries = 0
  /// In nanoseconds; `nil` begins with one second and doubles it each time.
  var delay: UInt64?
  /// No attempt begins later than this after the first one began, in nanoseconds.
  var timeLimit: UInt64?
  /// Whether failures that are not known to be transient are retried, too.
  var includesAllErrors = false
  /// Whether a refused connection is retried, because the origin may be about to start.
  var includesRefusedConnections = false

  /// curl's.
  private static let firstDelay: UInt64 = 1_000_000_000
  /// curl's: ten minutes.
  private static let longestDelay: UInt64 = 600_000_000_000

  /// The statuses that curl takes for transient.
  private static let transientStatuses: [StatusCode] = [408, 429, 500, 502, 503, 504]

  func isTransient(_ status: StatusCode, failsOnError: Bool) -> Bool {
    Self.transientStatuses.contains(status) || (includesAllErrors && failsOnError && status.isError)
  }

  func isTransient(_ error: TransportError) -> Bool {
    switch error {
    case .timedOut, .tooSlow, .couldNotResolve, .couldNotResolveProxy: true
    case .interrupted, .abortedByReceiver, .contentSpent, .unreadableContent, .unsendable, .programMissing,
      .programUnusable, .programNotStarted, .libraryMissing:
      false
    case .couldNotConnect(_, _, isRefused: true, _), .proxyNotConnected(isRefused: true, _):
      includesRefusedConnections || includesAllErrors
    default: includesAllErrors
    }
  }

  /// - Parameter attempt: the number of attempts that have begun.
  fileprivate func delay(after attempt: Int) -> UInt64 {
    if let delay { return delay }
    // Doubled ten times, it is beyond the longest.
    return min(Self.firstDelay << UInt64(min(attempt - 1, 10)), Self.longestDelay)
  }
}

/// The attempts that have been made for one URL, and whether there may be another.
final class RetryBudget {
  private let rules: RetryRules
  private let failsOnError: Bool
  private let start: UInt64
  private let clock: Clock
  private(set) var attemptsBegun = 1

  init(_ rules: RetryRules, failsOnError: Bool, clock: Clock) {
    self.rules = rules
    self.failsOnError = failsOnError
    self.clock = clock
    start = clock.monotonic()
  }

  var left: Int { max(0, rules.maximumRetries - (attemptsBegun - 1)) }

  func begin() { attemptsBegun += 1 }

  /// Whether a request with this answer is sent again, if its content can be.
  func wouldRepeat(_ answer: Response) -> Bool {
    left > 0 && rules.isTransient(answer.status, failsOnError: failsOnError)
  }

  /// Returns the pause before a request with this answer is sent again, in nanoseconds; `nil` if it is not.
  ///
  /// - Parameter content: what was sent with it.
  func pause(after answer: Response, to content: OutgoingMessage.Content) -> UInt64? {
    // An answer may come while the content is still being sent; content that can be sent only once is incomplete then.
    guard wouldRepeat(answer), content.isRepeatable else { return nil }
    // "... to indicate how long the user agent ought to wait before making a follow-up request"
    // (RFC 9110 section 10.2.3).
    let asked = answer.fields[.retryAfter].flatMap { $0.secondsToWait(from: clock.timestamp) } ?? 0
    return allowed(max(rules.delay(after: attemptsBegun), UInt64(asked) &* 1_000_000_000))
  }

  /// - Parameters:
  ///   - content: what was sent, or was to be sent.
  ///   - isBrokenOff: whether the answer had begun to come, so that the rest may follow.
  func pause(after error: TransportError, of content: OutgoingMessage.Content, isBrokenOff: Bool) -> UInt64? {
    guard left > 0, error != .interrupted, rules.isTransient(error) || isBrokenOff, content.canBeSent else {
      return nil
    }
    return allowed(rules.delay(after: attemptsBegun))
  }

  private func allowed(_ pause: UInt64) -> UInt64? {
    guard let limit = rules.timeLimit else { return pause }
    let (end, overflow) = (clock.monotonic() &- start).addingReportingOverflow(pause)
    return overflow || end > limit ? nil : pause
  }
}

/// A failed attempt that is to be repeated.
struct Retry {
  /// In nanoseconds.
  let pause: UInt64
  let reason: Failure
  /// Set if only the rest of an answer is wanted.
  var resumption: Resumption?
}

extension FieldValue {
  /// More than anybody waits: a day.
  private static let longestWait: Int64 = 86_400

  /// Returns the seconds that a Retry-After asks to wait: `HTTP-date / delay-seconds` (RFC 9110 section 10.2.3).
  fileprivate func secondsToWait(from now: Timestamp) -> Int64? {
    if !bytes.isEmpty, bytes.allSatisfy(ASCII.isDigit) {
      // A number that does not fit is longer than that, too.
      return min(ASCII.decimalInt64(bytes) ?? .max, Self.longestWait)
    }
    return HTTPDate.parse(self, now: now).map { min(max(0, $0.seconds(since: now)), Self.longestWait) }
  }
}
