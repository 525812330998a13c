/// The hosts that are to be asked over TLS only (RFC 6797).
package struct StrictHosts: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    /// In lower case.
    package let host: String
    package let includesSubdomains: Bool
    /// `nil` for never.
    package let expiry: Timestamp?

    package init(host: String, includesSubdomains: Bool, expiry: Timestamp?) {
      self.host = host
      self.includesSubdomains = includesSubdomains
      self.expiry = expiry
    }

    package func isExpired(at now: Timestamp) -> Bool { expiry.map { $0 <= now } ?? false }

    fileprivate func covers(_ other: String) -> Bool {
      host == other || (includesSubdomains && other.hasSuffix("." + host))
    }
  }

  /// Hosts in a file that somebody else may have made long.
  private static let mostEntries = 10_000

  package private(set) var entries: [Entry] = []

  package init() {}

  package mutating func keep(_ entry: Entry, at now: Timestamp) {
    entries.removeAll { $0.host == entry.host }
    if !entry.isExpired(at: now), entries.count < Self.mostEntries { entries.append(entry) }
  }

  /// Takes what a host says of itself: "The UA MUST ignore any STS header fields not conforming to the grammar", those
  /// of addresses, and those that did not come over TLS (RFC 6797 sections 8.1 and 8.1.1).
  package mutating func keep(_ fields: Fields, from target: TargetURI, at now: Timestamp) {
    let host = target.origin.host
    // "The UA MUST process only the first such header field."
    guard target.origin.scheme == .https, !Cookie.isAddress(host),
      let value = fields.values(of: "Strict-Transport-Security").first, let (age, includes) = Self.directives(of: value)
    else { return }
    keep(
      Entry(host: host, includesSubdomains: includes, expiry: now.advanced(bySeconds: age)), at: now)
  }

  package mutating func removeExpired(at now: Timestamp) { entries.removeAll { $0.isExpired(at: now) } }

  /// Where a request for `target` is to go: to https, where the host has asked for that (RFC 6797 section 8.3).
  package func secured(_ target: TargetURI, at now: Timestamp) -> TargetURI {
    let origin = target.origin
    guard origin.scheme == .http, !Cookie.isAddress(origin.host),
      entries.contains(where: { !$0.isExpired(at: now) && $0.covers(origin.host) })
    else { return target }
    let port = origin.port == TargetURI.Scheme.http.defaultPort ? TargetURI.Scheme.https.defaultPort : origin.port
    return TargetURI(
      origin: TargetURI.Origin(scheme: .https, host: origin.host, port: port), pathAndQuery: target.pathAndQuery)
  }

  /// RFC 6797 section 6.1: max-age is required, and no directive may come twice.
  private static func directives(of value: FieldValue) -> (age: Int64, includesSubdomains: Bool)? {
    var age: Int64?
    var includes = false
    var seen: [[UInt8]] = []
    for part in value.bytes.split(separator: ASCII.semicolon) {
      let equals = part.firstIndex(of: ASCII.equals) ?? part.endIndex
      let name = ASCII.lowercased(Array(ASCII.trimmed(part[..<equals])))
      if name.isEmpty { continue }
      if seen.contains(name) { return nil }
      seen.append(name)
      var argument = ASCII.trimmed(part[equals...].dropFirst())
      if argument.count >= 2, argument.first == ASCII.quote, argument.last == ASCII.quote {
        argument = argument.dropFirst().dropLast()
      }
      if name.elementsEqual("max-age".utf8) {
        guard !argument.isEmpty, argument.allSatisfy(ASCII.isDigit) else { return nil }
        age = ASCII.signedDecimal(argument) ?? .max
      } else if name.elementsEqual("includesubdomains".utf8) {
        includes = true
      }
    }
    return age.map { ($0, includes) }
  }
}
