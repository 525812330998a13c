import HTTPSemantics

/// Fields written as text, as a fuzzer finds them.
enum TextHead {
  /// Lines of `name:value` up to an empty one or the end; what is no field is left out.
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
