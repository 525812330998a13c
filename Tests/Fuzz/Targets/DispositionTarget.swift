import HTTPSemantics

extension FuzzTarget {
  /// Content-Disposition, in which an origin names a file of the user's.
  static let disposition = FuzzTarget("disposition", longestInput: 512) { (bytes) throws(Violation) in
    if let name = ContentDisposition(FieldValue(bytes))?.safeName {
      try require(
        (1...ContentDisposition.longestSafeName).contains(name.count), "a name has no length that it may have")
      try require(name.first != ASCII.period, "a name hides its file")
      for byte in name {
        try require(byte >= ASCII.space && byte != 0x7f, "a name holds a control character")
        try require(byte != UInt8(ascii: "/") && byte != ASCII.backslash, "a name is a path")
      }
      try require(ContentDisposition(quoted(name))?.safeName == name, "a name that does no harm is made another")
    }
    try require(ContentDisposition(quoted(bytes))?.filename == bytes, "a name that is quoted is read as another")
  }

  private static func quoted(_ name: [UInt8]) -> FieldValue {
    let escaped = name.flatMap { $0 == ASCII.quote || $0 == ASCII.backslash ? [ASCII.backslash, $0] : [$0] }
    return FieldValue(Array("attachment; filename=\"".utf8) + escaped + [ASCII.quote])
  }
}
