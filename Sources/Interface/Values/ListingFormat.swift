package import FlagTable
import HTTPSemantics

/// A field of a stored response in a listing. The names are those of the JSON forms.
package enum ListedField: String, Equatable, Sendable, CaseIterable {
  case url, method, status, type, size, total
  case storedAt = "stored_at"
  case usedAt = "used_at"
  case expiresAt = "expires_at"
  case age, ttl, state, pinned, tags, vary, etag
  case lastModified = "last_modified"
  case groups, key
}

/// The text of `--format`: `{url}\t{size}`.
package struct ListingFormat: Equatable, Sendable {
  package enum Part: Equatable, Sendable {
    case literal([UInt8])
    case field(ListedField)
  }

  package let parts: [Part]

  /// Reads fields in braces, and C's escapes `\t`, `\n`, `\r`, `\0` and `\\`; `{{` and `}}` are braces.
  package init(_ text: ArgumentText) throws(InvalidValue) {
    var parts: [Part] = []
    var literal: [UInt8] = []
    var rest = text.bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case ASCII.backslash:
        literal.append(try Self.unescaped(rest.popFirst()))
      case Self.opening where rest.first != byte:
        guard let end = rest.firstIndex(of: Self.closing) else {
          throw .unacceptable("a brace is not closed", hint: "'{{' stands for a brace")
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = []
        parts.append(.field(try Self.field(rest[..<end])))
        rest = rest[(end + 1)...]
      case Self.opening, Self.closing:
        if rest.first == byte { rest.removeFirst() }
        literal.append(byte)
      default:
        literal.append(byte)
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    self.parts = parts
  }

  private static let opening = UInt8(ascii: "{")
  private static let closing = UInt8(ascii: "}")

  private static func field(_ name: ArraySlice<UInt8>) throws(InvalidValue) -> ListedField {
    if let field = ListedField.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }) { return field }
    let names = ListedField.allCases.map(\.rawValue)
    let near = Suggestion.nearest(to: Array(name), among: names)
    throw .unacceptable(
      "there is no field \(ArgumentText(name).quoted)",
      hint: near.map { "did you mean {\($0)}?" } ?? "'garner help formats' lists them")
  }

  private static func unescaped(_ letter: UInt8?) throws(InvalidValue) -> UInt8 {
    switch letter {
    case UInt8(ascii: "t"): ASCII.horizontalTab
    case UInt8(ascii: "n"): ASCII.lineFeed
    case UInt8(ascii: "r"): ASCII.carriageReturn
    case ASCII.zero: 0
    case ASCII.backslash: ASCII.backslash
    default: throw .unacceptable(#"a backslash must be followed by t, n, r, 0 or another backslash"#)
    }
  }
}
