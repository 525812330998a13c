import CCurl
import CTransport
import HTTPSemantics
import Platform

/// The end of a transfer, as garner-transport reports it.
struct TransferEnd {
  let report: TransferReport
  /// Whether the program takes no more requests.
  var endsProgram: Bool { numbers.ends_program != 0 }
  private let numbers: transport_report
  /// libcurl's error message.
  private let reason: String

  /// - Returns: `nil` for a payload that is no report.
  init?(_ payload: UnsafeRawBufferPointer) {
    let size = MemoryLayout<transport_report>.size
    guard payload.count >= size else { return nil }
    let numbers = payload.loadUnaligned(as: transport_report.self)
    var rest = UnsafeRawBufferPointer(rebasing: payload[size...])
    guard let reason = Self.popText(from: &rest), let remote = Self.popText(from: &rest),
      let local = Self.popText(from: &rest), let certificates = Self.popText(from: &rest), rest.isEmpty
    else { return nil }
    self.numbers = numbers
    // libcurl leaves room for words of the system, which may be missing.
    self.reason = reason.hasSuffix(" ") ? String(reason.dropLast()) : reason
    var report = TransferReport(numbers)
    (report.remoteAddress, report.localAddress, report.certificates) = (remote, local, certificates)
    self.report = report
  }

  /// Takes off the first text, which ends with a NUL.
  private static func popText(from bytes: inout UnsafeRawBufferPointer) -> String? {
    guard let end = bytes.firstIndex(of: 0) else { return nil }
    defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]) }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Returns why there is no whole response; `nil` if there is one.
  ///
  /// - Parameter isWithinHead: whether the last line that has come belongs to a head.
  func failure(of message: OutgoingMessage, hasHead: Bool, isWithinHead: Bool) -> TransportError? {
    let code = CURLcode(rawValue: UInt32(bitPattern: numbers.code))
    // libcurl reports success, or, if the head has announced a length, that the content is too short.
    let isBrokenOff = code == CURLE_OK ? !hasHead : code == CURLE_PARTIAL_FILE && isWithinHead
    if isBrokenOff { return .receiveFailed(reason: "the connection ended within the response's head") }
    return code == CURLE_OK ? nil : failure(code, message, hasHead: hasHead)
  }

  private func failure(_ code: CURLcode, _ message: OutgoingMessage, hasHead: Bool) -> TransportError {
    let origin = message.request.target.origin
    if code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT,
      reason.hasPrefix(CurlSentences.unsupportedProxy)
    {
      return .proxyUnusable(
        CurlFailure(code: numbers.code, reason: reason), isOfEnvironment: message.options.proxy == .environment)
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return .couldNotResolve(host: hostElsewhere(message) ?? origin.host)
    case CURLE_COULDNT_RESOLVE_PROXY:
      return .couldNotResolveProxy(reason: name(after: CurlSentences.proxyNotResolved) ?? reason)
    case CURLE_COULDNT_CONNECT: return connectFailure(origin, message)
    case CURLE_PROXY: return .proxy(reason: reason)
    case CURLE_OPERATION_TIMEDOUT where reason.hasPrefix(CurlSentences.tooSlow):
      return message.options.speedFloor.map { .tooSlow($0) } ?? .timedOut(phase(origin, hasHead: hasHead))
    case CURLE_OPERATION_TIMEDOUT: return .timedOut(phase(origin, hasHead: hasHead))
    case CURLE_SSL_CONNECT_ERROR:
      return .tls(reason: reason.hasPrefix(CurlSentences.brokenOffInTLS) ? TransportError.brokenOffInTLS : reason)
    case CURLE_PEER_FAILED_VERIFICATION:
      return .certificate(reason: reason, isOfProxy: numbers.proxy_certificate_verification != 0)
    // A stream of HTTP/2 whose connection has ended.
    case CURLE_PARTIAL_FILE where !hasHead: return .emptyReply
    case CURLE_PARTIAL_FILE:
      let length = numbers.content_length
      return .truncated(received: report.downloadSize, expected: length < 0 ? nil : length)
    case CURLE_GOT_NOTHING: return .emptyReply
    case CURLE_SEND_ERROR: return .sendFailed(reason: reason)
    case CURLE_SEND_FAIL_REWIND: return .contentSpent
    case CURLE_RECV_ERROR where report.tunnelStatus >= 300: return .tunnelRefused(status: report.tunnelStatus)
    case CURLE_RECV_ERROR: return .receiveFailed(reason: reason)
    case CURLE_WEIRD_SERVER_REPLY: return .weirdReply(reason: reason)
    // The reply is malformed: libcurl uses this number if a function of its own rejects a line.
    case CURLE_BAD_FUNCTION_ARGUMENT where hasHead: return .receiveFailed(reason: "the framing is malformed")
    case CURLE_BAD_FUNCTION_ARGUMENT where report.times.preTransfer > 0:
      return .weirdReply(reason: "its head is malformed")
    // Lines beyond transport_longest_lines. A single head that is too large is detected here earlier.
    case CURLE_WRITE_ERROR: return .unusableHead(hasHead ? .trailersTooLarge : .tooLarge)
    // libcurl's number if the answers of a DNS server over HTTPS have no address of the wanted family.
    case CURLE_OUT_OF_MEMORY where message.options.dohURL != nil && report.times.preTransfer == 0:
      return .couldNotResolve(host: hostElsewhere(message) ?? origin.host)
    // A line beyond libcurl's own bound of 100 KiB.
    case CURLE_OUT_OF_MEMORY where !hasHead && report.times.preTransfer > 0: return .unusableHead(.lineTooLong)
    default: break
    }
    let failure = CurlFailure(code: numbers.code, reason: words(code))
    switch code {
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: return .http2(failure)
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR:
      return .credentials(failure)
    default: return .other(failure)
    }
  }

  /// Returns libcurl's message, or what that means.
  private func words(_ code: CURLcode) -> String {
    switch code {
    case CURLE_SSL_CIPHER:
      // After a colon, the message names them.
      "none of the ciphers can be used: \(reason.split(separator: ":", maxSplits: 1).last?.dropFirst() ?? "")"
    // The server is another one, perhaps an attacker's: not a mistake in files of this side.
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: "the server's public key is not the pinned one"
    case CURLE_UPLOAD_FAILED where reason == CurlSentences.chunksRefused:
      TransportError.chunksRefused
    case CURLE_INTERFACE_FAILED where numbers.os_error != 0:
      "the interface or address to connect from cannot be used: \(Errno(rawValue: numbers.os_error))"
    default: reason
    }
  }

  /// Returns the name of the host that could not be resolved, if it may differ from the origin's.
  private func hostElsewhere(_ message: OutgoingMessage) -> String? {
    Self.mayGoElsewhere(message) ? name(after: CurlSentences.hostNotResolved) : nil
  }

  /// Whether a connection without a proxy may lead to a host or port other than the origin's: because the user has sent
  /// it there, or a server has, whose alternatives libcurl takes only for https.
  private static func mayGoElsewhere(_ message: OutgoingMessage) -> Bool {
    let takesAlternatives = message.options.altSvcFile != nil && message.request.target.origin.scheme == .https
    return takesAlternatives || !message.options.connectTo.isEmpty
  }

  /// Returns the name that libcurl could not resolve, which follows `start` in its message.
  private func name(after start: String) -> String? {
    reason.hasPrefix(start) ? String(reason.dropFirst(start.count)) : nil
  }

  /// Returns the error for a connection that could not be made. libcurl names the host and the port that it tried: if
  /// they are not the origin's, and nothing else may have led there, they are a proxy's.
  private func connectFailure(_ origin: TargetURI.Origin, _ message: OutgoingMessage) -> TransportError {
    let isRefused = numbers.os_error == Errno.connectionRefused.rawValue
    let own = CurlSentences.notConnected(to: Self.name(of: origin.host), port: origin.port)
    let isElsewhere = reason.hasPrefix(CurlSentences.notConnected) && !reason.hasPrefix(own)
    var words = numbers.os_error == 0 ? reason : Errno(rawValue: numbers.os_error).description
    if let socket = message.options.unixSocket {
      words += " (\(socket.name))"
    } else if isElsewhere {
      guard Self.mayGoElsewhere(message) else { return .proxyNotConnected(isRefused: isRefused, reason: reason) }
      words = reason
    }
    return .couldNotConnect(host: origin.host, port: origin.port, isRefused: isRefused, reason: words)
  }

  /// Returns the host as libcurl writes it: without brackets and zone, and without a period at its end.
  private static func name(of host: String) -> Substring {
    if host.hasPrefix("[") { return host.dropFirst().dropLast().prefix { $0 != "%" } }
    return host.hasSuffix(".") ? host.dropLast() : host[...]
  }

  private func phase(_ origin: TargetURI.Origin, hasHead: Bool) -> TransportError.Phase {
    let times = report.times
    // libcurl reports no earlier times for a connection that is used again. Sending begins a transfer, too.
    if hasHead || (times.startTransfer > 0 && numbers.header_size > 0) { return .receiving }
    if times.preTransfer > 0 { return .waiting }
    if times.nameLookup == 0, !IPAddress.isHost(origin.host) { return .resolving }
    if times.connect == 0 { return .connecting }
    return origin.scheme == .https && times.appConnect == 0 ? .securing : .waiting
  }
}

extension TransferReport {
  fileprivate init(_ numbers: transport_report) {
    self.init()
    times.nameLookup = numbers.name_lookup_time
    times.connect = numbers.connect_time
    times.appConnect = numbers.app_connect_time
    times.preTransfer = numbers.pre_transfer_time
    times.startTransfer = numbers.start_transfer_time
    times.total = numbers.total_time
    downloadSize = numbers.download_size
    uploadSize = numbers.upload_size
    headerSize = numbers.header_size
    requestSize = numbers.request_size
    downloadSpeed = numbers.download_speed
    uploadSpeed = numbers.upload_speed
    remotePort = Int(numbers.remote_port)
    localPort = Int(numbers.local_port)
    connectionCount = Int(numbers.connection_count)
    version = UInt8(exactly: numbers.http_version).flatMap(HTTPVersion.init(rawValue:))
    certificateVerification = Int(numbers.certificate_verification)
    proxyCertificateVerification = Int(numbers.proxy_certificate_verification)
    tunnelStatus = Int(numbers.tunnel_status)
    certificateCount = Int(numbers.certificate_count)
  }
}
