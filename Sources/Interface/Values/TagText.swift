package import FlagTable
package import HTTPCaching
import HTTPSemantics

/// The syntax of a tag on the command line.
package enum TagText {
  /// Reads the `KEY=VALUE` that a response is to get.
  ///
  /// - Throws: also for a URL. Other commands take a pattern in this place, and the query of a URL may have an equals
  ///   sign.
  static func newTag(_ text: ArgumentText) throws(InvalidValue) -> Tag {
    let tag = try tag(text)
    let key = tag.key.utf8
    if let colon = key.firstIndex(of: ASCII.colon), key[colon...].starts(with: "://".utf8) {
      throw .expected("KEY=VALUE, such as project=web")
    }
    return tag
  }

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
