import HTTPSemantics

/// The field lines of a request in libcurl's notation.
enum RequestLines {
  /// What libcurl adds by itself where it is not among the fields. It adds no User-Agent.
  private static let defaults: [FieldName] = [.accept, .contentType, "Expect"]

  static func make(_ fields: Fields) throws(TransportError) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for field in fields.lines { lines.append(try line(field)) }
    // A name with nothing behind its colon takes libcurl's own line away.
    for name in defaults where !fields.contains(name) { lines.append(Array(name.spelling.utf8) + [ASCII.colon]) }
    return lines
  }

  private static func line(_ field: Field) throws(TransportError) -> [UInt8] {
    let value = field.value.bytes
    let isSendable = value.allSatisfy { $0 != 0 && $0 != ASCII.carriageReturn && $0 != ASCII.lineFeed }
    guard isSendable else { throw .unsendable(reason: "the field \(field.name) holds a line break or a NUL") }
    var line: [UInt8] = []
    line.reserveCapacity(field.name.spelling.utf8.count + 2 + value.count)
    line += field.name.spelling.utf8
    // A semicolon stands for a field whose value is empty.
    line.append(value.isEmpty ? ASCII.semicolon : ASCII.colon)
    if value.isEmpty { return line }
    line.append(ASCII.space)
    line += value
    return line
  }
}
