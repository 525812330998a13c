/// A pattern in which `*` stands for any number of bytes, including none.
package struct Glob: Equatable, Sendable {
  /// The texts between the asterisks.
  private let parts: [ArraySlice<UInt8>]

  package init(_ pattern: some Sequence<UInt8>) {
    parts = Array(pattern).split(separator: ASCII.asterisk, omittingEmptySubsequences: false)
  }

  /// Whether the pattern only matches itself, because it has no asterisk.
  package var isLiteral: Bool { parts.count == 1 }

  /// The number of bytes that are not asterisks.
  package var literalLength: Int { parts.reduce(0) { $0 + $1.count } }

  /// Matches the first and the last part at the ends, and each part between them at its first occurrence, which leaves
  /// the most text for the next ones.
  package func matches(_ text: some Sequence<UInt8>) -> Bool {
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
