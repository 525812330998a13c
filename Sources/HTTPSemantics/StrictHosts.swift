/// The hosts that may be asked over TLS only (RFC 6797).
package struct StrictHosts: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    /// In lower case.
    package let host: String
    package let includesSubdomains: Bool
    /// `nil` for an entry that never expires.
    package let expiry: Timestamp?

    package init(host: String, includesSubdomains: Bool, expiry: Timestamp?) {
      self.host = host
      self.includesSubdomains = includesSubdomains
      self.expiry = expiry
    }

    package func isExpired(at now: Timestamp) -> Bool { expiry.map { $0 <= now } ?? false }
  }

  private struct Kept: Equatable {
    let entry: Entry
    /// The entry's place in the order in which entries were kept.
    let number: Int
  }

  /// With this many entries, `setIfRoom` adds no other host, because a file that keeps growing is in the end not read
  /// any more. The limit applies neither to the entries of a file, nor to what hosts say to the run itself.
  package static let maximumEntries = 10_000

  private var kept: [String: Kept] = [:]
  private var lastNumber = 0

  package init() {}

  package var entries: [Entry] { Array(kept.values).ordered { $0.number < $1.number }.map(\.entry) }

  /// Keeps an entry in place of the host's former one. An entry that has expired only removes that one.
  package mutating func set(_ entry: Entry, at now: Timestamp) {
    let name = String(Self.name(of: entry.host))
    kept[name] = nil
    if entry.isExpired(at: now) { return }
    lastNumber += 1
    kept[name] = Kept(entry: entry, number: lastNumber)
  }

  /// Adds an entry of a file. If there is one for the same host already, the stricter of both counts.
  package mutating func merge(_ entry: Entry, at now: Timestamp) {
    guard !entry.isExpired(at: now) else { return }
    guard let known = kept[String(Self.name(of: entry.host))]?.entry else { return set(entry, at: now) }
    // An entry that never expires has no expiry.
    let later = known.expiry.flatMap { known in entry.expiry.map { max(known, $0) } }
    let stricter = Entry(
      host: known.host, includesSubdomains: known.includesSubdomains || entry.includesSubdomains, expiry: later)
    set(stricter, at: now)
  }

  /// Keeps what a host has said in a run, in addition to the entries of a file.
  ///
  /// - Returns: `false` if the file has too many entries.
  package mutating func setIfRoom(_ entry: Entry, at now: Timestamp) -> Bool {
    if kept.count >= Self.maximumEntries, kept[String(Self.name(of: entry.host))] == nil { return false }
    set(entry, at: now)
    return true
  }

  /// Returns the host without a period at its end. The period stands for the root, which is no part of the name: RFC
  /// 6797 section 8.2 compares labels.
  private static func name(of host: String) -> Substring { host.hasSuffix(".") ? host.dropLast() : host[...] }

  /// Keeps what a host says of itself: "The UA MUST ignore any STS header fields not conforming to the grammar", those
  /// of addresses, and those that did not come over TLS (RFC 6797 sections 8.1 and 8.1.1).
  ///
  /// - Returns: the entry, if it is worth being written down: one that is new, that decides otherwise on subdomains, or
  ///   whose expiry is news (`Timestamp.isNews`). An entry that has expired removes the host.
  @discardableResult
  package mutating func takeField(of fields: Fields, from target: TargetURI, at now: Timestamp) -> Entry? {
    let host = target.origin.host
    // "The UA MUST process only the first such header field."
    guard target.origin.scheme == .https, !IPAddress.isHost(host),
      let value = fields.values(of: "Strict-Transport-Security").first,
      let (maxAge, includesSubdomains) = Self.directives(of: value)
    else { return nil }
    let expiry = now.advanced(bySeconds: maxAge)
    let entry = Entry(host: String(Self.name(of: host)), includesSubdomains: includesSubdomains, expiry: expiry)
    let known = kept[entry.host]?.entry
    set(entry, at: now)
    guard let known else { return entry.isExpired(at: now) ? nil : entry }
    let isNews = known.expiry.map { expiry.isNews(beside: $0, lifetime: maxAge) } ?? true
    let isKnown = !known.isExpired(at: now) && known.includesSubdomains == includesSubdomains && !isNews
    return isKnown ? nil : entry
  }

  package mutating func removeExpired(at now: Timestamp) { kept = kept.filter { !$0.value.entry.isExpired(at: now) } }

  /// Returns the target to which a request for `target` is to go: with https, if the host has asked for that (RFC 6797
  /// section 8.3).
  package func secured(_ target: TargetURI, at now: Timestamp) -> TargetURI {
    let origin = target.origin
    guard origin.scheme == .http, !IPAddress.isHost(origin.host),
      isStrict(origin.host, at: now)
    else { return target }
    let port = origin.port == TargetURI.Scheme.http.defaultPort ? TargetURI.Scheme.https.defaultPort : origin.port
    return TargetURI(
      origin: TargetURI.Origin(scheme: .https, host: origin.host, port: port), pathAndQuery: target.pathAndQuery)
  }

  /// Whether the host has an entry, or is below one whose entry includes subdomains (RFC 6797 section 8.2).
  private func isStrict(_ host: String, at now: Timestamp) -> Bool {
    let name = Self.name(of: host)
    var rest = name
    while true {
      if let entry = kept[String(rest)]?.entry, !entry.isExpired(at: now),
        entry.includesSubdomains || rest.startIndex == name.startIndex
      {
        return true
      }
      guard let period = rest.firstIndex(of: ".") else { return false }
      rest = rest[rest.index(after: period)...]
    }
  }

  /// RFC 6797 section 6.1: max-age is required, no directive may come twice, and includeSubDomains has no value.
  private static func directives(of value: FieldValue) -> (maxAge: Int64, includesSubdomains: Bool)? {
    var maxAge: Int64?
    var includesSubdomains = false
    var seen: Set<[UInt8]> = []
    for part in ListSyntax.split(value.bytes[...], at: ASCII.semicolon) {
      let directive = ListSyntax.parameter(part)
      let name = ASCII.lowercased(directive.name)
      if name.isEmpty { continue }
      guard seen.insert(name).inserted else { return nil }
      let argument = directive.value.map { ListSyntax.unquoted($0) ?? Array($0) } ?? []
      if name.elementsEqual("max-age".utf8) {
        guard !argument.isEmpty, argument.allSatisfy(ASCII.isDigit) else { return nil }
        maxAge = ASCII.decimalInt64(argument) ?? .max
      } else if name.elementsEqual("includesubdomains".utf8) {
        guard directive.value == nil else { return nil }
        includesSubdomains = true
      }
    }
    return maxAge.map { ($0, includesSubdomains) }
  }
}
