import CacheStore
import Platform

/// What is said when the store fails, and what is not tried any more: the fetch does not suffer from it.
struct StoreFaults {
  private let condition: StoreCondition
  private let diagnostics: Diagnostics
  /// Whether a run that cannot store has failed.
  private let isNeeded: Bool
  private let purpose: String
  /// For messages: where the store is.
  private let place: String

  init(_ condition: StoreCondition, _ diagnostics: Diagnostics, _ plan: StorePlan) {
    self.condition = condition
    self.diagnostics = diagnostics
    (isNeeded, purpose) = (plan.isNeeded, plan.purpose)
    place = plan.root.map { " in \(Escaping.visible($0.bytes))" } ?? ""
  }

  /// Why a run that is to store could not.
  var failure: Failure? { isNeeded ? condition.failure : nil }

  /// Why the store is let alone, as a sentence; `nil` where it is not.
  var disuse: String? { condition.disuse }

  /// There is no store, because there is no directory for one.
  func turnOff(_ noDirectory: Failure) {
    condition.turnOff(because: warn(noDirectory.message, orFailWith: noDirectory))
  }

  /// The store is let alone for the rest of the run.
  func turnOff(_ error: StoreError) {
    let sentence = warn("the cache\(place) is not used: \(error)", orFailWith: failure(error))
    condition.turnOff(because: sentence)
  }

  /// A store that cannot be written is read all the same; one that is there, and whose owner has made it so, needs no
  /// warning.
  func noteUnwritable(_ error: StoreError) {
    switch error {
    case .contentChanged:
      return diagnostics.warn("nothing is stored: \(error)")
    case .tooLarge, .full, .variantsPinned, .headTooLarge:
      // Of this response, not of the store.
      return diagnostics.note("cache: not stored: \(error)")
    case .unsafe, .failed, .damaged, .contentTooLong, .notItsExtent:
      condition.isReadOnly = true
    }
    if error.isReadOnly, !isNeeded {
      diagnostics.note("cache: nothing is stored: \(error)")
    } else {
      warn("nothing is stored in the cache\(place): \(error)", orFailWith: failure(error))
    }
  }

  /// The room that the store has taken is needed for what is delivered: the run takes no more of it.
  func noteGivenBack() {
    condition.isReadOnly = true
    diagnostics.note("cache: nothing more is stored: there is no room beside what is delivered")
  }

  /// One warning is enough, whatever else goes wrong in a run.
  ///
  /// - Parameter isOfError: as for `Diagnostics.warn`.
  func warn(_ text: String, hint: String? = nil, isOfError: Bool = false) {
    if condition.takeFirstWarning() {
      diagnostics.warn(text, hint: hint, isOfError: isOfError)
    } else {
      diagnostics.note("cache: \(text)")
    }
  }

  /// What is the failure of the run is told when it ends, in the place of a warning.
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
    .store("cannot \(purpose) the cache\(place): \(error.reason)", hint: error.hint)
  }
}

extension StoreError {
  /// What helps where the way to the store is barred.
  var hint: String? {
    switch self {
    case .failed(.openingStore, .accessDenied), .failed(.creatingStore, .accessDenied):
      "chown gives back a directory on the way to it; --cache-dir and GARNER_CACHE_DIR name another place"
    case .unsafe(.writableByOthers): "'chmod go-w' makes it its owner's alone"
    case .unsafe(.foreignParent): "--cache-dir and GARNER_CACHE_DIR name another place"
    default: nil
    }
  }
}
