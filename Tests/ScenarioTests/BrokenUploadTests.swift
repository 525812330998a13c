import Glibc
import TestSupport
import Testing

/// Uploads whose connection is reset while content is being sent.
@Suite struct BrokenUploadTests {
  /// More than the sockets hold, so that the whole content is never sent.
  private static let large = 32 << 20
  /// Lets the origin read this many bytes of the content before it answers with a reset.
  private static let taken = ["-H", "Origin-Takes: 1000"]
  /// A time limit, so that a run that hangs ends with another status than a reset.
  private static let limit = ["-m", "60"]

  /// Whether a run has ended as curl does when a connection is reset: with CURLE_SEND_ERROR or CURLE_RECV_ERROR,
  /// depending on whether it was sending or receiving, and with one line that says so.
  private static func isReset(_ run: Scenario.Run, _ url: String) -> Bool {
    let lines = run.diagnostics.split(separator: "\n")
    return [55, 56].contains(run.status) && run.text.isEmpty && lines.count == 1
      && lines[0].hasPrefix("garner: cannot fetch \(url): ")
  }

  @Test(arguments: [["-T"], ["-X", "POST", "-T"], ["--data-binary"]], [[], ["-H", "Transfer-Encoding: chunked"]])
  func `an upload on a new connection is not sent again after a reset, and nothing is stored`(
    _ option: [String], _ framing: [String]
  ) throws {
    let scenario = try Scenario(.reset)
    let file = try scenario.directory.write(Pattern.bytes(count: Self.large), to: "file")
    let value = option == ["--data-binary"] ? "@\(file)" : file
    let run = try scenario.run(Self.limit + Self.taken + framing + option + [value, scenario.url("/up")])
    #expect(Self.isReset(run, scenario.url("/up")), "\(run)")
    #expect(scenario.origin.requests.count == 1 && scenario.entryFiles.isEmpty)
  }

  /// A FIFO from which 40,000 bytes can be read. It ends once the gate opens, or at once without a gate.
  private static func fifo(in scenario: Scenario, until gate: Gate?) throws -> String {
    let path = scenario.directory.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    startThread {
      let writer = open(path, O_WRONLY)
      let piece = Pattern.bytes(count: 40_000)
      _ = write(writer, piece, piece.count)
      gate?.pass()
      close(writer)
    }
    return path
  }

  @Test(arguments: [["-T"], ["-X", "POST", "-T"]], [[], ["--retry", "2", "--retry-all-errors"]])
  func `an upload that waits for more content from a pipe notices that the connection is gone`(
    _ option: [String], _ retry: [String]
  ) throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario(.reset)
    let path = try Self.fifo(in: scenario, until: gate)
    let run = try scenario.run(Self.limit + Self.taken + retry + option + [path, scenario.url("/up")])
    #expect(Self.isReset(run, scenario.url("/up")), "\(run)")
    #expect(scenario.origin.requests.count == 1 && scenario.entryFiles.isEmpty)
  }

  @Test(
    arguments: [
      (OriginAnswer.reset, 56, "receiving failed: Recv failure: Connection reset by peer"),
      (.disconnect, 52, "the connection ended without a response"),
    ] as [(OriginAnswer, Int32, String)])
  func `a POST on a reused connection is not sent again when the connection ends without an answer`(
    _ answer: OriginAnswer, _ status: Int32, _ reason: String
  ) throws {
    let scenario = try Scenario { $0.method == "GET" ? .response(text: "x") : answer }
    let next = ["-o", "/dev/null", scenario.url("/a"), "--next"] + Self.limit
    let run = try scenario.run(["-sS"] + next + ["-d", "data", scenario.url("/up")])
    #expect(run.status == status && run.diagnostics == "garner: cannot fetch \(scenario.url("/up")): \(reason)\n")
    #expect(scenario.asked == ["/a", "POST /up"])
    let file = try scenario.directory.write(Pattern.bytes(count: Self.large), to: "file")
    let broken = try scenario.run(["-sS"] + next + Self.taken + ["-X", "POST", "-T", file, scenario.url("/up")])
    #expect([52, 55, 56].contains(broken.status), "\(broken)")
    #expect(scenario.asked == ["/a", "POST /up", "/a", "POST /up"])
  }

  /// As with curl, the status is CURLE_SEND_ERROR where the connection ends while there is more to send, and
  /// CURLE_SEND_FAIL_REWIND where it ends after all content was sent.
  @Test(arguments: [(.reset, true), (.reset, false), (.disconnect, false)] as [(OriginAnswer, Bool)])
  func `a PUT on a reused connection is not sent again when its content comes from a pipe`(
    _ answer: OriginAnswer, _ hasMore: Bool
  ) throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario { $0.method == "GET" ? .response(text: "x") : answer }
    let path = try Self.fifo(in: scenario, until: hasMore ? gate : nil)
    let next = ["-o", "/dev/null", scenario.url("/a"), "--next"] + Self.limit + (hasMore ? Self.taken : [])
    let run = try scenario.run(["-sS"] + next + ["-T", path, scenario.url("/up")])
    let words = "garner: cannot fetch \(scenario.url("/up")): "
    #expect(run.status == (hasMore ? 55 : 65) && run.diagnostics.hasPrefix(words), "\(run)")
    #expect(scenario.asked == ["/a", "PUT /up"])
  }

  @Test func `a PUT is sent again by itself when a reused connection ends without an answer`() throws {
    let scenario = try Scenario { $0.number == 2 ? .disconnect : .response(text: "x") }
    let run = try scenario.run(
      "-o", "/dev/null", scenario.url("/a"), "--next", "-X", "PUT", "-d", "data", scenario.url("/up"))
    #expect(run.status == 0 && run.text == "x" && scenario.asked == ["/a", "PUT /up", "PUT /up"], "\(run)")
  }

  @Test(arguments: [[], ["-H", "Transfer-Encoding: chunked"]], [300_000, BrokenUploadTests.large])
  func `a PUT of a file is sent again from its beginning when a reused connection is reset`(
    _ framing: [String], _ count: Int
  ) throws {
    let scenario = try Scenario { $0.number == 2 ? .reset : .response(text: "x") }
    let content = Pattern.bytes(count: count)
    let file = try scenario.directory.write(content, to: "file")
    let next = ["-o", "/dev/null", scenario.url("/a"), "--next"] + Self.limit
    // The origin breaks off the first of two attempts amid its content.
    let run = try scenario.run(next + framing + ["-T", file, "-H", "Origin-Takes: 1000", scenario.url("/up")])
    #expect(run.status == 0 && run.text == "x" && scenario.asked == ["/a", "PUT /up", "PUT /up"], "\(run)")
  }

  @Test(arguments: ["PUT", "POST"])
  func `with --retry-all-errors the content of a file is sent again`(_ method: String) throws {
    let scenario = try Scenario { $0.number == 1 ? .reset : .response(201, text: "done") }
    let file = try scenario.directory.write(Pattern.bytes(count: Self.large), to: "file")
    let run = try scenario.run(
      Self.limit + Self.taken + ["--retry", "1", "--retry-all-errors", "--retry-delay", "0.1", "-X", method]
        + ["-T", file, scenario.url("/up")])
    #expect(run.status == 0 && run.text == "done" && scenario.origin.requests.count == 2, "\(run)")
  }

  @Test func `after a 303, the request without content is retried, although the upload came from a pipe`() throws {
    let scenario = try Scenario { request in
      if request.method == "PUT" { return .response(303, fields: [("Location", "/there")]) }
      return request.number == 2 ? .response(503) : .response(text: "there")
    }
    _ = RetryTests.Pauses(of: scenario)
    let run = try scenario.run("--retry", "1", "-T", "-", scenario.url("/up"), throughPipe: "content")
    #expect(run.status == 0 && run.text == "there" && scenario.asked == ["PUT /up", "/there", "/there"], "\(run)")
  }
}
