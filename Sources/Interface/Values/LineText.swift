import FlagTable
import HTTPSemantics

/// What becomes a part of a request's head must not be able to end a line of it.
enum LineText {
  /// - Throws: where `text` holds a carriage return, a line feed or a NUL, naming which, without repeating the text.
  static func check(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    for byte in text.bytes {
      switch byte {
      case 0x0d: throw .unacceptable("the value holds a carriage return")
      case 0x0a: throw .unacceptable("the value holds a line feed")
      case 0x00: throw .unacceptable("the value holds a NUL byte")
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
    return try check(text)
  }
}
