package import FlagTable
import HTTPSemantics

/// Text that is given either on the command line or, behind `@`, as the name of a file.
package enum TextSource: Equatable, Sendable {
  case literal(ArgumentText)
  /// `-` is standard input.
  case file(ArgumentText)

  /// Reads `TEXT` or `@FILE`.
  package init(marked text: ArgumentText) throws(InvalidValue) {
    if text.bytes.first == ASCII.at {
      self = .file(try FileName.checkBehindAt(ArgumentText(text.bytes.dropFirst())))
    } else {
      self = .literal(text)
    }
  }
}
