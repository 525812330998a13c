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

  /// libcurl takes a file of keys that is not there for one with other keys.
  func checkIsThere(_ name: ArgumentText) throws(Failure) {
    guard let path = Path(name.bytes) else { return }
    do throws(Errno) {
      _ = try Descriptor.workingDirectory.status(of: path)
    } catch {
      throw .input(path.description, error)
    }
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
}

extension ArgumentText {
  /// As libcurl takes it.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
