package import FlagTable
package import HTTPSemantics

/// Which stored URLs are meant: a URL in which `*` stands for anything.
package struct URLPattern: Hashable, Sendable {
  /// One for each scheme that the pattern may mean.
  private let alternatives: [Glob]

  package init(_ text: ArgumentText) {
    // A URL without an asterisk is the URL that a fetch of it would store.
    let targets = text.bytes.contains(Glob.asterisk) ? [] : Self.targets(of: text)
    guard targets.isEmpty else {
      alternatives = targets.map { Glob($0.description.utf8) }
      return
    }
    let prefixes = Self.hasScheme(text.bytes) || text.bytes.first == Glob.asterisk ? [""] : ["http://", "https://"]
    alternatives = prefixes.map { Glob(Array($0.utf8) + text.bytes) }
  }

  /// Whether a text that is no pattern, but a URL, means a target.
  package static func isMeant(_ target: TargetURI, by text: ArgumentText) -> Bool {
    targets(of: text).contains(target)
  }

  /// What a URL may mean: without a scheme, either.
  package static func targets(of text: ArgumentText) -> [TargetURI] {
    let prefixes = hasScheme(text.bytes) ? [""] : ["http://", "https://"]
    return prefixes.compactMap { prefix in try? URIReference(typed: Array(prefix.utf8) + text.bytes).target }
  }

  package func matches(_ target: TargetURI) -> Bool {
    alternatives.contains { $0.matches(target.description.utf8) }
  }

  private static func hasScheme(_ bytes: [UInt8]) -> Bool {
    ["http://", "https://"].contains { scheme in
      bytes.count >= scheme.utf8.count && ASCII.equalIgnoringCase(bytes.prefix(scheme.utf8.count), scheme.utf8)
    }
  }
}

/// A text in which `*` stands for any bytes, also for none.
struct Glob: Hashable, Sendable {
  static let asterisk = UInt8(ascii: "*")

  /// What stands between the asterisks.
  private let parts: [ArraySlice<UInt8>]

  init(_ pattern: some Sequence<UInt8>) {
    parts = Array(pattern).split(separator: Self.asterisk, omittingEmptySubsequences: false)
  }

  /// Whether the text itself is all that it matches.
  var isLiteral: Bool { parts.count == 1 }

  /// The number of bytes that are not asterisks.
  var literalLength: Int { parts.reduce(0) { $0 + $1.count } }

  /// Matches the first and the last part at the ends, and each part between them at its first place: what is left for
  /// the next ones is then the most.
  func matches(_ text: some Sequence<UInt8>) -> Bool {
    let text = Array(text)[...]
    guard let first = parts.first, let last = parts.last, text.starts(with: first) else { return false }
    if isLiteral { return text.count == first.count }
    var rest = text.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      guard let end = Self.firstEnd(of: part, in: rest) else { return false }
      rest = rest[end...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }

  private static func firstEnd(of part: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Int? {
    guard text.count >= part.count else { return nil }
    for start in text.startIndex...(text.endIndex - part.count)
    where text[start..<(start + part.count)].elementsEqual(part) {
      return start + part.count
    }
    return nil
  }
}
