import TestSupport
import Testing

/// `--retry` of a body that broke off and cannot be continued, but of which nothing has been delivered.
@Suite struct RetryAnewTests {
  /// Another body than the one that broke off, under another tag.
  private static let other = OriginAnswer.response(fields: [("ETag", "\"two\"")], text: "another")

  private static let refused = OriginAnswer.response(416, fields: [("Content-Range", "bytes */7")])

  /// An origin that gives these answers one after the other, and then repeats the last one.
  private func scenario(_ answers: OriginAnswer...) throws -> (Scenario, RetryTests.Pauses) {
    let scenario = try Scenario { request in answers[min(request.number, answers.count) - 1] }
    return (scenario, RetryTests.Pauses(of: scenario))
  }

  private func ranges(of scenario: Scenario) -> [String] {
    scenario.origin.requests.map { $0.value("Range") ?? "" }
  }

  // MARK: A head without content

  @Test(arguments: [
    [("Content-Length", "10")], [("Content-Length", "10"), RetryTests.tag], [("Transfer-Encoding", "chunked")],
  ])
  func `a body that breaks off before its first byte is begun anew, wherever it goes`(
    _ fields: [(String, String)]
  ) throws {
    let head = OriginAnswer.raw(OriginAnswer.head(200, nil, fields: fields))
    let (scenario, pauses) = try self.scenario(head, .response(text: "body"))
    let run = try scenario.run("-i", "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\nbody") && pauses.all == [1], "\(run.diagnostics)")
    #expect(run.text.ranges(of: "HTTP/1.1 ").count == 1 && ranges(of: scenario) == ["", ""])
    let (failing, _) = try self.scenario(head)
    let failed = try failing.run("--retry", "2", failing.url())
    #expect(failed.status == 18 && failed.text.isEmpty && failing.origin.requests.count == 3)
  }

  @Test(arguments: [[], ["-Z"]])
  func `a body that breaks off is begun anew where it is thrown away, but not on standard output`(
    _ options: [String]
  ) throws {
    let broken = OriginAnswer.raw(
      OriginAnswer.head(200, nil, fields: [("Content-Length", "10")]) + Array("0123".utf8))
    let (scenario, pauses) = try self.scenario(broken, .response(text: "body"))
    let run = try scenario.run(options + ["--retry", "1", "-o", "/dev/null", scenario.url()])
    #expect(run.status == 0 && pauses.all == [1], "\(run.diagnostics)")
    let (failing, _) = try self.scenario(broken, .response(text: "body"))
    let failed = try failing.run(options + ["--retry", "1", failing.url()])
    #expect(failed.status == 18 && failed.text == "0123" && failing.origin.requests.count == 1)
  }

  // MARK: Answers that are not the rest

  @Test(
    arguments: [["--no-store"], ["--memory-only"], ["--max-object-size", "5"], ["--no-fail", "--no-store"], []],
    [
      refused, RetryTests.rest(from: 4, [("ETag", "\"two\"")]), RetryTests.rest(from: 4, []), RetryTests.rest(from: 5),
      .response(206, fields: [RetryTests.tag, ("Content-Range", "bytes 4-7/10")], text: "4567"),
    ])
  func `an answer that is not the rest is no failure, and the whole is requested`(
    _ options: [String], _ answer: OriginAnswer
  ) throws {
    let (scenario, pauses) = try self.scenario(RetryTests.broken(), answer, Self.other)
    let file = scenario.directory.path("f")
    let run = try scenario.run(options + ["--retry", "1", "-o", file, scenario.url()])
    #expect(run.status == 0 && pauses.all == [1], "\(run.diagnostics)")
    #expect(String(decoding: try readFile(file), as: UTF8.self) == "another")
    #expect(ranges(of: scenario) == ["", "bytes=4-", ""])
    #expect(scenario.origin.requests.last?.has("If-Range") == false)
  }

  @Test(arguments: [[], ["--no-store"]])
  func `a range that is begun anew is requested as the user has typed it`(_ options: [String]) throws {
    func part(_ range: String, _ tag: String, length: Int, _ text: String) -> OriginAnswer {
      let fields = [("ETag", tag), ("Content-Range", range), ("Content-Length", "\(length)")]
      return .raw(OriginAnswer.head(206, nil, fields: fields) + Array(text.utf8))
    }
    let (scenario, _) = try self.scenario(
      part("bytes 0-9/10", "\"one\"", length: 10, "0123"), Self.refused,
      part("bytes 0-6/7", "\"two\"", length: 7, "another"))
    let file = scenario.directory.path("f")
    let run = try scenario.run(options + ["-r", "0-", "--retry", "1", "-o", file, scenario.url()])
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(String(decoding: try readFile(file), as: UTF8.self) == "another")
    #expect(ranges(of: scenario) == ["bytes=0-", "bytes=4-9", "bytes=0-"])
  }

  @Test func `the whole is requested once for each retry`() throws {
    let scenario = try Scenario { request in request.has("Range") ? Self.refused : RetryTests.broken() }
    let pauses = RetryTests.Pauses(of: scenario)
    let run = try scenario.run("--no-store", "--retry", "2", "-o", scenario.directory.path("f"), scenario.url())
    #expect(run.status == 18 && pauses.all == [1, 2])
    #expect(ranges(of: scenario) == ["", "bytes=4-", "", "bytes=4-", ""])
  }

  @Test func `a body that has been given up is continued by no later retry`() throws {
    let (scenario, _) = try self.scenario(RetryTests.broken(), Self.refused, .response(503), Self.other)
    let file = scenario.directory.path("f")
    let run = try scenario.run("--no-store", "--retry", "2", "-o", file, scenario.url())
    #expect(run.status == 0 && ranges(of: scenario) == ["", "bytes=4-", "", ""], "\(run.diagnostics)")
    #expect(String(decoding: try readFile(file), as: UTF8.self) == "another")
  }

  @Test(arguments: [[], ["--no-store"]])
  func `beginning anew costs no further retry with --retry-all-errors`(_ options: [String]) throws {
    let (scenario, pauses) = try self.scenario(RetryTests.broken(), Self.refused, Self.other)
    let file = scenario.directory.path("f")
    let run = try scenario.run(options + ["--retry", "9", "--retry-all-errors", "-o", file, scenario.url()])
    #expect(run.status == 0 && pauses.all == [1], "\(run.diagnostics)")
    #expect(String(decoding: try readFile(file), as: UTF8.self) == "another")
  }

  @Test(arguments: [
    (RetryTests.rest(from: 4, [("ETag", "\"two\"")]), true), (RetryTests.rest(from: 5), false), (refused, false),
    (.response(404), false),
  ])
  func `the message about a printed part says whether the answer shows that the content has changed`(
    _ answer: OriginAnswer, _ hasChanged: Bool
  ) throws {
    let (scenario, _) = try self.scenario(RetryTests.broken(), answer)
    let run = try scenario.run("--no-store", "--retry", "1", scenario.url())
    #expect(run.status == 18 && run.text == "0123")
    #expect(run.diagnostics.contains("it has changed since 4 bytes of it were delivered\n") == hasChanged)
    #expect(run.diagnostics.contains(": 4 bytes of it were delivered, but the next response does not") != hasChanged)
  }
}
