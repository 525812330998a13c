/// Where a user's files go.
///
/// - Source: XDG Base Directory Specification 0.8.
package struct BaseDirectories: Equatable, Sendable {
  private let environment: Environment

  package init(_ environment: Environment) {
    self.environment = environment
  }

  /// `nil` where neither the XDG variable nor HOME says a place, and where the variable is relative: a cache in another
  /// place than somebody has named would be missed where it was meant to be, and grow where nobody looks.
  package var cache: Path? {
    guard let path = environment.path(Self.cacheVariable) else { return home?.appending(".cache") }
    return path.isAbsolute ? path : nil
  }
  /// Whether the XDG variable names a place that each working directory has its own of.
  package var isCacheRelative: Bool { environment.path(Self.cacheVariable)?.isAbsolute == false }
  /// `nil` where neither the XDG variable nor HOME says a place.
  package var configuration: Path? {
    // "If an implementation encounters a relative path in any of these variables it should consider the path invalid
    // and ignore it."
    if let path = environment.path("XDG_CONFIG_HOME"), path.isAbsolute { return path }
    return home?.appending(".config")
  }

  private static let cacheVariable = "XDG_CACHE_HOME"

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
}
