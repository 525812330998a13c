import CacheStore
import Platform

/// The handling of store failures: they are reported, and what has failed is not tried again. The fetch itself goes on.
struct StoreFaults {
  private let condition: StoreCondition
  private let diagnostics: Diagnostics
  /// Whether a run that cannot store has failed.
  private let isNeeded: Bool
  private let purpose: String
  private let root: Path?

  init(_ condition: StoreCondition, _ diagnostics: Diagnostics, _ plan: StorePlan) {
    self.condition = condition
    self.diagnostics = diagnostics
    (isNeeded, purpose) = (plan.isNeeded, plan.purpose)
    root = plan.root
  }

  /// Where the store is, for messages.
  private var place: String { Failure.place(of: root) }

  /// Why a run whose purpose is to store could not store.
  var failure: Failure? { isNeeded ? condition.failure : nil }

  /// Why the store is off, as a sentence; `nil` if it is not.
  var offReason: String? { condition.offReason }

  /// Turns the store off, because there is no directory for it.
  func turnOff(_ noDirectory: Failure) {
    condition.turnOff(because: warn(noDirectory.message, orFailWith: noDirectory))
  }

  /// Turns the store off for the rest of the run.
  func turnOff(_ error: StoreError) {
    let sentence = warn("the cache\(place) is not used: \(error)", orFailWith: failure(error))
    condition.turnOff(because: sentence)
  }

  /// Notes an error of writing. A store that cannot be written is still read. If its owner has made it read-only, there
  /// is no warning.
  func noteUnwritable(_ error: StoreError) {
    if error == .contentChanged { return diagnostics.warn("nothing is stored: \(error)") }
    if error.concernsResponse { return diagnostics.note("cache: not stored: \(error)") }
    condition.isReadOnly = true
    if error.isReadOnly, !isNeeded {
      diagnostics.note("cache: nothing is stored: \(error)")
    } else {
      warn("nothing is stored in the cache\(place): \(error)", orFailWith: failure(error))
    }
  }

  /// Notes that the space of the store is needed for what is delivered: the run takes no more of it.
  func noteSpaceReclaimed() {
    condition.isReadOnly = true
    diagnostics.note("cache: nothing more is stored: the output needs the disk space")
  }

  /// Warns once in a run, whatever else goes wrong; later texts are only noted.
  ///
  /// - Parameter isOfError: as for `Diagnostics.warn`.
  func warn(_ text: String, hint: String? = nil, isOfError: Bool = false) {
    if condition.takeFirstWarning() {
      diagnostics.warn(text, hint: hint, isOfError: isOfError)
    } else {
      diagnostics.note("cache: \(text)")
    }
  }

  /// Warns, unless the run has failed by this: then the failure is reported when the run ends, in place of a warning.
  ///
  /// - Returns: the text.
  @discardableResult
  private func warn(_ text: String, orFailWith failure: Failure) -> String {
    if isNeeded {
      condition.note(failure)
      diagnostics.note("cache: \(text)")
    } else {
      warn(text, hint: failure.hint)
    }
    return text
  }

  private func failure(_ error: StoreError) -> Failure {
    .store(cannot: purpose, in: root, error)
  }
}
