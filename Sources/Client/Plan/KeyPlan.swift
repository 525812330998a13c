import FlagTable
import HTTPCaching
import Interface

/// The rules of cache keys, as options give them.
extension PlanBuilder {
  func keyRules() -> KeyRules {
    KeyRules(
      chosenText: invocation.key.chosenText?.bytes,
      ignored: IgnoredParameters(invocation.key.ignoredParameters.map(\.bytes)),
      partition: invocation.key.partition?.bytes, credentialFields: credentialFields)
  }

  var credentialFields: CredentialFields { CredentialFields(listed: invocation.key.credentialFields) }
}
