import Glibc

/// A lock that lets one thread at a time go on, for state that several threads share.
///
/// The thread that holds it may take it again. The corresponding C type is `pthread_mutex_t`.
package final class Lock: @unchecked Sendable {
  // Allocated by itself: the C functions need the mutex at one address for its whole life.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init() {
    mutex = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE_NP))
    pthread_mutex_init(mutex, &attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }

  /// - Returns: whether this thread has the lock now; false if another one has it.
  package func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  package func unlock() { pthread_mutex_unlock(mutex) }
}

/// A lock that a thread can wait under until another one has changed what it guards.
///
/// The corresponding C types are `pthread_mutex_t` and `pthread_cond_t`.
package final class Condition: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init() {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    var kind = pthread_mutexattr_t()
    pthread_mutexattr_init(&kind)
    // The lock is held for moments only: a thread that finds it taken spins for a moment before it sleeps.
    pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
    pthread_mutex_init(mutex, &kind)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Users can set the default clock, the time of day.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }

  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Releases the lock, waits for a notification, and takes the lock again. It may return without a notification.
  ///
  /// - Parameter milliseconds: the longest wait.
  package func wait(milliseconds: Int) {
    var deadline = Clock.deadline(milliseconds: milliseconds)
    pthread_cond_timedwait(condition, mutex, &deadline)
  }

  /// Wakes all waiting threads.
  package func notifyAll() { pthread_cond_broadcast(condition) }

  /// Wakes one waiting thread.
  package func notifyOne() { pthread_cond_signal(condition) }
}
