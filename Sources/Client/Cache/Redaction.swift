import HTTPCaching
import HTTPSemantics

/// The removal of secrets from a response, before it is handed to somebody else.
enum Redaction {
  static func redacted(_ target: TargetURI) -> TargetURI {
    TargetURI(origin: target.origin, pathAndQuery: CredentialParameters.masked(within: target.pathAndQuery))
  }

  static func redacted(
    _ fields: Fields, of message: Masking.Message, _ credentialFields: CredentialFields
  ) -> Fields {
    var kept = Fields()
    for line in fields.lines where !Masking.isSecret(line.name, of: message, credentialFields) {
      guard CredentialParameters.mayHoldURL(line.value.bytes[...], of: line.name) else {
        kept.append(line)
        continue
      }
      let text = line.value.text
      let redacted = CredentialParameters.masked(within: UserInformation.replaced(in: text, by: ""))
      kept.append(line.name, redacted == text ? line.value : FieldValue(redacted))
    }
    return kept
  }
}
