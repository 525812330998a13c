import CCurl
import CurlBinding
import HTTPSemantics

/// Everything that a transfer asks of libcurl: the only place where options are set.
struct TransferSetup {
  /// The least processor time of those tried: 100 MB over plain http took 34 ms with it, 42 with libcurl's 16 KiB (four
  /// times the system calls) and 47 with 512 KiB (beyond the second-level cache).
  private static let bufferBytes = 64 << 10

  private let handle: EasyHandle
  private let host: String
  /// What libcurl reads during the transfer.
  private var lists: [StringList] = []

  init(_ handle: EasyHandle, _ message: OutgoingMessage, _ transfer: Transfer) throws(TransportError) {
    self.handle = handle
    host = message.request.target.origin.host
    handle.reset()
    try set(CURLOPT_ERRORBUFFER, pointer: handle.errorText.baseAddress)
    try setTarget(message.request.target)
    try setMethod(message)
    try set(CURLOPT_HTTPHEADER, list: try RequestLines.make(message.request.fields))
    try setCallbacks(transfer, wantsTrace: message.options.wantsTrace)
    try setLimits(message.options)
    try setConnection(message.options)
    try setProxy(message.options)
    if message.request.target.origin.scheme == .https { try setSecurity(message.options.security) }
    try setRecords(message.options)
  }

  /// Sends, with the content in place.
  func perform(_ content: OutgoingMessage.Content) -> CURLcode {
    guard case .bytes(let bytes) = content else { return handle.perform(for: host) }
    return bytes.withUnsafeBytes { bytes in
      // libcurl does not copy what POSTFIELDS points to, and takes NULL for "ask the read function".
      guard let start = bytes.baseAddress else { return handle.perform(for: host) }
      let code = libcurl_set_pointer(handle.pointer, CURLOPT_POSTFIELDS, start)
      return code == CURLE_OK ? handle.perform(for: host) : code
    }
  }

  /// Lets the handle forget what does not outlive the transfer.
  func disarm() {
    _ = libcurl_set_list(handle.pointer, CURLOPT_HTTPHEADER, nil)
    _ = libcurl_set_list(handle.pointer, CURLOPT_RESOLVE, nil)
    _ = libcurl_set_list(handle.pointer, CURLOPT_CONNECT_TO, nil)
    _ = libcurl_set_pointer(handle.pointer, CURLOPT_POSTFIELDS, nil)
    _ = libcurl_set_long(handle.pointer, CURLOPT_VERBOSE, 0)
    _ = libcurl_set_long(handle.pointer, CURLOPT_NOPROGRESS, 1)
  }

  // MARK: The request

  private func setTarget(_ target: TargetURI) throws(TransportError) {
    try set(CURLOPT_URL, target.description)
    // The target is sent as it is, and a redirection is the exchange's to follow.
    try set(CURLOPT_PATH_AS_IS, 1)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_NOSIGNAL, 1)
    // Content is stored with its content coding; a transfer coding is the connection's.
    try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    try set(CURLOPT_HTTP_TRANSFER_DECODING, 1)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // A preference only: libcurl refuses while it keeps the buffer of a transfer that never had a connection.
    _ = libcurl_set_long(handle.pointer, CURLOPT_BUFFERSIZE, Self.bufferBytes)
  }

  private func setMethod(_ message: OutgoingMessage) throws(TransportError) {
    let method = message.request.method
    switch message.content {
    case .bytes(let bytes):
      // libcurl would wait for the content of an answer that has none.
      if method == .head { throw .unsendable(reason: "a HEAD request has no content") }
      try setContent(count: bytes.count)
    case .none where method == .head:
      try set(CURLOPT_NOBODY, 1)
      return
    case .none where Self.anticipatesContent(method):
      try setContent(count: 0)
    case .none:
      try set(CURLOPT_HTTPGET, 1)
    }
    try set(CURLOPT_CUSTOMREQUEST, method.name)
  }

  private func setContent(count: Int) throws(TransportError) {
    try set(CURLOPT_POST, 1)
    try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(count))
    // What a transfer without a byte points to: a literal has the life of the process.
    let empty: StaticString = ""
    try set(CURLOPT_POSTFIELDS, pointer: empty.utf8Start)
  }

  /// RFC 9110 section 8.6: such a request says Content-Length: 0 when it has none.
  private static func anticipatesContent(_ method: Method) -> Bool {
    method == .post || method == .put || method.name == "PATCH"
  }

  // MARK: The transfer

  private func setCallbacks(_ transfer: Transfer, wantsTrace: Bool) throws(TransportError) {
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    try check(libcurl_set_write_function(handle.pointer, CURLOPT_HEADERFUNCTION, receiveHeaderLine))
    try set(CURLOPT_HEADERDATA, pointer: context)
    try check(libcurl_set_write_function(handle.pointer, CURLOPT_WRITEFUNCTION, receiveContent))
    try set(CURLOPT_WRITEDATA, pointer: context)
    try check(libcurl_set_progress_function(handle.pointer, checkForInterruption))
    try set(CURLOPT_XFERINFODATA, pointer: context)
    try set(CURLOPT_NOPROGRESS, 0)
    guard wantsTrace else { return }
    try check(libcurl_set_debug_function(handle.pointer, receiveTrace))
    try set(CURLOPT_DEBUGDATA, pointer: context)
    try set(CURLOPT_VERBOSE, 1)
  }

  private func setLimits(_ options: TransferOptions) throws(TransportError) {
    // libcurl takes 0 for "no limit".
    if let limit = options.timeLimitMilliseconds { try set(CURLOPT_TIMEOUT_MS, max(limit, 1)) }
    if let limit = options.connectTimeLimitMilliseconds { try set(CURLOPT_CONNECTTIMEOUT_MS, max(limit, 1)) }
    if let floor = options.speedFloor {
      try set(CURLOPT_LOW_SPEED_LIMIT, floor.bytesPerSecond)
      try set(CURLOPT_LOW_SPEED_TIME, floor.seconds)
    }
    if let rate = options.maximumRate {
      try set(CURLOPT_MAX_RECV_SPEED_LARGE, offset: rate)
      try set(CURLOPT_MAX_SEND_SPEED_LARGE, offset: rate)
    }
  }

  private mutating func setConnection(_ options: TransferOptions) throws(TransportError) {
    let version =
      switch options.version {
      case .automatic: CURL_HTTP_VERSION_2TLS
      case .http10: CURL_HTTP_VERSION_1_0
      case .http11: CURL_HTTP_VERSION_1_1
      case .http2: CURL_HTTP_VERSION_2_0
      case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      }
    try set(CURLOPT_HTTP_VERSION, version)
    switch options.addressFamily {
    case .any: break
    case .ipv4: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: try set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    if !options.resolve.isEmpty { try set(CURLOPT_RESOLVE, lines: options.resolve) }
    if !options.connectTo.isEmpty { try set(CURLOPT_CONNECT_TO, lines: options.connectTo) }
    if let interface = options.interface { try set(CURLOPT_INTERFACE, interface) }
    if let path = options.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, path) }
    if let url = options.dohURL { try set(CURLOPT_DOH_URL, url) }
  }

  private func setProxy(_ options: TransferOptions) throws(TransportError) {
    switch options.proxy {
    case .environment: break
    // An empty name keeps libcurl from its environment variables.
    case .none: try set(CURLOPT_PROXY, "")
    case .url(let url): try set(CURLOPT_PROXY, url)
    }
    if let hosts = options.noProxy { try set(CURLOPT_NOPROXY, hosts) }
    if let credentials = options.proxyCredentials { try set(CURLOPT_PROXYUSERPWD, credentials) }
    try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
  }

  private func setSecurity(_ security: TransferSecurity) throws(TransportError) {
    try set(CURLOPT_SSL_VERIFYPEER, security.verifiesPeer ? 1 : 0)
    try set(CURLOPT_SSL_VERIFYHOST, security.verifiesPeer ? 2 : 0)
    if security.authorityFile != nil || security.authorityDirectory != nil {
      try set(CURLOPT_CAINFO, security.authorityFile)
      try set(CURLOPT_CAPATH, security.authorityDirectory)
    } else if let directory = SystemTrust.hashedDirectory(),
      // A libcurl whose TLS knows no directories keeps its bundle.
      libcurl_set_string(handle.pointer, CURLOPT_CAPATH, directory) == CURLE_OK
    {
      try set(CURLOPT_CAINFO, nil)
    }
    var versions = security.minimumVersion == .tls12 ? CURL_SSLVERSION_TLSv1_2 : CURL_SSLVERSION_TLSv1_3
    switch security.maximumVersion {
    case nil: break
    case .tls12: versions |= CURL_SSLVERSION_MAX_TLSv1_2
    case .tls13: versions |= CURL_SSLVERSION_MAX_TLSv1_3
    }
    try set(CURLOPT_SSLVERSION, versions)
    if let file = security.clientCertificate { try set(CURLOPT_SSLCERT, file) }
    if let file = security.clientKey { try set(CURLOPT_SSLKEY, file) }
    if let key = security.pinnedPublicKey { try set(CURLOPT_PINNEDPUBLICKEY, key) }
    if let ciphers = security.ciphers { try set(CURLOPT_SSL_CIPHER_LIST, ciphers) }
  }

  /// What libcurl remembers in files at the user's word.
  private func setRecords(_ options: TransferOptions) throws(TransportError) {
    if !handle.hasCookies {
      for file in options.cookieFiles { try set(CURLOPT_COOKIEFILE, file) }
      handle.hasCookies = !options.cookieFiles.isEmpty
    }
    if let file = options.cookieJar { try set(CURLOPT_COOKIEJAR, file) }
    if let file = options.hstsFile {
      try set(CURLOPT_HSTS_CTRL, CCURL_HSTS_ENABLE)
      try set(CURLOPT_HSTS, file)
    }
    if let file = options.altSvcFile { try set(CURLOPT_ALTSVC, file) }
  }

  // MARK: One option

  private func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
    try check(libcurl_set_long(handle.pointer, option, value))
  }

  private func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
    try check(libcurl_set_string(handle.pointer, option, value))
  }

  private func set(_ option: CURLoption, offset value: Int64) throws(TransportError) {
    try check(libcurl_set_offset(handle.pointer, option, curl_off_t(value)))
  }

  private func set(_ option: CURLoption, pointer value: UnsafeRawPointer?) throws(TransportError) {
    try check(libcurl_set_pointer(handle.pointer, option, value))
  }

  private mutating func set(_ option: CURLoption, list: StringList) throws(TransportError) {
    lists.append(list)
    try check(libcurl_set_list(handle.pointer, option, list.pointer))
  }

  private mutating func set(_ option: CURLoption, lines: [String]) throws(TransportError) {
    let list = StringList()
    for line in lines { try list.append(Array(line.utf8)) }
    try set(option, list: list)
  }

  private func check(_ code: CURLcode) throws(TransportError) {
    if code != CURLE_OK { throw .other(CurlFailure(code: Int32(code.rawValue), reason: handle.reason(code))) }
  }
}
