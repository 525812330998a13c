/// The directories for a user's files.
///
/// - Source: XDG Base Directory Specification 0.8.
package struct BaseDirectories: Equatable, Sendable {
  private let environment: Environment

  package init(_ environment: Environment) {
    self.environment = environment
  }

  /// The base directory of caches. It is `nil` if neither the XDG variable nor HOME names a directory, or if the
  /// variable is relative: a cache in a place other than the named one would be missed where it is expected, and grow
  /// where nobody looks.
  package var cache: Path? {
    guard let path = environment.path(Self.cacheVariable) else { return home?.appending(".cache") }
    return path.isAbsolute ? path : nil
  }

  /// The home directory, if the base directory of caches is in there because the XDG variable names no other.
  package var homeOfCache: Path? { environment.path(Self.cacheVariable) == nil ? home : nil }

  /// The variable that should name the base directory of caches, if it is a relative path, which means another
  /// directory for each working directory.
  package var relativeCacheVariable: String? {
    let variable = environment.path(Self.cacheVariable) == nil ? Self.homeVariable : Self.cacheVariable
    return environment.path(variable)?.isAbsolute == false ? variable : nil
  }

  /// The base directory of configuration files; `nil` if neither the XDG variable nor HOME names a directory.
  package var configuration: Path? {
    // "If an implementation encounters a relative path in any of these variables it should consider the path invalid
    // and ignore it."
    if let path = environment.path("XDG_CONFIG_HOME"), path.isAbsolute { return path }
    return home?.appending(".config")
  }

  private static let cacheVariable = "XDG_CACHE_HOME"
  private static let homeVariable = "HOME"

  /// The user's home directory; `nil` if HOME does not name an absolute path.
  package var home: Path? {
    guard let home = environment.path(Self.homeVariable), home.isAbsolute else { return nil }
    return home
  }

  /// Returns the path in a variable. It may not have been read by a shell, so a leading `~/` stands for the home
  /// directory.
  package func path(_ variable: String) -> Path? {
    guard let path = environment.path(variable) else { return nil }
    guard path.hasPrefix("~/"), let home else { return path }
    return Path(home.bytes + path.bytes.dropFirst())
  }
}
