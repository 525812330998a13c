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

  /// In bytes. Each of hundreds of threads has one, and glibc's 8 MiB are more than a limited process may map
  /// (`ulimit -v`).
  private static let stackSize = 1 << 20

  /// glibc's malloc(3) reserves 64 MiB of addresses for each arena, and has eight for each processor.
  private static let hasFewArenas: Bool = cplatform_limit_arenas(2) == 0

  /// - Throws: where there can be no more threads. The corresponding C function is `pthread_create`.
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

  /// How many can be at work at the same time. The corresponding C function is `sched_getaffinity`.
  package static var usableProcessors: Int { Int(cplatform_usable_processors()) }

  /// How many there can be at a time: their stacks may have half of the addresses that this process may have. The
  /// corresponding C function is `getrlimit` with `RLIMIT_AS`.
  package static var limit: UInt64 {
    var limit = rlimit()
    guard getrlimit(Int32(RLIMIT_AS.rawValue), &limit) == 0 else { return .max }
    return UInt64(limit.rlim_cur) / 2 / UInt64(stackSize)
  }

  /// Waits for its end, once. The corresponding C function is `pthread_join`.
  package func join() { pthread_join(handle, nil) }
}
