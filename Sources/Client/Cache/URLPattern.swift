import FlagTable
import HTTPSemantics

/// Which stored URLs are meant: a URL in which `*` stands for anything.
struct URLPattern {
  /// The pattern's parts between its asterisks, for each scheme that it may mean.
  private let alternatives: [[ArraySlice<UInt8>]]

  init(_ text: ArgumentText) {
    let star = UInt8(ascii: "*")
    // A URL without an asterisk is the URL that a fetch of it would store.
    let targets = text.bytes.contains(star) ? [] : Self.targets(of: text)
    guard targets.isEmpty else {
      alternatives = targets.map { [Array($0.description.utf8)[...]] }
      return
    }
    let prefixes = Self.hasScheme(text.bytes) || text.bytes.first == star ? [""] : ["http://", "https://"]
    alternatives = prefixes.map { prefix in
      (Array(prefix.utf8) + text.bytes).split(separator: star, omittingEmptySubsequences: false)
    }
  }

  /// Whether a text that is no pattern, but a URL, means a target.
  static func isMeant(_ target: TargetURI, by text: ArgumentText) -> Bool {
    targets(of: text).contains(target)
  }

  /// What a URL may mean: without a scheme, either.
  private static func targets(of text: ArgumentText) -> [TargetURI] {
    let prefixes = hasScheme(text.bytes) ? [""] : ["http://", "https://"]
    return prefixes.compactMap { prefix in try? URIReference(typed: Array(prefix.utf8) + text.bytes).target }
  }

  func matches(_ target: TargetURI) -> Bool {
    let url = Array(target.description.utf8)[...]
    return alternatives.contains { Self.matches(url, $0[...]) }
  }

  private static func hasScheme(_ bytes: [UInt8]) -> Bool {
    ["http://", "https://"].contains { scheme in
      bytes.count >= scheme.utf8.count && ASCII.equalIgnoringCase(bytes.prefix(scheme.utf8.count), scheme.utf8)
    }
  }

  /// Matches the first and the last part at the ends, and each part between them at its first place: what is left for
  /// the next ones is then the most.
  private static func matches(_ text: ArraySlice<UInt8>, _ parts: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let first = parts.first, let last = parts.last, text.starts(with: first) else { return false }
    if parts.count == 1 { return text.count == first.count }
    var rest = text.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      guard let end = firstEnd(of: part, in: rest) else { return false }
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
