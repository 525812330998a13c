import HTTPCaching
import HTTPSemantics

extension FuzzTarget {
  /// A structured field: lists of strings, dictionaries of byte sequences, Base64.
  static let structured = FuzzTarget("structured", longestInput: 512) { (bytes) throws(Violation) in
    let value = FieldValue(ASCII.trimmed(bytes[...]))
    if let strings = StructuredField.strings(value) {
      let printed = strings.map { Array("\"".utf8) + $0.flatMap(escaped) + [ASCII.quote] }
      let again = StructuredField.strings(list(printed))
      try require(again == strings, "strings that are printed are others")
    }
    if let sequences = StructuredField.byteSequences(value) {
      let printed = sequences.map { Array("\($0.key)=:\(Base64.encode($0.value)):".utf8) }
      try require(StructuredField.byteSequences(list(printed)) == sequences, "a dictionary that is printed is another")
    }
    try require(Base64.decode(Array(Base64.encode(bytes).utf8)[...]) == bytes, "Base64 does not lead back")
    if let decoded = Base64.decode(bytes[...]) {
      let again = Base64.decode(Array(Base64.encode(decoded).utf8)[...])
      try require(again == decoded, "bytes that were read from Base64 cannot be written in it")
    }
    let response = Response(200, fields: ["Repr-Digest": value, "Content-Digest": value])
    for promised in PromisedDigest.promised(by: response, to: .get) {
      try require(bytes.count >= promised.digest.count, "a digest is longer than its field")
    }
  }

  private static func escaped(_ byte: UInt8) -> [UInt8] {
    byte == ASCII.quote || byte == ASCII.backslash ? [ASCII.backslash, byte] : [byte]
  }

  private static func list(_ members: [[UInt8]]) -> FieldValue {
    FieldValue(Array(members.joined(separator: [ASCII.comma, ASCII.space])))
  }
}
