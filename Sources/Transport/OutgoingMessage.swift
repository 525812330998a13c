package import HTTPSemantics

/// A request as it is to be sent.
package struct OutgoingMessage: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    case none
    case bytes([UInt8])
    case streamed(StreamedContent)

    /// The length in bytes; `nil` if only the end of the content shows it.
    package var count: Int64? {
      switch self {
      case .none: 0
      case .bytes(let bytes): Int64(bytes.count)
      case .streamed(let content): content.count
      }
    }

    /// Returns how a request with this method frames the content.
    package func framing(for method: Method) -> ContentFraming {
      if self == .none { return method.anticipatesContent ? .length(0) : .none }
      return count.map { .length($0) } ?? .chunked
    }
  }

  /// The fields are sent as they are: credentials, Accept and User-Agent are sent only if they are among them.
  package var request: Request
  package var content: Content
  package var options: TransferOptions
  /// Whether nothing is sent after it, unless the response leads to another request.
  package var isLast: Bool

  package init(
    _ request: Request, content: Content, options: TransferOptions, isLast: Bool = false
  ) {
    self.request = request
    self.content = content
    self.options = options
    self.isLast = isLast
  }
}

/// How a request shows where its content ends (RFC 9112 section 6).
package enum ContentFraming: Equatable, Sendable {
  /// By no field, because there is no content.
  case none
  /// By its length in bytes.
  case length(Int64)
  /// By its last chunk, because the length is not known. HTTP/1.0 has no chunks.
  case chunked
}

/// How a transfer is made. Strings for libcurl are bytes, as they were typed, because the name of a file need not be
/// UTF-8.
package struct TransferOptions: Equatable, Sendable {
  package enum VersionPreference: Equatable, Sendable {
    /// HTTP/2 if ALPN agrees on it, HTTP/1.1 otherwise.
    case automatic
    case http10
    case http11
    /// As `automatic`, and `Upgrade: h2c` over plain http.
    case http2
    case http2PriorKnowledge
  }

  package enum AddressFamily: Equatable, Sendable {
    case any
    case ipv4
    case ipv6
  }

  package enum Proxy: Equatable, Sendable {
    /// The proxy that `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` specify.
    case environment
    case none
    case url([UInt8])
  }

  package enum UnixSocket: Equatable, Sendable {
    case path([UInt8])
    /// In Linux's abstract name space.
    case abstract([UInt8])

    /// The name for messages.
    var name: String {
      switch self {
      case .path(let path): String(decoding: path, as: UTF8.self)
      case .abstract(let name): "@" + String(decoding: name, as: UTF8.self)
      }
    }
  }

  /// A transfer that is slower than `bytesPerSecond` for `seconds` is given up.
  package struct SpeedFloor: Equatable, Sendable {
    package let bytesPerSecond: Int
    package let seconds: Int

    package init(bytesPerSecond: Int, seconds: Int) {
      self.bytesPerSecond = bytesPerSecond
      self.seconds = seconds
    }
  }

  /// The time left for the whole transfer, in milliseconds; `nil` for no limit.
  package var timeLimitMilliseconds: Int?
  /// The limit for name resolution, connection and TLS together, in milliseconds; `nil` for libcurl's 300 seconds.
  package var connectTimeLimitMilliseconds: Int?
  package var speedFloor: SpeedFloor?
  /// In bytes per second; `nil` for no limit.
  package var maximumRate: Int64?

  package var version = VersionPreference.automatic
  package var addressFamily = AddressFamily.any
  package var security = TransferSecurity()

  package var proxy = Proxy.environment
  /// `user:password`, for the proxy alone.
  package var proxyCredentials: [UInt8]?
  /// Hosts that are reached without a proxy; `nil` for those that the environment names.
  package var noProxy: [UInt8]?

  /// In the form of curl's option: `HOST:PORT:ADDRESS[,ADDRESS]...`.
  package var resolve: [[UInt8]] = []
  /// In the form of curl's option: `HOST1:PORT1:HOST2:PORT2`.
  package var connectTo: [[UInt8]] = []
  package var interface: [UInt8]?
  package var unixSocket: UnixSocket?
  package var dohURL: [UInt8]?

  /// The file of alternative services (RFC 7838). libcurl reads it; garner writes it.
  package var altSvcFile: [UInt8]?

  package var wantsTrace = false
  /// Whether the report includes the certificates of the origin, which costs libcurl some time.
  package var wantsCertificates = false
  /// Whether the content of the response is not read, whatever the method: the connection ends with the head.
  package var skipsContent = false

  package init() {}
}

/// Whom a transfer over TLS trusts, and how it identifies itself.
package struct TransferSecurity: Equatable, Sendable {
  /// TLS 1.0 and 1.1 are not spoken (RFC 8996).
  package enum Version: Equatable, Sendable {
    case tls12
    case tls13
  }

  package var verifiesPeer = true
  /// A file of certificates to trust instead of the system's.
  package var authorityFile: [UInt8]?
  /// A hashed directory of certificates to trust instead of the system's.
  package var authorityDirectory: [UInt8]?
  package var clientCertificate: [UInt8]?
  package var clientKey: [UInt8]?
  package var clientKeyPassphrase: [UInt8]?
  package var pinnedPublicKey: [UInt8]?
  package var minimumVersion = Version.tls12
  package var maximumVersion: Version?
  /// The ciphers for TLS 1.2, in OpenSSL's notation.
  package var ciphers: [UInt8]?
  package var tls13Ciphers: [UInt8]?

  package init() {}

  package mutating func removeClientCertificate() {
    clientCertificate = nil
    clientKey = nil
    clientKeyPassphrase = nil
  }
}
