import FlagTable
import HTTPSemantics
import Platform

/// Text from the network and from file names, made fit for a terminal as what was typed is.
enum Escaping {
  static func visible(_ bytes: some Sequence<UInt8>) -> String { ArgumentText(Array(bytes)).visible }

  static func visible(_ text: String) -> String {
    // Nearly always, and without a copy.
    text.utf8.allSatisfy { 0x20 <= $0 && $0 < 0x7f } ? text : ArgumentText(text).visible
  }

  /// A head, line by line, each ended by a line feed.
  static func visibleLines(of head: [UInt8]) -> [UInt8] {
    let lines = head.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).dropLast()
    return lines.flatMap { line in
      Array(visible(line.last == ASCII.carriageReturn ? line.dropLast() : line).utf8) + [ASCII.lineFeed]
    }
  }
}

extension Path {
  /// For people, and for one line of a terminal.
  var visible: String { Escaping.visible(bytes) }
}
