import HTTPCaching
import HTTPSemantics

/// Takes out of a response what gives access, before it is handed to somebody else.
enum Redaction {
  static func redacted(_ target: TargetURI) -> TargetURI {
    TargetURI(origin: target.origin, pathAndQuery: CredentialParameters.masked(within: target.pathAndQuery))
  }

  static func redacted(_ fields: Fields) -> Fields {
    var kept = Fields()
    for line in fields.lines where !Masking.isSecret(line.name) {
      guard CredentialParameters.fields.contains(line.name) else {
        kept.append(line)
        continue
      }
      let text = line.value.text
      let redacted = CredentialParameters.masked(within: withoutUserInfo(text))
      kept.append(line.name, redacted == text ? line.value : FieldValue(redacted))
    }
    return kept
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
