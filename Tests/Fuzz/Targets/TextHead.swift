import HTTPSemantics

/// Reads fields written as text, a form that a fuzzer finds easily.
enum TextHead {
  /// Reads lines of `name:value` up to an empty line or the end, and leaves out lines that are not fields.
  static func fields(_ input: inout FuzzInput) -> Fields {
    var fields = Fields()
    while !input.rest.isEmpty {
      let line = input.take(until: ASCII.lineFeed)
      if line.isEmpty { break }
      guard let colon = line.firstIndex(of: ASCII.colon), let name = FieldName(line[..<colon]) else { continue }
      fields.append(name, FieldValue(ASCII.trimmed(line[(colon + 1)...])))
    }
    return fields
  }
}
