import CacheStore
import Platform

extension Failure {
  /// Returns the failure of an operation on the store as a whole.
  ///
  /// - Parameter root: `nil` if no place for a store is known.
  static func store(cannot purpose: String, in root: Path?, _ error: StoreError) -> Failure {
    .store("cannot \(purpose) the cache\(place(of: root)): \(error.reason)", hint: error.hint)
  }

  /// Returns where a store is, to be put behind "the cache".
  static func place(of root: Path?) -> String {
    root.map { " in \(Escaping.visible($0.bytes))" } ?? ""
  }
}

extension StoreError {
  /// The hint for a store that cannot be reached or trusted.
  var hint: String? {
    switch self {
    case .failed(.openingStore, .accessDenied), .failed(.creatingStore, .accessDenied):
      "chown or chmod gives you access to its directory; --cache-dir and GARNER_CACHE_DIR name another one"
    case .unsafe(.writableByOthers): "'chmod go-w' makes it writable only by its owner"
    case .unsafe(.foreignParent), .unsafe(.absentHome):
      "choose another directory with --cache-dir or GARNER_CACHE_DIR"
    default: nil
    }
  }
}
