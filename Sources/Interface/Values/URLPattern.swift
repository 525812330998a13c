package import FlagTable
package import HTTPCaching
package import HTTPSemantics

/// Which stored URLs are meant: a URL in which `*` stands for anything.
package struct URLPattern: Equatable, Sendable {
  /// One for each scheme that the pattern may mean.
  private let alternatives: [Glob]
  /// The same, of a pattern that is a URL.
  package let targets: [TargetURI]

  package init(_ text: ArgumentText) {
    // A URL without an asterisk is the URL that a fetch of it would store.
    targets = text.bytes.contains(ASCII.asterisk) ? [] : Self.targets(of: text)
    guard targets.isEmpty else {
      alternatives = targets.map { Glob($0.description.utf8) }
      return
    }
    let prefixes = Self.hasScheme(text.bytes) || text.bytes.first == ASCII.asterisk ? [""] : ["http://", "https://"]
    alternatives = prefixes.map { Glob(Array($0.utf8) + text.bytes) }
  }

  /// Whether a text that is no pattern, but a URL, means what is stored under a key.
  package static func isMeant(_ key: PrimaryKey, by text: ArgumentText) -> Bool {
    targets(of: text).contains { key.concerns($0) }
  }

  /// What a URL may mean: without a scheme, either.
  package static func targets(of text: ArgumentText) -> [TargetURI] {
    let prefixes = hasScheme(text.bytes) ? [""] : ["http://", "https://"]
    return prefixes.compactMap { prefix in
      try? URIReference(typed: Array(prefix.utf8) + text.bytes, slashes: .oneToThree).target
    }
  }

  /// Whether what is stored under a key is meant; of a key without some parameters, a URL with them is one, too.
  package func matches(_ key: PrimaryKey) -> Bool {
    matches(key.target) || targets.contains { key.concerns($0) }
  }

  package func matches(_ target: TargetURI) -> Bool {
    alternatives.contains { $0.matches(target.description.utf8) }
  }

  /// With one slash at least, as a URL that is fetched.
  private static func hasScheme(_ bytes: [UInt8]) -> Bool {
    ["http:/", "https:/"].contains { scheme in
      bytes.count >= scheme.utf8.count && ASCII.equalIgnoringCase(bytes.prefix(scheme.utf8.count), scheme.utf8)
    }
  }
}
