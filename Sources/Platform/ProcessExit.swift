import Glibc

/// The end of the process.
package enum ProcessExit {
  /// Ends the process at once: nothing is buffered, and nobody has asked to be called.
  ///
  /// The corresponding C function is `_exit`.
  package static func exit(_ status: Int32) -> Never {
    _exit(status)
  }
}
