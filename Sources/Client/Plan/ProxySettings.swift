import HTTPSemantics
import Platform

/// Which proxies libcurl will take: what was typed, else what the environment says.
struct ProxySettings {
  let typed: [UInt8]?
  let environment: Environment

  /// What `no_proxy` takes away does not matter here: the network is then unknown where it could be known.
  func isOnThisMachine(for scheme: TargetURI.Scheme) -> Bool {
    guard let proxy = typed ?? fromEnvironment(for: scheme), !proxy.isEmpty else { return false }
    return Loopback.contains(Self.host(of: proxy))
  }

  /// In libcurl's order. HTTP_PROXY does not count: a web server may have made it of a request's Proxy field.
  private func fromEnvironment(for scheme: TargetURI.Scheme) -> [UInt8]? {
    let names = scheme == .http ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    for name in names + ["all_proxy", "ALL_PROXY"] {
      if let value = environment[bytes: name], !value.isEmpty { return value }
    }
    return nil
  }

  /// Of `[SCHEME://][USER[:PASSWORD]@]HOST[:PORT]`, in lower case.
  private static func host(of proxy: [UInt8]) -> String {
    var rest = proxy[...]
    let slash = UInt8(ascii: "/")
    for index in rest.indices where rest[index...].starts(with: "://".utf8) {
      rest = rest[(index + 3)...]
      break
    }
    rest = rest.prefix { $0 != slash }
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
    let isBracketed = rest.first == UInt8(ascii: "[")
    let end = isBracketed ? rest.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : rest.firstIndex(of: ASCII.colon)
    return String(decoding: ASCII.lowercased(rest[..<(end ?? rest.endIndex)]), as: UTF8.self)
  }
}
