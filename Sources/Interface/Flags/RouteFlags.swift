package import FlagTable
package import HTTPSemantics

/// The options that say by which way a host is reached.
package struct RouteOptions: Equatable, Sendable {
  package var resolve: [ArgumentText] = []
  package var connectTo: [ArgumentText] = []
  package var interface: ArgumentText?
  package var unixSocket: UnixSocket?
  package var dohURL: ArgumentText?
  package var noProxy: ArgumentText?
  package var proxyCredentials: ArgumentText?
  package var altSvcFile: ArgumentText?
  package var hstsFile: ArgumentText?
  package var schemes = SchemeChoice.all
  /// `nil` for http and https, but never from https to http.
  package var redirectSchemes: SchemeChoice?
}

extension RouteOptions {
  /// Returns the hosts for an origin, to one of which garner connects if no proxy is used. The first of `connectTo`
  /// that is about the origin counts, and the last of `resolve`. Hosts are in lower case, and IPv6 addresses in
  /// brackets.
  package func hosts(for origin: TargetURI.Origin) -> [String] {
    var endpoint = Endpoint(host: origin.host, port: origin.port)
    for text in connectTo {
      guard let other = ConnectText.endpoint(text, from: endpoint) else { continue }
      endpoint = other
      break
    }
    guard let addresses = ResolveText.addresses(of: endpoint, in: resolve) else { return [endpoint.host] }
    return addresses.map { address in
      let text = String(decoding: ASCII.lowercased(address), as: UTF8.self)
      return address.contains(ASCII.colon) && address.first != ASCII.openingBracket ? "[\(text)]" : text
    }
  }
}

/// What a connection leads to: a host, as in `TargetURI.Origin`, and its port.
struct Endpoint {
  var host: String
  var port: UInt16
}

/// A socket in the file system, or in Linux's abstract name space.
package enum UnixSocket: Equatable, Sendable {
  case path(ArgumentText)
  case abstract(ArgumentText)
}

enum RouteFlags {
  static let all: [Flag<Invocation>] = [
    resolve, connectTo, interface, unixSocket, abstractUnixSocket, dohURL, noProxy, proxyUser, proxyBasic,
    http10, http2PriorKnowledge, hsts, altSvc, proto, protoRedirect,
  ]

  /// The flags whose settings are part of the cache key, because they change where a connection leads.
  static var keyed: [Flag<Invocation>] { [resolve, connectTo, unixSocket, abstractUnixSocket, dohURL, hsts] }

  static let resolve = Flag<Invocation>(
    "resolve", value: "HOST:PORT:ADDRESS", in: .connection, facts: { _ in .init(listing: .lastCounts) },
    summary: "Use ADDRESS as the address of HOST at PORT.",
    details: """
      Several addresses are separated by commas. `*` matches any host. The option may be repeated. Responses are stored
      separately.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.resolve.append(try ResolveText.check(text))
  }

  static let connectTo = Flag<Invocation>(
    "connect-to", value: "HOST:PORT:OTHER:PORT", in: .connection,
    facts: { _ in .init(listing: .firstCounts) },
    summary: "Connect to another host and port in place of HOST and PORT.",
    details: """
      If the first HOST or PORT is empty, any matches. If the second is empty, it is the URL's own. The request, and the
      name in the certificate, stay those of the URL. The option may be repeated; the first one that matches counts.
      Responses are stored separately.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.connectTo.append(try ConnectText.check(text))
  }

  static let interface = Flag<Invocation>(
    "interface", value: "NAME", in: .connection,
    summary: "Connect from this network interface, address or host name."
  ) { invocation, text in invocation.connection.route.interface = text }

  static let unixSocket = Flag<Invocation>(
    "unix-socket", value: "PATH", completes: .file, in: .connection, facts: { _ in .init(also: .unixSocket) },
    summary: "Connect to the Unix domain socket at PATH.",
    details: "The host of the URL does not matter. Responses are stored separately."
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.unixSocket = .path(try socketName(text))
  }

  static let abstractUnixSocket = Flag<Invocation>(
    "abstract-unix-socket", value: "NAME", in: .connection, facts: { _ in .init(also: .unixSocket) },
    summary: "Connect to the abstract Unix domain socket NAME."
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.unixSocket = .abstract(try socketName(text))
  }

  /// In bytes. The address of a socket has one more, which is a NUL (unix(7)).
  private static let longestSocketName = 107

  private static func socketName(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    let count = text.bytes.count
    guard count > 0 else { throw .unacceptable("the name of a socket is empty") }
    guard count <= longestSocketName else {
      throw .unacceptable("the name of a socket has at most \(longestSocketName) bytes, and this one has \(count)")
    }
    return text
  }

  static let dohURL = Flag<Invocation>(
    "doh-url", value: "URL", in: .connection, facts: { .init(secrecy: .ofURL($0)) },
    summary: "Resolve host names by DNS over HTTPS, at URL.",
    details: "The scheme of URL is https. An empty URL stands for the system's resolver."
  ) { invocation, text throws(InvalidValue) in
    let url = try LineText.check(text)
    // libcurl uses https only. For any other scheme it would just say that the name cannot be resolved.
    guard url.bytes.isEmpty || (try? URIReference(typed: url.bytes))?.target.origin.scheme == .https else {
      throw .unacceptable("expected a URL such as https://dns.example/dns-query")
    }
    invocation.connection.route.dohURL = url
  }

  static let noProxy = Flag<Invocation>(
    "noproxy", value: "HOSTS", in: .connection,
    summary: "Connect to HOSTS without a proxy.",
    details: "HOSTS are separated by commas. A name also matches the hosts below it, and `*` matches any host."
  ) { invocation, text in invocation.connection.route.noProxy = text }

  static let proxyUser = Flag<Invocation>(
    "proxy-user", short: "U", value: "USER:PASSWORD", in: .connection,
    facts: { .init(secrecy: .behindColon(of: $0)) },
    summary: "Send these credentials to the proxy.",
    details: #"Credentials in the URL of \flag{proxy} take precedence, even if only the config file has that URL."#
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.proxyCredentials = try LineText.credentials(text)
  }

  static let proxyBasic = Flag<Invocation>(
    "proxy-basic", in: .connection,
    summary: #"Send the credentials of \flag{proxy-user} with the Basic scheme."#,
    details: "This is always done; the option is accepted for compatibility with curl."
  ) { _ in }

  static let http10 = Flag<Invocation>(
    "http1.0", short: "0", in: .connection, facts: { _ in .init(also: .httpVersion) },
    summary: "Use HTTP/1.0."
  ) { $0.connection.httpVersion = .http10 }

  static let http2PriorKnowledge = Flag<Invocation>(
    "http2-prior-knowledge", in: .connection, facts: { _ in .init(also: .httpVersion) },
    summary: "Use HTTP/2 over plain http, without negotiation."
  ) { $0.connection.httpVersion = .http2PriorKnowledge }

  static let hsts = Flag<Invocation>(
    "hsts", value: "FILE", completes: .file, in: .connection, scope: .run,
    summary: "Use https for hosts that demand it (HSTS), and keep these hosts in FILE.",
    details: """
      A host demands https in a response over https (RFC 6797). The host is written to FILE when the run ends, and http
      URLs of the host become https before anything is looked up or sent. With an empty FILE, the hosts are kept for
      this run only. No host is added to a FILE of 10,000 hosts or more. Commands that only show what a fetch would do
      read FILE, and do not write it.
      """
  ) { invocation, text in invocation.connection.route.hstsFile = text }

  static let altSvc = Flag<Invocation>(
    "alt-svc", value: "FILE", completes: .file, in: .connection, scope: .run,
    summary: "Use the alternative services that servers offer, and keep them in FILE.",
    details: """
      See RFC 7838. The certificate must still be that of the URL's host. If an alternative cannot be reached, the URL's
      host is not tried instead. With an empty FILE, alternatives are kept for this run at most. Alternatives that
      origins offer over https are written to FILE when the run ends; if that fails, garner prints a warning. Each of
      several parallel transfers knows the alternatives that were in FILE, and those that it has learnt itself.
      """
  ) { invocation, text in invocation.connection.route.altSvcFile = text }

  static let proto = Flag<Invocation>(
    "proto", value: "SCHEMES", in: .connection,
    summary: "Allow only these schemes, such as `=https`.",
    details: """
      `+` before a scheme adds it to http and https, `-` removes it, and `=` allows it alone. Several are separated by
      commas. `all` is both http and https. Other schemes that curl knows are ignored.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.schemes = try SchemeChoice(parsing: text)
  }

  static let protoRedirect = Flag<Invocation>(
    "proto-redir", value: "SCHEMES", in: .connection,
    summary: "Allow redirects only to these schemes.",
    details: #"""
      SCHEMES has the format of \flag{proto}. Without the option, a redirect may lead to http and https, but not from
      https to http. With the option, a redirect from any scheme may lead to an allowed one.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.redirectSchemes = try SchemeChoice(parsing: text)
  }
}
