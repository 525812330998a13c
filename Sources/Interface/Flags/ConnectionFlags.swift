package import FlagTable

/// The options that say how the origin is reached, and how long it is waited for.
package struct ConnectionOptions: Equatable, Sendable {
  package enum VersionPreference: Equatable, Sendable {
    case http10
    /// HTTP/1.1 only.
    case http11
    /// HTTP/2 if the server agrees to it.
    case http2
    case http2PriorKnowledge
  }

  package enum AddressFamily: Equatable, Sendable {
    case ipv4
    case ipv6
  }

  package enum RedirectLimit: Equatable, Sendable {
    case unlimited
    case atMost(Int)
  }

  /// curl's limit. Browsers stop at 20.
  private static let defaultRedirectLimit = RedirectLimit.atMost(50)

  package var followsRedirects = true
  package var redirectLimit = defaultRedirectLimit
  /// Whether credentials go to the other origins that redirects lead to.
  package var trustsRedirects = false
  /// The limit for the whole fetch of a URL, redirects included; `nil` for no limit.
  package var totalTimeLimit: Duration?
  /// `nil` for libcurl's own limit.
  package var connectTimeLimit: Duration?
  package var verifiesPeer = true
  package var authorityFile: ArgumentText?
  package var httpVersion: VersionPreference?
  package var addressFamily: AddressFamily?
  /// Empty for no proxy, whatever the environment says.
  package var proxy: ArgumentText?
  package var security = SecurityOptions()
  package var route = RouteOptions()
}

enum ConnectionFlags {
  static let all: [Flag<Invocation>] =
    [
      location, locationTrusted, maxRedirects, maxTime, connectTimeout, insecure, authorityFile, http11, http2, ipv4,
      ipv6, proxy,
    ] + RouteFlags.all + SecurityFlags.all

  /// The flags whose settings are part of the cache key, because they change whom a connection trusts or where it
  /// leads.
  static var keyed: [Flag<Invocation>] { [insecure, authorityFile] + RouteFlags.keyed + SecurityFlags.keyed }

  static let location = Flag<Invocation>(
    "location", short: "L", negation: .listed("Do not follow redirects."), in: .connection,
    summary: "Follow redirects.",
    details: "This is the default; the option is accepted for compatibility with curl."
  ) { invocation, isOn in invocation.connection.followsRedirects = isOn }

  static let locationTrusted = Flag<Invocation>(
    "location-trusted", negation: .accepted, in: .connection,
    summary: "Follow redirects, and send credentials to every origin that they lead to.",
    details: #"""
      Credentials from \flag{netrc} are still not sent to other origins, because the file says which host they are for.
      """#
  ) { invocation, isOn in
    invocation.connection.trustsRedirects = isOn
    if isOn { invocation.connection.followsRedirects = true }
  }

  static let maxRedirects = Flag<Invocation>(
    "max-redirs", value: "NUMBER", in: .connection,
    summary: "Follow at most NUMBER redirects.",
    details: "The default is 50. `-1` means no limit."
  ) { invocation, text throws(InvalidValue) in
    if text == "-1" {
      invocation.connection.redirectLimit = .unlimited
    } else if text.bytes.first == UInt8(ascii: "-") {
      throw .expected("-1 or more")
    } else {
      invocation.connection.redirectLimit = .atMost(try Quantities.count(text))
    }
  }

  static let maxTime = Flag<Invocation>(
    "max-time", short: "m", value: "TIME", in: .connection,
    summary: "Give up after TIME.",
    details: #"""
      The limit applies to the whole fetch of a URL, with its redirects; each attempt of \flag{retry} has the full TIME.
      TIME is a number of seconds, which may have decimals, or has a unit: `s`, `m`, `h`, `d` or `w`. 0 means no limit.
      The limit does not apply to the delivery of stored content to a reader that stands still, to the wait for a reader
      of a FIFO, or to the store hook, for which there is `--store-hook-timeout`.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.connection.totalTimeLimit = try timeLimit(text) }

  static let connectTimeout = Flag<Invocation>(
    "connect-timeout", value: "TIME", in: .connection,
    summary: "Give up if there is no connection within TIME.",
    details: #"""
      The limit applies to the look-up of the name, the connection and TLS together. The default is 300 seconds; 0
      stands for the default, as in curl. TIME has the format of \flag{max-time}.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.connection.connectTimeLimit = try timeLimit(text) }

  static let insecure = Flag<Invocation>(
    "insecure", short: "k", negation: .accepted, in: .connection,
    summary: "Do not verify the server's certificate.",
    details: "Responses are stored separately: they never answer a request that verifies the certificate."
  ) { invocation, isOn in invocation.connection.verifiesPeer = !isOn }

  static let authorityFile = Flag<Invocation>(
    "cacert", value: "FILE", completes: .file, in: .connection,
    summary: "Trust only the certificate authorities in FILE.",
    details: "FILE is in PEM format. Responses are stored separately."
  ) { invocation, text throws(InvalidValue) in invocation.connection.authorityFile = try FileName.check(text) }

  static let http11 = Flag<Invocation>(
    "http1.1", in: .connection, facts: { _ in .init(also: .httpVersion) },
    summary: "Use HTTP/1.1."
  ) { $0.connection.httpVersion = .http11 }

  static let http2 = Flag<Invocation>(
    "http2", in: .connection, facts: { _ in .init(also: .httpVersion) },
    summary: "Use HTTP/2 if the server agrees.",
    details: "This is the default for https."
  ) { $0.connection.httpVersion = .http2 }

  static let ipv4 = Flag<Invocation>(
    "ipv4", short: "4", in: .connection, facts: { _ in .init(also: .addressFamily) },
    summary: "Use IPv4 addresses only."
  ) { $0.connection.addressFamily = .ipv4 }

  static let ipv6 = Flag<Invocation>(
    "ipv6", short: "6", in: .connection, facts: { _ in .init(also: .addressFamily) },
    summary: "Use IPv6 addresses only."
  ) { $0.connection.addressFamily = .ipv6 }

  static let proxy = Flag<Invocation>(
    "proxy", short: "x", value: "URL", in: .connection, facts: { .init(secrecy: .ofURL($0)) },
    summary: "Connect through the proxy at URL.",
    details: """
      An empty URL means no proxy. Without the option, the environment variables http_proxy, https_proxy, all_proxy and
      no_proxy apply.
      """
  ) { invocation, text throws(InvalidValue) in invocation.connection.proxy = try LineText.check(text) }

  static func timeLimit(_ text: ArgumentText) throws(InvalidValue) -> Duration? {
    let limit = try Quantities.duration(text)
    return limit == .zero ? nil : limit
  }
}
