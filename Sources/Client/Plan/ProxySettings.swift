import HTTPSemantics
import Platform

/// The proxies that libcurl will use: the one that was typed, else those of the environment.
struct ProxySettings {
  let typed: [UInt8]?
  /// The hosts of `--noproxy`.
  let typedExempt: [UInt8]?
  let environment: Environment

  /// Returns the host of the proxy for an origin, in lower case; `nil` without a proxy.
  ///
  /// - Parameter origin: `nil` for an https origin that is not known.
  func host(for origin: TargetURI.Origin?) -> String? {
    guard let proxy = typed ?? fromEnvironment(for: origin?.scheme ?? .https), !proxy.isEmpty,
      !isExempt(origin?.host)
    else { return nil }
    return Self.host(of: proxy)
  }

  /// Returns whether a scheme has a proxy that is reached over TLS, at least for some hosts.
  func isReachedOverTLS(for scheme: TargetURI.Scheme) -> Bool {
    guard let proxy = typed ?? fromEnvironment(for: scheme) else { return false }
    return ASCII.lowercased(proxy.prefix("https://".utf8.count)).elementsEqual("https://".utf8)
  }

  /// Returns whether a host is reached without the proxy. A name also stands for those below it, an address only for
  /// itself. Networks (`10.0.0.0/8`) are ignored: for their hosts, the proxy counts.
  private func isExempt(_ host: String?) -> Bool {
    guard let exempt = typedExempt ?? value(of: "no_proxy") ?? value(of: "NO_PROXY") else { return false }
    if exempt == [ASCII.asterisk] { return true }
    guard let host else { return false }
    let isDot: (UInt8) -> Bool = { $0 == ASCII.period }
    let isBracket: (UInt8) -> Bool = { $0 == ASCII.openingBracket || $0 == ASCII.closingBracket }
    let name = Array(host.utf8.filter { !isBracket($0) })
    let isAddress = name.contains(ASCII.colon) || name.allSatisfy { isDot($0) || ASCII.isDigit($0) }
    let labels = name.split(whereSeparator: isDot)
    return exempt.split { $0 == ASCII.comma || ASCII.isWhitespace($0) }.contains { text in
      let other = ASCII.lowercased(text)
      if isAddress { return other == name }
      let suffix = other.split(whereSeparator: isDot)
      return !suffix.isEmpty && labels.suffix(suffix.count).elementsEqual(suffix)
    }
  }

  private func value(of name: String) -> [UInt8]? {
    guard let value = environment[bytes: name], !value.isEmpty else { return nil }
    return value
  }

  /// Returns the proxy for a scheme, in libcurl's order. HTTP_PROXY does not count, because a web server may have made
  /// it from a request's Proxy field.
  private func fromEnvironment(for scheme: TargetURI.Scheme) -> [UInt8]? {
    let names = scheme == .http ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    for name in names + ["all_proxy", "ALL_PROXY"] {
      if let value = value(of: name) { return value }
    }
    return nil
  }

  /// Returns the host of `[SCHEME://][USER[:PASSWORD]@]HOST[:PORT]`, in lower case.
  private static func host(of proxy: [UInt8]) -> String {
    var rest = proxy[...]
    let slash = UInt8(ascii: "/")
    for index in rest.indices where rest[index...].starts(with: "://".utf8) {
      rest = rest[(index + 3)...]
      break
    }
    rest = rest.prefix { $0 != slash }
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
    return String(decoding: ASCII.lowercased(Authority.host(of: rest) ?? rest), as: UTF8.self)
  }
}
