import CPlatform
import Glibc

/// Another thread of this process. Nobody has to wait for it.
///
/// The corresponding C type is `pthread_t`.
package final class Thread: @unchecked Sendable {
  private var handle = pthread_t()

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// In bytes. There may be hundreds of threads, and with glibc's 8 MiB for each of their stacks, they would take more
  /// addresses than a limited process may map (`ulimit -v`).
  private static let stackSize = 1 << 20

  /// Limits the arenas of glibc's malloc(3), which reserves 64 MiB of addresses for each and has eight for each
  /// processor.
  private static let hasFewArenas: Bool = cplatform_limit_arenas(2) == 0

  /// Starts a thread that runs `body`. The corresponding C function is `pthread_create`.
  ///
  /// - Throws: an error if there can be no more threads.
  package init(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    _ = Self.hasFewArenas
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Self.stackSize)
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(
      &handle, &attributes,
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

  /// The number of threads that can work at the same time. The corresponding C functions are `sched_getaffinity`
  /// and `sysconf`.
  package static var usableProcessors: Int { Int(cplatform_usable_processors()) }

  /// The number of threads that can exist at a time: their stacks may take half of the addresses that this process may
  /// map. The corresponding C function is `getrlimit` with `RLIMIT_AS`.
  package static var limit: UInt64 {
    var limit = rlimit()
    guard getrlimit(Int32(RLIMIT_AS.rawValue), &limit) == 0 else { return .max }
    return UInt64(limit.rlim_cur) / 2 / UInt64(stackSize)
  }

  /// Waits for the end of the thread. It may be called once. The corresponding C function is `pthread_join`.
  package func join() { pthread_join(handle, nil) }
}
