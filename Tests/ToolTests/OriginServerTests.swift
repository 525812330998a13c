import Glibc
import TestSupport
import Testing

/// Tests of the origin that other tests use, through curl.
@Suite("The origin of the tests")
struct OriginServerTests {
  @Test("The origin of the tests sends structured answers, counts requests, and keeps a connection open")
  func structured() throws {
    try withOrigin(answering: { .response(fields: [("ETag", "\"a\"")], text: "for \($0.target)") }) { origin in
      let result = try curl(["-s", "-i", origin.url("/one"), origin.url("/two?x=1")])
      #expect(result.outputText.hasSuffix("Content-Length: 12\r\n\r\nfor /two?x=1"))
      #expect(origin.requests.map(\.target) == ["/one", "/two?x=1"])
      #expect(origin.requests.map(\.number) == [1, 2])
      #expect(origin.connectionCount == 1)
    }
  }

  @Test("The origin of the tests records a request as it was received", arguments: [false, true])
  func request(isChunked: Bool) throws {
    let content = Pattern.bytes(count: 200_000)
    try withOrigin(answering: { _ in .response(204) }) { origin in
      let framing = isChunked ? ["-H", "Transfer-Encoding: chunked"] : []
      _ = try curl(
        ["-s", "-X", "PATCH", "-H", "Field: a", "-H", "fielD:  b", "--data-binary", "@-"] + framing
          + [origin.url("/p")], stdin: content)
      let request = try #require(origin.requests.first)
      #expect(request.method == "PATCH")
      #expect(request.value("FIELD") == "a, b")
      #expect(request.content == content)
    }
  }

  @Test("The origin of the tests sends raw bytes unchanged, and closes")
  func raw() throws {
    try withOrigin(answering: { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }) { origin in
      let result = try curl(["-s", origin.url()])
      #expect(result.ending == .exit(18))
      #expect(result.outputText == "half")
    }
  }

  @Test(
    "The origin of the tests closes or resets a connection as instructed",
    arguments: [(OriginAnswer.Ending.close, Int32(52)), (OriginAnswer.Ending.reset, Int32(56))])
  func broken(ending: OriginAnswer.Ending, status: Int32) throws {
    try withOrigin(answering: { _ in OriginAnswer([], ending: ending) }) { origin in
      let result = try curl(["-s", origin.url()])
      #expect(result.ending == .exit(status))
    }
  }

  @Test("The origin of the tests sends chunks, a trailer and interim heads")
  func chunked() throws {
    let answer = OriginAnswer.chunked(chunks: [Array("one ".utf8), Array("two".utf8)], trailer: [("Sum", "7")])
      .after(interim: [(103, [("Link", "</a>")])])
    try withOrigin(answering: { _ in answer }) { origin in
      let result = try curl(["-s", "-i", origin.url()])
      #expect(result.outputText.hasPrefix("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n"))
      #expect(result.outputText.contains("one two"))
    }
  }

  @Test("The origin of the tests waits at a gate, and stops even if the gate stays closed")
  func gates() throws {
    let gate = Gate()
    let origin = try OriginServer { $0.path == "/late" ? .late(gate, .response(text: "late")) : .late(Gate(), .reset) }
    let late = try curlRun(["-s", origin.url("/late")]).start()
    let stuck = try curlRun(["-s", origin.url("/stuck")]).start()
    #expect(origin.hasSeen(requests: 2))
    gate.open()
    #expect(try late.finish().outputText == "late")
    origin.stop()
    #expect(try stuck.finish().ending == .exit(52))
  }

  @Test("The origin of the tests sends no content in an answer to HEAD")
  func head() throws {
    try withOrigin(answering: { _ in .response(text: "content") }) { origin in
      let result = try curl(["-s", "-I", origin.url()])
      #expect(result.succeeded)
      #expect(result.outputText.hasSuffix("Content-Length: 7\r\n\r\n"))
    }
  }

  @Test("The origin of the tests sends a pattern of any length")
  func pattern() throws {
    try withOrigin(answering: { _ in .response(patternCount: 300_001) }) { origin in
      let result = try curl(["-s", origin.url()])
      #expect(result.stdout == Pattern.bytes(count: 300_001))
    }
  }

  @Test("The origin of the tests listens on IPv6 if available", .enabled(if: canListenOnIPv6()))
  func ipv6() throws {
    try withOrigin(on: .ipv6, answering: { _ in .response(text: "six") }) { origin in
      let result = try curl(["-s", origin.url()])
      #expect(result.outputText == "six")
    }
  }

  @Test("A run that exceeds the tests' time limit is ended")
  func timeLimit() throws {
    try withOrigin(answering: { _ in .late(Gate(), .reset) }) { origin in
      var run = try curlRun(["-s", origin.url()])
      run.timeLimitMilliseconds = 200
      let result = try run.run()
      #expect(result.ending == .timeLimit)
    }
  }

  private func curl(_ arguments: [String], stdin: [UInt8]? = nil) throws -> ToolResult {
    var run = try curlRun(arguments)
    if let stdin { run.stdin = .bytes(stdin) }
    return try run.run()
  }

  private func curlRun(_ arguments: [String]) throws -> ToolRun {
    var run = ToolRun(["-q"] + arguments, home: try TemporaryDirectory("curl"))
    run.executable = try #require(installedProgram("curl"))
    return run
  }
}
