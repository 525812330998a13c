/// The value of one field line: bytes, without the whitespace around them (RFC 9110 section 5.5).
///
/// Values are bytes and not text: bytes above 0x7f (`obs-text`) are passed on as they are.
package struct FieldValue: Equatable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  // The same as the generic one, which other modules cannot specialise.

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ bytes: Span<UInt8>) {
    self.bytes = bytes.withUnsafeBufferPointer { Array($0) }
  }

  package init(_ text: String) {
    self.bytes = Array(text.utf8)
  }

  /// For people: bytes that are not UTF-8 become replacement characters.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The value as a decimal number; `nil` if it is anything else, or does not fit.
  package var decimal: UInt64? { ASCII.decimal(bytes) }
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
  package subscript(name: FieldName) -> FieldValue? { index(of: name).map { lines[$0].value } }

  /// Returns the values of all lines of that name, in their order.
  package func values(of name: FieldName) -> [FieldValue] {
    var values: [FieldValue] = []
    var next = index(of: name)
    while let index = next {
      values.append(lines[index].value)
      next = self.index(of: name, from: index + 1)
    }
    return values
  }

  package func contains(_ name: FieldName) -> Bool { index(of: name) != nil }

  /// Returns the place of the first line of that name, at `start` or behind it.
  ///
  /// Each message is searched for dozens of names, most of which it does not have. A span gives access to the lines
  /// without copying them, and the lengths of names tell most of them apart.
  private func index(of name: FieldName, from start: Int = 0) -> Int? {
    let lines = lines.span
    let length = name.length
    var index = start
    while index < lines.count {
      if lines[index].name.length == length, lines[index].name == name { return index }
      index += 1
    }
    return nil
  }

  /// All lines of that name as one, joined by commas; `nil` if there is none.
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
    guard contains(name) else { return [] }
    var members: [ArraySlice<UInt8>] = []
    forEachMember(of: name) { members.append($0) }
    return members
  }

  /// Passes each of the members that `members(of:)` returns to `body`.
  package func forEachMember(of name: FieldName, _ body: (ArraySlice<UInt8>) -> Void) {
    var next = index(of: name)
    while let index = next {
      ListSyntax.forEachMember(of: lines[index].value.bytes, body)
      next = self.index(of: name, from: index + 1)
    }
  }

  package mutating func append(_ name: FieldName, _ value: FieldValue) {
    lines.append(Field(name, value))
  }

  package mutating func append(_ field: Field) {
    lines.append(field)
  }

  package mutating func removeAll(_ name: FieldName) {
    if let first = index(of: name) { remove(from: first) { $0.name == name } }
  }

  package mutating func removeAll(where condition: (Field) -> Bool) {
    // Mostly there is none. Then the lines, which others may share, are not copied.
    if let first = lines.firstIndex(where: condition) { remove(from: first, where: condition) }
  }

  /// - Parameter first: the place of the first line that goes.
  private mutating func remove(from first: Int, where condition: (Field) -> Bool) {
    var kept: [Field] = []
    kept.reserveCapacity(lines.count - 1)
    kept += lines[..<first]
    for line in lines[(first + 1)...] where !condition(line) { kept.append(line) }
    lines = kept
  }

  /// Replaces every line of that name by one.
  package mutating func set(_ name: FieldName, _ value: FieldValue) {
    guard let first = index(of: name) else { return append(name, value) }
    lines[first] = Field(name, value)
    if let other = index(of: name, from: first + 1) { remove(from: other) { $0.name == name } }
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (FieldName, FieldValue)...) {
    self.init(elements.map { Field($0, $1) })
  }
}
