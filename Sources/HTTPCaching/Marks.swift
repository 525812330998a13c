import HTTPSemantics

/// The marks that the user has put on a stored response. They stay when the response is freshened or replaced.
package struct Marks: Equatable, Sendable {
  /// Whether the response is kept when room is made for others.
  package var isPinned: Bool
  package var tags: Tags

  package init(isPinned: Bool = false, tags: Tags = Tags()) {
    self.isPinned = isPinned
    self.tags = tags
  }

  package static let none = Marks()

  /// Returns these marks joined with others, whose tags replace tags with the same key.
  package func adding(_ others: Marks) -> Marks {
    Marks(isPinned: isPinned || others.isPinned, tags: tags.adding(others.tags))
  }

  /// Whether adding the others would change nothing.
  package func include(_ others: Marks) -> Bool { others == .none || adding(others) == self }
}

/// The tags that the user has attached to a stored response: values by key.
package struct Tags: Equatable, Sendable {
  /// Sorted by key; each key occurs once.
  package private(set) var all: [Tag] = []

  package init() {}

  /// - Returns: `nil` if there are too many, or a key occurs twice.
  package init?(_ tags: [Tag]) {
    guard tags.count <= Self.maximumCount else { return nil }
    for tag in tags {
      if self[tag.key] != nil { return nil }
      set(tag)
    }
  }

  /// More would make a database of a head. With `Tag.longestBytes` for each, the tags are a fraction of what a head may
  /// hold.
  package static let maximumCount = 32

  package var isEmpty: Bool { all.isEmpty }

  package subscript(key: String) -> String? {
    for tag in all where tag.key == key { return tag.value }
    return nil
  }

  /// Sets a tag, replacing one with the same key.
  ///
  /// - Returns: `false` if there are too many.
  @discardableResult
  package mutating func set(_ tag: Tag) -> Bool {
    remove(tag.key)
    guard all.count < Self.maximumCount else { return false }
    all.insert(tag, at: all.firstIndex { tag.key < $0.key } ?? all.endIndex)
    return true
  }

  package mutating func remove(_ key: String) {
    all.removeAll { $0.key == key }
  }

  /// Returns these tags and the others, which replace tags with the same key, as far as there is room for them.
  package func adding(_ others: Tags) -> Tags {
    if all.isEmpty { return others }
    var tags = self
    for tag in others.all { tags.set(tag) }
    return tags
  }
}

/// A key and a value that the user has attached to a stored response.
package struct Tag: Equatable, Sendable {
  package let key: String
  /// May be empty.
  package let value: String

  /// The reason why a text is not a tag.
  package enum Fault: Error, Equatable, Sendable {
    case noKey
    case notText
    case tooLong
  }

  /// The longest tag, in bytes. A tag is one line of a listing.
  package static let longestBytes = 1_024

  /// Reads `KEY=VALUE`: text in UTF-8 without control characters, and a key without `=`. Blanks around it are dropped:
  /// in a field of an archive, and in a line of a hook, they could not be told from those that always stand there.
  package init(parsing bytes: some Collection<UInt8>) throws(Fault) {
    let bytes = ASCII.trimmed(Array(bytes)[...])
    guard bytes.count <= Self.longestBytes else { throw .tooLong }
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes), !text.unicodeScalars.contains(where: Self.isControl) else { throw .notText }
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { throw .noKey }
    key = String(text[..<equals])
    value = String(text[text.index(after: equals)...])
  }

  /// C0, DEL and C1.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }
}

extension Tag: CustomStringConvertible {
  package var description: String { "\(key)=\(value)" }
}
