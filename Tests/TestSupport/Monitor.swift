import Glibc

/// State that threads share, with a mutex and a condition, so that waiting for a change needs no polling.
package final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  package init(_ state: sending State) {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    self.state = state
    pthread_mutex_init(mutex, nil)
    // The monotonic clock: a time limit must not move when the machine's date is set.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the state, then wakes all threads that wait for a change.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Waits until `attempt` yields a value.
  package func wait<Result>(_ attempt: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = attempt(&state) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Waits until `attempt` yields a value, or until the deadline.
  ///
  /// - Returns: `nil` once the deadline is past and `attempt` still yields nothing.
  package func wait<Result>(until deadline: Deadline, _ attempt: (inout State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = attempt(&state) { return result }
      var time = deadline.time
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return attempt(&state) }
    }
  }
}

/// A moment of the monotonic clock.
package struct Deadline: Sendable, Comparable {
  private static let nanosecondsPerSecond = 1_000_000_000

  fileprivate var time: timespec

  /// The moment that lies this many milliseconds ahead.
  package init(afterMilliseconds milliseconds: Int) {
    time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    time.tv_sec += milliseconds / 1000
    time.tv_nsec += milliseconds % 1000 * 1_000_000
    if time.tv_nsec >= Self.nanosecondsPerSecond {
      time.tv_sec += 1
      time.tv_nsec -= Self.nanosecondsPerSecond
    }
  }

  /// The time that is left, as `poll` takes it; 0 where the deadline is past.
  package var remainingMilliseconds: Int32 {
    let now = Deadline(afterMilliseconds: 0).time
    let nanoseconds = (time.tv_sec - now.tv_sec) * Self.nanosecondsPerSecond + time.tv_nsec - now.tv_nsec
    return Int32(clamping: max(0, nanoseconds + 999_999) / 1_000_000)
  }

  package var isPast: Bool { self <= Deadline(afterMilliseconds: 0) }

  package static func == (one: Deadline, other: Deadline) -> Bool {
    one.time.tv_sec == other.time.tv_sec && one.time.tv_nsec == other.time.tv_nsec
  }

  package static func < (one: Deadline, other: Deadline) -> Bool {
    (one.time.tv_sec, one.time.tv_nsec) < (other.time.tv_sec, other.time.tv_nsec)
  }
}

/// A gate that is shut until a test opens it. It takes the place of a delay in an answer that must be late.
package final class Gate: Sendable {
  private let isOpen = Monitor(false)

  package init() {}

  /// Lets every thread pass, those that wait and those that come later.
  package func open() {
    isOpen.withLock { $0 = true }
  }

  /// Waits until the gate is open.
  package func pass() {
    isOpen.wait { $0 ? () : nil }
  }

  /// Waits until the gate is open, at most this long.
  ///
  /// - Returns: whether it opened in time.
  package func pass(withinMilliseconds milliseconds: Int) -> Bool {
    isOpen.wait(until: Deadline(afterMilliseconds: milliseconds)) { $0 ? true : nil } ?? false
  }
}

/// Runs `body` on a thread of its own, detached.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  defer { pthread_attr_destroy(&attributes) }
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body)).toOpaque()
  let status = pthread_create(
    &thread, &attributes,
    { pointer in
      guard let pointer else { return nil }
      Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
      return nil
    }, work)
  precondition(status == 0, "no thread could be started")
}
