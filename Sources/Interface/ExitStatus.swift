/// The exit status of the process: curl's number if curl has one, garner's own from 110 on.
package enum ExitStatus: Int32, Equatable, Sendable, CaseIterable {
  case success = 0
  case nothingMatched = 1
  case usage = 2
  case malformedURL = 3
  case proxyNotResolved = 5
  case hostNotResolved = 6
  case notConnected = 7
  case weirdReply = 8
  case http2Framing = 16
  case partialContent = 18
  case httpError = 22
  case writeFailed = 23
  case uploadFailed = 25
  case readFailed = 26
  case outOfMemory = 27
  case timedOut = 28
  case rangeRefused = 33
  case tlsHandshake = 35
  case interfaceFailed = 45
  case tooManyRedirects = 47
  case emptyReply = 52
  case sendFailed = 55
  case receiveFailed = 56
  case clientCertificate = 58
  case ciphers = 59
  case certificateNotVerified = 60
  case contentCoding = 61
  case tooLarge = 63
  case contentNotRepeatable = 65
  case authorityFile = 77
  case pinnedKey = 90
  case http2Stream = 92
  case proxyHandshake = 97
  case notCached = 110
  case digestMismatch = 111
  case storeUnusable = 112
  case storeDamaged = 113
  case unchanged = 114

  /// curl's number is 1. The cache commands, where 1 is `nothingMatched`, never fail for this reason.
  package static let unsupportedScheme = ExitStatus.nothingMatched

  /// A sentence for `garner help exit-status` and the manual page.
  package var meaning: String {
    switch self {
    case .success: "Success."
    case .nothingMatched:
      "Nothing matched (cache commands); the scheme is not supported, a redirect leads from https to http, or the "
        + "reply is not HTTP, is of an unsupported version, or has a status code below 100 (fetches)."
    case .usage: "The command line could not be understood, or something needed to start is missing."
    case .malformedURL: "The URL is malformed."
    case .proxyNotResolved: "The proxy's name could not be resolved, or is not a valid name."
    case .hostNotResolved: "The host's name could not be resolved."
    case .notConnected: "No connection could be made."
    case .weirdReply: "The head of the reply is malformed, or contradicts itself."
    case .http2Framing: "The HTTP/2 connection broke its rules, or ended before it took the request."
    case .partialContent: "The body ended before it was complete."
    case .httpError: "The response's status is 400 or above."
    case .writeFailed: "The output could not be written."
    case .uploadFailed: "Content of unknown length cannot be sent in HTTP/1.0."
    case .readFailed:
      "A file could not be read, such as a file to be sent, an archive, or the config file."
    case .outOfMemory: "Memory ran out."
    case .timedOut: "The time limit passed."
    case .rangeRefused: "The server does not continue a body (with `--continue-at`)."
    case .tlsHandshake: "The TLS handshake failed."
    case .interfaceFailed: "The interface or address to connect from cannot be used."
    case .tooManyRedirects: "There were too many redirects."
    case .emptyReply: "The server closed the connection without a reply."
    case .sendFailed: "Sending failed."
    case .receiveFailed: "Receiving failed."
    case .clientCertificate: "The client's certificate could not be used."
    case .ciphers: "None of the ciphers that were named can be used."
    case .certificateNotVerified: "The server's certificate could not be verified."
    case .contentCoding: "The body's content coding is unknown or broken."
    case .tooLarge: "The body is larger than allowed."
    case .contentNotRepeatable: "Content must be sent again, but can be read only once, such as standard input."
    case .authorityFile: "The file of certificate authorities could not be used."
    case .pinnedKey: "The server's public key is not one of those that were named."
    case .http2Stream: "The HTTP/2 stream was broken off."
    case .proxyHandshake: "The proxy refused the connection."
    case .notCached: "The response is not in the cache, or damaged there, and the network may not be used."
    case .digestMismatch: "The body does not have the expected digest."
    case .storeUnusable: "The cache is needed, and cannot be used (cache commands, prefetch)."
    case .storeDamaged: "The cache is damaged (cache commands)."
    case .unchanged: "The body is the one that was there before (with `--exit-unchanged`)."
    }
  }
}
