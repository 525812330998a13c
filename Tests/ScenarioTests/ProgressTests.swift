import TestSupport
import Testing

/// The line about a transfer that lasts.
@Suite struct ProgressTests {
  private static let clear = "\r\u{1b}[K"

  /// What a run prints on a terminal, each look at the clock being so many seconds later.
  private func printed(
    by options: [String], seconds: UInt32 = 2, answering answer: OriginAnswer = .response(text: "0123456789")
  ) throws -> (text: String, run: Scenario.Run) {
    let scenario = try Scenario(answer)
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = seconds
    let run = try scenario.run(options + [scenario.url()])
    return (terminal.printed(), run)
  }

  @Test func `a transfer that lasts has a line, which is gone when it is over`() throws {
    let (text, run) = try printed(by: [])
    #expect(run.status == 0 && run.text == "0123456789")
    #expect(text.hasPrefix("\(Self.clear)100%  10 B of 10 B  ") && text.hasSuffix("/s  0 s left\(Self.clear)"))
  }

  @Test func `of a length that is not known, what has come and how fast is told`() throws {
    let (text, _) = try printed(by: [], answering: .chunked(chunks: [Array("0123456789".utf8)]))
    #expect(text.hasPrefix("\(Self.clear)10 B  ") && text.hasSuffix("/s\(Self.clear)"))
  }

  @Test(arguments: [["--no-progress"], ["-s"]])
  func `nobody has a line who wants none`(_ options: [String]) throws {
    #expect(try printed(by: options).text == "")
  }

  @Test func `what is over soon has none`() throws {
    #expect(try printed(by: [], seconds: 0).text == "")
  }

  @Test func `in a pipe there is none, whatever is asked for`() throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    scenario.secondsPerLook = 2
    #expect(try scenario.run("-#", scenario.url()).diagnostics == "")
  }

  @Test func `what was there before is told apart, and counts for no speed`() throws {
    let fields = [("ETag", "\"1\""), ("Cache-Control", "max-age=60")]
    let scenario = try Scenario { request in
      request.number == 1
        ? .raw(OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "110")]) + Pattern.bytes(count: 100))
        : .response(206, fields: fields + [("Content-Range", "bytes 100-109/110")], text: "0123456789")
    }
    try scenario.run(scenario.url())
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    #expect(try scenario.run(scenario.url()).output == Pattern.bytes(count: 100) + Array("0123456789".utf8))
    #expect(terminal.printed().hasSuffix("100%  110 B of 110 B (100 B before)  1 B/s  0 s left\(Self.clear)"))
  }
}
