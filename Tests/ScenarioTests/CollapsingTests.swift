import Glibc
import Platform
import TestSupport
import Testing

/// Request collapsing: when several runs want the same response, one asks the origin and the others wait for what it
/// stores.
@Suite struct CollapsingTests {
  /// A pause that lets other threads work. If a wait does not end, the program's time runs out.
  private static func patiently(_ clock: ManualClock, _ body: @escaping @Sendable () -> Void = {})
    -> @Sendable (UInt64) -> Void
  {
    let deadline = Deadline(afterMilliseconds: 20_000)
    return { nanoseconds in
      if deadline.isPast { clock.advance(bySeconds: 3_600) }
      body()
      Clock.system.pause(nanoseconds)
    }
  }

  /// A counter that all threads may use.
  private final class Counter: Sendable {
    private let state = Monitor(0)
    var count: Int { state.withLock { $0 } }
    @discardableResult func next() -> Int {
      state.withLock {
        $0 += 1
        return $0
      }
    }
  }

  /// The answer, which the request with this number gets once the gate opens, and every other request at once.
  private static func holding(
    _ gate: Gate, _ request: ReceivedRequest, number: Int = 1, _ answer: OriginAnswer
  ) -> OriginAnswer {
    request.number == number ? .late(gate, answer) : answer
  }

  @Test func `a run that wants what another run is fetching waits, and is served what that run stores`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      Self.holding(gate, request, .fresh(text: "\(request.number)"))
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { gate.open() }
    let leader = scenario.start("-w", " %{cache_result}", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let waiter = try scenario.run("-v", "-w", " %{cache_result} %{cache_status}", scenario.url())
    gate.open()
    #expect(waiter.text.hasPrefix("1 hit garner; fwd=uri-miss; collapsed; ttl=60; "), "\(waiter.text)")
    #expect(waiter.diagnostics.contains("waited for an equal request (no response is stored"), "\(waiter.diagnostics)")
    #expect(try leader.finish().text == "1 miss")
    #expect(scenario.asked == ["/"])
  }

  @Test func `many threads that want the same response at once make one request`() throws {
    let scenario = try Scenario { .fresh(text: "\($0.number)") }
    scenario.whenPausing = Self.patiently(scenario.clock)
    let runs = (0..<8).map { _ in scenario.start(scenario.url()) }
    for run in runs { #expect(try run.finish().text == "1") }
    #expect(scenario.asked == ["/"])
  }

  @Test func `a run waits for each hop of a redirection chain separately`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      if request.target == "/a" { return .response(301, fields: [fresh, ("Location", "/b")]) }
      return Self.holding(gate, request, number: 2, .fresh(text: "b"))
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { gate.open() }
    let leader = scenario.start(scenario.url("/a"))
    #expect(scenario.origin.hasSeen(requests: 2))
    #expect(try scenario.run(scenario.url("/a")).text == "b")
    gate.open()
    #expect(try leader.finish().text == "b")
    #expect(scenario.asked == ["/a", "/b"])
  }

  @Test func `a stale response that two runs want is validated once`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      Self.holding(gate, request, number: 2, validated(request, etag: "\"a\"", fields: [fresh], text: "text"))
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { gate.open() }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    let leader = scenario.start("-w", " %{cache_result}", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 2))
    let waiter = try scenario.run("-w", " %{cache_result} %{cache_status}", scenario.url())
    gate.open()
    #expect(waiter.text.hasPrefix("text hit garner; fwd=stale; collapsed; ttl=60; "), "\(waiter.text)")
    #expect(try leader.finish().text == "text validated")
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `a stored part that two runs want is continued once`() throws {
    let gate = Gate()
    let fields = [fresh, ("ETag", "\"a\"")]
    let scenario = try Scenario { request in
      if request.number == 1 {
        let head = OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "8")])
        return OriginAnswer([.bytes(head), .content(Array("1234".utf8))], ending: .close)
      }
      let rest = OriginAnswer.response(206, fields: fields + [("Content-Range", "bytes 4-7/8")], text: "5678")
      return Self.holding(gate, request, number: 2, rest)
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { gate.open() }
    #expect(try scenario.run("-s", scenario.url()).status == 18)
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 2))
    let waiter = try scenario.run("-w", " %{cache_status}", scenario.url())
    gate.open()
    #expect(waiter.text.hasPrefix("12345678 garner; fwd=partial; collapsed; "), "\(waiter.text)")
    #expect(try leader.finish().text == "12345678")
    #expect(scenario.origin.requests.count == 2)
  }

  /// Fields of the first run's response, which is not stored for the use of others.
  static let useless: [String: [(String, String)]] = [
    "no-store": [("Cache-Control", "no-store")], "neither lifetime nor validator": [],
    "events without end": [fresh, ("Content-Type", "text/event-stream")],
  ]

  @Test(arguments: useless.keys.sorted())
  func `a waiting run goes on at the head of a response that is not stored for its use`(kind: String) throws {
    let gate = Gate()
    let fields = try #require(Self.useless[kind])
    let scenario = try Scenario { request in
      if request.number > 1 { return .response(fields: fields, text: "other") }
      let head = OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "5")])
      return OriginAnswer([.bytes(head), .wait(gate), .content(Array("first".utf8))])
    }
    scenario.whenPausing = Self.patiently(scenario.clock)
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let waiter = try scenario.run("-v", "-w", " %{cache_result} %{cache_status}", scenario.url())
    #expect(waiter.text.hasPrefix("other miss garner; fwd=uri-miss; fwd-status=200; "), "\(waiter.text)")
    #expect(!waiter.diagnostics.contains("shows no progress"), "\(waiter.diagnostics)")
    gate.open()
    #expect(try leader.finish().text == "first")
  }

  @Test func `a waiting run goes on when the transfer that it waits for fails`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      request.number == 1 ? .late(gate, .reset) : .fresh(text: "2")
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { gate.open() }
    let leader = scenario.start("-s", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let waiter = try scenario.run("-v", scenario.url())
    #expect(waiter.text == "2" && !waiter.diagnostics.contains("shows no progress"), "\(waiter.diagnostics)")
    #expect(try leader.finish().status != 0)
  }

  /// How many seconds a run waits without news of the other one.
  static let limits: [(arguments: [String], seconds: Int)] = [
    ([], 5), (["--collapse-timeout", "3s"], 3), (["--collapse-timeout", "0"], 0),
  ]

  @Test(arguments: limits)
  func `a waiting run asks the origin itself after the limit without news`(arguments: [String], seconds: Int) throws {
    let (gate, pauses) = (Gate(), Counter())
    let scenario = try Scenario { request in
      Self.holding(gate, request, .fresh(text: "\(request.number)"))
    }
    let clock = scenario.clock
    scenario.whenPausing = { _ in
      pauses.next()
      clock.advance(bySeconds: 1)
    }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let waiter = try scenario.run(["-v"] + arguments + [scenario.url()])
    #expect(waiter.text == "2" && waiter.diagnostics.contains("shows no progress"), "\(waiter.diagnostics)")
    #expect(pauses.count == seconds)
    gate.open()
    #expect(try leader.finish().text == "1")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `a run waits for half of its time limit, and the wait counts towards the limit`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      request.number < 3 ? .late(gate, .fresh(text: "\(request.number)")) : .fresh(text: "3")
    }
    let (clock, pauses) = (scenario.clock, Counter())
    scenario.whenPausing = { _ in
      pauses.next()
      clock.advance(bySeconds: 1)
    }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let late = try scenario.run("-v", "-m", "2", scenario.url())
    #expect(late.status == 28 && late.output.isEmpty && pauses.count == 1, "\(late.diagnostics)")
    let inTime = try scenario.run("-v", "-m", "6", "-w", " %{time_starttransfer} %{time_total}", scenario.url())
    let words = inTime.text.split(separator: " ")
    #expect(words.first == "3" && inTime.diagnostics.contains("waiting no longer"), "\(inTime.diagnostics)")
    #expect(pauses.count == 4 && words.dropFirst().allSatisfy { $0.hasPrefix("3.") }, "\(inTime.text)")
    gate.open()
    #expect(try leader.finish().text == "1")
  }

  @Test func `a run waits beyond the limit as long as the other run receives something`() throws {
    let (gates, pauses) = ((0..<8).map { _ in Gate() }, Counter())
    let head = OriginAnswer.head(200, nil, fields: [fresh, ("Content-Length", "8")])
    let pieces = gates.flatMap { [OriginAnswer.Part.wait($0), .content([UInt8(ascii: "a")])] }
    let scenario = try Scenario { request in
      request.number == 1 ? OriginAnswer([.bytes(head)] + pieces) : .response(text: "asked for again")
    }
    let (clock, locks) = (scenario.clock, scenario.directory)
    scenario.whenPausing = { _ in
      let number = pauses.next()
      guard number <= gates.count else { return }
      let before = try? locks.read("cache/garner/v1/lock")
      clock.advance(bySeconds: 1)
      gates[number - 1].open()
      let deadline = Deadline(afterMilliseconds: 5_000)
      while (try? locks.read("cache/garner/v1/lock")) == before, !deadline.isPast { Clock.system.pause(1_000_000) }
    }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let waiter = try scenario.run("-v", "--collapse-timeout", "2", scenario.url())
    #expect(waiter.text == "aaaaaaaa" && !waiter.diagnostics.contains("shows no progress"), "\(waiter.diagnostics)")
    #expect(pauses.count >= gates.count)
    for gate in gates { gate.open() }
    #expect(try leader.finish().text == "aaaaaaaa")
    #expect(scenario.asked == ["/"])
  }

  @Test func `a waiting run that wants another variant asks the origin when the other run has its own`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      let language = request.value("Accept-Language") ?? ""
      let fields = [fresh, ("Vary", "Accept-Language")]
      return Self.holding(gate, request, .response(fields: fields, text: language))
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { gate.open() }
    let leader = scenario.start("-H", "Accept-Language: de", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let other = try scenario.run("-v", "-H", "Accept-Language: en", scenario.url())
    gate.open()
    #expect(other.text == "en" && other.diagnostics.contains("waiting for it"), "\(other.diagnostics)")
    #expect(try leader.finish().text == "de")
    #expect(scenario.asked == ["/", "/"])
    #expect(try scenario.run("--offline", "-H", "Accept-Language: de", scenario.url()).text == "de")
  }

  @Test func `runs that want the same other variant wait for one of them to request it`() throws {
    let (gate, waiting) = (Gate(), Monitor<Set<pthread_t>>([]))
    let scenario = try Scenario { request in
      let fields = [fresh, ("Vary", "Accept-Language")]
      return Self.holding(gate, request, .response(fields: fields, text: request.value("Accept-Language") ?? ""))
    }
    scenario.whenPausing = Self.patiently(scenario.clock) {
      let count = waiting.withLock { threads in
        threads.insert(pthread_self())
        return threads.count
      }
      if count == 4 { gate.open() }
    }
    let leader = scenario.start("-H", "Accept-Language: de", scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let others = (0..<4).map { _ in scenario.start("-H", "Accept-Language: en", scenario.url()) }
    for other in others { #expect(try other.finish().text == "en") }
    #expect(try leader.finish().text == "de")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `threads of a run that want the same variant wait for one of them to request it`() throws {
    let scenario = try Scenario { request in
      let fields = [fresh, ("Vary", "Accept-Language")]
      return .response(fields: fields, text: request.value("Accept-Language") ?? "")
    }
    let same = Array(repeating: scenario.url(), count: 4)
    let run = try scenario.run(
      ["-Z", "-H", "Accept-Language: de"] + same + ["--next", "-Z", "-H", "Accept-Language: en"] + same)
    #expect(run.text == "dedededeenenenen", "\(run.diagnostics)")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `a response that is stale on arrival answers only requests of the run with the same fields`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=0")], text: request.value("User-Agent") ?? "")
    }
    // Which of the requests are side by side differs each time.
    for number in 1...40 {
      let sets = ["a", "b", "a"].map { ["-Z", "-A", $0, scenario.url("/\(number)"), scenario.url("/\(number)")] }
      let run = try scenario.run(Array(sets.joined(separator: ["--next"])))
      #expect(run.text == "aabbaa", "\(run.diagnostics)")
      #expect((2...6).contains(scenario.asked.count { $0 == "/\(number)" }))
    }
  }

  @Test(arguments: [[], [("Vary", "Accept-Language")]])
  func `a response that comes to --reload or breaks off does not answer requests with other fields`(
    selecting: [(String, String)]
  ) throws {
    let scenario = try Scenario { request in
      let agent = request.value("User-Agent") ?? ""
      if agent == "broken" { return .response(fields: [("Content-Length", "9")], text: "").ending(.close) }
      return .response(fields: [("Cache-Control", "max-age=0")] + selecting, text: agent)
    }
    for number in 1...40 {
      let sets = [["a"], ["b", "--reload"], ["a"], ["broken"], ["b"], ["broken"], ["a", "--reload"], ["b"]]
        .map { ["-s", "-Z", scenario.url("/\(number)"), "-A"] + $0 }
      let run = try scenario.run(Array(sets.joined(separator: ["--next"])))
      #expect(run.text == "ababab", "\(run.diagnostics)")
    }
  }

  /// The options of runs that do not wait for a run which requests the same URL.
  static let unwaiting: [[String]] = [
    ["--reload"], ["--refresh"], ["--no-store"], ["--cache-policy", "network-first"], ["-I"], ["-u", "me:secret"],
    ["-H", "Range: bytes=0-1"], ["-H", "Cache-Control: no-cache"], ["-H", "If-None-Match: \"b\""],
  ]

  @Test(arguments: unwaiting)
  func `a run that must ask the origin, or wants another response, does not wait`(arguments: [String]) throws {
    let (gate, pauses) = (Gate(), Counter())
    let scenario = try Scenario { request in
      Self.holding(gate, request, .fresh(text: "text"))
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { pauses.next() }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let run = try scenario.run(arguments + [scenario.url()])
    #expect(run.status == 0 && pauses.count == 0 && scenario.origin.requests.count == 2, "\(run.diagnostics)")
    gate.open()
    #expect(try leader.finish().text == "text")
  }

  @Test func `two runs validate a no-cache response side by side`() throws {
    let (gate, pauses) = (Gate(), Counter())
    let scenario = try Scenario { request in
      let answer = validated(request, etag: "\"a\"", fields: [("Cache-Control", "no-cache")], text: "text")
      return Self.holding(gate, request, number: 2, answer)
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { pauses.next() }
    try scenario.run(scenario.url())
    let first = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 2))
    #expect(try scenario.run(scenario.url()).text == "text")
    #expect(pauses.count == 0 && scenario.origin.requests.count == 3)
    gate.open()
    #expect(try first.finish().text == "text")
  }

  @Test func `a run that has waited for a no-cache response validates it, and gets its content from the store`() throws
  {
    let gate = Gate()
    let scenario = try Scenario { request in
      let answer = validated(request, etag: "\"a\"", fields: [("Cache-Control", "no-cache")], text: "text")
      return Self.holding(gate, request, answer)
    }
    scenario.whenPausing = Self.patiently(scenario.clock) { gate.open() }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    #expect(try scenario.run("-w", " %{cache_result}", scenario.url()).text == "text validated")
    gate.open()
    #expect(try leader.finish().text == "text")
  }

  @Test(arguments: ["link", "directory"])
  func `without a usable lock file each run asks the origin, without a message`(kind: String) throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      Self.holding(gate, request, number: 2, .fresh(text: "\(request.number)"))
    }
    try scenario.run(scenario.url("/other"))
    #expect(unlink(scenario.directory.path("cache/garner/v1/lock")) == 0)
    if kind == "link" {
      #expect(symlink("/dev/null", scenario.directory.path("cache/garner/v1/lock")) == 0)
    } else {
      try scenario.directory.makeDirectory("cache/garner/v1/lock")
    }
    let first = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 2))
    let second = try scenario.run(scenario.url())
    #expect(second.text == "3" && second.status == 0 && second.diagnostics == "")
    gate.open()
    #expect(try first.finish().text == "2")
    // The response that was requested last stays, as all of them are of the same second.
    #expect(try scenario.run(scenario.url()).text == "3")
  }
}
