package import FlagTable
import HTTPSemantics

/// A file that has a value of one option in each line (`--header @FILE`).
package enum ValueLines {
  /// The lines that are not empty. A line ends with a line feed, with or without a carriage return before it.
  package static func lines(_ bytes: [UInt8]) -> [OptionLine] {
    var lines: [OptionLine] = []
    for (index, line) in bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).enumerated() {
      let value = line.last == ASCII.carriageReturn ? line.dropLast() : line
      if !value.isEmpty { lines.append(OptionLine(number: index + 1, arguments: [ArgumentText(value)])) }
    }
    return lines
  }
}
