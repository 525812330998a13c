/// Why a transfer failed. The reasons are sentences of libcurl, OpenSSL or the system.
///
/// Indirect, because hardly any transfer has an error.
package indirect enum TransportError: Error, Equatable, Sendable {
  /// How far a transfer had come when its time was over.
  package enum Phase: Comparable, Sendable {
    case resolving
    case connecting
    case securing
    case waiting
    case receiving
  }

  /// garner-transport is missing from its place.
  case programMissing(reason: String)
  /// garner-transport cannot be run, or is not the one that belongs to this garner.
  case programUnusable(reason: String)
  /// garner-transport cannot be started for lack of descriptors, processes or memory.
  case programNotStarted(reason: String)
  /// garner-transport was running and has ended.
  case programEnded(reason: String)
  /// garner-transport has no libcurl to work with.
  case libraryMissing(reason: String)
  case couldNotResolve(host: String)
  case couldNotResolveProxy(reason: String)
  /// - Parameter isRefused: whether the host was reached and refused the connection.
  case couldNotConnect(host: String, port: UInt16, isRefused: Bool, reason: String)
  case proxyNotConnected(isRefused: Bool, reason: String)
  case proxy(reason: String)
  /// The status that the proxy has answered CONNECT with.
  case tunnelRefused(status: Int)
  /// The proxy's URL cannot be understood, or names a kind of proxy that is not supported.
  case proxyUnusable(CurlFailure, isOfEnvironment: Bool)
  case timedOut(Phase)
  /// The transfer was slower than the floor for as long as the floor allows.
  case tooSlow(TransferOptions.SpeedFloor)
  /// TLS could not be agreed on.
  case tls(reason: String)
  /// The certificate was not accepted.
  case certificate(reason: String, isOfProxy: Bool = false)
  /// A file of certificates or keys cannot be used.
  case credentials(CurlFailure)
  case sendFailed(reason: String)
  case receiveFailed(reason: String)
  case emptyReply
  /// The reply is not HTTP.
  case weirdReply(reason: String)
  case unusableHead(HeadError)
  /// The content ended early; counts in bytes.
  case truncated(received: Int64, expected: Int64?)
  case http2(CurlFailure)
  case abortedByReceiver
  case interrupted
  /// The message cannot be put into a request.
  case unsendable(reason: String)
  /// The content to be sent cannot be read.
  case unreadableContent(name: String, reason: String)
  /// The content must be sent again, but could be read only once.
  case contentSpent
  /// Any other of libcurl's failures.
  case other(CurlFailure)

  /// libcurl's number for this failure, which is curl's exit status, too.
  package var curlCode: Int32 {
    switch self {
    // libcurl's number for such a code in HTTP/1.1.
    case .unusableHead(.invalidStatus): 1
    case .libraryMissing, .programMissing, .programUnusable, .programNotStarted: 2
    case .couldNotResolveProxy: 5
    case .couldNotResolve: 6
    case .couldNotConnect, .proxyNotConnected: 7
    case .weirdReply, .unusableHead(.conflictingContentLength), .unusableHead(.malformedContentLength),
      .unusableHead(.malformedFraming), .unusableHead(.malformedStatusLine):
      8
    case .truncated: 18
    case .abortedByReceiver: 23
    case .unreadableContent: 26
    case .timedOut, .tooSlow: 28
    case .tls: 35
    case .interrupted: 42
    case .emptyReply: 52
    case .sendFailed, .unsendable: 55
    case .unusableHead(.foreignTransferCoding): 61
    // If libcurl had not begun again, this would be a stream that was reset.
    case .unusableHead(.repeated): 92
    case .receiveFailed, .tunnelRefused, .programEnded, .unusableHead: 56
    case .certificate: 60
    case .contentSpent: 65
    case .proxy: 97
    case .credentials(let failure), .http2(let failure), .other(let failure), .proxyUnusable(let failure, _):
      failure.code
    }
  }

  /// Whether there was no way to the origin, or the way broke off. False for anything that the origin, a proxy or a
  /// certificate said, and for a transfer that was given up although its way led somewhere.
  package var isDisconnection: Bool {
    switch self {
    // A mistake in what the user typed, which should be seen.
    case .tunnelRefused(status: 407): false
    case .proxy(let reason):
      !reason.hasPrefix(CurlSentences.socksLoginMissing) && !reason.hasPrefix(CurlSentences.socksLoginRefused)
    case .tls(let reason): reason == Self.brokenOffInTLS || reason.hasPrefix(CurlSentences.failedInTLS)
    case .timedOut(let phase): phase < .waiting
    case .couldNotResolve, .couldNotResolveProxy, .couldNotConnect, .proxyNotConnected, .tunnelRefused, .sendFailed,
      .receiveFailed, .emptyReply, .truncated:
      true
    case .programMissing, .programUnusable, .programNotStarted, .programEnded, .libraryMissing, .proxyUnusable,
      .tooSlow, .certificate, .credentials, .weirdReply, .unusableHead, .http2, .abortedByReceiver, .interrupted,
      .unsendable, .unreadableContent, .contentSpent, .other:
      false
    }
  }

  /// Whether a certificate is unfit whoever has issued it: it is for another name, out of date, or too weak.
  package var isOfUnfitCertificate: Bool {
    guard case .certificate(let reason, _) = self else { return false }
    return reason.hasPrefix(CurlSentences.otherName) || reason.hasSuffix(CurlSentences.expired)
      || reason.hasSuffix(CurlSentences.notYetValid) || reason.hasSuffix(CurlSentences.weakKey)
  }
}

/// A failure as libcurl reports it.
package struct CurlFailure: Equatable, Sendable {
  /// The CURLcode.
  package let code: Int32
  package let reason: String

  package init(code: Int32, reason: String) {
    self.code = code
    self.reason = reason
  }
}
