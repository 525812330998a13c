import TestSupport
import Testing

/// Tests of stale-while-revalidate (RFC 5861 section 3) that need processes.
@Suite("Revalidation in the background")
struct BackgroundRevalidationTests {
  @Test("A run ends before its background revalidation, which runs once for all and stores the answer")
  func background() throws {
    let gate = Gate()
    let handler: OriginServer.Handler = { request in
      let isFirst = request.number == 1
      let lifetime = isFirst ? "max-age=0, stale-while-revalidate=3600" : "max-age=3600"
      let answer = OriginAnswer.response(fields: [("Cache-Control", lifetime)], text: "\(request.number)")
      return isFirst ? answer : .late(gate, answer)
    }
    try withOrigin(answering: handler) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url("/")], home: home).outputText == "1")
      let lock = home.path("lock")
      let holding = "exec 9> '\(lock)'; flock 9; \"$0\" \"$@\""
      #expect(try ToolRun([origin.url("/")], home: home).throughShell(holding).run().outputText == "1")
      #expect(origin.hasSeen(requests: 2))
      let isFree = ToolRun([], home: home).throughShell("flock --nonblock '\(lock)' true")
      #expect(try isFree.run().succeeded)
      // The run's pipes are closed although the origin has not answered: no other process holds them.
      #expect(try runTool([origin.url("/")], home: home).outputText == "1")
      #expect(origin.hasSeen(requests: 2))
      #expect(try runTool([origin.url("/")], home: home).outputText == "1")

      gate.open()
      let deadline = Deadline(afterMilliseconds: 20_000)
      var text = ""
      while text != "2", !deadline.isPast {
        text = try runTool(["--offline", "-s", origin.url("/")], home: home).outputText
      }
      #expect(text == "2")
      #expect(origin.requests.count == 2)
    }
  }
}
