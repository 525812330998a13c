import CPlatform

/// Work that goes on when the process has answered and ended.
package enum DetachedProcess {
  /// Does `work` in a process of its own, in a session of its own, without the standard streams.
  ///
  /// The process has one thread when this is called. Where no process can be made, the work is not done.
  ///
  /// - Parameter limitSeconds: after which the other process is ended, whatever it does.
  package static func run(limitSeconds: UInt32, _ work: () -> Void) {
    guard cplatform_detach(limitSeconds) == 1 else { return }
    work()
    ProcessExit.exit(0)
  }
}
