import Glibc
import TestSupport
import Testing

@Suite("The content of an HTTP/2 response is whole only if its stream or its length says so: RFC 9113 section 8.1")
struct HTTP2Tests {
  /// An origin that acknowledges the client's settings, sends the frames, and closes once the gate opens.
  private static func scenario(_ frames: [[UInt8]], _ gate: Gate) throws -> Scenario {
    let bytes = ([Frames.settings, Frames.acknowledgement] + frames).flatMap { $0 }
    return try Scenario(OriginAnswer([.bytes(bytes), .wait(gate)], ending: .close))
  }

  @Test func `HTTP/2 content without a length is stored when its stream has been ended`() throws {
    let gate = Gate()
    defer { gate.open() }
    let frames = [Frames.head(), Frames.data("first half, "), Frames.data("rest", isLast: true)]
    let scenario = try Self.scenario(frames, gate)
    let run = try scenario.run("--http2-prior-knowledge", scenario.url())
    #expect(run.status == 0 && run.text == "first half, rest")
    #expect(try scenario.run("--offline", scenario.url()).text == "first half, rest")
  }

  struct Ceasing: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var status: Int32 = 18
    let frame: [UInt8]
  }

  static let ceasing: [Ceasing] = [
    Ceasing(testDescription: "RST_STREAM without an error", frame: Frames.reset(0)),
    Ceasing(testDescription: "SETTINGS of five bytes", frame: Frames.frame(4, stream: 0, [0, 0, 0, 0, 0])),
    Ceasing(testDescription: "Padding longer than its frame", frame: Frames.frame(0, flags: 8, [9, 0])),
    Ceasing(testDescription: "WINDOW_UPDATE by 0", frame: Frames.frame(8, stream: 0, [0, 0, 0, 0])),
    Ceasing(testDescription: "CONTINUATION without HEADERS", frame: Frames.frame(9, [0])),
    Ceasing(testDescription: "Bytes of HTTP/1.1", frame: Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
    Ceasing(testDescription: "RST_STREAM with an error", status: 92, frame: Frames.reset(2)),
  ]

  @Test(arguments: ceasing)
  func `HTTP/2 content is not whole when its stream ceases without an end`(_ ceasing: Ceasing) throws {
    let gate = Gate()
    defer { gate.open() }
    // The content comes before the faulty frame.
    let bytes = [Frames.settings, Frames.acknowledgement, Frames.head(), Frames.data("first half, ")].flatMap { $0 }
    let scenario = try Scenario(
      OriginAnswer([.bytes(bytes), .pause, .bytes(ceasing.frame), .wait(gate)], ending: .close))
    let run = try scenario.run("--http2-prior-knowledge", "-o", scenario.directory.path("half"), scenario.url())
    // The status is 52 where the client has read both at once.
    #expect([ceasing.status, 52].contains(run.status), "\(run.diagnostics)")
    #expect(namesInDirectory(scenario.directory.path) == ["cache"])
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `a length by itself says where HTTP/2 content ends`() throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Self.scenario([Frames.head(200, [("content-length", "4")]), Frames.data("text")], gate)
    let run = try scenario.run("--http2-prior-knowledge", scenario.url())
    #expect(run.status == 0 && run.text == "text")
  }

  @Test(arguments: [[], ["-d", "text"]], [0, 99])
  func `an HTTP/2 response with a status code below 100 is an error, and replaces no file`(
    _ options: [String], _ status: Int
  ) throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Self.scenario([Frames.head(status), Frames.data("text", isLast: true)], gate)
    try scenario.directory.write("old", to: "page")
    let file = scenario.directory.path("page")
    let run = try scenario.run(options + ["--http2-prior-knowledge", "-o", file, scenario.url()])
    #expect(run.status == 1 && run.diagnostics.hasSuffix("the response's head has a status code below 100\n"), "\(run)")
    #expect(try readFile(file) == Array("old".utf8))
    #expect(scenario.entryFiles.isEmpty)
  }

  @Test func `-v shows the head of an HTTP/2 request once, and without secrets`() throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Self.scenario([Frames.head(), Frames.data("text", isLast: true)], gate)
    let long = String(repeating: "c4n4ry", count: 1_000)
    let run = try scenario.run(
      "-v", "--http2-prior-knowledge", "-H", "Authorization: Bearer c4n4ry", "-b", "sid=c4n4ry", "-H",
      "X-Api-Key: \(long)", scenario.url("/x?token=c4n4ry"))
    #expect(run.status == 0 && !run.diagnostics.contains("c4n4ry"), "\(run.diagnostics)")
    let heads = run.diagnostics.split(separator: "\n").filter { $0.lowercased().contains("authorization: ") }
    #expect(heads.count == 1 && heads.first?.hasPrefix("> ") == true, "\(run.diagnostics)")
  }

  @Test(arguments: ["GET", "POST"])
  func `an HTTP/2 request that the origin has refused is sent again, whatever its method`(_ method: String) throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario { request in
      let answer = request.number == 1 ? Frames.reset(7) : Frames.head() + Frames.data("text", isLast: true)
      return OriginAnswer([.bytes(Frames.settings + Frames.acknowledgement + answer), .wait(gate)], ending: .close)
    }
    let run = try scenario.run("--http2-prior-knowledge", "-X", method, scenario.url())
    #expect(run.status == 0 && run.text == "text" && scenario.origin.connectionCount == 2, "\(run)")
  }

  @Test(arguments: [[], ["-d", "text"]], [false, true])
  func `an HTTP/2 request that GOAWAY leaves unprocessed is sent again, once`(_ options: [String], _ isUp: Bool) throws
  {
    let gate = Gate()
    gate.open()
    let scenario = try Scenario { request in
      if request.number == 1 { usleep(100_000) }
      let answer =
        isUp && request.number == 2 ? Frames.head() + Frames.data("text", isLast: true) : Frames.goAway
      return OriginAnswer([.bytes(Frames.settings + Frames.acknowledgement + answer), .wait(gate)], ending: .close)
    }
    let body = scenario.directory.path("f")
    let run = try scenario.run(
      options + ["--http2-prior-knowledge", "-o", body, "-w", "%{time_total}", scenario.url()])
    #expect(run.status == (isUp ? 0 : 16) && scenario.origin.connectionCount == 2, "\(run)")
    if isUp { #expect(try readFile(body) == Array("text".utf8)) }
    // The total time includes the first attempt.
    #expect(try #require(Double(run.text)) >= 0.1)
  }

  @Test(arguments: [10, 60_000])
  func `a refused HTTP/2 request is not sent again once its content has been read from a pipe`(_ count: Int) throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario { _ in
      // Gives the client time to read some of the content.
      usleep(100_000)
      return OriginAnswer(
        [.bytes(Frames.settings + Frames.acknowledgement + Frames.reset(7)), .wait(gate)], ending: .close)
    }
    let content = String(repeating: "x", count: count)
    let run = try scenario.run("--http2-prior-knowledge", "-T", "-", scenario.url(), throughPipe: content)
    let words = "the request must be sent again, but its content can be read only once\n"
    let isRead = run.status == 65 && run.diagnostics.hasSuffix(words)
    // On a busy machine the client may have read none of it. Then it sends the request again, until it gives up.
    #expect(isRead || run.status == 56 && run.diagnostics.contains("tried 5 times"), "\(run)")
  }

  @Test func `with --http2-prior-knowledge, each request has a connection of its own`() throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Self.scenario([Frames.head(), Frames.data("text", isLast: true)], gate)
    let run = try scenario.run("--no-store", "--http2-prior-knowledge", scenario.url("/1"), scenario.url("/2"))
    #expect(run.status == 0 && run.text == "texttext" && scenario.origin.connectionCount == 2)
  }
}
