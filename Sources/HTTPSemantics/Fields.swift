/// The value of one field line: bytes, without the whitespace around them (RFC 9110 section 5.5).
///
/// Values are bytes and not text: what lies above 0x7f (`obs-text`) comes and goes as it is.
package struct FieldValue: Equatable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  // As the generic one, which other modules cannot specialise.

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    self.bytes = Array(text.utf8)
  }

  /// For people: bytes that are not UTF-8 become replacement characters.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The value as a decimal number.
  package var decimal: UInt64? { ASCII.decimal(bytes) }

  package func equalsIgnoringCase(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { ASCII.equalIgnoringCase(bytes, $0) }
  }
}

extension FieldValue: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self.init(value) }
}

/// One field line.
package struct Field: Equatable, Sendable {
  package let name: FieldName
  package let value: FieldValue

  package init(_ name: FieldName, _ value: FieldValue) {
    self.name = name
    self.value = value
  }
}

/// The header fields of a message: lines in the order in which they came, duplicates kept (RFC 9110 section 5.3).
package struct Fields: Equatable, Sendable {
  package private(set) var lines: [Field]

  package init(_ lines: [Field] = []) {
    self.lines = lines
  }

  /// The value of the first line of that name.
  package subscript(name: FieldName) -> FieldValue? {
    // Through spans, here and below: an array's iterator holds on to each line that it gives.
    let lines = lines.span
    for index in lines.indices where lines[index].name == name { return lines[index].value }
    return nil
  }

  package func values(of name: FieldName) -> [FieldValue] {
    var values: [FieldValue] = []
    let lines = lines.span
    for index in lines.indices where lines[index].name == name { values.append(lines[index].value) }
    return values
  }

  package func contains(_ name: FieldName) -> Bool {
    let lines = lines.span
    for index in lines.indices where lines[index].name == name { return true }
    return false
  }

  /// All lines of that name as one, joined by commas.
  ///
  /// - Source: RFC 9110 section 5.3.
  package func combined(_ name: FieldName) -> FieldValue? {
    let values = values(of: name)
    guard let first = values.first else { return nil }
    guard values.count > 1 else { return first }
    return FieldValue(values.map(\.bytes).joined(separator: [ASCII.comma, ASCII.space]))
  }

  /// The members of a list-valued field over all its lines (RFC 9110 section 5.6.1): trimmed, empty ones left out.
  package func members(of name: FieldName) -> [ArraySlice<UInt8>] {
    var members: [ArraySlice<UInt8>] = []
    forEachMember(of: name) { members.append($0) }
    return members
  }

  /// Hands each of those members to `body`.
  package func forEachMember(of name: FieldName, _ body: (ArraySlice<UInt8>) -> Void) {
    let lines = lines.span
    for index in lines.indices where lines[index].name == name {
      ListSyntax.forEachMember(of: lines[index].value.bytes, body)
    }
  }

  package mutating func append(_ name: FieldName, _ value: FieldValue) {
    lines.append(Field(name, value))
  }

  package mutating func append(_ field: Field) {
    lines.append(field)
  }

  package mutating func removeAll(_ name: FieldName) {
    lines.removeAll { $0.name == name }
  }

  package mutating func removeAll(where condition: (Field) -> Bool) {
    var kept: [Field] = []
    kept.reserveCapacity(lines.count)
    for line in lines where !condition(line) { kept.append(line) }
    lines = kept
  }

  /// Replaces every line of that name by one.
  package mutating func set(_ name: FieldName, _ value: FieldValue) {
    guard let first = lines.firstIndex(where: { $0.name == name }) else { return append(name, value) }
    lines[first] = Field(name, value)
    lines[(first + 1)...].removeAll { $0.name == name }
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (FieldName, FieldValue)...) {
    self.init(elements.map { Field($0, $1) })
  }
}
