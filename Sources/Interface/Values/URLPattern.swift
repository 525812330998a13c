package import FlagTable
package import HTTPCaching
package import HTTPSemantics

/// A pattern of stored URLs: a URL in which `*` stands for anything.
package struct URLPattern: Equatable, Sendable {
  /// The whole pattern, once for each scheme that it may mean.
  private let alternatives: [Glob]
  /// The pattern up to the path, where case does not matter (RFC 3986 section 6.2.2.1), and its path. In the whole
  /// pattern, case has to be kept behind an asterisk, because what follows may be part of the path.
  private let sites: [Glob]
  private let path: Glob?
  /// The URLs that a fetch of the pattern would store; empty for a pattern with an asterisk.
  package let targets: [TargetURI]

  package init(_ text: ArgumentText) {
    let beginsAnywhere = text.bytes.first == ASCII.asterisk
    // The pattern is read as a fetch reads a URL, unless an asterisk is in its scheme, host or port.
    let urls = beginsAnywhere ? [] : Self.targets(of: text)
    targets = Self.isLiteral(text) ? urls : []
    guard urls.isEmpty else {
      alternatives = urls.map { Glob($0.bytes) }
      (sites, path) = ([], nil)
      return
    }
    let prefixes = Self.hasScheme(text.bytes) || beginsAnywhere ? [""] : ["http://", "https://"]
    var bytes: [UInt8] = []
    for byte in text.bytes {
      if byte < 0x80 { bytes.append(byte) } else { PathSyntax.appendPercentEncoded(byte, to: &bytes) }
    }
    let authority = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
    let siteEnd = bytes[authority...].firstIndex(of: ASCII.slash) ?? bytes.endIndex
    bytes.removeSubrange(Self.ownPort(in: bytes[..<siteEnd]))
    let slash = bytes[authority...].firstIndex(of: ASCII.slash)
    let site = ASCII.lowercased(bytes[..<(slash ?? bytes.endIndex)])
    let literal = site.prefix { $0 != ASCII.asterisk }
    alternatives = prefixes.map { Glob(Array($0.utf8) + literal + bytes[literal.count...]) }
    sites = prefixes.map { Glob(Array($0.utf8) + site) }
    path = slash.map { Glob(bytes[$0...]) }
  }

  /// A pattern that matches only these URLs, even if they hold asterisks.
  package init(_ targets: [TargetURI]) {
    self.targets = targets
    alternatives = []
    (sites, path) = ([], nil)
  }

  /// Whether a text stands for nothing but itself.
  package static func isLiteral(_ text: ArgumentText) -> Bool { !text.bytes.contains(ASCII.asterisk) }

  /// Returns the URLs that a text may mean: without a scheme, one of http and one of https.
  package static func targets(
    of text: ArgumentText, _ dotSegments: URIReference.DotSegments = .removed
  ) -> [TargetURI] {
    let prefixes = hasScheme(text.bytes) ? [""] : ["http://", "https://"]
    return prefixes.compactMap { prefix in
      try? URIReference(typed: Array(prefix.utf8) + text.bytes, slashes: .oneToThree, dotSegments: dotSegments).target
    }
  }

  /// Whether the pattern matches the responses stored under a key. If the key leaves out parameters of the query, a URL
  /// with them matches, too.
  package func matches(_ key: PrimaryKey) -> Bool {
    matches(key.target) || targets.contains { key.concerns($0) }
  }

  package func matches(_ target: TargetURI) -> Bool {
    let bytes = target.bytes
    if alternatives.contains(where: { $0.matches(bytes) }) { return true }
    guard let path, path.matches(target.pathAndQuery.utf8) else { return false }
    let site = bytes.dropLast(target.pathAndQuery.utf8.count)
    return sites.contains { $0.matches(site) }
  }

  /// Returns where a pattern names the port of its scheme, which no stored URL does. Behind an asterisk the port stays,
  /// because the asterisk alone would stand for other ports as well.
  private static func ownPort(in site: ArraySlice<UInt8>) -> Range<Int> {
    for scheme in [TargetURI.Scheme.http, .https] {
      let (start, port) = ("\(scheme.rawValue)://".utf8, ":\(scheme.defaultPort)".utf8)
      let end = site.endIndex - port.count
      guard end > start.count, ASCII.equalIgnoringCase(site.prefix(start.count), start),
        site[end...].elementsEqual(port), site[end - 1] != ASCII.asterisk
      else { continue }
      return end..<site.endIndex
    }
    return site.endIndex..<site.endIndex
  }

  /// Whether the bytes begin with a scheme: before one slash at least, as in a URL that is fetched, or before an
  /// asterisk that may stand for it.
  private static func hasScheme(_ bytes: [UInt8]) -> Bool {
    ["http:/", "https:/", "http:*", "https:*"].contains { scheme in
      bytes.count >= scheme.utf8.count && ASCII.equalIgnoringCase(bytes.prefix(scheme.utf8.count), scheme.utf8)
    }
  }
}
