import HTTPSemantics
package import Platform

/// The layout of the store below its root: `v1/` with the lock file, the secret, the tallies, the digests, `tmp/`, and
/// 256 directories of entries.
package enum StoreLayout {
  /// One directory per format: a program of another version never touches what is not its own.
  static let version: Path = "v1"
  /// Relative to the version's directory, like the next two.
  static let temporaries: Path = "tmp"
  static let secret: Path = "secret"
  static let tallies: Path = "tallies"

  /// Hints that lead from a known digest to an entry, which may be wrong; relative to the root.
  static let digests: Path = "v1/digests"

  /// The lock file, for runs that wait for each other and for watches, relative to the root. No promise of the store
  /// depends on it.
  package static let lock: Path = "v1/lock"

  /// Every directory that can hold entries, present or not, relative to the version's.
  static var shards: [Path] { (0...UInt8.max).map(shard) }

  static func shard(_ number: UInt8) -> Path {
    Path(Base16.encoded([number])) ?? "."
  }

  /// The files in which a new store tells people what it is, and backups to leave it out (Cache Directory Tagging
  /// Specification).
  static let notices: [(name: Path, text: String)] = [
    (
      "CACHEDIR.TAG",
      """
      Signature: 8a477f597d28d172789f06886806bc55
      # This file is a cache directory tag created by garner.
      # For information about cache directory tags see https://bford.info/cachedir/

      """
    ),
    (
      "README",
      """
      This directory is garner's cache of HTTP responses. It can be removed at any time, whole or in part:
      what is missing is fetched again. `garner cache ls` lists it, `garner cache rm --all` empties it.

      """
    ),
  ]
}
