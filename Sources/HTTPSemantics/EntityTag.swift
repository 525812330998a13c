/// An entity tag: a validator that an origin makes up (RFC 9110 section 8.8.3).
package struct EntityTag: Equatable, Sendable {
  package let isWeak: Bool
  /// The bytes between the quotes.
  package let opaque: [UInt8]

  /// - Returns: `nil` if `value` is not an entity tag: quotes are missing, or there is something around them.
  package init?(_ value: FieldValue) {
    self.init(value.bytes[...])
  }

  package init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    isWeak = rest.starts(with: "W/".utf8)
    if isWeak { rest.removeFirst(2) }
    guard rest.count >= 2, rest.first == ASCII.quote, rest.last == ASCII.quote else { return nil }
    let inner = rest.dropFirst().dropLast()
    // etagc = %x21 / %x23-7E / obs-text
    guard inner.allSatisfy({ $0 > ASCII.space && $0 != ASCII.quote && $0 != 0x7f }) else { return nil }
    opaque = Array(inner)
  }

  /// Strong comparison: both strong and equal (RFC 9110 section 8.8.3.2).
  package func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaque == other.opaque
  }

  /// Weak comparison: equal, whether weak or not (RFC 9110 section 8.8.3.2).
  package func matchesWeakly(_ other: EntityTag) -> Bool {
    opaque == other.opaque
  }
}

/// The value of If-None-Match or If-Match (RFC 9110 section 13.1).
package enum EntityTagCondition: Equatable, Sendable {
  case any
  case tags([EntityTag])

  /// - Returns: `nil` if the field is absent. Members that are not entity tags are left out, because they match
  ///   nothing.
  package init?(_ name: FieldName, of fields: Fields) {
    guard fields.contains(name) else { return nil }
    let members = fields.values(of: name).flatMap { ListSyntax.entityTags(in: $0.bytes) }
    if members.count == 1, members[0].elementsEqual("*".utf8) {
      self = .any
    } else {
      self = .tags(members.compactMap { EntityTag($0) })
    }
  }
}
