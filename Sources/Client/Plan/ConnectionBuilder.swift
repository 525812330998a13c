import FlagTable
import HTTPSemantics
import Interface
import Platform
import Transport

/// What makes a connection another one than the same URL would have by itself: its responses are stored apart.
struct ConnectionTrust {
  /// Whom TLS trusts, and who it says that it is.
  var ofTLS: [[UInt8]] = []
  /// Where the connection really goes.
  var ofRoute: [[UInt8]] = []

  func lines(for scheme: TargetURI.Scheme) -> [[UInt8]] {
    switch scheme {
    case .http: ofRoute
    case .https: ofRoute + ofTLS
    }
  }
}

extension PlanBuilder {
  func transferOptions() -> TransferOptions {
    let connection = invocation.connection
    var options = TransferOptions()
    options.connectTimeLimitMilliseconds = connection.connectTimeLimit.map(Self.milliseconds)
    options.version =
      switch connection.httpVersion {
      case .http10: .http10
      case .http1: .http11
      case .http2: .http2
      case .http2PriorKnowledge: .http2PriorKnowledge
      case nil: .automatic
      }
    options.addressFamily =
      switch connection.addressFamily {
      case .ipv4: .ipv4
      case .ipv6: .ipv6
      case nil: .any
      }
    if let proxy = connection.proxy {
      options.proxy = proxy.bytes.isEmpty ? .none : .url(proxy.text)
    }
    options.security = security(connection)
    setRoute(connection.route, &options)
    applyRates(to: &options)
    options.wantsTrace = invocation.output.isVerbose
    options.wantsCertificates = invocation.output.writeOut.map(WriteOut.mayTellCertificates) ?? false
    options.leavesContent = invocation.request.wantsHead && invocation.request.method.map { $0 != .head } ?? false
    return options
  }

  private func setRoute(_ route: RouteOptions, _ options: inout TransferOptions) {
    options.resolve = route.resolve.map(\.text)
    options.connectTo = route.connectTo.map(\.text)
    options.interface = route.interface?.text
    switch route.unixSocket {
    case .path(let path): options.unixSocket = .path(path.text)
    case .abstract(let name): options.unixSocket = .abstract(name.text)
    case nil: break
    }
    if let url = route.dohURL, !url.bytes.isEmpty { options.dohURL = url.text }
    options.noProxy = route.noProxy?.text
    options.proxyCredentials = route.proxyCredentials?.text
    options.altSvcFile = route.altSvcFile?.text
  }

  private func security(_ connection: ConnectionOptions) -> TransferSecurity {
    let options = connection.security
    var security = TransferSecurity()
    security.verifiesPeer = connection.verifiesPeer
    // curl's order: what was typed, CURL_CA_BUNDLE, SSL_CERT_DIR, SSL_CERT_FILE.
    if connection.authorityFile != nil || options.authorityDirectory != nil {
      security.authorityFile = connection.authorityFile?.text
      security.authorityDirectory = options.authorityDirectory?.text
    } else if let file = context.environment.path("CURL_CA_BUNDLE") {
      security.authorityFile = file.description
    } else if let directory = context.environment.path("SSL_CERT_DIR") {
      security.authorityDirectory = directory.description
    } else if let file = context.environment.path("SSL_CERT_FILE") {
      security.authorityFile = file.description
    }
    security.clientCertificate = options.certificate?.text
    security.clientKey = options.key?.text
    security.clientKeyPassphrase = options.passphrase?.text
    security.pinnedPublicKey = options.pinnedKey?.text
    if options.minimumVersion == .tls13 { security.minimumVersion = .tls13 }
    security.maximumVersion =
      switch options.maximumVersion {
      case .tls12: .tls12
      case .tls13: .tls13
      case nil: nil
      }
    security.ciphers = options.ciphers?.text
    security.tls13Ciphers = options.tls13Ciphers?.text
    return security
  }

  /// What sets the connection's trust apart from the system's own.
  func trust(of options: TransferOptions) -> ConnectionTrust {
    let security = options.security
    var trust = ConnectionTrust()
    if !security.verifiesPeer { trust.ofTLS.append(Array("insecure".utf8)) }
    func add(_ name: String, _ value: String?) {
      if let value { trust.ofTLS.append(Array("\(name) \(value)".utf8)) }
    }
    add("cacert", security.authorityFile)
    add("capath", security.authorityDirectory)
    add("pinnedpubkey", security.pinnedPublicKey)
    add("cert", security.clientCertificate)
    trust.ofRoute = options.resolve.map { Array("resolve \($0)".utf8) }
    trust.ofRoute += options.connectTo.map { Array("connect-to \($0)".utf8) }
    switch options.unixSocket {
    case .path(let path): trust.ofRoute.append(Array("unix-socket \(path)".utf8))
    case .abstract(let name): trust.ofRoute.append(Array("abstract-unix-socket \(name)".utf8))
    case nil: break
    }
    return trust
  }
}

extension ArgumentText {
  /// As libcurl takes it.
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
