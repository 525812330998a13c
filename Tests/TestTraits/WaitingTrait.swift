import TestSupport
package import Testing

/// Runs tests that wait more than they work on threads beside those of the others, which are as many as processors.
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

/// Threads of which each takes the next job that there is.
private final class WaitingThreads: TaskExecutor {
  /// Few: the others have deadlines, too.
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
