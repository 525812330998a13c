package import HTTPSemantics

/// A response that is about to be stored, as it is shown to the user's hook and as the hook changes it.
package struct StoreProposal: Equatable, Sendable {
  /// The response, whose content has come, so that its length is known.
  package var stored: StoredResponse
  package var storage: StoragePolicy
  /// Whether the response is stored already, and only its head is to be replaced.
  package let isFreshening: Bool

  package init(_ stored: StoredResponse, as storage: StoragePolicy, isFreshening: Bool = false) {
    self.stored = stored
    self.storage = storage
    self.isFreshening = isFreshening
  }

  /// The reason why a hook's answer is refused, with the number of the line.
  package enum Fault: Error, Equatable, Sendable {
    /// Lines are counted from 1.
    case notALine(Int)
    case unknownKey(Int)
    /// The line changes what is fixed: `:url:`, Content-Length and the like.
    case fixed(Int)
    case noTag(Int)
    case tooManyFields
  }

  // MARK: What the hook reads

  /// The lines that describe the proposal. Lines that begin with a colon are about the response, the others are its
  /// fields.
  package var description: [UInt8] {
    var lines: [[UInt8]] = fixedLines.map { Array($0.utf8) }
    lines.append(Array(":storage: \(storage.rawValue)".utf8))
    for tag in stored.marks.tags.all { lines.append(Array(":tag: \(tag)".utf8)) }
    for field in stored.fields.lines { lines.append(Self.line(of: field)) }
    return lines.flatMap { $0 + [ASCII.lineFeed] }
  }

  private var fixedLines: [String] {
    [
      ":method: \(stored.requestMethod.name)", ":url: \(stored.key.target)", ":status: \(stored.response.status)",
      ":size: \(stored.contentLength)",
    ]
  }

  private static func line(of field: Field) -> [UInt8] {
    Array(field.name.spelling.utf8) + [ASCII.colon, ASCII.space] + field.value.bytes
  }

  // MARK: What the hook answers

  /// Returns the proposal as the hook's answer changes it. Whatever the answer does not mention stays.
  package func changed(by answer: [UInt8]) throws(Fault) -> StoreProposal {
    var changed = self
    var fields: [Field] = []
    var names: [FieldName] = []
    // For each name, the number of its last line.
    var numbers: [Int] = []
    for (index, bytes) in answer.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).enumerated() {
      let line = bytes.last == ASCII.carriageReturn ? bytes.dropLast() : bytes
      if line.isEmpty { continue }
      if line.first == ASCII.colon {
        try changed.apply(line, index + 1)
        continue
      }
      let field = try Self.field(line, index + 1)
      if let known = names.firstIndex(of: field.name) {
        numbers[known] = index + 1
      } else {
        names.append(field.name)
        numbers.append(index + 1)
      }
      if !field.value.bytes.isEmpty || isEmptyField(line) { fields.append(field) }
      guard max(names.count, fields.count) <= HeadBounds.maximumFields else { throw .tooManyFields }
    }
    // Fields that describe the content may be repeated, but not changed.
    for (index, name) in names.enumerated() where StorableFields.describesContent(name) {
      let values = fields.filter { $0.name == name }.map(\.value)
      guard values == stored.fields.values(of: name) else { throw .fixed(numbers[index]) }
    }
    changed.stored.response.fields.removeAll { names.contains($0.name) }
    for field in fields { changed.stored.response.fields.append(field) }
    guard changed.stored.fields.lines.count <= HeadBounds.maximumFields else { throw .tooManyFields }
    return changed
  }

  private mutating func apply(_ line: ArraySlice<UInt8>, _ number: Int) throws(Fault) {
    guard let end = line.dropFirst().firstIndex(of: ASCII.colon) else { throw .notALine(number) }
    let value = ASCII.trimmed(line[(end + 1)...])
    switch String(decoding: line[...end], as: UTF8.self) {
    case ":storage:":
      guard let policy = StoragePolicy(rawValue: String(decoding: value, as: UTF8.self)) else {
        throw .unknownKey(number)
      }
      storage = storage.stricter(policy)
    case ":tag:":
      guard let tag = try? Tag(parsing: value), stored.marks.tags.set(tag) else { throw .noTag(number) }
    case ":method:", ":url:", ":status:", ":size:":
      guard fixedLines.contains(where: { $0.utf8.elementsEqual(line) }) else { throw .fixed(number) }
    default: throw .unknownKey(number)
    }
  }

  private static func field(_ line: ArraySlice<UInt8>, _ number: Int) throws(Fault) -> Field {
    guard let colon = line.firstIndex(of: ASCII.colon), let name = FieldName(line[..<colon]) else {
      throw .notALine(number)
    }
    let value = ASCII.trimmed(line[(colon + 1)...])
    if value.contains(where: { $0 == 0 || $0 == ASCII.carriageReturn }) { throw .notALine(number) }
    return Field(name, FieldValue(value))
  }

  /// Whether the line gives back a field that came without a value, and is not one that removes a field.
  private func isEmptyField(_ line: ArraySlice<UInt8>) -> Bool {
    stored.fields.lines.contains { $0.value.bytes.isEmpty && Self.line(of: $0).elementsEqual(line) }
  }

  // MARK: What comes of it

  /// The verdict of RFC 9111 on a proposal that has been changed.
  package enum Outcome: Equatable, Sendable {
    case store(StoredResponse, as: StoragePolicy)
    case refuse(NotStored)
  }

  /// - Parameters:
  ///   - original: the proposal before it was changed.
  ///   - request: the request that the response answers.
  ///   - conceal: see `SelectingFields.Concealer`.
  package func outcome(
    changedFrom original: StoreProposal, for request: Request, concealing conceal: @escaping SelectingFields.Concealer
  ) -> Outcome {
    if storage == .notAllowed { return .refuse(.hook) }
    var stored = stored
    stored.response.fields = StorableFields.dated(
      StorableFields.stored(stored.fields), receivedAt: stored.responseTime)
    if stored.cacheControl.forbidsStoring(stored.response.status) { return .refuse(.noStore) }
    if !isFreshening, stored.fields.values(of: .vary) != original.stored.fields.values(of: .vary) {
      guard case .names(let names) = Vary(of: stored.fields) else { return .refuse(.varyAnything) }
      guard let selecting = SelectingFields(names, of: request.fields, concealing: conceal) else {
        return .refuse(.cannotConceal)
      }
      stored.selecting = selecting
    } else if !Validation.isSelected(stored, byAllOf: Vary(of: stored.fields)) {
      // The stored response begins to vary on a field whose value in its own request is not known.
      return .refuse(.varyAnything)
    }
    return .store(stored, as: storage)
  }
}

extension StoragePolicy {
  /// Returns the policy that keeps less: a hook cannot allow what the user forbids for the run.
  fileprivate func stricter(_ other: StoragePolicy) -> StoragePolicy {
    let order: [StoragePolicy] = [.allowed, .memoryOnly, .notAllowed]
    return order.last { $0 == self || $0 == other } ?? self
  }
}

extension StoreProposal.Fault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notALine(let number): "line \(number) of its output is neither 'Name: value' nor ':key: value'"
    case .unknownKey(let number): "line \(number) of its output has an unknown key or value"
    case .fixed(let number): "line \(number) of its output changes a fixed value"
    case .noTag(let number): "line \(number) of its output is not a tag, or is one too many"
    case .tooManyFields: "its output has too many fields"
    }
  }
}
