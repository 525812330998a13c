import Glibc

/// The user with whose rights the process acts.
package enum EffectiveUser {
  /// The corresponding C function is `geteuid`.
  package static var id: UInt32 { geteuid() }
}
