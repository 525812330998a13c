import FlagTable

/// The options for origins that fail, lag, or send too much.
package struct ResilienceOptions: Equatable, Sendable {
  package enum Continuation: Equatable, Sendable {
    /// From this byte on.
    case from(Int)
    /// From the end of the file that is there.
    case fromEndOfFile
  }

  package enum RatioLimit: Equatable, Sendable {
    case unlimited
    case atMost(Int)
  }

  /// How often a request is sent again.
  package var retryCount = 0
  /// `nil` for a delay that begins with one second and doubles.
  package var retryDelay: Duration?
  package var retryTimeLimit: Duration?
  package var retriesAllErrors = false
  package var retriesRefusedConnections = false
  package var continuation: Continuation?
  /// The limit for a body, in bytes; `nil` for none.
  package var maximumSize: Int64?
  /// The limit for the ratio of decoded to received bytes; `nil` for the decoder's own.
  package var maximumRatio: RatioLimit?
  /// In bytes a second; `nil` for no limit.
  package var maximumRate: Int64?
  /// A transfer that is slower than this, in bytes a second, for longer than the time below, in seconds, is given up.
  package var minimumRate: Int?
  package var minimumRateTime: Int?
}

enum ResilienceFlags {
  static let all: [Flag<Invocation>] = [
    retry, retryDelay, retryMaxTime, retryAllErrors, retryConnectionRefused, continueAt, maximumSize, maximumRatio,
    maximumRate, speedLimit, speedTime,
  ]

  static let retry = Flag<Invocation>(
    "retry", value: "NUMBER", in: .connection,
    summary: "Try again up to NUMBER times where the failure may pass.",
    details: #"""
      That is a time-out, a name that cannot be resolved, a body that breaks off, and the status 408, 429, 500, 502, 503
      or 504 of an origin: such an answer that is stored, and fresh, is served. A connection that is refused is for
      \flag{retry-connrefused}, and one that ends before an answer for \flag{retry-all-errors}. The pause before the
      first try is a second, and doubles with each, up to ten minutes; a Retry-After that asks for more gets it, up to a
      day.

      Only one body is ever delivered: that of a response which is asked for again is dropped. A body that breaks off is
      continued where it has a strong validator, or begun anew where nothing of it has been seen, as where it goes to a
      file; else the fetch ends with 18.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.retryCount = try Quantities.count(text) }

  static let retryDelay = Flag<Invocation>(
    "retry-delay", value: "TIME", in: .connection,
    summary: #"Pause for TIME before each try of \flag{retry}."#,
    details: #"TIME is spelt as for \flag{max-time}. 0 is the default, a pause that grows."#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.retryDelay = try ConnectionFlags.timeLimit(text) }

  static let retryMaxTime = Flag<Invocation>(
    "retry-max-time", value: "TIME", in: .connection,
    summary: #"Begin no try of \flag{retry} later than TIME after the first."#,
    details: #"TIME is spelt as for \flag{max-time}, which is for each try by itself. 0 is no limit."#
  ) { invocation, text throws(InvalidValue) in
    invocation.resilience.retryTimeLimit = try ConnectionFlags.timeLimit(text)
  }

  static let retryAllErrors = Flag<Invocation>(
    "retry-all-errors", negation: .accepted, in: .connection,
    summary: #"With \flag{retry}, try again whatever the failure."#,
    details: """
      A status of 400 or above is one, unless `--no-fail` is given. What came and is not taken would come again: content
      that is too large, that cannot be decoded or that has not its digest ends the fetch.
      """
  ) { invocation, isOn in invocation.resilience.retriesAllErrors = isOn }

  static let retryConnectionRefused = Flag<Invocation>(
    "retry-connrefused", negation: .accepted, in: .connection,
    summary: #"With \flag{retry}, try again where a connection is refused, too."#
  ) { invocation, isOn in invocation.resilience.retriesRefusedConnections = isOn }

  static let continueAt = Flag<Invocation>(
    "continue-at", short: "C", value: "OFFSET", in: .output,
    summary: "Ask for the body from OFFSET on, and put it behind what FILE holds.",
    details: #"""
      OFFSET is a number of bytes; `-` stands for the size of FILE of `--output` or `--remote-name`. FILE is replaced
      when all has come; with `-`, also by the longer beginning that has come when the transfer breaks off, or the disk
      is full, so that the next run goes on behind that. The same goes for a server that sends only the beginning of
      what is missing: a failure, with 18. One that sends the whole instead is a failure, with 33, and so is an error
      where `--no-fail` is given; one that has nothing behind OFFSET is not, and leaves FILE as it is, but with fewer
      bytes than OFFSET it is, with 22. One that has nothing there, and does not say how long the body is, is asked for
      the whole, whose head may tell. Nothing tells whether FILE holds the beginning of the same body: without the
      option, garner continues what it has stored of a body, and checks that, but of one that is larger than
      \flag{max-object-size} it stores nothing that could be continued.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.resilience.continuation = text == "-" ? .fromEndOfFile : .from(try Quantities.count(text))
  }

  static let maximumSize = Flag<Invocation>(
    "max-filesize", value: "SIZE", in: .connection,
    summary: "Fail with 63 where the body is larger than SIZE.",
    details: #"""
      As it is received, and as it is decoded with \flag{compressed}: where no length is announced, or a wrong one, the
      fetch ends when SIZE has come. SIZE is spelt as for \flag{disk-capacity}; 0 is no limit.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.maximumSize = try limit(text) }

  static let maximumRatio = Flag<Invocation>(
    "max-ratio", value: "NUMBER", in: .connection,
    summary: "Fail with 61 where decoding makes content NUMBER times as large.",
    details: #"""
      With \flag{compressed}. 256 without the option: what is beyond was made to fill memories and disks. 0 is no limit,
      and 64 MiB may always come of anything. \flag{max-filesize} limits the size itself.
      """#
  ) { invocation, text throws(InvalidValue) in
    let limit = try Quantities.count(text)
    invocation.resilience.maximumRatio = limit == 0 ? .unlimited : .atMost(limit)
  }

  static let maximumRate = Flag<Invocation>(
    "limit-rate", value: "RATE", in: .connection,
    summary: "Receive and send at most RATE bytes a second.",
    details: #"RATE is spelt as SIZE of \flag{max-filesize}; 0 is no limit."#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.maximumRate = try limit(text) }

  static let speedLimit = Flag<Invocation>(
    "speed-limit", short: "Y", value: "RATE", in: .connection,
    summary: "Give up what is slower than RATE bytes a second for too long.",
    details: #"""
      For as long as \flag{speed-time} says, 30 seconds without it. It counts from when the request is sent; what comes
      before is a matter of \flag{connect-timeout}. RATE is spelt as for \flag{limit-rate}.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.resilience.minimumRate = Int(clamping: try Quantities.byteCount(text))
  }

  static let speedTime = Flag<Invocation>(
    "speed-time", short: "y", value: "TIME", in: .connection,
    summary: #"Give up what is slower than \flag{speed-limit} for TIME."#,
    details: #"""
      Without \flag{speed-limit}, what is slower than a byte a second. TIME is spelt as for \flag{max-time}, and rounded
      up to whole seconds. 0 is no limit.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.resilience.minimumRateTime = Int(try Quantities.wholeSeconds(text, roundingUp: true))
  }

  /// 0 lifts a limit, as in curl.
  private static func limit(_ text: ArgumentText) throws(InvalidValue) -> Int64? {
    let limit = try Quantities.byteCount(text)
    return limit == 0 ? nil : limit
  }
}
