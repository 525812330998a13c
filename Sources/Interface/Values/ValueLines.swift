package import FlagTable

/// A file that has a value of one option in each line (`--header @FILE`).
package enum ValueLines {
  /// Returns the lines that are not empty.
  package static func lines(_ bytes: [UInt8]) -> [OptionLine] {
    var values: [OptionLine] = []
    var lines = bytes.numberedLines
    while let (number, line) = lines.next() {
      if !line.isEmpty { values.append(OptionLine(number: number, arguments: [ArgumentText(line)])) }
    }
    return values
  }
}
