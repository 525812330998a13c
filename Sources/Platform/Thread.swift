import CPlatform
import Glibc

/// Another line of work in this process; nobody has to wait for it.
///
/// The corresponding C type is `pthread_t`.
package final class Thread: @unchecked Sendable {
  private var handle = pthread_t()

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// - Throws: where there can be no more threads. The corresponding C function is `pthread_create`.
  package init(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw Errno(rawValue: code)
    }
  }

  /// How many can be at work at the same time. The corresponding C function is `sched_getaffinity`.
  package static var usableProcessors: Int { Int(cplatform_usable_processors()) }

  /// Waits for its end, once. The corresponding C function is `pthread_join`.
  package func join() { pthread_join(handle, nil) }
}
