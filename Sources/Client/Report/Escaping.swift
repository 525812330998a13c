import FlagTable
import HTTPSemantics
import Platform

/// The escaping of text from the network and of file names, which makes them fit for a terminal, like typed text.
enum Escaping {
  static func visible(_ bytes: some Sequence<UInt8>) -> String { ArgumentText(Array(bytes)).visible }

  static func visible(_ text: String) -> String {
    // Nearly every text stays as it is, and is not copied.
    text.utf8.allSatisfy { 0x20 <= $0 && $0 < 0x7f } ? text : ArgumentText(text).visible
  }

  /// Returns a head escaped line by line, each line ended by a line feed.
  static func visibleLines(of head: [UInt8]) -> [UInt8] {
    let lines = head.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).dropLast()
    return lines.flatMap { line in
      Array(visible(line.last == ASCII.carriageReturn ? line.dropLast() : line).utf8) + [ASCII.lineFeed]
    }
  }

  // MARK: URLs in messages

  /// The longest URL in a message, in bytes: longer than any that is read. A message is one line, and a URL may have 60
  /// KB.
  private static let longestURL = 1_000

  /// Returns a URL for messages, with secrets hidden, because logs are kept.
  static func shown(_ target: TargetURI) -> String { abridged(visible(Masking.masked(target))) }

  static func shown(malformed text: String) -> String { abridged(Masking.malformed(text)) }

  /// Returns a URL for messages that shows no secrets, and is fit for a terminal.
  static func abridged(_ url: String) -> String { ArgumentText.abridged(url, to: longestURL) }
}

extension Path {
  /// The path for people, on one line of a terminal.
  var visible: String { Escaping.visible(bytes) }
}
