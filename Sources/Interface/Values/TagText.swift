package import FlagTable
package import HTTPCaching

/// The syntax of a tag on the command line.
package enum TagText {
  /// Reads `KEY=VALUE`.
  package static func tag(_ text: ArgumentText) throws(InvalidValue) -> Tag {
    do throws(Tag.Fault) {
      return try Tag(parsing: text.bytes)
    } catch {
      switch error {
      case .noKey: throw .expected("KEY=VALUE, such as project=web")
      case .notText: throw .unacceptable("a tag is text in UTF-8, without control characters")
      case .tooLong: throw .unacceptable("a tag has at most \(Tag.longestBytes) bytes")
      }
    }
  }
}
