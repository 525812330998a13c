import CCurl
import Glibc
import HTTPSemantics

/// libcurl as a sender, one message at a time.
///
/// One handle serves all messages, so that a redirection to the same origin uses the same connection. libcurl is loaded
/// by the first message.
package final class CurlTransport: Transport {
  private let shouldStop: () -> Bool
  private var handle: EasyHandle?

  /// - Parameter shouldStop: asked often during a transfer, and whenever a signal comes; `true` ends it as
  ///   `interrupted`.
  package init(shouldStop: @escaping () -> Bool = { false }) {
    self.shouldStop = shouldStop
  }

  package func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    let handle = try readyHandle()
    let transfer = Transfer(message.request, receiver, shouldStop: shouldStop)
    let setup = try TransferSetup(handle, message, transfer)
    let code = withExtendedLifetime((setup, transfer)) { setup.perform(message.content) }
    report = handle.report()
    setup.disarm()
    if let failure = transfer.failure { throw failure }
    if code != CURLE_OK {
      throw Self.failure(code, handle, message.request.target.origin, report, hasHead: transfer.hasHead)
    }
    // libcurl has this for a success.
    if !transfer.hasHead { throw .receiveFailed(reason: "the connection ended within the response's head") }
  }

  private func readyHandle() throws(TransportError) -> EasyHandle {
    if let handle { return handle }
    let handle = try EasyHandle()
    self.handle = handle
    return handle
  }

  private static func failure(
    _ code: CURLcode, _ handle: EasyHandle, _ origin: TargetURI.Origin, _ report: TransferReport, hasHead: Bool
  ) -> TransportError {
    let reason = handle.reason(code)
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .couldNotResolve(host: origin.host)
    case CURLE_COULDNT_RESOLVE_PROXY: return .couldNotResolveProxy(reason: reason)
    case CURLE_COULDNT_CONNECT where !reason.split(separator: " ").contains("\(origin.port)"):
      // libcurl names the host and the port that it tried: they are a proxy's.
      return .proxyNotConnected(reason: reason)
    case CURLE_COULDNT_CONNECT:
      return .couldNotConnect(host: origin.host, port: origin.port, reason: connectReason(handle, origin, reason))
    case CURLE_PROXY: return .proxy(reason: reason)
    case CURLE_OPERATION_TIMEDOUT: return .timedOut(phase(report.times, origin.scheme))
    case CURLE_SSL_CONNECT_ERROR: return .tls(reason: reason)
    case CURLE_PEER_FAILED_VERIFICATION: return .certificate(reason: reason)
    case CURLE_PARTIAL_FILE:
      return .truncated(received: report.downloadSize, expected: handle.count(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T))
    case CURLE_GOT_NOTHING: return .emptyReply
    case CURLE_SEND_ERROR: return .sendFailed(reason: reason)
    case CURLE_RECV_ERROR: return .receiveFailed(reason: reason)
    case CURLE_WEIRD_SERVER_REPLY: return .weirdReply(reason: reason)
    // A header line beyond libcurl's own bound of 100 KiB.
    case CURLE_OUT_OF_MEMORY where !hasHead && report.headerSize > 0: return .unusableHead(.tooLarge)
    default: break
    }
    let failure = CurlFailure(code: Int32(code.rawValue), reason: reason)
    switch code {
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return .http2(failure)
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      return .credentials(failure)
    default: return .other(failure)
    }
  }

  /// The system's words, which say more than libcurl's, unless it was a proxy that could not be reached: that one is
  /// named in libcurl's sentence.
  private static func connectReason(
    _ handle: EasyHandle, _ origin: TargetURI.Origin, _ sentence: String
  ) -> String {
    let number = Int32(truncatingIfNeeded: handle.number(CURLINFO_OS_ERRNO))
    let host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
    guard number != 0, sentence.hasPrefix("Failed to connect to \(host) port "), let words = strerror(number) else {
      return sentence
    }
    return String(cString: words)
  }

  private static func phase(_ times: TransferReport.Times, _ scheme: TargetURI.Scheme) -> TransportError.Phase {
    if times.nameLookup == 0 { return .resolving }
    if times.connect == 0 { return .connecting }
    if scheme == .https && times.appConnect == 0 { return .securing }
    return times.startTransfer == 0 ? .waiting : .receiving
  }
}
