import HTTPCaching
import HTTPSemantics

/// Hides what looks like a secret in a URL that is shown.
enum Masking {
  static let mask = CredentialParameters.mask

  /// A text that ought to be a URL, fit for a terminal, with what stands before its `@` hidden, and
  /// parameters that give access.
  static func withoutUserInfo(_ text: String) -> String {
    CredentialParameters.withoutUserInfo(Escaping.visible(text))
  }

  /// A sentence of libcurl's, fit for a terminal: the URL of a proxy that it quotes may have a password, which may have
  /// a quotation mark.
  static func quoting(_ sentence: String) -> String {
    let visible = Escaping.visible(sentence)
    guard let first = visible.firstIndex(of: "'"), let last = visible.lastIndex(of: "'"), first < last else {
      return visible
    }
    let quoted = visible[visible.index(after: first)..<last]
    guard quoted.utf8.contains(UInt8(ascii: "@")) else { return visible }
    return visible[...first] + withoutUserInfo(String(quoted)) + visible[last...]
  }

  static func masked(_ target: TargetURI) -> String { CredentialParameters.masked(target) }

  // MARK: Fields

  /// Whether the value of a field gives access.
  static func isSecret(_ name: FieldName, _ credentialFields: CredentialFields = CredentialFields()) -> Bool {
    name == "Set-Cookie" || name == "Set-Cookie2" || credentialFields.contains(name)
  }

  /// The value of a field, fit to be kept; `nil` where nothing of it is shown.
  static func shownValue(
    _ value: ArraySlice<UInt8>, of name: FieldName, _ credentialFields: CredentialFields = CredentialFields()
  ) -> [UInt8]? {
    if isSecret(name, credentialFields) { return nil }
    return fieldsWithURL.contains(name) ? withoutSecretParameters(value) : Array(value)
  }

  /// A line of a head, without the end of the line, fit to be kept.
  static func withoutSecret(_ line: ArraySlice<UInt8>, _ credentialFields: CredentialFields) -> [UInt8] {
    // A request line, too, has a URL in it, and no colon before its end that is behind a field's name.
    guard let colon = line.firstIndex(of: ASCII.colon), let name = FieldName(line[..<colon]) else {
      return withoutSecretParameters(line)
    }
    let value = shownValue(line[(colon + 1)...], of: name, credentialFields)
    return line[...colon] + (value ?? Array(" (not shown)".utf8))
  }

  private static let fieldsWithURL: [FieldName] = [.location, .contentLocation, .referer]

  private static func withoutSecretParameters(_ line: ArraySlice<UInt8>) -> [UInt8] {
    let words = line.split(separator: ASCII.space, omittingEmptySubsequences: false)
    let masked = words.map { word in
      // Nearly always.
      word.contains(UInt8(ascii: "?"))
        ? Array(CredentialParameters.masked(String(decoding: word, as: UTF8.self)).utf8) : Array(word)
    }
    return Array(masked.joined(separator: [ASCII.space]))
  }
}
