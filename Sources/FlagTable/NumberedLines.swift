extension [UInt8] {
  package var numberedLines: NumberedLines { NumberedLines(self) }
}

/// The lines of a text, one after the other, without their ends, LF or CR LF. A byte order mark before the first line,
/// which some editors write, is skipped.
package struct NumberedLines: Equatable, Sendable {
  private var rest: ArraySlice<UInt8>
  private var number = 0

  fileprivate init(_ text: [UInt8]) {
    rest = text.dropFirst(text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
  }

  /// Returns the next line with its number, which begins at 1.
  package mutating func next() -> (number: Int, line: ArraySlice<UInt8>)? {
    if rest.isEmpty { return nil }
    let line = rest.prefix { $0 != .lineFeed }
    rest = rest.dropFirst(line.count + 1)
    number += 1
    return (number, line.last == .carriageReturn ? line.dropLast() : line)
  }
}
