/// Why a transfer failed. The reasons are in words: libcurl's, OpenSSL's, the system's.
///
/// Indirect: hardly any transfer has one.
package indirect enum TransportError: Error, Equatable, Sendable {
  /// How far a transfer had come when its time was over.
  package enum Phase: Comparable, Sendable {
    case resolving
    case connecting
    case securing
    case waiting
    case receiving
  }

  /// garner-transport is not where it belongs.
  case programMissing(reason: String)
  /// garner-transport cannot be run, or is not the one that belongs to this garner.
  case programUnusable(reason: String)
  /// garner-transport cannot be started for want of descriptors, processes or memory.
  case programNotStarted(reason: String)
  /// garner-transport was there and is gone.
  case programEnded(reason: String)
  /// garner-transport has no libcurl to work with.
  case libraryMissing(reason: String)
  case couldNotResolve(host: String)
  case couldNotResolveProxy(reason: String)
  /// - Parameter isRefused: whether somebody was there, and said no.
  case couldNotConnect(host: String, port: UInt16, isRefused: Bool, reason: String)
  case proxyNotConnected(isRefused: Bool, reason: String)
  case proxy(reason: String)
  /// What the proxy has answered to CONNECT.
  case tunnelRefused(status: Int)
  /// What names the proxy cannot be understood, or names a way that there is not.
  case proxyUnusable(CurlFailure, isOfEnvironment: Bool)
  case timedOut(Phase)
  /// It was slower than this for as long as that may last.
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
  /// What came back is not HTTP.
  case weirdReply(reason: String)
  case unusableHead(HeadError)
  /// The content ended early; counts in bytes.
  case truncated(received: Int64, expected: Int64?)
  case http2(CurlFailure)
  case abortedByReceiver
  case interrupted
  /// The message cannot be put into a request.
  case unsendable(reason: String)
  /// What is to be sent cannot be read.
  case unreadableContent(name: String, reason: String)
  /// What is to be sent again could be read once only.
  case contentSpent
  /// Any other of libcurl's failures.
  case other(CurlFailure)

  /// libcurl's number for this failure, which is curl's exit status, too.
  package var curlCode: Int32 {
    switch self {
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
    // A stream that was reset, had libcurl not begun again.
    case .unusableHead(.repeated): 92
    case .receiveFailed, .tunnelRefused, .programEnded, .unusableHead: 56
    case .certificate: 60
    case .contentSpent: 65
    case .proxy: 97
    case .credentials(let failure), .http2(let failure), .other(let failure), .proxyUnusable(let failure, _):
      failure.code
    }
  }
}

/// A failure as libcurl has it.
package struct CurlFailure: Equatable, Sendable {
  /// The CURLcode.
  package let code: Int32
  package let reason: String

  package init(code: Int32, reason: String) {
    self.code = code
    self.reason = reason
  }
}
