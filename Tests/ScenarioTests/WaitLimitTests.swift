import Platform
import TestSupport
import Testing

/// The time that a run or a thread with `-m` waits for another one that requests the same response.
@Suite struct WaitLimitTests {
  @Test func `a run waits for half of its time limit, although the other run keeps receiving something`() throws {
    let (gates, pauses) = ((0..<16).map { _ in Gate() }, Monitor(0))
    let head = OriginAnswer.head(200, nil, fields: [fresh, ("Content-Length", "16")])
    let pieces = gates.flatMap { [OriginAnswer.Part.wait($0), .content([UInt8(ascii: "a")])] }
    let scenario = try Scenario { request in
      request.number == 1 ? OriginAnswer([.bytes(head)] + pieces) : .response(text: "asked for again")
    }
    let (clock, locks) = (scenario.clock, scenario.directory)
    scenario.whenPausing = { _ in
      let number = pauses.withLock { count in
        count += 1
        return count
      }
      guard number <= gates.count else { return }
      let before = try? locks.read("cache/garner/v1/lock")
      clock.advance(bySeconds: 1)
      gates[number - 1].open()
      let deadline = Deadline(afterMilliseconds: 5_000)
      while (try? locks.read("cache/garner/v1/lock")) == before, !deadline.isPast { Clock.system.pause(1_000_000) }
    }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let waiter = try scenario.run("-v", "--collapse-timeout", "60", "-m", "16", scenario.url())
    #expect(waiter.text == "asked for again", "\(waiter.diagnostics)")
    #expect(waiter.diagnostics.contains("waiting no longer"), "\(waiter.diagnostics)")
    #expect(pauses.withLock { $0 } == 8)
    for gate in gates { gate.open() }
    #expect(try leader.finish().text == "aaaaaaaaaaaaaaaa")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `a thread waits for half of its time limit, and then makes a request of its own`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      if request.number == 1 { _ = gate.pass(withinMilliseconds: 20_000) } else { gate.open() }
      return .fresh(text: "\(request.number)")
    }
    scenario.secondsPerLook = 60
    let run = try scenario.run("-v", "-Z", "-m", "1200", scenario.url(), scenario.url())
    #expect(run.status == 0 && run.diagnostics.contains("waiting no longer"), "\(run.diagnostics)")
    #expect(run.text.sorted() == ["1", "2"])
    #expect(scenario.asked == ["/", "/"])
  }
}
