import FlagTable
import HTTPCaching
import HTTPSemantics
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

/// The keys that were chosen for the URLs of a run.
///
/// The same text for two URLs would give the second one the body of the first, which nobody intends.
struct ChosenKeys {
  private var targets: [(text: [UInt8], target: TargetURI)] = []

  /// - Throws: an error if another URL has the same text already.
  mutating func note(_ plan: TransferPlan) throws(Failure) {
    guard let text = plan.terms.keyRules.chosenText else { return }
    try note(text, plan.request.target)
  }

  mutating func note(_ text: [UInt8], _ target: TargetURI) throws(Failure) {
    for chosen in targets where chosen.text == text {
      guard chosen.target == target else {
        throw .contradiction("--cache-key stands for one URL, and there are several")
      }
      return
    }
    targets.append((text, target))
  }
}

/// The digests that were typed for the URLs of a run.
///
/// A stored body with the expected digest answers any URL. Two URLs with the same digest would share the body of the
/// first, but only once it is stored.
struct ExpectedDigests {
  private var group = 0
  /// The digests of the present set of options.
  private var noted: [(expected: Integrity, target: TargetURI)] = []

  /// - Throws: an error if another URL of the same set of options expects the same digest. Sections of the config file
  ///   may give each URL its own.
  mutating func note(_ expected: Integrity, of target: TargetURI, in group: Int) throws(Failure) {
    if group != self.group { (self.group, noted) = (group, []) }
    for other in noted where other.expected == expected {
      guard other.target == target else {
        throw .contradiction(
          "--sha256 and --integrity are for one URL, and there are several", hint: Self.hint)
      }
      return
    }
    noted.append((expected, target))
  }

  /// The failure of a set of options with two digests.
  static var twice: Failure {
    .contradiction("--sha256 and --integrity name two different bodies", hint: hint)
  }

  private static let hint = "--sha256 HEX URL --next --sha256 HEX URL gives each its own"
}
