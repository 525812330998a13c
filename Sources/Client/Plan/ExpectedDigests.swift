import HTTPSemantics

/// The digests that were typed for the URLs of a run.
///
/// A stored body with the expected digest answers any URL. Two URLs with the same digest would share the body of the
/// first, but only once it is stored.
struct ExpectedDigests {
  private var group = 0
  /// The digests of the present set of options.
  private var noted: [(expected: Integrity, target: TargetURI)] = []

  /// - Throws: an error if another URL of the same set of options expects the same digest. Sections of the config file
  ///   may give each URL its own.
  mutating func note(_ expected: Integrity, of target: TargetURI, in group: Int) throws(Failure) {
    if group != self.group { (self.group, noted) = (group, []) }
    for other in noted where other.expected == expected {
      guard other.target == target else {
        throw .contradiction(
          "--sha256 and --integrity are for one URL, and there are several", hint: Self.hint)
      }
      return
    }
    noted.append((expected, target))
  }

  /// The failure of a set of options with two digests.
  static var twice: Failure {
    .contradiction("--sha256 and --integrity name two different bodies", hint: hint)
  }

  private static let hint = "--sha256 HEX URL --next --sha256 HEX URL gives each its own"
}
