import HTTPCaching
import HTTPSemantics

/// Takes out of a response what gives access, before it is handed to somebody else.
enum Redaction {
  /// Fields that hold URLs, or texts with URLs in them.
  private static let linkingFields: [FieldName] = [.location, .contentLocation, .referer, "Link", "Refresh"]

  static func redacted(_ target: TargetURI) -> TargetURI {
    TargetURI(origin: target.origin, pathAndQuery: masked(target.pathAndQuery))
  }

  static func redacted(_ fields: Fields) -> Fields {
    var kept = Fields()
    for line in fields.lines where !Masking.isSecret(line.name) {
      guard linkingFields.contains(line.name) else {
        kept.append(line)
        continue
      }
      let text = line.value.text
      let redacted = masked(withoutUserInfo(text))
      kept.append(line.name, redacted == text ? line.value : FieldValue(redacted))
    }
    return kept
  }

  /// The text with the values of telling parameters masked, wherever there are queries in it.
  private static func masked(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let separator = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }) {
      let start = rest.utf8.index(after: separator)
      result += rest[..<start]
      rest = rest[start...]
      guard let equals = rest.utf8.firstIndex(where: { "=&?#>\"' ".utf8.contains($0) }),
        rest.utf8[equals] == ASCII.equals, CredentialParameters.isTelling(rest.utf8[..<equals])
      else { continue }
      let end = rest.utf8[equals...].firstIndex { "&#>\"' ,;".utf8.contains($0) } ?? rest.endIndex
      result += rest[...equals] + Masking.mask
      rest = rest[end...]
    }
    return result + rest
  }

  /// The text without what stands before the `@` of an authority.
  private static func withoutUserInfo(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
      let next = rest.utf8.index(after: slash)
      result += rest[..<next]
      rest = rest[next...]
      guard rest.utf8.first == UInt8(ascii: "/") else { continue }
      result += "/"
      rest = rest.dropFirst()
      let authority = rest.utf8.prefix { !"/?#>\"' ,".utf8.contains($0) }
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) { rest = rest[rest.utf8.index(after: at)...] }
    }
    return result + rest
  }
}
