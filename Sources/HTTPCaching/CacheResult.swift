/// The result of a request, as it is reported to the user and counted.
package enum CacheResult: String, Equatable, Sendable, CaseIterable {
  case hit
  /// Served stale, by a named grant.
  case stale
  /// A 304 confirmed the stored response.
  case validated
  /// A response was stored, and the origin sent another one.
  case updated
  case miss
  case bypass

  /// Whether the content came from the store.
  package var isServed: Bool {
    switch self {
    case .hit, .stale, .validated: true
    case .updated, .miss, .bypass: false
    }
  }
}
