import Digests
import FlagTable
import HTTPSemantics
import Interface
import Platform

/// The options by which a connection differs from the one that a URL has by default. Its responses are stored apart.
///
/// - Source: docs/decisions/0002.
struct ConnectionTrust {
  /// For the authorities that TLS trusts to certify others.
  var authorityLines: [[UInt8]] = []
  /// For other particulars of TLS.
  var tlsLines: [[UInt8]] = []
  /// For the identity that the client shows over TLS.
  var clientLines: [[UInt8]] = []
  /// For where the connection really goes.
  var routeLines: [[UInt8]] = []
  /// Whether the route comes from a server that is asked over TLS.
  var isRouteFromTLS = false
  /// Whether plain http goes through a proxy that is reached over TLS.
  var isProxyOverTLS = false

  /// - Parameter showsClient: whether the server learns the client's identity.
  func lines(for scheme: TargetURI.Scheme, showingClient showsClient: Bool) -> [[UInt8]] {
    switch scheme {
    case .http where isProxyOverTLS: routeLines + authorityLines + tlsLines
    case .http: isRouteFromTLS ? routeLines + authorityLines : routeLines
    case .https: routeLines + authorityLines + tlsLines + (showsClient ? clientLines : [])
    }
  }
}

extension PlanBuilder {
  /// Returns what sets the connection's trust apart from the system's own, which includes the environment's
  /// authorities.
  func connectionTrust() -> ConnectionTrust {
    let connection = invocation.connection
    let security = connection.security
    var trust = ConnectionTrust()
    if !connection.verifiesPeer { trust.tlsLines.append(Array("insecure".utf8)) }
    if let file = connection.authorityFile { trust.authorityLines.append(line("cacert", ofFile: file)) }
    if let directory = security.authorityDirectory { trust.authorityLines.append(line("capath", ofPath: directory)) }
    if let key = security.pinnedKey {
      let isDigest = key.bytes.starts(with: "sha256//".utf8)
      trust.tlsLines.append(isDigest ? line("pinnedpubkey", key) : line("pinnedpubkey", ofFile: key))
    }
    if let ciphers = security.ciphers, Self.setsSecurityLevel(ciphers) {
      trust.tlsLines.append(line("ciphers", ciphers))
    }
    if let certificate = security.certificate { trust.clientLines.append(line("cert", ofFile: certificate)) }

    let route = connection.route
    trust.routeLines = route.resolve.map { line("resolve", $0) } + route.connectTo.map { line("connect-to", $0) }
    if let server = route.dohURL, !server.bytes.isEmpty {
      trust.routeLines.append(line("doh-url", server))
      trust.isRouteFromTLS = true
    }
    switch route.unixSocket {
    case .path(let path): trust.routeLines.append(line("unix-socket", ofPath: path))
    case .abstract(let name): trust.routeLines.append(line("abstract-unix-socket", name))
    case nil: break
    }
    // The environment is asked only if it makes a difference.
    let hasOwnTrust = !trust.authorityLines.isEmpty || !trust.tlsLines.isEmpty
    trust.isProxyOverTLS = hasOwnTrust && proxies.isReachedOverTLS(for: .http)
    return trust
  }

  /// Returns whether a list of ciphers sets the level below which certificates are too weak (openssl-ciphers(1)).
  private static func setsSecurityLevel(_ list: ArgumentText) -> Bool {
    list.bytes.split(separator: ASCII.at).contains { $0.starts(with: "SECLEVEL".utf8) }
  }

  private func line(_ name: String, _ value: ArgumentText) -> [UInt8] { Array("\(name) ".utf8) + value.bytes }

  /// Returns a line with the absolute path, because a relative one names another file in another directory.
  private func line(_ name: String, ofPath path: ArgumentText) -> [UInt8] {
    let typed = Path(path.bytes)
    let absolute = typed?.isAbsolute == false ? typed.flatMap { Path.workingDirectory?.appending($0) } : typed
    return Array("\(name) ".utf8) + (absolute?.bytes ?? path.bytes[...])
  }

  /// Returns a line with the digest of a file's content, because another file may have the same name tomorrow.
  private func line(_ name: String, ofFile file: ArgumentText) -> [UInt8] {
    // `-` is standard input to garner, but not to libcurl.
    guard file != "-", let path = Path(file.bytes), let status = try? Descriptor.workingDirectory.status(of: path),
      // A file that can be read only once is left to libcurl.
      status.kind == .regular, status.size <= Self.longestDigested,
      let bytes = try? context.read(.file(file), for: name)
    else { return line(name, ofPath: file) }
    return Array("\(name) \(Base64.encode(digest(of: bytes, .sha256)))".utf8)
  }

  /// The largest file to digest, in bytes: a system's bundle has some 200 KB.
  private static let longestDigested: Int64 = 4 << 20
}
