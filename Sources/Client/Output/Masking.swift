import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface

/// The hiding of what looks like a secret in URLs, settings, fields and other text that is shown.
enum Masking {
  static let mask = CredentialParameters.mask

  /// Makes a text that ought to be a URL fit for a terminal, with what stands before its `@` and parameters that give
  /// access hidden.
  static func withoutUserInfo(_ text: String) -> String {
    CredentialParameters.withoutUserInfo(Escaping.visible(text))
  }

  /// Does the same as `withoutUserInfo` for a text that is no URL, but may be one with a password that was not encoded.
  static func malformed(_ text: String) -> String {
    CredentialParameters.withoutUserInfo(Escaping.visible(text), isMalformed: true)
  }

  /// Makes a sentence of libcurl's fit for a terminal. It may quote the URL of a proxy with a password, which may
  /// contain a quotation mark.
  static func quoting(_ sentence: String) -> String {
    let visible = Escaping.visible(sentence)
    guard let first = visible.firstIndex(of: "'"), let last = visible.lastIndex(of: "'"), first < last else {
      return visible
    }
    let quoted = visible[visible.index(after: first)..<last]
    guard quoted.utf8.contains(UInt8(ascii: "@")) else { return visible }
    return visible[...first] + malformed(String(quoted)) + visible[last...]
  }

  /// Makes a remark of libcurl's on a connection fit for a terminal.
  ///
  /// - Returns: `nil` for a line of a request's head, `h2h3 [NAME: VALUE]` or `[HTTP/2] [1] [NAME: VALUE]`, whose end
  ///   may be missing: the head is traced as a whole, without what gives access.
  static func remark(_ text: [UInt8]) -> String? {
    for start in text.indices where text[start] == UInt8(ascii: "[") {
      var name = text[(start + 1)...].prefix { $0 != ASCII.space }
      // The name of a pseudo-header field begins with a colon.
      if name.first == ASCII.colon { name.removeFirst() }
      if name.popLast() == ASCII.colon, FieldName(name) != nil { return nil }
    }
    let shown = quoting(String(decoding: withoutSecretParameters(text[...]), as: UTF8.self))
    // `Proxy auth using Basic with user 'NAME'`: the name is half of what gives access.
    guard shown.hasPrefix("Proxy auth using "), let quote = shown.firstIndex(of: "'") else { return shown }
    return shown[...quote] + mask + "'"
  }

  static func masked(_ target: TargetURI) -> String { CredentialParameters.masked(target) }

  /// Returns a setting's value, fit for a terminal, without what gives access.
  ///
  /// - Parameter listed: fields that are listed as credentials, besides those that are known to be.
  static func masked(_ setting: Setting<Invocation>, listed: [FieldName]) -> String {
    let value = setting.value
    switch setting.secrecy(listed: listed) {
    case .none: return Escaping.visible(value.bytes)
    case .all: return mask
    case .behind(let prefix), .possible(let prefix):
      return Escaping.visible(value.bytes.prefix(prefix)) + (prefix < value.bytes.count ? mask : "")
    case .inURL: return withoutUserInfo(String(decoding: value.bytes, as: UTF8.self))
    case .inText: return CredentialParameters.masked(inWordsOf: Escaping.visible(value.bytes))
    }
  }

  // MARK: Fields

  /// The kind of message that a field is in.
  enum Message {
    case request, response
  }

  /// Returns whether the value of a field gives access.
  static func isSecret(_ name: FieldName, of message: Message, _ credentialFields: CredentialFields) -> Bool {
    if name == "Set-Cookie" || name == "Set-Cookie2" { return true }
    guard credentialFields.contains(name) else { return false }
    return message == .request || credentialFields.listed.contains(name) || !harmless.contains(name)
  }

  /// Fields of responses whose names look like those of credentials, but which only ask for credentials (RFC 9110
  /// section 11.6.1), allow them, or identify a response to caches.
  private static let harmless: [FieldName] = [
    "WWW-Authenticate", "Proxy-Authenticate", "Access-Control-Allow-Credentials", "Surrogate-Key", "X-Cache-Key",
    "Cache-Key",
  ]

  /// Returns the value of a field, fit to be kept in a log; `nil` if nothing of it is shown.
  static func shownValue(
    _ value: ArraySlice<UInt8>, of name: FieldName, in message: Message, _ credentialFields: CredentialFields
  ) -> [UInt8]? {
    if isSecret(name, of: message, credentialFields) { return nil }
    guard CredentialParameters.mayHoldURL(value, of: name) else { return Array(value) }
    let text = String(decoding: value, as: UTF8.self)
    let masked = CredentialParameters.masked(within: text)
    return masked == text ? Array(value) : Array(masked.utf8)
  }

  /// Returns a line of a head, without its line end, fit to be kept in a log.
  static func withoutSecret(
    _ line: ArraySlice<UInt8>, of message: Message, _ credentialFields: CredentialFields
  ) -> [UInt8] {
    // A request line has a URL, too, and no field name before its first colon.
    guard let colon = line.firstIndex(of: ASCII.colon), let name = FieldName(line[..<colon]) else {
      return withoutSecretParameters(line)
    }
    let value = shownValue(line[(colon + 1)...], of: name, in: message, credentialFields)
    return line[...colon] + (value ?? Array(" (not shown)".utf8))
  }

  private static func withoutSecretParameters(_ line: ArraySlice<UInt8>) -> [UInt8] {
    let words = line.split(separator: ASCII.space, omittingEmptySubsequences: false)
    let masked = words.map { word in
      // Most words contain neither.
      word.contains(UInt8(ascii: "?")) || word.contains(UInt8(ascii: "@"))
        ? Array(CredentialParameters.masked(String(decoding: word, as: UTF8.self)).utf8) : Array(word)
    }
    return Array(masked.joined(separator: [ASCII.space]))
  }
}
