import CPlatform

/// Work that goes on after the process has answered and ended.
package enum DetachedProcess {
  /// Does `work` in another process, which has its own session and no standard streams.
  ///
  /// This process must have only one thread when this is called. If no process can be created, the work is not done.
  ///
  /// - Parameter limitSeconds: the time after which the other process is ended, whatever it does.
  package static func run(limitSeconds: UInt32, _ work: () -> Void) {
    guard cplatform_detach(limitSeconds) == 1 else { return }
    work()
    ProcessExit.exit(0)
  }
}
