import TestSupport
import Testing

/// `--retry`: which failures are tried again and after which pause. Only one body is ever delivered.
@Suite struct RetryTests {
  static let tag = ("ETag", "\"one\"")

  /// The pauses of a run, in seconds.
  final class Pauses: Sendable {
    private let seconds = Monitor<[UInt64]>([])

    var all: [UInt64] { seconds.withLock { $0 } }

    /// Advances the scenario's clock by the pauses, instead of waiting.
    init(of scenario: Scenario) {
      let clock = scenario.clock
      scenario.whenPausing = { [seconds] nanoseconds in
        let count = nanoseconds / 1_000_000_000
        seconds.withLock { $0.append(count) }
        clock.advance(bySeconds: UInt32(count))
      }
    }
  }

  /// An origin that gives these answers one after the other, and then repeats the last one.
  private func scenario(_ answers: OriginAnswer...) throws -> (Scenario, Pauses) {
    let scenario = try Scenario { request in answers[min(request.number, answers.count) - 1] }
    return (scenario, Pauses(of: scenario))
  }

  /// A response of "0123456789" that breaks off after `count` bytes.
  static func broken(_ fields: [(String, String)] = [tag], after count: Int = 4) -> OriginAnswer {
    .raw(
      OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "10")]) + Array("0123456789".utf8.prefix(count)))
  }

  static func rest(from start: Int, _ fields: [(String, String)] = [tag]) -> OriginAnswer {
    .response(
      206, fields: fields + [("Content-Range", "bytes \(start)-9/10")], text: String("0123456789".dropFirst(start)))
  }

  // MARK: Failures that are tried again

  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func `a transient error status is tried again, and its body is not delivered`(_ status: Int) throws {
    let (scenario, pauses) = try self.scenario(.response(status, text: "oops"), .response(text: "body"))
    let run = try scenario.run("-i", "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text.hasPrefix("HTTP/1.1 200 OK\r\n") && run.text.hasSuffix("\r\n\r\nbody"))
    #expect(pauses.all == [1] && run.diagnostics.contains("; trying again in 1 s (tries left: 1)\n"))
  }

  @Test func `a pause of less than a second is reported as such`() throws {
    let (scenario, _) = try self.scenario(.response(503, text: "oops"), .response(text: "body"))
    let run = try scenario.run("--retry", "1", "--retry-delay", "0.1", scenario.url())
    #expect(run.diagnostics.contains("; trying again in 0.1 s (tries left: 1)\n"))
  }

  @Test func `--retry takes any number of tries`() throws {
    let (scenario, pauses) = try self.scenario(.response(503, text: "oops"), .response(text: "body"))
    let run = try scenario.run("--retry", "\(Int.max)", scenario.url())
    #expect(run.status == 0 && run.text == "body" && pauses.all == [1])
    #expect(run.diagnostics.contains("(tries left: \(Int.max))\n"))
  }

  @Test func `content that can be read once only is not sent again`() throws {
    let (scenario, pauses) = try self.scenario(.response(503, text: "oops"), .response(text: "body"))
    let run = try scenario.run("--retry", "1", "-T", "-", scenario.url(), throughPipe: "data")
    #expect(run.status == 22 && run.text == "oops" && pauses.all == [])
    #expect(run.diagnostics.contains("not tried again: the content that was sent can be read only once\n"))
    let (broken, _) = try self.scenario(.raw([]), .response(text: "body"))
    let failed = try broken.run("--retry", "1", "--retry-all-errors", "-T", "-", broken.url(), throughPipe: "data")
    #expect(failed.status == 52 && broken.origin.requests.count == 1)
  }

  @Test(arguments: [400, 404, 501])
  func `a permanent error status is tried again only with --retry-all-errors`(_ status: Int) throws {
    let (scenario, _) = try self.scenario(.response(status, text: "oops"), .response(text: "body"))
    let run = try scenario.run("--retry", "1", scenario.url())
    #expect(run.status == 22 && run.text == "oops")
    let (other, _) = try self.scenario(.response(status, text: "oops"), .response(text: "body"))
    #expect(try other.run("--retry", "1", "--retry-all-errors", other.url()).text == "body")
    let (lenient, _) = try self.scenario(.response(status, text: "oops"), .response(text: "body"))
    #expect(try lenient.run("--retry", "1", "--retry-all-errors", "--no-fail", lenient.url()).text == "oops")
  }

  @Test func `when the tries are used up, the last answer is delivered`() throws {
    let (scenario, pauses) = try self.scenario(.response(503, text: "oops"))
    let run = try scenario.run("--retry", "3", scenario.url())
    #expect(run.status == 22 && run.text == "oops" && pauses.all == [1, 2, 4] && scenario.asked.count == 4)
    #expect(try scenario.run("-s", "--retry", "1", scenario.url()).diagnostics == "")
  }

  @Test func `a refused connection is tried again only with --retry-connrefused`() throws {
    let (scenario, pauses) = try self.scenario(.response(text: "body"))
    scenario.origin.stop()
    #expect(try scenario.run("--retry", "2", scenario.url()).status == 7)
    #expect(pauses.all == [])
    #expect(try scenario.run("--retry", "2", "--retry-connrefused", scenario.url()).status == 7)
    #expect(pauses.all == [1, 2])
  }

  @Test func `a connection that ends without an answer is tried again only with --retry-all-errors`() throws {
    let (scenario, _) = try self.scenario(.disconnect, .response(text: "body"))
    #expect(try scenario.run("--retry", "1", scenario.url()).status == 52)
    let (other, _) = try self.scenario(.disconnect, .response(text: "body"))
    #expect(try other.run("--retry", "1", "--retry-all-errors", other.url()).text == "body")
  }

  @Test func `an answer that is tried again is not stored, and a stored error is not tried again`() throws {
    let (scenario, _) = try self.scenario(
      .response(503, fields: [fresh], text: "oops"), .fresh(text: "body"))
    #expect(try scenario.run("--retry", "1", scenario.url()).text == "body")
    #expect(try scenario.run("--offline", scenario.url()).text == "body")
    let (other, pauses) = try self.scenario(.response(503, fields: [fresh], text: "oops"))
    for _ in 1...2 { #expect(try other.run("--retry", "1", other.url()).status == 22) }
    #expect(pauses.all == [1] && other.asked.count == 2)
  }

  @Test func `a stored response is served stale only when the tries are used up`() throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .response(fields: [("Cache-Control", "max-age=1, stale-if-error=600")], text: "old")
        : request.number == 2 ? .response(503) : .response(text: "new")
    }
    let pauses = Pauses(of: scenario)
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    #expect(try scenario.run("--retry", "1", scenario.url()).text == "new")
    #expect(pauses.all == [1])
  }

  // MARK: Pauses

  @Test func `--retry-delay is the pause, each time`() throws {
    let (scenario, pauses) = try self.scenario(.response(503))
    try scenario.run("--retry", "3", "--retry-delay", "5", scenario.url())
    #expect(pauses.all == [5, 5, 5])
  }

  @Test(
    arguments: [
      ("7", 7), ("0", 1), ("Wed, 01 Jan 2025 00:00:20 GMT", 20), ("Tue, 31 Dec 2024 00:00:00 GMT", 1), ("soon", 1),
      ("999999999999", 86_400), ("9223372036854775808", 86_400), ("99999999999999999999999999999999", 86_400), ("", 1),
    ] as [(String, UInt64)])
  func `a Retry-After that asks for more than the pause gets it, up to a day`(_ value: String, _ pause: UInt64) throws {
    let (scenario, pauses) = try self.scenario(
      .response(503, fields: [("Retry-After", value)]), .response(text: "body"))
    #expect(try scenario.run("--retry", "1", scenario.url()).text == "body")
    #expect(pauses.all == [pause])
  }

  @Test func `no try begins later than --retry-max-time`() throws {
    let (scenario, pauses) = try self.scenario(.response(503, text: "oops"))
    let run = try scenario.run("--retry", "9", "--retry-max-time", "8", scenario.url())
    #expect(run.status == 22 && run.text == "oops" && pauses.all == [1, 2, 4])
    let (other, none) = try self.scenario(.response(503, fields: [("Retry-After", "60")]))
    #expect(try other.run("--retry", "9", "--retry-max-time", "8", other.url()).status == 22)
    #expect(none.all == [])
  }

  // MARK: Bodies that break off

  @Test(arguments: [[], ["--no-store"], ["--memory-only"]])
  func `a body that breaks off is continued under a strong validator, and delivered once`(_ option: [String]) throws {
    let fields = [Self.tag, ("Cache-Control", "max-age=60")]
    let (scenario, pauses) = try self.scenario(Self.broken(fields), Self.rest(from: 4, fields))
    let run = try scenario.run(option + ["--retry", "1", "-w", " %{http_code}", scenario.url()])
    #expect(run.status == 0 && run.text == "0123456789 200" && pauses.all == [1])
    let asked = scenario.origin.requests[1]
    #expect(asked.value("Range") == "bytes=4-" && asked.value("If-Range") == "\"one\"")
    if option.isEmpty { #expect(try scenario.run("--offline", scenario.url()).text == "0123456789") }
  }

  @Test(arguments: [[], ["--no-store"]], [["-r", "2-"], ["-r", "-8"], ["-H", "Range: bytes=2-"], ["-C", "2"]])
  func `a requested range that breaks off is continued, whatever the store has kept of it`(
    _ option: [String], _ range: [String]
  ) throws {
    let broken = OriginAnswer.head(
      206, nil, fields: [Self.tag, ("Content-Range", "bytes 2-9/10"), ("Content-Length", "8")])
    let (scenario, _) = try self.scenario(.raw(broken + Array("2345".utf8)), Self.rest(from: 6))
    let run = try scenario.run(option + range + ["--retry", "1", scenario.url()])
    #expect(run.status == 0 && run.text == "23456789", "\(run.diagnostics)")
    let asked = scenario.origin.requests[1]
    #expect(asked.value("Range") == "bytes=6-9" && asked.value("If-Range") == "\"one\"")
  }

  @Test func `a cookie that comes with a body that breaks off does not make the transfer begin anew`() throws {
    let scenario = try Scenario { request in
      let cookie = ("Set-Cookie", "n=\(request.number)")
      let fields = [Self.tag, ("Cache-Control", "max-age=60"), cookie]
      return request.number == 1 ? Self.broken(fields) : Self.rest(from: 4, fields)
    }
    _ = Pauses(of: scenario)
    let run = try scenario.run("-b", "", "--retry", "1", "-o", scenario.directory.path("f"), scenario.url())
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(try String(decoding: scenario.directory.read("f"), as: UTF8.self) == "0123456789")
    #expect(scenario.origin.requests.map { $0.value("Cookie") } == [nil, "n=1"])
    #expect(scenario.origin.requests.last?.value("Range") == "bytes=4-")
  }

  @Test func `a body is continued as often as it breaks off, and after other failures`() throws {
    let (scenario, _) = try self.scenario(
      Self.broken(), .response(503),
      .raw(
        OriginAnswer.head(206, nil, fields: [Self.tag, ("Content-Range", "bytes 4-9/10"), ("Content-Length", "6")])
          + Array("456".utf8)), Self.rest(from: 7))
    let run = try scenario.run("--no-store", "--retry", "3", scenario.url())
    #expect(run.status == 0 && run.text == "0123456789")
    #expect(scenario.origin.requests.map { $0.value("Range") ?? "" } == ["", "bytes=4-", "bytes=4-", "bytes=7-"])
  }

  @Test func `a whole in answer to a continuation is taken from where the first broke off, if it is the same`() throws {
    let whole = OriginAnswer.response(fields: [Self.tag], text: "0123456789")
    let (scenario, _) = try self.scenario(Self.broken(), whole)
    #expect(try scenario.run("--no-store", "--retry", "1", scenario.url()).text == "0123456789")
  }

  @Test(arguments: [
    OriginAnswer.response(fields: [("ETag", "\"two\"")], text: "abcdefghij"), .response(text: "0123456789"),
    rest(from: 4, [("ETag", "\"two\"")]), rest(from: 4, []), rest(from: 5), .response(404), .response(416),
    // Parts that end early, and content that is coded where the first was not.
    .response(206, fields: [tag, ("Content-Range", "bytes 4-7/10")], text: "4567"),
    .response(206, fields: [tag, ("Content-Range", "bytes 4-9/12")], text: "456789"),
    rest(from: 4, [tag, ("Content-Encoding", "gzip")]),
    .response(fields: [tag, ("Content-Encoding", "gzip")], text: "0123456789"),
  ])
  func `an answer that does not continue a printed body is not joined to it`(_ second: OriginAnswer) throws {
    let (scenario, _) = try self.scenario(Self.broken(), second)
    let run = try scenario.run("--no-store", "--retry", "1", scenario.url())
    #expect(run.status == 18 && run.text == "0123")
  }

  @Test func `a whole without a content coding is not joined to a printed part of a coded one`() throws {
    let (scenario, _) = try self.scenario(
      Self.broken([Self.tag, ("Content-Encoding", "gzip")]), .response(fields: [Self.tag], text: "0123456789"))
    let run = try scenario.run("--no-store", "--retry", "1", scenario.url())
    #expect(run.status == 18 && run.text == "0123" && scenario.origin.requests.count == 2)
  }

  @Test func `a whole that is shorter than the printed part is not joined to it`() throws {
    let head = OriginAnswer.head(200, nil, fields: [Self.tag, ("Transfer-Encoding", "chunked")])
    let (scenario, _) = try self.scenario(
      .raw(head + Array("4\r\n0123\r\n".utf8)), .response(fields: [Self.tag], text: "01"))
    let run = try scenario.run("--no-store", "--retry", "1", scenario.url())
    #expect(run.status == 18 && run.text == "0123" && scenario.origin.requests.count == 2)
  }

  @Test func `a range that has come to its last byte is not continued, although its framing has no end`() throws {
    let fields = [Self.tag, ("Content-Range", "bytes 4-9/10"), ("Transfer-Encoding", "chunked")]
    let (scenario, pauses) = try self.scenario(
      .raw(OriginAnswer.head(206, nil, fields: fields) + Array("6\r\n456789\r\n".utf8)), .response(416))
    let run = try scenario.run("--no-store", "--retry", "1", "-H", "Range: bytes=4-9", scenario.url())
    #expect(run.status == 18 && run.text == "456789" && pauses.all == [] && scenario.origin.requests.count == 1)
  }

  @Test(arguments: [[], [("ETag", "W/\"one\"")]])
  func `without a strong validator, a printed body that breaks off is not continued`(_ fields: [(String, String)])
    throws
  {
    let (scenario, pauses) = try self.scenario(Self.broken(fields), .response(text: "0123456789"))
    let run = try scenario.run("--retry", "1", "--retry-all-errors", scenario.url())
    #expect(run.status == 18 && run.text == "0123" && pauses.all == [])
  }

  @Test func `a file is begun anew when its transfer cannot be continued`() throws {
    let (scenario, _) = try self.scenario(Self.broken([]), .response(text: "abcdefghij"))
    let path = try scenario.directory.write("before", to: "f")
    #expect(try scenario.run("--retry", "1", "-i", "-o", path, scenario.url()).status == 0)
    let text = String(decoding: try readFile(path), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("\r\n\r\nabcdefghij"))
    #expect(text.split(separator: "HTTP/1.1").count == 1)
  }

  @Test func `-J gives a file the name of the last answer`() throws {
    let field = "Content-Disposition"
    let (scenario, _) = try self.scenario(
      Self.broken([(field, "attachment; filename=first")], after: 0),
      .response(fields: [(field, "attachment; filename=second")], text: "0123456789"))
    let digest = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
    let options = ["-OJ", "--output-dir", scenario.directory.path, "--sha256", digest, "--retry", "1"]
    #expect(try scenario.run(options + ["--retry-all-errors", scenario.url("/x")]).status == 0)
    let names = namesInDirectory(scenario.directory.path)
    #expect(names.contains("second") && !names.contains("first"), "\(names)")
  }

  @Test func `a coded body is decoded across the break`() throws {
    // "hello" as `printf hello | gzip -n` writes it.
    let packed: [UInt8] = [
      0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86, 0xa6, 0x10, 0x36, 0x05,
      0, 0, 0,
    ]
    let fields = [Self.tag, ("Content-Encoding", "gzip")]
    let (scenario, _) = try self.scenario(
      .raw(OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "25")]) + packed.prefix(13)),
      .response(206, fields: fields + [("Content-Range", "bytes 13-24/25")], content: Array(packed[13...])))
    let run = try scenario.run("--compressed", "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text == "hello")
  }

  @Test func `-m limits each try by itself`() throws {
    let gate = Gate()
    defer { gate.open() }
    let (scenario, pauses) = try self.scenario(.late(gate, .response(text: "late")), .response(text: "body"))
    let run = try scenario.run("-m", "0.2", "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text == "body" && pauses.all == [1])
  }

  // MARK: Content that has changed meanwhile

  /// Another body than the one that broke off, under another tag.
  private static let other = OriginAnswer.response(fields: [("ETag", "\"two\"")], text: "another")

  @Test(arguments: [[], ["--no-store"]])
  func `content that has changed meanwhile is begun anew if nothing of the old one was printed`(_ options: [String])
    throws
  {
    let (scenario, pauses) = try self.scenario(Self.broken(), Self.other)
    let path = scenario.directory.path("f")
    let run = try scenario.run(options + ["--retry", "1", "-o", path, scenario.url()])
    #expect(run.status == 0 && pauses.all == [1] && scenario.origin.requests.count == 2)
    #expect(String(decoding: try readFile(path), as: UTF8.self) == "another")
  }

  @Test func `content that has changed after a part was printed is a failure`() throws {
    let (scenario, _) = try self.scenario(Self.broken(), Self.other)
    let run = try scenario.run("--no-store", "--retry", "3", scenario.url())
    #expect(run.status == 18 && run.text == "0123" && scenario.origin.requests.count == 2)
    #expect(run.diagnostics.contains("it has changed since 4 bytes of it were delivered\n"))
  }

  @Test func `an error in the place of the rest is status 22, and leaves no file`() throws {
    let (scenario, _) = try self.scenario(Self.broken(), .response(404, text: "gone"))
    let path = scenario.directory.path("f")
    #expect(try scenario.run("--no-store", "--retry", "1", "-o", path, scenario.url()).status == 22)
    #expect(!namesInDirectory(scenario.directory.path).contains("f"))
  }

  @Test(arguments: [["-d", "order"], ["-X", "PATCH", "-d", "order"]])
  func `a POST or PATCH whose answer has begun is not sent again`(_ options: [String]) throws {
    for output in [[], ["-o", "/dev/null"]] {
      let (scenario, _) = try self.scenario(Self.broken(), .response(text: "0123456789"))
      let run = try scenario.run(options + output + ["--retry", "3", "--retry-all-errors", scenario.url()])
      #expect(run.status == 18 && scenario.origin.requests.count == 1)
    }
  }

  @Test func `a POST is not sent again when only the head of its answer has come`() throws {
    let head = OriginAnswer.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
    let (scenario, _) = try self.scenario(head, .response(text: "0123456789"))
    let run = try scenario.run("-d", "order", "--retry", "3", "--retry-all-errors", scenario.url())
    #expect(run.status == 18 && scenario.origin.requests.count == 1)
  }

  @Test func `the content of a redirection does not count as an answer of its target`() throws {
    let scenario = try Scenario { request in
      switch request.number {
      case 1: .response(307, fields: [("Location", "/there")], text: "moved")
      case 2: .raw([])
      default: .response(text: "done")
      }
    }
    _ = Pauses(of: scenario)
    let run = try scenario.run("-d", "order", "--retry", "1", "--retry-all-errors", scenario.url())
    #expect(run.status == 0 && run.text == "done" && scenario.asked == ["POST /", "POST /there", "POST /there"])
  }

  @Test func `a reset without an answer behind a redirection does not count as a body that broke off`() throws {
    let scenario = try Scenario { request in
      switch request.number {
      case 1: .response(302, fields: [("Location", "/there"), ("Connection", "close")], text: "moved")
      case 2: .raw([], ending: .reset)
      default: .response(text: "done")
      }
    }
    _ = Pauses(of: scenario)
    #expect(try scenario.run("--retry", "1", scenario.url()).status == 56)
    #expect(scenario.asked == ["/", "/there"])
  }

  @Test func `a PUT whose answer breaks off is sent again, without a range`() throws {
    let (scenario, _) = try self.scenario(Self.broken(), .response(text: "done"))
    let path = scenario.directory.path("f")
    let run = try scenario.run("-X", "PUT", "-d", "x", "--retry", "1", "-o", path, scenario.url())
    #expect(run.status == 0 && scenario.origin.requests.last?.has("Range") == false)
    #expect(String(decoding: try readFile(path), as: UTF8.self) == "done")
  }
}
