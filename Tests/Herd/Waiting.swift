import Glibc
import TestSupport

/// All processes fetch the same URL at once.
struct Waiting {
  private let stage: Stage
  private let content = Pattern.bytes(count: 100_000)

  private static let answerMilliseconds = 1_000
  /// For 64 processes that wait for an answer that takes one second and cannot be stored.
  private static let maximumSeconds = 2.5
  private static let storable = [("Cache-Control", "max-age=3600")]

  init(on stage: Stage) {
    self.stage = stage
  }

  /// The answer comes once all processes have had the time to ask.
  func forOneAnswer() throws -> Scenario.Outcome {
    let origin = try OriginServer { _ in late(Self.storable) }
    let tally = fetchAll(origin.url("/one"), count: stage.options.processes)
    return Scenario.Outcome(tally: tally, requests: origin.requests.count, maximumRequests: 1)
  }

  func forAnUncacheableAnswer() throws -> Scenario.Outcome {
    let origin = try OriginServer { _ in late([("Cache-Control", "no-store")]) }
    let tally = fetchAll(origin.url("/uncacheable"), count: stage.options.processes)
    return Scenario.Outcome(tally: tally, requests: origin.requests.count, maximumSeconds: Self.maximumSeconds)
  }

  /// The first process is stopped while all others wait for it. They go on without it, and it is served once it runs
  /// again.
  func behindAStoppedLeader() throws -> Scenario.Outcome {
    let gate = Gate()
    let origin = try OriginServer { request in
      let answer = OriginAnswer.response(fields: Self.storable, content: content)
      return request.number == 1 ? .late(gate, answer) : answer
    }
    let url = origin.url("/stopped")
    let leader = try Fetch(["-sS", url], in: stage.surroundings, expecting: content)
    _ = origin.hasSeen(requests: 1)
    kill(leader.processID, SIGSTOP)
    var tally = fetchAll(url, count: stage.options.processes - 1, flags: ["--collapse-timeout", "1"])
    kill(leader.processID, SIGCONT)
    gate.open()
    tally.add(leader.finish(), of: url)
    return Scenario.Outcome(tally: tally, requests: origin.requests.count, maximumRequests: stage.options.processes)
  }

  /// An answer after a delay, as from an origin that has to think. A thread for each request ends the delay.
  private func late(_ fields: [(String, String)]) -> OriginAnswer {
    let gate = Gate()
    startThread {
      poll(nil, 0, Int32(Self.answerMilliseconds))
      gate.open()
    }
    return .late(gate, .response(fields: fields, content: content))
  }

  private func fetchAll(_ url: String, count: Int, flags: [String] = []) -> Tally {
    let tally = Monitor(Tally())
    stage.inParallel(count) { _ in
      let ending: Ending
      do {
        ending = try Fetch(["-sS"] + flags + [url], in: stage.surroundings, expecting: content).finish()
      } catch {
        ending = .wrong("\(error)")
      }
      tally.withLock { $0.add(ending, of: url) }
    }
    return tally.withLock { $0 }
  }
}
