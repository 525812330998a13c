extension TransportError {
  /// The reason for a connection that has ended during the TLS handshake.
  static let brokenOffInTLS = "the connection ended during the handshake"

  /// The reason for a request by HTTP/1.0 whose content would have to be framed in chunks.
  package static let chunksRefused = "content whose length is not known cannot be sent by HTTP/1.0"

  /// Why a program that is a part of garner cannot be used; for any other error, its reason.
  var programFault: String {
    switch self {
    case .programMissing(let reason), .programUnusable(let reason), .programNotStarted(let reason): reason
    default: reason
    }
  }

  /// Completes "... cannot be fetched: ...".
  ///
  /// The reasons contain sentences of libcurl and OpenSSL, and names from the network: escape them like those.
  package var reason: String {
    switch self {
    case .programMissing, .programUnusable, .programNotStarted: "garner-transport cannot be used: \(programFault)"
    case .programEnded(let reason): "garner-transport failed: \(reason)"
    case .libraryMissing(let reason): "libcurl cannot be loaded: \(reason)"
    case .couldNotResolve(let host): "the host \(host) cannot be resolved"
    case .couldNotResolveProxy(let reason): "the proxy cannot be resolved: \(reason)"
    case .couldNotConnect(let host, let port, isRefused: _, let reason):
      "\(host) port \(port) cannot be reached: \(reason)"
    case .proxyNotConnected(isRefused: _, let reason): "the proxy cannot be reached: \(reason)"
    case .proxy(let reason): "the proxy failed: \(reason)"
    case .tunnelRefused(let status): "the proxy refused to open a tunnel: it answered \(status)"
    case .proxyUnusable(let failure, let isOfEnvironment):
      "the proxy\(isOfEnvironment ? " that the environment names" : "") cannot be used: \(failure.reason)"
    case .timedOut(let phase): "timed out \(phase.words)"
    case .tooSlow(let floor):
      "the transfer was slower than \(floor.bytesPerSecond) byte\(floor.bytesPerSecond == 1 ? "" : "s")/s for "
        + "\(floor.seconds) s"
    case .tls(let reason): "TLS failed: \(reason)"
    case .certificate(let reason, isOfProxy: false): "the certificate is not trusted: \(reason)"
    case .certificate(let reason, isOfProxy: true): "the proxy's certificate is not trusted: \(reason)"
    case .credentials(let failure): "the certificates or keys cannot be used: \(failure.reason)"
    case .sendFailed(let reason): "sending failed: \(reason)"
    case .receiveFailed(let reason): "receiving failed: \(reason)"
    case .emptyReply: "the connection ended without a response"
    case .weirdReply(let reason): "the reply is malformed: \(reason)"
    case .unusableHead(let error): "the response's \(error.reason)"
    case .truncated(let received, let expected?): "the content ended after \(received) of \(expected) bytes"
    case .truncated(let received, nil): "the content ended early, after \(received) bytes"
    case .http2(let failure): "HTTP/2 failed: \(failure.reason)"
    case .abortedByReceiver: "the rest was not wanted"
    case .interrupted: "it was interrupted"
    case .unsendable(let reason): "the request cannot be sent: \(reason)"
    case .unreadableContent(let name, let reason): "\(name) cannot be read: \(reason)"
    case .contentSpent: "the request must be sent again, but its content can be read only once"
    case .other(let failure): failure.reason
    }
  }
}

extension TransportError.Phase {
  fileprivate var words: String {
    switch self {
    case .resolving: "while resolving the host"
    case .connecting: "while connecting"
    case .securing: "during the TLS handshake"
    case .waiting: "before the response began"
    case .receiving: "before the response was complete"
    }
  }
}
