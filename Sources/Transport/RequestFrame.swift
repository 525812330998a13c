import CTransport
import HTTPSemantics
import Platform

/// A frame to garner-transport.
struct RequestFrame {
  private(set) var bytes: [UInt8]

  init(kind: Int, stream: UInt32, content: ArraySlice<UInt8> = []) {
    let head = transport_frame(stream: stream, kind: UInt16(kind), unused: 0, length: UInt32(content.count))
    bytes = []
    bytes.reserveCapacity(Self.usualBytes + content.count)
    withUnsafeBytes(of: head) { bytes += $0 }
    bytes += content
  }

  /// Tells the program where in a file the content stands that it has asked for.
  init(partOf file: Path, _ status: FileStatus, offset: Int64, count: Int, stream: UInt32) {
    let part = transport_file_part(
      offset: offset, count: Int64(count), device: status.device, inode: status.inode)
    let content = withUnsafeBytes(of: part) { Array($0) } + file.bytes + [0]
    self.init(kind: transport_request_file_part, stream: stream, content: content[...])
  }

  /// The frame that begins a stream: what is to be sent, and how.
  ///
  /// - Parameter window: how many bytes of the response's content may be on their way; 0 leaves this out.
  /// - Throws: `unsendable`.
  init(_ message: OutgoingMessage, stream: UInt32, window: Int = 0) throws(TransportError) {
    self.init(kind: transport_request, stream: stream)
    let headBytes = bytes.count
    if window > 0 { add(transport_window, window) }
    if message.isLast { add(transport_is_last, 1) }
    try addRequest(message)
    addLimits(message.options)
    addConnection(message.options)
    addProxy(message.options)
    addTrust(message.options.security)
    if message.request.target.origin.scheme == .https { addSecurity(message.options.security) }
    guard bytes.count - headBytes <= transport_longest_request else {
      throw .unsendable(reason: "it is longer than \(transport_longest_request >> 20) MiB")
    }
    let length = UInt32(bytes.count - headBytes)
    withUnsafeBytes(of: length) { length in
      bytes.replaceSubrange(MemoryLayout<transport_frame>.offset(of: \.length)!..<headBytes, with: length)
    }
  }

  // MARK: The request

  private mutating func addRequest(_ message: OutgoingMessage) throws(TransportError) {
    let request = message.request
    add(transport_url, request.target.bytes)
    add(transport_method, request.method.name)
    if request.method.isIdempotent { add(transport_is_idempotent, 1) }
    if request.method == .head || message.options.skipsContent { add(transport_is_head, 1) }
    // libcurl would wait for the content of a response that has none.
    if request.method == .head, message.content != .none {
      throw .unsendable(reason: "a HEAD request has no content")
    }
    switch message.content.framing(for: request.method) {
    case .none: break
    case .length(let count): add(transport_content_count, Int(count))
    case .chunked: add(transport_content_is_open_ended, 1)
    }
    if !message.content.isRepeatable { add(transport_content_is_read_once, 1) }
    if let bytes = message.content.sentWithRequest { add(transport_whole_content, bytes: bytes) }
    for field in request.fields.lines { try add(field) }
    // A name with nothing after its colon removes libcurl's own line.
    for name in Self.defaults where !request.fields.contains(name) { add(transport_field, name.spelling + ":") }
    if message.options.wantsTrace { add(transport_wants_trace, 1) }
    if message.options.wantsCertificates { add(transport_wants_certificates, 1) }
  }

  /// The fields that libcurl adds by itself unless they are given. It adds no User-Agent; "clients are encouraged not
  /// to send the Proxy-Connection header field in any requests" (RFC 9112 appendix C.2.2).
  private static let defaults: [FieldName] = [.accept, .contentType, "Expect", .proxyConnection]

  /// Adds a field line in libcurl's notation.
  private mutating func add(_ field: Field) throws(TransportError) {
    let (name, value) = (field.name.spelling.utf8, field.value.bytes)
    let isSendable = value.allSatisfy { $0 != 0 && $0 != ASCII.carriageReturn && $0 != ASCII.lineFeed }
    guard isSendable else { throw .unsendable(reason: "the field \(field.name) holds a line break or a NUL") }
    addHead(of: transport_field, length: name.count + (value.isEmpty ? 1 : 2 + value.count) + 1)
    bytes += name
    // A semicolon stands for a field whose value is empty.
    bytes.append(value.isEmpty ? ASCII.semicolon : ASCII.colon)
    if !value.isEmpty {
      bytes.append(ASCII.space)
      bytes += value
    }
    bytes.append(0)
  }

  // MARK: The transfer

  private mutating func addLimits(_ options: TransferOptions) {
    // 0 would be "no limit".
    if let limit = options.timeLimitMilliseconds { add(transport_time_limit_milliseconds, max(limit, 1)) }
    if let limit = options.connectTimeLimitMilliseconds {
      add(transport_connect_time_limit_milliseconds, max(limit, 1))
    }
    if let floor = options.speedFloor {
      add(transport_floor_bytes_per_second, floor.bytesPerSecond)
      add(transport_floor_seconds, floor.seconds)
    }
    if let rate = options.maximumRate { add(transport_maximum_rate, Int(rate)) }
  }

  private mutating func addConnection(_ options: TransferOptions) {
    let version =
      switch options.version {
      case .automatic: transport_http_automatic
      case .http10: transport_http_10
      case .http11: transport_http_11
      case .http2: transport_http_2
      case .http2PriorKnowledge: transport_http_2_prior_knowledge
      }
    add(transport_http_version, version)
    switch options.addressFamily {
    case .any: break
    case .ipv4: add(transport_address_family, 4)
    case .ipv6: add(transport_address_family, 6)
    }
    for line in options.resolve { add(transport_resolve, line) }
    for line in options.connectTo { add(transport_connect_to, line) }
    add(transport_interface, options.interface)
    switch options.unixSocket {
    case .path(let path): add(transport_unix_socket, path)
    case .abstract(let name): add(transport_abstract_unix_socket, name)
    case nil: break
    }
    add(transport_doh_url, options.dohURL)
    add(transport_alt_svc_file, options.altSvcFile)
  }

  private mutating func addProxy(_ options: TransferOptions) {
    switch options.proxy {
    case .environment: break
    case .none: add(transport_proxy, "")
    case .url(let url):
      add(transport_proxy, url)
      if !url.allSatisfy({ $0 < 0x80 }) { add(transport_is_international, 1) }
    }
    add(transport_no_proxy, options.noProxy)
    add(transport_proxy_credentials, options.proxyCredentials)
  }

  private mutating func addTrust(_ security: TransferSecurity) {
    if !security.verifiesPeer { add(transport_trusts_anybody, 1) }
    add(transport_authority_file, security.authorityFile)
    add(transport_authority_directory, security.authorityDirectory)
  }

  private mutating func addSecurity(_ security: TransferSecurity) {
    add(transport_is_secure, 1)
    add(transport_minimum_tls, Self.number(security.minimumVersion))
    if let version = security.maximumVersion { add(transport_maximum_tls, Self.number(version)) }
    add(transport_client_certificate, security.clientCertificate)
    add(transport_client_key, security.clientKey)
    add(transport_pinned_public_key, security.pinnedPublicKey)
    add(transport_client_key_passphrase, security.clientKeyPassphrase)
    add(transport_ciphers, security.ciphers)
    add(transport_tls13_ciphers, security.tls13Ciphers)
  }

  private static func number(_ version: TransferSecurity.Version) -> Int {
    switch version {
    case .tls12: 12
    case .tls13: 13
    }
  }

  // MARK: One item

  private mutating func add(_ item: Int, _ text: String) { add(item, Array(text.utf8)) }

  private mutating func add(_ item: Int, _ text: [UInt8]?) {
    guard let text else { return }
    addHead(of: item, length: text.count + 1)
    bytes += text
    bytes.append(0)
  }

  private mutating func add(_ item: Int, _ number: Int) {
    addHead(of: item, length: MemoryLayout<Int64>.size)
    withUnsafeBytes(of: Int64(number)) { bytes += $0 }
  }

  private mutating func add(_ item: Int, bytes content: [UInt8]) {
    addHead(of: item, length: content.count)
    bytes += content
  }

  private mutating func addHead(of item: Int, length: Int) {
    let head = transport_item(item: UInt32(item), length: UInt32(length))
    withUnsafeBytes(of: head) { bytes += $0 }
  }

  /// Most requests are smaller.
  private static let usualBytes = 512
}

extension OutgoingMessage.Content {
  /// The content, if it is short enough to go with the request. The program asks for any other content.
  var sentWithRequest: [UInt8]? {
    if case .bytes(let bytes) = self, bytes.count <= transport_longest_whole_content { bytes } else { nil }
  }
}
