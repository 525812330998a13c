import Glibc

/// The end of the process.
package enum ProcessExit {
  /// Ends the process at once: there are no buffers to flush, and no exit handlers to call.
  ///
  /// The corresponding C function is `_exit`.
  package static func exit(_ status: Int32) -> Never {
    _exit(status)
  }
}
