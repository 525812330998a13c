import FlagTable

/// The name of a file that is read or written; `-` is a standard stream wherever that makes sense.
enum FileName {
  static func check(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of a file is empty") }
    return text
  }

  static func checkDirectory(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    guard !text.bytes.isEmpty else { throw .unacceptable("the name of a directory is empty") }
    return text
  }

  static func checkBehindAt(_ name: ArgumentText) throws(InvalidValue) -> ArgumentText {
    guard !name.bytes.isEmpty else { throw .unacceptable("the name of a file is missing after @") }
    return name
  }
}
