package import FlagTable
import HTTPSemantics

/// One `--data` option of whichever kind.
package struct DataPart: Equatable, Sendable {
  package enum Treatment: Equatable, Sendable {
    case asIs
    /// Carriage returns, line feeds and NUL bytes of a file are left out.
    case withoutLineBreaks
    /// The content is percent-encoded; the name and an equals sign stand before it.
    case percentEncoded(name: ArgumentText?)
  }

  package let source: TextSource
  package let treatment: Treatment
  /// Whether `&` stands between this part and one before it.
  package let isSeparated: Bool

  package init(_ source: TextSource, _ treatment: Treatment, isSeparated: Bool = true) {
    self.source = source
    self.treatment = treatment
    self.isSeparated = isSeparated
  }

  /// Reads the five forms of `--data-urlencode`: `CONTENT`, `=CONTENT`, `NAME=CONTENT`, `@FILE` and `NAME@FILE`.
  ///
  /// The first equals sign counts. The first `@` counts only if there is no equals sign.
  package init(percentEncoding text: ArgumentText) throws(InvalidValue) {
    let bytes = text.bytes
    let equals = bytes.firstIndex(of: ASCII.equals)
    guard let mark = equals ?? bytes.firstIndex(of: ASCII.at) else {
      self.init(.literal(text), .percentEncoded(name: nil))
      return
    }
    let name = mark == 0 ? nil : ArgumentText(bytes[..<mark])
    let content = ArgumentText(bytes[(mark + 1)...])
    self.init(
      equals == nil ? .file(try FileName.checkBehindAt(content)) : .literal(content), .percentEncoded(name: name))
  }
}
