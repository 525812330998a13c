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
    summary: "Retry up to NUMBER times after a failure that may be temporary.",
    details: #"""
      Such failures are a time-out, a name that cannot be resolved, a body that breaks off, and an answer of an origin
      with status 408, 429, 500, 502, 503 or 504. A stored answer with such a status is served while it is fresh.
      \flag{retry-connrefused} adds refused connections, and \flag{retry-all-errors} connections that end before an
      answer. The pause before the first retry is one second, and doubles with each, up to ten minutes. If a Retry-After
      asks for a longer pause, garner waits that long, up to a day.

      Only one body is ever delivered: the body of a response that is requested again is dropped. A body that breaks off
      is continued if it has a strong validator, or started again if none of it has been delivered, as when it goes to a
      file, or to /dev/null. Otherwise the fetch ends with 18.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.retryCount = try Quantities.count(text) }

  static let retryDelay = Flag<Invocation>(
    "retry-delay", value: "TIME", in: .connection,
    summary: #"With \flag{retry}, wait for TIME before each retry."#,
    details: #"TIME has the format of \flag{max-time}. The default is 0, which means a growing pause."#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.retryDelay = try ConnectionFlags.timeLimit(text) }

  static let retryMaxTime = Flag<Invocation>(
    "retry-max-time", value: "TIME", in: .connection,
    summary: #"Start no attempt of \flag{retry} later than TIME after the first."#,
    details: #"TIME has the format of \flag{max-time}, which limits each attempt by itself. 0 means no limit."#
  ) { invocation, text throws(InvalidValue) in
    invocation.resilience.retryTimeLimit = try ConnectionFlags.timeLimit(text)
  }

  static let retryAllErrors = Flag<Invocation>(
    "retry-all-errors", negation: .accepted, in: .connection,
    summary: #"With \flag{retry}, retry after any failure."#,
    details: """
      A status of 400 or above is a failure, unless `--no-fail` is given. Content that arrives and is rejected ends the
      fetch, because the same content would come again: it is too large, cannot be decoded, or does not have the
      expected digest.
      """
  ) { invocation, isOn in invocation.resilience.retriesAllErrors = isOn }

  static let retryConnectionRefused = Flag<Invocation>(
    "retry-connrefused", negation: .accepted, in: .connection,
    summary: #"With \flag{retry}, also retry after a refused connection."#
  ) { invocation, isOn in invocation.resilience.retriesRefusedConnections = isOn }

  static let continueAt = Flag<Invocation>(
    "continue-at", short: "C", value: "OFFSET", in: .output,
    summary: "Request the body from OFFSET on, and append it to FILE.",
    details: #"""
      OFFSET is a number of bytes; `-` stands for the size of FILE, which `--output` or `--remote-name` names. FILE is
      replaced when the whole rest has arrived. With `-`, FILE is also replaced by a longer beginning if the transfer
      breaks off or the disk is full, so that the next run continues from there. The same happens if the server sends
      only the beginning of the rest, which is a failure with 18.

      A server that sends the whole body instead is a failure with 33, and so is an error response if `--no-fail` is
      given. If the body ends at OFFSET, the fetch succeeds, and FILE is left as it is; if the body is shorter than
      OFFSET, the fetch fails with 22. If the server has nothing at OFFSET, and does not say how long the body is,
      garner requests the whole body, whose head may tell.

      Nothing shows whether FILE holds the beginning of the same body. Without the option, garner continues the part of
      a body that it has stored, and checks that it is the same body; but of a body larger than \flag{max-object-size},
      it stores nothing that could be continued.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.resilience.continuation = text == "-" ? .fromEndOfFile : .from(try Quantities.count(text))
  }

  static let maximumSize = Flag<Invocation>(
    "max-filesize", value: "SIZE", in: .connection,
    summary: "Fail with 63 if the body is larger than SIZE.",
    details: #"""
      The limit applies to the body as it is received, and with \flag{compressed} also as it is decoded. If no length is
      announced, or a wrong one, the fetch ends when SIZE bytes have arrived. SIZE has the format of
      \flag{disk-capacity}. 0 means no limit.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.maximumSize = try limit(text) }

  static let maximumRatio = Flag<Invocation>(
    "max-ratio", value: "NUMBER", in: .connection,
    summary: "Fail with 61 if decoding makes content more than NUMBER times as large.",
    details: #"""
      Applies with \flag{compressed}. The default is 256; content with a higher ratio is made to fill memory and disks.
      0 means no limit. Up to 64 MiB of decoded content is always accepted. \flag{max-filesize} limits the size itself.
      """#
  ) { invocation, text throws(InvalidValue) in
    let limit = try Quantities.count(text)
    invocation.resilience.maximumRatio = limit == 0 ? .unlimited : .atMost(limit)
  }

  static let maximumRate = Flag<Invocation>(
    "limit-rate", value: "RATE", in: .connection,
    summary: "Receive and send at most RATE bytes a second in each transfer.",
    details: #"RATE has the format of SIZE in \flag{max-filesize}. 0 means no limit."#
  ) { invocation, text throws(InvalidValue) in invocation.resilience.maximumRate = try limit(text) }

  static let speedLimit = Flag<Invocation>(
    "speed-limit", short: "Y", value: "RATE", in: .connection,
    summary: "Give up a transfer that is slower than RATE bytes a second for too long.",
    details: #"""
      The time is that of \flag{speed-time}, or 30 seconds without it. It counts from when the request is sent;
      \flag{connect-timeout} limits the time before. RATE has the format of \flag{limit-rate}.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.resilience.minimumRate = Int(clamping: try Quantities.byteCount(text))
  }

  static let speedTime = Flag<Invocation>(
    "speed-time", short: "y", value: "TIME", in: .connection,
    summary: #"Give up a transfer that is slower than \flag{speed-limit} for TIME."#,
    details: #"""
      Without \flag{speed-limit}, a transfer slower than one byte a second is given up. TIME has the format of
      \flag{max-time}, and is rounded up to whole seconds. 0 means no limit.
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
