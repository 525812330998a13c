package import FlagTable
package import HTTPSemantics

/// A change that one `-H` makes to the fields of the request.
package enum FieldChange: Equatable, Sendable {
  /// The field is sent, in place of one that garner would send by itself.
  case send(FieldName, value: FieldValue)
  /// The field that garner would send by itself is left out.
  case leaveOut(FieldName)

  /// Reads `Name: value`, `Name:` (leave out) or `Name;` (an empty value).
  ///
  /// - Throws: an error, also if the line holds a carriage return, a line feed or a NUL.
  package init(parsing text: ArgumentText) throws(InvalidValue) {
    let bytes = try LineText.check(text).bytes
    let colon = bytes.firstIndex(of: ASCII.colon)
    let isEmptied = colon == nil && bytes.last == ASCII.semicolon
    let end = colon ?? (isEmptied ? bytes.count - 1 : nil)
    guard let end, let name = FieldName(bytes[..<end]) else {
      throw .unacceptable("expected 'Name: value', 'Name:' or 'Name;'")
    }
    let value = ASCII.trimmed(bytes[(end + 1)...])
    self = isEmptied || !value.isEmpty ? .send(name, value: FieldValue(value)) : .leaveOut(name)
  }
}
