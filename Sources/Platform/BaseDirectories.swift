/// Where a user's files go.
///
/// - Source: XDG Base Directory Specification 0.8.
package struct BaseDirectories: Equatable, Sendable {
  private let environment: Environment

  package init(_ environment: Environment) {
    self.environment = environment
  }

  /// `nil` where neither the XDG variable nor HOME says a place.
  package var cache: Path? { directory("XDG_CACHE_HOME", orUnderHome: ".cache") }
  package var configuration: Path? { directory("XDG_CONFIG_HOME", orUnderHome: ".config") }

  private func directory(_ variable: String, orUnderHome fallback: Path) -> Path? {
    // "If an implementation encounters a relative path in any of these variables it should consider the path invalid
    // and ignore it."
    if let path = environment.path(variable), path.isAbsolute { return path }
    guard let home = environment.path("HOME"), home.isAbsolute else { return nil }
    return home.appending(fallback)
  }
}
