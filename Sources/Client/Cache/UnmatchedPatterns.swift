import HTTPCaching
import HTTPSemantics
import Interface

/// The patterns of a command that have selected no response so far.
struct UnmatchedPatterns {
  private let patterns: [URLPattern]
  private let typed: [String]
  /// The URLs of the patterns without an asterisk for which nothing has been found.
  private var targets: Set<TargetURI>
  private var globs: [URLPattern]

  /// - Parameter typed: the texts of the patterns, in the same order.
  init(_ patterns: [URLPattern], typedAs typed: [String]) {
    self.patterns = patterns
    self.typed = typed
    targets = Set(patterns.flatMap(\.targets))
    globs = patterns.filter(\.targets.isEmpty)
  }

  /// Notes that a response stored under a key has been selected.
  mutating func note(_ key: PrimaryKey) {
    if !globs.isEmpty { globs.removeAll { $0.matches(key) } }
    // A key without some parameters is for each URL that differs only in these.
    guard case .reduced = key else {
      targets.remove(key.target)
      return
    }
    for pattern in patterns { for target in pattern.targets where key.concerns(target) { targets.remove(target) } }
  }

  /// Notes that something is stored for a URL.
  mutating func note(_ target: TargetURI) { targets.remove(target) }

  /// The texts of the patterns that are left.
  var texts: [String] {
    var texts: [String] = []
    for (pattern, text) in zip(patterns, typed) where isLeft(pattern) { texts.append(text) }
    return texts
  }

  private func isLeft(_ pattern: URLPattern) -> Bool {
    pattern.targets.isEmpty ? globs.contains(pattern) : pattern.targets.allSatisfy { targets.contains($0) }
  }
}

extension CacheCommand {
  /// Reports each pattern that has selected nothing, although the others have been carried out, as rm(1) does.
  ///
  /// - Returns: the exit status.
  func report(_ unmatched: [String], to diagnostics: Diagnostics) -> Int32 {
    for text in unmatched { diagnostics.report(.nothingMatched([text])) }
    return (unmatched.isEmpty ? ExitStatus.success : ExitStatus.nothingMatched).rawValue
  }
}
