package import FlagTable
package import HTTPCaching
package import HTTPSemantics

/// A pattern of hosts: a name, perhaps with a port, in which `*` stands for anything.
package struct HostPattern: Equatable, Sendable {
  private let glob: Glob

  package init(_ text: ArgumentText) throws(InvalidValue) {
    guard !text.bytes.isEmpty, !text.bytes.contains(ASCII.slash) else {
      throw .expected("a host such as example.com, *.example.com or 127.0.0.1:8080")
    }
    guard text.bytes.allSatisfy({ $0 < 0x80 }) else {
      throw .unacceptable(
        "write a host with letters beyond ASCII in its DNS form, such as xn--bcher-kva.example")
    }
    glob = Glob(IPAddress.bracketed(text.bytes).map { Array($0.utf8) } ?? ASCII.lowercased(text.bytes))
  }

  /// Whether the pattern matches the origin's host, with its port or without.
  package func matches(_ origin: TargetURI.Origin) -> Bool {
    glob.matches(origin.host.utf8) || glob.matches("\(origin.host):\(origin.port)".utf8)
  }
}

/// A pattern of statuses: a status, a class of them, or a list of both.
package struct StatusPattern: Equatable, Sendable {
  private let codes: [ClosedRange<UInt16>]

  /// Reads `404`, `4xx` or `200,4xx`.
  package init(_ text: ArgumentText) throws(InvalidValue) { codes = try StatusCodes.ranges(text) }

  package func matches(_ status: StatusCode) -> Bool { codes.contains { $0.contains(status.rawValue) } }
}

/// A pattern of media types: `text/html`, `image/*`, or a word of a type: `image`, `json`, `html`. In either, `*`
/// stands for anything. `none` matches what has no type.
package struct MediaTypePattern: Equatable, Sendable {
  private enum Form: Equatable {
    case whole(Glob)
    /// The type, the subtype, or what stands on one side of its plus sign.
    case word(Glob)
    case none
  }

  private let form: Form
  /// The pattern in lower case.
  package let text: String

  /// The word that statistics use for it.
  private static let none = Array("none".utf8)

  package init(_ text: ArgumentText) throws(InvalidValue) {
    let lowered = ASCII.lowercased(text.bytes)
    guard !lowered.isEmpty, lowered.allSatisfy({ $0 > ASCII.space && $0 < 0x7f && $0 != ASCII.semicolon }) else {
      throw .expected("a type such as text/html, image/* or json")
    }
    let glob = Glob(lowered)
    form = lowered == Self.none ? .none : lowered.contains(ASCII.slash) ? .whole(glob) : .word(glob)
    self.text = String(decoding: lowered, as: UTF8.self)
  }

  /// - Parameter contentType: the value of a Content-Type, whose parameters are ignored.
  package func matches(_ contentType: FieldValue?) -> Bool {
    guard let contentType else { return form == .none }
    let type = ASCII.lowercased(ListSyntax.withoutParameters(contentType.bytes[...]))
    switch form {
    case .whole(let glob): return glob.matches(type)
    case .word(let word):
      return type.split { $0 == ASCII.slash }.contains { part in
        word.matches(part) || part.split(separator: ASCII.plus).contains { word.matches($0) }
      }
    case .none: return false
    }
  }
}

/// A pattern of tags: a key with any value, or a key with a value in which `*` stands for anything.
package struct TagPattern: Equatable, Sendable {
  private let key: String
  private let value: Glob?

  /// Reads `KEY` or `KEY=VALUE`.
  package init(_ text: ArgumentText) throws(InvalidValue) {
    let tag = try TagText.tag(text.bytes.contains(ASCII.equals) ? text : ArgumentText(text.bytes + [ASCII.equals]))
    key = tag.key
    value = text.bytes.contains(ASCII.equals) ? Glob(tag.value.utf8) : nil
  }

  package func matches(_ tags: Tags) -> Bool {
    guard let tagged = tags[key] else { return false }
    return value?.matches(tagged.utf8) ?? true
  }
}
