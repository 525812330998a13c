import HTTPSemantics
package import Platform

/// Where things lie below the root: `v1/` with the lock file, the secret, the tallies, the digests, `tmp/`, and 256
/// directories of entries.
package enum StoreLayout {
  /// A directory per format: a program of another version never touches what is not its own.
  static let version: Path = "v1"
  /// Below the version's directory, as what follows.
  static let temporaries: Path = "tmp"
  static let secret: Path = "secret"
  static let tallies: Path = "tallies"

  /// Where content lies that has a known digest, relative to the root: hints, which may be wrong.
  static let digests: Path = "v1/digests"

  /// For waiting for each other only, relative to the root: no promise of the store depends on it.
  package static let lock: Path = "v1/lock"

  /// Every directory in which entries can lie, present or not, below the version's.
  static var shards: [Path] { (0...UInt8.max).map(shard) }

  static func shard(_ number: UInt8) -> Path {
    Path(Base16.encoded([number])) ?? "."
  }

  /// What a new store tells backups (to leave it out: the Cache Directory Tagging Specification) and people.
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
