import HTTPCaching
import HTTPSemantics

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
