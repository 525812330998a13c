import FlagTable
import HTTPSemantics
import Interface
import Platform
import Transport

extension PlanBuilder {
  func transferOptions() -> TransferOptions {
    let connection = invocation.connection
    var options = TransferOptions()
    options.connectTimeLimitMilliseconds = connection.connectTimeLimit.map(Self.milliseconds)
    options.version =
      switch connection.httpVersion {
      case .http10: .http10
      case .http11: .http11
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
      options.proxy = proxy.bytes.isEmpty ? .none : .url(proxy.bytes)
    }
    options.security = security(connection)
    setRoute(connection.route, &options)
    applyRates(to: &options)
    options.wantsTrace = invocation.output.isVerbose
    options.wantsCertificates = invocation.output.writeOut.map(WriteOut.mayPrintCertificates) ?? false
    options.skipsContent = invocation.request.wantsHead && invocation.request.method.map { $0 != .head } ?? false
    return options
  }

  private func setRoute(_ route: RouteOptions, _ options: inout TransferOptions) {
    options.resolve = route.resolve.map(\.bytes)
    options.connectTo = route.connectTo.map(\.bytes)
    options.interface = route.interface?.bytes
    switch route.unixSocket {
    case .path(let path): options.unixSocket = .path(path.bytes)
    case .abstract(let name): options.unixSocket = .abstract(name.bytes)
    case nil: break
    }
    if let url = route.dohURL, !url.bytes.isEmpty { options.dohURL = url.bytes }
    options.noProxy = route.noProxy?.bytes
    options.proxyCredentials = route.proxyCredentials?.bytes
    // libcurl would wait for a FIFO. Without a file, it keeps alternatives for this run.
    options.altSvcFile = route.altSvcFile.map { Path($0.bytes).map(OutputPath.isFIFO) == true ? [] : $0.bytes }
  }

  private func security(_ connection: ConnectionOptions) -> TransferSecurity {
    let options = connection.security
    var security = TransferSecurity()
    security.verifiesPeer = connection.verifiesPeer
    // curl's order: what was typed, CURL_CA_BUNDLE, SSL_CERT_DIR, SSL_CERT_FILE.
    if connection.authorityFile != nil || options.authorityDirectory != nil {
      security.authorityFile = connection.authorityFile?.bytes
      security.authorityDirectory = options.authorityDirectory?.bytes
    } else if let file = context.environment.path("CURL_CA_BUNDLE") {
      security.authorityFile = Array(file.bytes)
    } else if let directory = context.environment.path("SSL_CERT_DIR") {
      security.authorityDirectory = Array(directory.bytes)
    } else if let file = context.environment.path("SSL_CERT_FILE") {
      security.authorityFile = Array(file.bytes)
    }
    security.clientCertificate = options.certificate?.bytes
    security.clientKey = options.key?.bytes
    security.clientKeyPassphrase = options.passphrase?.bytes
    security.pinnedPublicKey = options.pinnedKey?.bytes
    if options.minimumVersion == .tls13 { security.minimumVersion = .tls13 }
    security.maximumVersion =
      switch options.maximumVersion {
      case .tls12: .tls12
      case .tls13: .tls13
      case nil: nil
      }
    security.ciphers = options.ciphers?.bytes
    security.tls13Ciphers = options.tls13Ciphers?.bytes
    return security
  }
}
