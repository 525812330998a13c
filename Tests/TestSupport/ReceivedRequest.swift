/// A request as the origin received it.
package struct ReceivedRequest: Sendable, Hashable {
  /// One field line: what stood before the colon, and what stood after it without the surrounding white space.
  package struct FieldLine: Sendable, Hashable {
    package let name: String
    package let value: [UInt8]
  }

  /// The request's place in the order of arrival at its server, from 1.
  package let number: Int
  /// The number of the connection, from 1: equal numbers show that a connection was used again.
  package let connection: Int
  /// The request line and the field lines, byte for byte, with the empty line that ends them.
  package let head: [UInt8]
  package let method: String
  package let target: String
  package let version: String
  package let fieldLines: [FieldLine]
  /// The content, without its chunked framing.
  package let content: [UInt8]

  /// The request target up to its query.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The request target behind its question mark; empty without one.
  package var query: String { String(target.drop { $0 != "?" }.dropFirst()) }

  /// The value of `name=value` in the query, not decoded.
  package func queryValue(_ name: String) -> String? {
    for pair in query.split(separator: "&") where pair.hasPrefix("\(name)=") {
      return String(pair.dropFirst(name.utf8.count + 1))
    }
    return nil
  }

  /// The values of all field lines of this name, in order; the case of the name does not matter.
  package func rawValues(_ name: String) -> [[UInt8]] {
    fieldLines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// The field's value, its lines joined with ", " (RFC 9110 section 5.3); `nil` if there is no such line.
  package func value(_ name: String) -> String? {
    let lines = rawValues(name)
    if lines.isEmpty { return nil }
    return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
  }

  package func has(_ name: String) -> Bool { !rawValues(name).isEmpty }
}

extension ReceivedRequest {
  /// Parses the first line and the field lines of a head.
  ///
  /// - Returns: `nil` if the first line is no request line.
  static func parse(head: [UInt8]) -> (line: [String], fieldLines: [FieldLine])? {
    var lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    while let last = lines.last, last.isEmpty { lines.removeLast() }
    guard let first = lines.first else { return nil }
    let words = first.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3 else { return nil }
    let fieldLines = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
      return FieldLine(
        name: String(decoding: line[..<colon], as: UTF8.self),
        value: withoutSurroundingWhiteSpace(line[colon...].dropFirst()))
    }
    return (words, fieldLines)
  }
}

/// The bytes without the spaces and tabs around them.
package func withoutSurroundingWhiteSpace(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
  var inner = bytes.drop(while: isSpace)
  while let last = inner.last, isSpace(last) { inner.removeLast() }
  return Array(inner)
}
