import Glibc
import Platform
import TestSupport
import Testing

/// Runs that want the same variant at the same time, where variants of the URL are already stored.
@Suite struct CollapsingVariantTests {
  private static let varying = [fresh, ("Vary", "X")]

  private static func variant(_ request: ReceivedRequest) -> OriginAnswer {
    .response(fields: varying, text: request.value("X") ?? "")
  }

  /// A pause that opens the gate once `count` threads wait for another run.
  ///
  /// If a wait does not end, the program's time runs out.
  private static func opening(
    _ gate: Gate, whenWaiting count: Int, _ clock: ManualClock
  ) -> @Sendable (UInt64) -> Void {
    let (waiting, deadline) = (Monitor<Set<pthread_t>>([]), Deadline(afterMilliseconds: 20_000))
    return { nanoseconds in
      let isComplete = waiting.withLock { threads in
        threads.insert(pthread_self())
        return threads.count >= count
      }
      if isComplete { gate.open() }
      if deadline.isPast { clock.advance(bySeconds: 3_600) }
      Clock.system.pause(nanoseconds)
    }
  }

  /// The age of the stored variants in seconds: fresh, or stale.
  @Test(arguments: [0, 100])
  func `equal requests of several runs become one while another variant is being fetched`(_ age: UInt32) throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      request.number > 2 ? .late(gate, Self.variant(request)) : Self.variant(request)
    }
    scenario.whenPausing = Self.opening(gate, whenWaiting: 3, scenario.clock)
    try scenario.run("-H", "X: 0", scenario.url())
    if age > 0 { try scenario.run("-H", "X: 2", scenario.url()) } else { try scenario.run(scenario.url("/other")) }
    scenario.clock.advance(bySeconds: age)
    let other = scenario.start("-H", "X: 1", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 3))
    let equal = (0..<4).map { _ in scenario.start("-H", "X: 2", scenario.url()) }
    for run in equal { #expect(try run.finish().text == "2") }
    #expect(try other.finish().text == "1")
    #expect(scenario.origin.requests.count == 4)
  }

  @Test func `a run does not wait when it is known to want another variant than the one being fetched`() throws {
    let (gate, pauses) = (Gate(), Monitor(0))
    let scenario = try Scenario { request in
      request.number == 2 ? .late(gate, Self.variant(request)) : Self.variant(request)
    }
    scenario.whenPausing = { _ in
      pauses.withLock { $0 += 1 }
      gate.open()
    }
    try scenario.run("-H", "X: 0", scenario.url())
    let other = scenario.start("-H", "X: 1", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 2))
    #expect(try scenario.run("-H", "X: 2", scenario.url()).text == "2")
    #expect(pauses.withLock { $0 } == 0)
    gate.open()
    #expect(try other.finish().text == "1")
  }

  @Test(arguments: [[], ["--memory-only"]])
  func `equal requests of a run become one while the run fetches another variant`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      OriginAnswer([.pause] + Self.variant(request).parts)
    }
    func set(_ value: String, _ count: Int) -> [String] {
      options + ["-Z", "-H", "X: \(value)"] + Array(repeating: scenario.url(), count: count)
    }
    if options.isEmpty { try scenario.run("-H", "X: 0", scenario.url()) }
    let sets = [set("1", 1), set("2", 5), set("3", 5)]
    let run = try scenario.run(Array(sets.joined(separator: ["--next"])))
    #expect(run.text == "12222233333", "\(run.diagnostics)")
    #expect(scenario.origin.requests.count == (options.isEmpty ? 4 : 3))
  }

  @Test func `no thread waits for ever when each answer varies by other fields`() throws {
    let scenario = try Scenario { request in
      .response(fields: [fresh, ("Vary", "X, Y\(request.number)")], text: request.value("X") ?? "")
    }
    let sets = (0..<20).map { ["-Z", "-H", "X: \($0 % 10)", "-H", "Y\($0): 1", scenario.url(), scenario.url()] }
    let run = try scenario.run(Array(sets.joined(separator: ["--next"])))
    #expect(run.text == (0..<20).map { "\($0 % 10)\($0 % 10)" }.joined(), "\(run.diagnostics)")
  }
}
