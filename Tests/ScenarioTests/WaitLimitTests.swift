import Platform
import TestSupport
import Testing

/// The time that a run with `-m` waits for another one that requests the same response.
@Suite struct WaitLimitTests {
  /// An answer whose pieces of content come one by one, and a run that waits for it.
  private struct SlowAnswer {
    let scenario: Scenario
    private let pauses = Monitor(0)
    private let gates = (0..<16).map { _ in Gate() }

    /// - Parameter seconds: what passes whenever the waiting run pauses. Then a piece comes.
    init(tellingLength tellsLength: Bool, secondsForEach seconds: UInt32) throws {
      let framing = tellsLength ? ("Content-Length", "16") : ("Transfer-Encoding", "chunked")
      let head = OriginAnswer.head(200, nil, fields: [OriginAnswer.freshForAMinute, framing])
      let piece = Array((tellsLength ? "a" : "1\r\na\r\n").utf8)
      let end = OriginAnswer.Part.bytes(tellsLength ? [] : Array("0\r\n\r\n".utf8))
      let pieces = gates.flatMap { [OriginAnswer.Part.wait($0), .bytes(piece)] }
      scenario = try Scenario { request in
        request.number == 1 ? OriginAnswer([.bytes(head)] + pieces + [end]) : .response(text: "asked for again")
      }
      let (clock, locks) = (scenario.clock, scenario.directory)
      scenario.whenPausing = { [pauses, gates] _ in
        let number = pauses.withLock { count in
          count += 1
          return count
        }
        guard number <= gates.count else { return }
        let before = try? locks.read("cache/garner/v1/lock")
        clock.advance(bySeconds: seconds)
        gates[number - 1].open()
        let deadline = Deadline(afterMilliseconds: 5_000)
        while (try? locks.read("cache/garner/v1/lock")) == before, !deadline.isPast { Clock.system.pause(1_000_000) }
      }
    }

    var pauseCount: Int { pauses.withLock { $0 } }

    /// Runs the program while another run receives the answer, and then lets that end.
    func runBeside(_ options: String...) throws -> Scenario.Run {
      let leader = scenario.start(scenario.url())
      #expect(scenario.origin.hasSeen(requests: 1))
      let result = try scenario.run(["-v", "--collapse-timeout", "60"] + options + [scenario.url()])
      for gate in gates { gate.open() }
      #expect(try leader.finish().text == String(repeating: "a", count: gates.count))
      return result
    }
  }

  @Test func `a run waits for half of its time limit for an answer of unknown length`() throws {
    let answer = try SlowAnswer(tellingLength: false, secondsForEach: 1)
    let run = try answer.runBeside("-m", "16")
    #expect(run.text == "asked for again" && run.diagnostics.contains("waiting no longer"), "\(run.diagnostics)")
    #expect(answer.pauseCount == 8)
    #expect(answer.scenario.asked == ["/", "/"])
  }

  @Test func `a run waits for an answer whose length is known as long as it keeps coming`() throws {
    let answer = try SlowAnswer(tellingLength: true, secondsForEach: 1)
    let run = try answer.runBeside("-m", "24")
    #expect(run.text == "aaaaaaaaaaaaaaaa", "\(run.diagnostics)")
    #expect(answer.scenario.asked == ["/"])
  }

  @Test func `a run asks in place of one that has received content of unknown length for half a minute`() throws {
    let answer = try SlowAnswer(tellingLength: false, secondsForEach: 10)
    let run = try answer.runBeside()
    #expect(run.text == "asked for again" && run.diagnostics.contains("asking in its place"), "\(run.diagnostics)")
    #expect(answer.scenario.asked == ["/", "/"])
  }

  @Test func `a run whose own request takes too long gets what another run has stored meanwhile`() throws {
    let (isOver, isNeverOver) = (Gate(), Gate())
    let head = OriginAnswer.head(200, nil, fields: [OriginAnswer.freshForAMinute, ("Content-Length", "2")])
    let scenario = try Scenario { request in
      let rest = request.number == 1 ? isOver : isNeverOver
      return OriginAnswer([.bytes(head + Array("a".utf8)), .wait(rest), .bytes(Array("b".utf8))])
    }
    let clock = scenario.clock
    scenario.whenPausing = { _ in clock.advance(bySeconds: 1) }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let waiter = scenario.start("-v", "-o", scenario.directory.path("file"), "-m", "6", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 2))
    isOver.open()
    #expect(try leader.finish().text == "ab")
    let run = try waiter.finish()
    #expect(run.status == 0 && run.diagnostics.contains("waiting no longer"), "\(run.diagnostics)")
    #expect(try scenario.directory.read("file") == Array("ab".utf8))
    isNeverOver.open()
  }
}
