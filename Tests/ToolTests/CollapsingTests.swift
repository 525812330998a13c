import Glibc
import TestSupport
import TestTraits
import Testing

/// Tests of collapsing that need processes: processes that die or stop, and many at once.
@Suite("Collapsing across processes", .waiting)
struct CollapsingTests {
  private static let waiting = "waiting for it"

  /// Starts runs that wait for another run, which has already asked.
  private func waiters(
    _ count: Int, _ url: String, _ home: TemporaryDirectory, _ arguments: [String] = []
  ) throws -> [ToolProcess] {
    let runs = try (0..<count).map { _ in try ToolRun(["-v"] + arguments + [url], home: home).start() }
    for run in runs { try #require(run.hasSaid(Self.waiting)) }
    return runs
  }

  @Test(
    "A waiting run whose time limit expires serves a stale response, as the run that asks does",
    arguments: [["-Z"], []])
  func timeOut(options: [String]) throws {
    let gate = Gate()
    defer { gate.open() }
    let answer: OriginServer.Handler = { request in
      if request.number > 1 { return .late(gate, fresh(text: "new")) }
      return .response(fields: [("Cache-Control", "max-age=0")], text: "old")
    }
    try withOrigin(answering: answer) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool([origin.url()], home: home).outputText == "old")
      let arguments = ["-m", "1", "--stale-if-error=1h", origin.url()]
      let leader = try ToolRun(arguments, home: home).start()
      #expect(origin.hasSeen(requests: 2))
      let others = options.isEmpty ? [] : [origin.url(), origin.url()]
      let run = try runTool(options + arguments + others, home: home)
      #expect(run.succeeded && run.outputText == (options.isEmpty ? "old" : "oldoldold"), "\(run.errorText)")
      #expect(try leader.finish().outputText == "old")
    }
  }

  @Test("Twenty runs that want the same absent response make one request")
  func absent() throws {
    let gate = Gate()
    try withOrigin(answering: { .late(gate, fresh(text: "\($0.number)")) }) { origin in
      let home = try TemporaryDirectory()
      let leader = try ToolRun(["-s", origin.url()], home: home).start()
      #expect(origin.hasSeen(requests: 1))
      let others = try waiters(19, origin.url(), home)
      gate.open()
      for run in [leader] + others {
        let result = try run.finish()
        #expect(result.succeeded && result.outputText == "1", "\(result.errorText)")
      }
      #expect(origin.requests.count == 1)
    }
  }

  @Test("Ten runs that want the same stale response make one validation")
  func stale() throws {
    let gate = Gate()
    let handler: OriginServer.Handler = { request in
      let etag = ("ETag", "\"a\"")
      guard request.value("If-None-Match") == "\"a\"" else {
        // The response is stale from the start, because of its Age.
        return .response(fields: [etag, ("Cache-Control", "max-age=60"), ("Age", "100")], text: "text")
      }
      return .late(gate, .response(304, fields: [etag, ("Cache-Control", "max-age=3600"), ("Age", "0")]))
    }
    try withOrigin(answering: handler) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url()], home: home).outputText == "text")
      let leader = try ToolRun(["-s", origin.url()], home: home).start()
      #expect(origin.hasSeen(requests: 2))
      let others = try waiters(9, origin.url(), home)
      gate.open()
      for run in [leader] + others { #expect(try run.finish().outputText == "text") }
      #expect(origin.requests.count == 2)
    }
  }

  @Test("A waiting run does not wait for the reader of another run that is answered from the store")
  func slowReader() throws {
    let gate = Gate()
    let handler: OriginServer.Handler = { request in
      let etag = ("ETag", "\"a\"")
      guard request.value("If-None-Match") == nil else {
        return .late(gate, .response(304, fields: [etag, ("Cache-Control", "max-age=3600"), ("Age", "0")]))
      }
      return .response(
        fields: [etag, ("Cache-Control", "max-age=60"), ("Age", "100")], content: Pattern.bytes(count: 1 << 20))
    }
    try withOrigin(answering: handler) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url()], home: home).succeeded)
      var stalled = ToolRun(["-s", origin.url()], home: home)
      stalled.stdout = .stalled
      let leader = try stalled.start()
      #expect(origin.hasSeen(requests: 2))
      let other = try waiters(1, origin.url(), home)[0]
      gate.open()
      let result = try other.finish()
      #expect(result.stdout.count == 1 << 20 && !result.errorText.contains("shows no progress"), "\(result.errorText)")
      #expect(leader.hasOutputWaiting() && origin.requests.count == 2)
      #expect(try leader.finish().succeeded)
    }
  }

  @Test("A waiting run does not wait for another run's limited rate")
  func limitedRate() throws {
    let body = Pattern.bytes(count: 64 << 10)
    try withOrigin(answering: { _ in .response(fields: [("Cache-Control", "max-age=60")], content: body) }) { origin in
      let home = try TemporaryDirectory()
      let leader = try ToolRun(["-s", "--limit-rate", "1k", origin.url()], home: home).start()
      #expect(leader.hasWritten(byteCount: 1))
      let result = try runTool(["-v", "--collapse-timeout", "60", origin.url()], home: home)
      #expect(result.stdout == body && !result.errorText.contains("shows no progress"), "\(result.errorText)")
      #expect(try runTool(["--offline", origin.url()], home: home).stdout == body)
      leader.send(signal: SIGTERM)
      #expect(try leader.finish().ending == .signal(SIGTERM))
    }
  }

  /// How the run that asked ends before its answer is complete.
  enum End: CaseIterable {
    case killed, terminated, outOfTime
  }

  @Test(
    "If the run that asked ends before its answer, one of the waiting runs takes its place", arguments: End.allCases)
  func succession(after end: End) throws {
    let gate = Gate()
    let fields = [("Cache-Control", "max-age=3600"), ("ETag", "\"a\"")]
    let handler: OriginServer.Handler = { request in
      let head = OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "5")])
      switch request.number {
      case 1: return OriginAnswer([.bytes(head), .content(Array("who".utf8)), .wait(gate), .content(Array("le".utf8))])
      case 2 where request.value("Range") == "bytes=3-":
        return .response(206, fields: fields + [("Content-Range", "bytes 3-4/5")], text: "le")
      case 2: return .response(fields: fields, text: "whole")
      default: return .response(fields: fields, text: "again")
      }
    }
    try withOrigin(answering: handler) { origin in
      let home = try TemporaryDirectory()
      // Long enough for the others to be waiting, whose own limit is longer.
      let limit = end == .outOfTime ? ["-m", "10"] : []
      let leader = try ToolRun(["-s"] + limit + [origin.url()], home: home).start()
      #expect(leader.hasWritten(byteCount: 3))
      let others = try waiters(8, origin.url(), home, ["--collapse-timeout", "60"])
      switch end {
      case .killed: leader.send(signal: SIGKILL)
      case .terminated: leader.send(signal: SIGTERM)
      case .outOfTime: break
      }
      let ending = try leader.finish().ending
      switch end {
      case .killed: #expect(ending == .signal(SIGKILL))
      case .terminated: #expect(ending == .signal(SIGTERM))
      case .outOfTime: #expect(ending == .exit(28))
      }
      for run in others {
        let result = try run.finish()
        #expect(result.succeeded && result.outputText == "whole", "\(result.errorText)")
        #expect(!result.errorText.contains("shows no progress"))
      }
      #expect(origin.requests.count == 2)
      gate.open()
    }
  }

  @Test(
    "A waiting run takes the place of one that reached any time limit before the head",
    arguments: [["-m", "8"], ["-m", "8", "--retry", "1", "--retry-delay", "30"], ["-y", "8", "-Y", "9"]])
  func successionBeforeHead(limit: [String]) throws {
    let (never, gate) = (Gate(), Gate())
    try withOrigin(answering: { .late($0.number == 1 ? never : gate, fresh(text: "\($0.number)")) }) { origin in
      let home = try TemporaryDirectory()
      let leader = try ToolRun(["-s"] + limit + [origin.url()], home: home).start()
      #expect(origin.hasSeen(requests: 1))
      let others = try waiters(4, origin.url(), home, ["--collapse-timeout", "60"])
      #expect(origin.hasSeen(requests: 2, withinMilliseconds: 30_000))
      // By then the other runs would have asked, too.
      usleep(500_000)
      gate.open()
      for run in others { #expect(try run.finish().outputText == "2") }
      #expect(origin.requests.count == 2)
      if limit.contains("--retry") { leader.send(signal: SIGTERM) }
      #expect(try leader.finish().ending == (limit.contains("--retry") ? .signal(SIGTERM) : .exit(28)))
      never.open()
    }
  }

  @Test("If the run that asked is stopped, the waiting runs go on alone after their limit")
  func stopped() throws {
    let gate = Gate()
    try withOrigin(answering: { $0.number == 1 ? .late(gate, fresh(text: "1")) : fresh(text: "more") }) { origin in
      let home = try TemporaryDirectory()
      let leader = try ToolRun(["-s", origin.url()], home: home).start()
      #expect(origin.hasSeen(requests: 1))
      leader.send(signal: SIGSTOP)
      let others: [ToolProcess]
      do {
        others = try waiters(4, origin.url(), home, ["--collapse-timeout", "0.2"])
      } catch {
        // A stopped process would outlive the tests.
        leader.send(signal: SIGKILL)
        throw error
      }
      for run in others {
        let result = try run.finish()
        #expect(result.succeeded && result.outputText == "more", "\(result.errorText)")
      }
      leader.send(signal: SIGCONT)
      gate.open()
      #expect(try leader.finish().outputText == "1")
    }
  }

  @Test("Runs that wait for a response that is not stored are all released at its head")
  func uncacheable() throws {
    let (first, others) = (Gate(), Gate())
    let answer = OriginAnswer.response(fields: [("Cache-Control", "no-store")], text: "text")
    try withOrigin(answering: { .late($0.number == 1 ? first : others, answer) }) { origin in
      let home = try TemporaryDirectory()
      let leader = try ToolRun(["-s", origin.url()], home: home).start()
      #expect(origin.hasSeen(requests: 1))
      let runs = try waiters(15, origin.url(), home)
      first.open()
      // No run is answered before all have asked.
      #expect(origin.hasSeen(requests: 16))
      others.open()
      for run in [leader] + runs { #expect(try run.finish().outputText == "text") }
      #expect(origin.requests.count == 16)
    }
  }

  @Test(
    "A signal ends a waiting run, and a signal to the run that asked releases the others", arguments: [SIGINT, SIGTERM])
  func signals(number: Int32) throws {
    let gate = Gate()
    try withOrigin(answering: { $0.number == 1 ? .late(gate, fresh(text: "1")) : fresh(text: "2") }) { origin in
      let home = try TemporaryDirectory()
      let leader = try ToolRun(["-s", origin.url()], home: home).start()
      #expect(origin.hasSeen(requests: 1))
      let runs = try waiters(2, origin.url(), home)
      runs[0].send(signal: number)
      #expect(try runs[0].finish().ending == .signal(number))
      leader.send(signal: number)
      #expect(try leader.finish().ending == .signal(number))
      let last = try runs[1].finish()
      #expect(last.outputText == "2" && !last.errorText.contains("shows no progress"), "\(last.errorText)")
      gate.open()
    }
  }
}
