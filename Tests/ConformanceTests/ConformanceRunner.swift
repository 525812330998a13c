import Glibc
import TestSupport

/// The outcome of a case, with the reason.
struct ConformanceResult: Sendable {
  let outcome: ConformanceOutcome
  let reason: String
}

/// Runs cases in parallel: a few workers make the requests, and a case that pauses does not hold up a worker.
final class ConformanceRunner: Sendable {
  /// The pause after a request with `pause_after`, for which the lifetimes in the cases are made.
  private static let pauseMilliseconds = 3000
  /// Twice the processors of the machine that the tests are made for, because a run waits for half of its time.
  private static let workerCount = 4

  /// A case in progress.
  private struct Progress: Sendable {
    let conformanceCase: ConformanceCase
    let token: String
    let home: TemporaryDirectory
    var responses: [PrintedResponse] = []
  }

  private struct Queue {
    var pending: [(due: Deadline, progress: Progress)] = []
    var unfinishedCount: Int
    var results: [String: ConformanceResult] = [:]
    /// The homes of cases that have ended: a background validation may still write to one.
    var homes: [TemporaryDirectory] = []
    /// The workers that have not ended, which may hold a case.
    var workingCount = ConformanceRunner.workerCount
  }

  private enum Turn {
    case make(Progress)
    case wait(Deadline)
    case over
  }

  private let script: ConformanceOrigin
  private let origin: OriginServer
  private let queue: Monitor<Queue>
  private let cases: [ConformanceCase]

  init(_ cases: [ConformanceCase]) throws {
    let script = ConformanceOrigin()
    self.script = script
    origin = try OriginServer { script.answer(to: $0) }
    self.cases = cases
    let now = Deadline(afterMilliseconds: 0)
    var pending: [(due: Deadline, progress: Progress)] = []
    for (index, conformanceCase) in cases.enumerated() {
      // The token has the length that cases with `Content-Length: 36` assume.
      let number = "\(index)"
      let token = "case-" + String(repeating: "0", count: 31 - number.count) + number
      script.prepare(conformanceCase.requests, under: token)
      let home = try TemporaryDirectory("conformance")
      pending.append((now, Progress(conformanceCase: conformanceCase, token: token, home: home)))
    }
    queue = Monitor(Queue(pending: pending, unfinishedCount: cases.count))
  }

  /// Runs every case to its end.
  ///
  /// - Returns: the results by the identifiers of the cases.
  func run() async -> [String: ConformanceResult] {
    await withCheckedContinuation { continuation in
      startThread { [self] in
        for _ in 0..<Self.workerCount { startThread { self.work() } }
        let results = queue.wait { $0.workingCount == 0 ? $0.results : nil }
        queue.withLock { $0.homes.removeAll() }
        origin.stop()
        continuation.resume(returning: resolvingDependencies(results))
      }
    }
  }

  private func work() {
    while true {
      switch queue.withLock({ Self.nextTurn(&$0) }) {
      case .over:
        queue.withLock { $0.workingCount -= 1 }
        return
      case .wait(let due):
        queue.wait(until: due) { queue -> Void? in
          queue.unfinishedCount == 0 || queue.pending.contains { $0.due < due } ? () : nil
        }
      case .make(let progress): advance(progress)
      }
    }
  }

  private static func nextTurn(_ queue: inout Queue) -> Turn {
    if queue.unfinishedCount == 0 { return .over }
    guard let next = queue.pending.indices.min(by: { queue.pending[$0].due < queue.pending[$1].due }) else {
      return .wait(Deadline(afterMilliseconds: pauseMilliseconds))
    }
    let due = queue.pending[next].due
    return due.isPast ? .make(queue.pending.remove(at: next).progress) : .wait(due)
  }

  /// Makes the requests of a case until its next pause or its end.
  private func advance(_ started: Progress) {
    var progress = started
    let requests = progress.conformanceCase.requests
    do {
      while progress.responses.count < requests.count {
        let request = requests[progress.responses.count]
        try makeRequest(request, of: &progress)
        if request.pausesAfter, progress.responses.count < requests.count {
          let due = Deadline(afterMilliseconds: Self.pauseMilliseconds)
          queue.withLock { $0.pending.append((due, progress)) }
          return
        }
      }
      try check(script.exchanges(under: progress.token), of: requests, responses: progress.responses)
      finish(progress, ConformanceResult(outcome: .pass, reason: ""))
    } catch let unfulfilled as Unfulfilled {
      let outcome: ConformanceOutcome = unfulfilled.isSetup ? .setup : .fail
      finish(progress, ConformanceResult(outcome: outcome, reason: unfulfilled.message))
    } catch {
      finish(progress, ConformanceResult(outcome: .setup, reason: "\(error)"))
    }
  }

  private func makeRequest(_ request: ConformanceRequest, of progress: inout Progress) throws {
    let number = progress.responses.count + 1
    let previousNow = request.hasMagicIfModifiedSince ? progress.responses.last?.number("Server-Now") : nil
    let run = toolRun(
      request, number: number, url: origin.url("/test/\(progress.token)"),
      nowMilliseconds: previousNow ?? Int(time(nil)) * 1000, home: progress.home)
    let response = PrintedResponse(try run.run())
    progress.responses.append(response)
    try check(response, to: request, number: number, token: progress.token)
  }

  private func finish(_ progress: Progress, _ result: ConformanceResult) {
    queue.withLock {
      $0.results[progress.conformanceCase.id] = result
      $0.homes.append(progress.home)
      $0.unfinishedCount -= 1
    }
  }

  private func resolvingDependencies(_ results: [String: ConformanceResult]) -> [String: ConformanceResult] {
    var resolved = results
    for conformanceCase in cases {
      let unmet = conformanceCase.dependsOn.filter { results[$0].map { $0.outcome != .pass } ?? false }
      if !unmet.isEmpty {
        let reason = "depends on \(unmet.joined(separator: ", "))"
        resolved[conformanceCase.id] = ConformanceResult(outcome: .dependency, reason: reason)
      }
    }
    return resolved
  }
}
