import FlagTable
import HTTPSemantics

/// Checks of text that becomes part of a request's head, and so must not be able to end a line there.
enum LineText {
  /// - Throws: an error if `text` holds a carriage return, a line feed or a NUL. The error names that character, and
  ///   does not repeat the text.
  static func check(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    for byte in text.bytes {
      switch byte {
      case ASCII.carriageReturn: throw .unacceptable("the value holds a carriage return")
      case ASCII.lineFeed: throw .unacceptable("the value holds a line feed")
      case 0: throw .unacceptable("the value holds a NUL byte")
      default: break
      }
    }
    return text
  }

  /// Reads `USER:PASSWORD`.
  static func credentials(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    guard text.bytes.contains(ASCII.colon) else {
      throw .unacceptable("expected USER:PASSWORD; the colon is missing")
    }
    let checked = try check(text)
    // "The user-id and password MUST NOT contain any control characters" (RFC 7617 section 2).
    guard checked.bytes.allSatisfy({ $0 >= ASCII.space && $0 != 0x7f }) else {
      throw .unacceptable("the value holds a control character")
    }
    return checked
  }
}
