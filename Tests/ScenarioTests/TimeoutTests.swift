import HTTPSemantics
import TestSupport
import TestTraits
import Testing
import Transport

/// `-m` and `--connect-timeout` limit every wait for an origin, and the message says what the run waited for.
@Suite(.waiting) struct TimeoutTests {
  /// Runs the program with an origin that stops after these bytes of its answer.
  private func run(_ options: [String], scheme: String = "http", stoppingBehind bytes: String = "") throws
    -> Scenario.Run
  {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario { _ in OriginAnswer([.bytes(Array(bytes.utf8)), .wait(gate)], ending: .close) }
    return try scenario.run(options + ["\(scheme)\(scenario.url().dropFirst("http".count))"])
  }

  @Test(arguments: [["-m", "0.3"], ["--connect-timeout", "0.3"]])
  func `-m and --connect-timeout limit the agreement on TLS`(_ options: [String]) throws {
    let run = try run(options, scheme: "https")
    #expect(run.status == 28 && run.text == "")
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le"])
  func `-m limits the wait for a head`(_ bytes: String) throws {
    let run = try run(["-m", "0.3"], stoppingBehind: bytes)
    #expect(run.status == 28 && run.text == "")
  }

  @Test(arguments: ["Content-Length: 9\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n"])
  func `-m and -y limit the wait for content`(_ rest: String) throws {
    let run = try run(["-m", "0.3"], stoppingBehind: "HTTP/1.1 200 OK\r\n\(rest)")
    #expect(run.status == 28 && run.text == "body")
    let slow = try self.run(["-y", "1", "-Y", "1000"], stoppingBehind: "HTTP/1.1 200 OK\r\n\(rest)")
    #expect(slow.status == 28 && slow.text == "body")
    #expect(slow.diagnostics.hasSuffix(": the transfer was slower than 1000 bytes/s for 1 s\n"))
  }

  @Test func `a time-out at an origin that is connected does not count as disconnected`() throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario { request in
      let answer = OriginAnswer.response(fields: [("Cache-Control", "max-age=1")], text: "stored")
      return request.number == 1 ? answer : .late(gate, answer)
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    // Enough time for a connection, on any machine.
    let run = try scenario.run("-m", "2", scenario.url())
    #expect(run.status == 28 && run.text == "", "\(run.diagnostics)")
    #expect(try scenario.run("-m", "2", "--stale-if-error=1h", scenario.url()).text == "stored")
    #expect(try scenario.run("-m", "2", "--cache-policy", "network-first", scenario.url()).text == "stored")
  }

  @Test func `-m limits the wait for the target of a redirection, too`() throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario { request in
      request.target == "/" ? .response(302, fields: [("Location", "/b")]) : .late(gate, .response())
    }
    #expect(try scenario.run("-m", "0.3", scenario.url()).status == 28)
  }

  static let hops: [(seconds: UInt32, limits: [Int?], status: Int32)] = [
    (40, [100_000, 60_000, 20_000], 0), (50, [100_000, 50_000], 28), (100, [100_000], 28),
  ]

  @Test(arguments: hops)
  func `the hops of a chain of redirections share the time of -m, and none begins when it is over`(
    _ seconds: UInt32, _ limits: [Int?], _ status: Int32
  ) throws {
    let scenario = try Scenario(.response(text: "x"))
    let clock = scenario.clock
    // Each hop takes the same time.
    let transport = RecordingTransport { message in
      clock.advance(bySeconds: seconds)
      let next: [String: FieldValue] = ["/a": "/b", "/b": "/c"]
      guard let location = next[message.request.target.pathAndQuery] else {
        return Response(200, fields: ["Content-Length": "0"])
      }
      return Response(302, fields: ["Location": location, "Content-Length": "0"])
    }
    scenario.transport = transport
    let run = try scenario.run("-m", "100", "http://site.test/a")
    #expect(run.status == status, "\(run)")
    #expect(transport.messages.map { $0.options.timeLimitMilliseconds } == limits)
  }
}
