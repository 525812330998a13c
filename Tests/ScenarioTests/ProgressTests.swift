import Glibc
import Platform
import TestSupport
import Testing

@testable import Client

/// The progress line of a transfer that takes some time.
@Suite struct ProgressTests {
  /// The lines that were shown, one after the other, without the spaces that erase them.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\r").map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }.filter { !$0.isEmpty }
  }

  /// The text that a run prints on a terminal. Each look at the clock finds it `seconds` later.
  private func printed(
    by options: [String], seconds: UInt32 = 2, columns: UInt16? = nil,
    answering answer: OriginAnswer = .response(text: "0123456789")
  ) throws -> (text: String, run: Scenario.Run) {
    let scenario = try Scenario(answer)
    let terminal = try WatchedTerminal()
    if let columns { try terminal.resize(columns: columns) }
    scenario.terminal = terminal
    scenario.secondsPerLook = seconds
    let run = try scenario.run(options + [scenario.url()])
    return (terminal.printed(), run)
  }

  @Test func `a transfer that lasts has a progress line, which is gone when the transfer is over`() throws {
    let (text, run) = try printed(by: [])
    #expect(run.status == 0 && run.text == "0123456789")
    let hashes = String(repeating: "#", count: 38)
    #expect(Self.lines(text) == ["100%  [\(hashes)]  10 B of 10 B  2 B/s  0 s left"])
    #expect(text.hasSuffix("\r") && text.split(separator: "\r").last?.contains { $0 != " " } == false)
  }

  @Test(
    arguments: [
      (60, "100%  [####################]  10 B of 10 B  2 B/s  0 s left"), (40, "100%  10 B of 10 B  2 B/s  0 s left"),
      (30, "100%  10 B of 10 B  2 B/s"), (20, "100%  10 B of 10 B"), (10, "100%"), (2, "1"),
    ] as [(UInt16, String)])
  func `the progress line is narrower than the terminal`(_ columns: UInt16, _ line: String) throws {
    let (text, _) = try printed(by: [], columns: columns)
    #expect(Self.lines(text) == [line])
    #expect(text.split(separator: "\r").allSatisfy { $0.count < columns })
  }

  @Test func `on a terminal that has become narrower, no progress line goes beyond its edge`() throws {
    let terminal = try WatchedTerminal()
    let diagnostics = Diagnostics(Descriptor(rawValue: terminal.descriptor))
    try terminal.resize(columns: 40)
    diagnostics.progress("a line of more than twenty columns")
    try terminal.resize(columns: 20)
    diagnostics.progress("short")
    diagnostics.endProgress()
    let narrow = terminal.printed().split { $0 == "\r" }.dropFirst()
    #expect(narrow.count == 2 && narrow.allSatisfy { $0.count < 20 })
  }

  @Test func `a run that waits for another run has a line that says so, until the wait is over`() throws {
    let gate = Gate()
    let scenario = try Scenario { $0.number == 1 ? .late(gate, .fresh(text: "1")) : .fresh(text: "2") }
    let leader = scenario.start(scenario.url())
    #expect(scenario.origin.hasSeen(requests: 1))
    let (clock, terminal) = (scenario.clock, try WatchedTerminal())
    scenario.terminal = terminal
    scenario.whenPausing = { _ in clock.advance(bySeconds: 1) }
    #expect(try scenario.run("--collapse-timeout", "4", scenario.url()).text == "2")
    let text = terminal.printed()
    #expect(Set(Self.lines(text)) == ["waiting for another run that fetches the same response"])
    #expect(text.hasSuffix(" \r"))
    gate.open()
    #expect(try leader.finish().text == "1")
  }

  @Test(arguments: [[], ["-Z"]])
  func `the progress line goes on to change while no more content comes`(_ options: [String]) throws {
    let gate = Gate()
    let head = OriginAnswer.head(200, nil, fields: [("Content-Length", "20000")])
    let half = OriginAnswer([.bytes(head + Pattern.bytes(count: 10_000)), .wait(gate)], ending: .close)
    let scenario = try Scenario(half)
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 1
    let run = scenario.start(options + [scenario.url()])
    var lines: Set<String> = []
    for _ in 0..<1_000 where lines.count < 3 {
      lines.formUnion(Self.lines(terminal.printed()).filter { $0.contains("50%") })
      usleep(10_000)
    }
    gate.open()
    #expect(lines.count >= 3, "\(lines)")
    #expect(try run.finish().status == 18)
  }

  @Test func `without a known length, the progress line shows the received bytes and the speed`() throws {
    let (text, _) = try printed(by: [], answering: .chunked(chunks: [Array("0123456789".utf8)]))
    #expect(Self.lines(text) == ["10 B  2 B/s"])
  }

  @Test(arguments: [["--no-progress"], ["-s"], ["-Z", "-s"], ["-Z", "--no-progress"]])
  func `-s and --no-progress turn off the progress line`(_ options: [String]) throws {
    #expect(try printed(by: options).text == "")
  }

  @Test func `a transfer that is over soon has no progress line`() throws {
    #expect(try printed(by: [], seconds: 0).text == "")
  }

  @Test func `no progress line is written into a pipe, even with -#`() throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    scenario.secondsPerLook = 2
    #expect(try scenario.run("-#", scenario.url()).diagnostics == "")
  }

  @Test func `the progress line shows a stored part apart, and does not count it in the speed`() throws {
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
    let line = try #require(Self.lines(terminal.printed()).last)
    #expect(line == "100%  [====================###]  110 B of 110 B (100 B before)  1 B/s  0 s left")
  }

  static let linesOfPart: [(width: Int, line: String)] = [
    (99, "72%  [==========########        ]  634.7 KiB of 878.9 KiB (366.2 KiB before)  268.4 KiB/s  0 s left"),
    (79, "72%  [==========########       ]  634.7 KiB of 878.9 KiB  268.4 KiB/s  0 s left"),
    (30, "72%  634.7 KiB of 878.9 KiB"),
  ]

  @Test(arguments: linesOfPart)
  func `on a narrow terminal, at most the bar of a progress line shows a stored part apart`(width: Int, line: String) {
    let figures = ProgressFigures(received: 649_933, before: 375_000, expected: 900_000, nanoseconds: 1_000_000_000)
    #expect(figures.line(width: width) == line)
  }

  @Test func `the progress line shows apart what a file already holds`() throws {
    let scenario = try Scenario { _ in
      .response(206, fields: [("Content-Range", "bytes 10-19/20")], text: "0123456789")
    }
    try scenario.directory.write("abcdefghij", to: "file")
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    #expect(try scenario.run("-C", "-", "-o", scenario.directory.path("file"), scenario.url()).status == 0)
    let line = try #require(Self.lines(terminal.printed()).last)
    #expect(line == "100%  [=============#############]  20 B of 20 B (10 B before)  5 B/s  0 s left")
  }

  @Test(arguments: [["-T"], ["-#", "--data-binary", "@"], ["-F", "f=@"]])
  func `the progress line shows the upload until the answer begins`(_ options: [String]) throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    let file = try scenario.directory.write(String(repeating: "x", count: 4 << 20), to: "large")
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    let arguments = options == ["-T"] ? ["-T", file] : options.dropLast() + [(options.last ?? "") + file]
    #expect(try scenario.run(arguments + [scenario.url()]).status == 0)
    let lines = Self.lines(terminal.printed())
    let sending = lines.filter { $0.contains("%  [") && $0.contains(" of 4.0 MiB  ") && $0.hasSuffix(" left") }
    #expect(sending.count > 1, "\(lines)")
    #expect(lines.last?.contains("10 B of 10 B") == true)
  }

  @Test func `the progress line shows a slow upload, however little is sent`() throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    let file = try scenario.directory.write(String(repeating: "x", count: 200_000), to: "file")
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    #expect(try scenario.run("-T", file, "--limit-rate", "200K", scenario.url()).status == 0)
    #expect(Self.lines(terminal.printed()).contains { $0.contains(" of 195.3 KiB  ") })
  }

  @Test func `the progress line of an upload from a pipe shows no length`() throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    let input = String(repeating: "x", count: 1 << 20)
    #expect(try scenario.run("-T", "-", scenario.url(), input: input).status == 0)
    let lines = Self.lines(terminal.printed())
    #expect(lines.contains { $0.contains("KiB  ") && $0.hasSuffix("/s") && !$0.contains(" of ") }, "\(lines)")
  }

  @Test func `the progress line can show the largest Content-Length that an origin may promise`() throws {
    let head = OriginAnswer.head(200, nil, fields: [("Content-Length", "9223372036854775807")])
    let (text, run) = try printed(by: [], answering: .raw(head + Array("0123456789".utf8)))
    #expect(run.text == "0123456789")
    #expect(Self.lines(text).first?.contains("]  10 B of 8388607.9 TiB  2 B/s  ") == true)
  }

  @Test func `text that -w writes beside the progress line stands in lines of its own`() throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    try scenario.run("-Z", "-w", "%{stderr}written\\n", scenario.url("/[1-3]"))
    let lines = terminal.printed().split(whereSeparator: \.isNewline).filter { $0.contains("written") }
    #expect(lines == ["written", "written", "written"])
  }

  @Test(arguments: [["-Z"], ["-Z", "-I"]], [[], ["-#"]])
  func `output on a terminal has a progress line amid it only with -#`(
    _ options: [String], _ asking: [String]
  ) throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    scenario.secondsPerLook = 2
    let arguments = options + asking + [scenario.url("/1"), scenario.url("/2")]
    let run = try scenario.run(onTerminalOf: 80, errorsToo: true, arguments: arguments)
    #expect(run.text.contains(" of 2 URLs  ") == !asking.isEmpty, "\(run.text)")
  }

  @Test func `on the terminal of standard output, the progress line is gone before anything is printed`() throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    scenario.secondsPerLook = 2
    let run = try scenario.run(
      onTerminalOf: 80, errorsToo: true,
      arguments: ["-Z", "-w", "(%{url})\\n", "-o", scenario.directory.path("#1"), scenario.url("/[1-3]")])
    let printed = run.text.split(whereSeparator: \.isNewline).filter { $0.contains("(") && !$0.contains("garner") }
    #expect(run.text.contains(" of 3 URLs  "))
    let lines = printed.map { String($0.split(separator: "\r").last ?? "") }
    #expect(lines == (1...3).map { "(\(scenario.url("/\($0)")))" })
  }

  @Test func `no progress line is shown while printed text ends amid a line`() throws {
    let terminal = try WatchedTerminal()
    let output = Descriptor(rawValue: terminal.descriptor)
    let diagnostics = Diagnostics(output)
    let screen = try #require(diagnostics.screen(isTerminal: true))
    let sink = BodySink(.standardOutput, printingOn: .standardOutput(output), on: screen)
    diagnostics.progress("before")
    try sink.write(Array("text".utf8))
    diagnostics.progress("amid")
    #expect(terminal.printed() == "\rbefore\r      \rtext")
    try sink.write(Array("!\n".utf8))
    diagnostics.progress("behind")
    #expect(terminal.printed().hasSuffix("\rbehind"))
    // Once the descriptor is handed out, the text that goes to it may end anywhere in a line.
    #expect(try sink.descriptor(for: 1) != nil)
    diagnostics.progress("amid")
    diagnostics.emit(Array("line\n".utf8))
    diagnostics.progress("end")
    #expect(terminal.printed().split(separator: "\r").joined(separator: "|") == "      |line\r\n|end")
    diagnostics.breaksLines = true
    try sink.write(Array("text".utf8))
    diagnostics.progress("asked for")
    #expect(terminal.printed() == "\r   \rtext\r\n\rasked for")
  }

  @Test(arguments: [[], ["-Z"]])
  func `no progress line stands amid a body that goes to a terminal by its name, except with -#`(_ options: [String])
    throws
  {
    let scenario = try Scenario(.response(text: "0123456789"))
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    var name = [CChar](repeating: 0, count: 64)
    #expect(ttyname_r(terminal.descriptor, &name, name.count) == 0)
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let arguments = options + ["-o", path, scenario.url("/{1,2}")]
    #expect(try scenario.run(arguments).status == 0)
    #expect(terminal.printed().hasPrefix("01234567890123456789garner: 2 URLs: "))
    #expect(try scenario.run(["-#"] + arguments).status == 0)
    #expect(terminal.printed().contains("100%"))
  }

  @Test func `transfers side by side have one progress line together`() throws {
    let scenario = try Scenario(.response(text: "0123456789"))
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    scenario.secondsPerLook = 2
    #expect(try scenario.run("-Z", scenario.url("/[1-3]")).status == 0)
    let lines = Self.lines(terminal.printed())
    #expect(lines.contains { $0.hasPrefix("1 of 3 URLs  ") && $0.hasSuffix("/s") })
    #expect(lines.contains { $0.hasPrefix("3 of 3 URLs  100%  [#") && $0.contains("  30 B of 30 B  ") })
    #expect(lines.last?.hasPrefix("garner: 3 URLs: 3 fetched (30 B)") == true)
  }
}
