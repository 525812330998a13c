import HTTPSemantics
import Transport

extension FuzzTarget {
  /// The heads of a response. The first byte chooses the method, and whether the length is known.
  static let message = FuzzTarget("message", longestInput: 2_048) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let choices = input.byte()
    let method = choices & 1 == 0 ? Method.get : Method.head
    let isLengthKnown = choices & 2 != 0
    for head in heads(Array(input.rest), method, isLengthKnown) {
      guard case .final(let response, let framing) = head else { continue }
      try check(response)
      if framing == .storable {
        try require(
          heads(response.head, method, isLengthKnown) == [head],
          "a head that may be stored is another one when it is printed")
      }
    }
  }

  /// The heads that the lines contain, up to the first error.
  private static func heads(
    _ bytes: [UInt8], _ method: Method, _ isLengthKnown: Bool
  ) -> [HeadParser.Head] {
    var parser = HeadParser(method: method, isLengthKnown: isLengthKnown)
    var heads: [HeadParser.Head] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: ASCII.lineFeed) {
      do {
        if let head = try parser.consume(rest[...end]) { heads.append(head) }
      } catch {
        return heads
      }
      rest = rest[(end + 1)...]
    }
    return heads
  }

  private static func check(_ response: Response) throws(Violation) {
    try require(response.fields.lines.count <= HeadBounds.maximumFields, "there are too many fields")
    for value in [response.reason] + response.fields.lines.map(\.value) {
      let isOneLine = !value.bytes.contains { $0 == 0 || $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed }
      try require(isOneLine, "a value is more than a line")
    }
    for field in response.fields.lines {
      try require(ASCII.isToken(field.name.spelling.utf8), "\(field.name) is no name")
    }
  }
}
