package import FlagTable
import HTTPSemantics

/// A file of URLs, one a line: read line by line, because there may be a million.
package struct URLList: Equatable, Sendable {
  package struct Line: Equatable, Sendable {
    package let number: Int
    package let text: ArgumentText
  }

  private var lines: NumberedLines

  package init(_ bytes: [UInt8]) {
    lines = bytes.numberedLines
  }

  /// Returns the next URL, without the blanks around it. Lines that begin with `#` are skipped.
  package mutating func next() -> Line? {
    while let (number, line) = lines.next() {
      var text = line.drop(while: Self.isBlank)
      while let last = text.last, Self.isBlank(last) { text.removeLast() }
      if let first = text.first, first != ASCII.numberSign { return Line(number: number, text: ArgumentText(text)) }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { ASCII.isWhitespace(byte) || byte == ASCII.carriageReturn }
}
