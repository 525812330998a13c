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

  /// The user's; `nil` where HOME does not name it.
  package var home: Path? {
    guard let home = environment.path("HOME"), home.isAbsolute else { return nil }
    return home
  }

  /// What a variable names: no shell need have read it, so that `~/` at its beginning stands for the user's directory.
  package func path(_ variable: String) -> Path? {
    guard let path = environment.path(variable) else { return nil }
    guard path.hasPrefix("~/"), let home else { return path }
    return Path(home.bytes + path.bytes.dropFirst())
  }

  private func directory(_ variable: String, orUnderHome fallback: Path) -> Path? {
    // "If an implementation encounters a relative path in any of these variables it should consider the path invalid
    // and ignore it."
    if let path = environment.path(variable), path.isAbsolute { return path }
    return home?.appending(fallback)
  }
}
