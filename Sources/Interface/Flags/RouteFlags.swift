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
  /// Returns the hosts of which one is connected to for an origin, where no proxy is used. The first of `connectTo`
  /// that is about the origin counts, and the last of `resolve`. Hosts are in lower case, and IPv6 addresses in
  /// brackets.
  package func hosts(for origin: TargetURI.Origin) -> [String] {
    var place = ConnectionPlace(host: origin.host, port: origin.port)
    for text in connectTo {
      guard let other = ConnectText.place(text, from: place) else { continue }
      place = other
      break
    }
    guard let addresses = ResolveText.addresses(of: place, in: resolve) else { return [place.host] }
    return addresses.map { address in
      let text = String(decoding: ASCII.lowercased(address), as: UTF8.self)
      return address.contains(ASCII.colon) && address.first != ASCII.openingBracket ? "[\(text)]" : text
    }
  }
}

/// The place that a connection leads to: a host, as in `TargetURI.Origin`, and its port.
struct ConnectionPlace {
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
    summary: "Take ADDRESS for the address of HOST, at PORT.",
    details: """
      Several addresses stand with commas between. `*` is any host. The option may be repeated. What is fetched so is
      stored apart.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.resolve.append(try ResolveText.check(text))
  }

  static let connectTo = Flag<Invocation>(
    "connect-to", value: "HOST:PORT:OTHER:PORT", in: .connection,
    facts: { _ in .init(listing: .firstCounts) },
    summary: "Connect to another host and port in the place of HOST and PORT.",
    details: """
      What is left out, of the first two, is any, and of the others the URL's own. The request, and the name in the
      certificate, stay those of the URL. The option may be repeated; the first that is about the host counts. What is
      fetched so is stored apart.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.connectTo.append(try ConnectText.check(text))
  }

  static let interface = Flag<Invocation>(
    "interface", value: "NAME", in: .connection,
    summary: "Connect from this interface, address or host."
  ) { invocation, text in invocation.connection.route.interface = text }

  static let unixSocket = Flag<Invocation>(
    "unix-socket", value: "PATH", completes: .file, in: .connection, facts: { _ in .init(also: .unixSocket) },
    summary: "Connect to the Unix domain socket at PATH.",
    details: "Whatever the host of the URL is. What is fetched so is stored apart."
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.unixSocket = .path(try socketName(text))
  }

  static let abstractUnixSocket = Flag<Invocation>(
    "abstract-unix-socket", value: "NAME", in: .connection, facts: { _ in .init(also: .unixSocket) },
    summary: "Connect to the abstract Unix domain socket NAME."
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.unixSocket = .abstract(try socketName(text))
  }

  private static func socketName(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of a socket is empty") }
    // unix(7): an address has 108 bytes, one of them a NUL.
    guard text.bytes.count < 108 else {
      throw .unacceptable("the name of a socket has 107 bytes at most, and this one \(text.bytes.count)")
    }
    return text
  }

  static let dohURL = Flag<Invocation>(
    "doh-url", value: "URL", in: .connection, facts: { .init(secrecy: .ofURL($0)) },
    summary: "Look names up by DNS over HTTPS, at URL.",
    details: "URL is one of https. An empty one stands for the system's own way."
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
    summary: "Reach HOSTS without a proxy.",
    details: "They stand with commas between, and name what is below them, too. `*` is any host."
  ) { invocation, text in invocation.connection.route.noProxy = text }

  static let proxyUser = Flag<Invocation>(
    "proxy-user", short: "U", value: "USER:PASSWORD", in: .connection,
    facts: { .init(secrecy: .behindColon(of: $0)) },
    summary: "Send these credentials to the proxy.",
    details: #"Those in the URL of \flag{proxy} are used instead, also where only the config file has that URL."#
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.proxyCredentials = try LineText.credentials(text)
  }

  static let proxyBasic = Flag<Invocation>(
    "proxy-basic", in: .connection,
    summary: #"Send the credentials of \flag{proxy-user} with the Basic scheme."#,
    details: "What is done anyway; accepted because curl has it."
  ) { _ in }

  static let http10 = Flag<Invocation>(
    "http1.0", short: "0", in: .connection, facts: { _ in .init(also: .httpVersion) },
    summary: "Use HTTP/1.0."
  ) { $0.connection.httpVersion = .http10 }

  static let http2PriorKnowledge = Flag<Invocation>(
    "http2-prior-knowledge", in: .connection, facts: { _ in .init(also: .httpVersion) },
    summary: "Use HTTP/2 over plain http, without asking."
  ) { $0.connection.httpVersion = .http2PriorKnowledge }

  static let hsts = Flag<Invocation>(
    "hsts", value: "FILE", completes: .file, in: .connection, scope: .run,
    summary: "Use https with the hosts that ask for it, and keep them in FILE.",
    details: """
      What a host says over https (RFC 6797) is written to FILE when the run ends, and http URLs of that host become
      https before anything is looked up or sent. An empty FILE keeps it for this run. A FILE of 10,000 hosts or more
      takes up no other. What says what a fetch would do reads FILE only.
      """
  ) { invocation, text in invocation.connection.route.hstsFile = text }

  static let altSvc = Flag<Invocation>(
    "alt-svc", value: "FILE", completes: .file, in: .connection, scope: .run,
    summary: "Use what servers offer as alternatives, and keep it in FILE.",
    details: #"""
      RFC 7838. The certificate must still be that of the URL's host, and where an alternative cannot be reached, that
      host is not tried instead. With an empty FILE it lasts for this run at most.
      What origins offer over https is written to FILE when the run ends; where it cannot be, that is a warning. Of
      transfers that go on at the same time, each knows what was in FILE, and what it has learnt itself.
      """#
  ) { invocation, text in invocation.connection.route.altSvcFile = text }

  static let proto = Flag<Invocation>(
    "proto", value: "SCHEMES", in: .connection,
    summary: "Allow these schemes only, such as `=https`.",
    details: """
      `+` before a scheme adds it to http and https, `-` takes it away, `=` allows it alone; several stand with commas
      between. `all` is both. Other schemes that curl knows count for nothing.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.schemes = try SchemeChoice(parsing: text)
  }

  static let protoRedirect = Flag<Invocation>(
    "proto-redir", value: "SCHEMES", in: .connection,
    summary: "Allow redirects to these schemes.",
    details: #"""
      Spelt as for \flag{proto}. Without the option, a redirect may lead to http and https, but not from https to http;
      with it, what is allowed is allowed from anywhere.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.connection.route.redirectSchemes = try SchemeChoice(parsing: text)
  }

}
