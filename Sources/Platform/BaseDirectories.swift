/// Where a user's files go.
///
/// - Source: XDG Base Directory Specification 0.8.
package struct BaseDirectories: Hashable, Sendable {
  /// `nil` where neither the XDG variable nor HOME says a place.
  package let cache: Path?
  package let configuration: Path?
  package let state: Path?

  package init(_ environment: Environment) {
    cache = Self.directory("XDG_CACHE_HOME", orUnderHome: ".cache", in: environment)
    configuration = Self.directory("XDG_CONFIG_HOME", orUnderHome: ".config", in: environment)
    state = Self.directory("XDG_STATE_HOME", orUnderHome: ".local/state", in: environment)
  }

  private static func directory(_ variable: String, orUnderHome fallback: Path, in environment: Environment) -> Path? {
    // "If an implementation encounters a relative path in any of these variables it should consider the path invalid
    // and ignore it."
    if let path = environment.path(variable), path.isAbsolute { return path }
    guard let home = environment.path("HOME"), home.isAbsolute else { return nil }
    return home.appending(fallback)
  }
}
