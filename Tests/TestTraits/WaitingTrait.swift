import TestSupport
package import Testing

/// Runs tests that mostly wait on threads of their own, because other tests have only as many threads as processors.
package struct WaitingTrait: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTrait {
  package static var waiting: Self { WaitingTrait() }
}

/// A fixed number of threads, each of which takes the next job from a queue.
private final class WaitingThreads: TaskExecutor {
  /// Few threads, because the other tests have deadlines, too.
  static let shared = WaitingThreads(count: 3)

  private let jobs = Monitor<[UnownedJob]>([])

  private init(count: Int) {
    for _ in 0..<count {
      startThread {
        while true {
          let job = self.jobs.wait { jobs in jobs.isEmpty ? nil : jobs.removeFirst() }
          job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }
}
