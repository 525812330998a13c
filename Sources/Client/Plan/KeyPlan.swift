import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface

/// What options make of keys.
extension PlanBuilder {
  func keyRules() -> KeyRules {
    KeyRules(
      chosenText: invocation.key.chosenText?.bytes,
      ignored: IgnoredParameters(invocation.key.ignoredParameters.map(\.bytes)),
      partition: invocation.key.partition?.bytes, credentialFields: credentialFields)
  }

  var credentialFields: CredentialFields { CredentialFields(listed: invocation.key.credentialFields) }

  /// One text for two URLs of a run would give the second the body of the first, which nobody means.
  func checkChosenKeys(of transfers: [TransferPlan]) throws(Failure) {
    for (index, transfer) in transfers.enumerated() {
      guard let text = transfer.keyRules.chosenText else { continue }
      let others = transfers[..<index].filter { $0.keyRules.chosenText == text }
      if others.contains(where: { $0.request.target != transfer.request.target }) {
        throw .contradiction("--cache-key stands for one URL, and there are several")
      }
    }
  }
}
