import Glibc
import TestSupport
import Testing

/// Control characters from the network, which a terminal would obey, and input that is typed at a terminal.
@Suite struct TerminalTests {
  /// A control sequence that sets the title of a window.
  private static let title = "\u{1b}]0;PWN\u{07}"

  private static func device(_ terminal: WatchedTerminal) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
      guard let start = name.baseAddress, ttyname_r(terminal.descriptor, start, name.count) == 0 else { return "" }
      return String(cString: start)
    }
  }

  @Test(arguments: [["-o", "/dev/null", "-D"], ["-i", "-o"], ["-I", "-o"]])
  func `heads are escaped on whichever terminal they are written to`(_ options: [String]) throws {
    let scenario = try Scenario(.response(fields: [("Server", Self.title)], text: "body"))
    let terminal = try WatchedTerminal()
    let run = try scenario.run(options + [Self.device(terminal), scenario.url()])
    let printed = terminal.printed()
    #expect(run.status == 0 && printed.hasPrefix("HTTP/1.1 200"), "\(run.diagnostics)")
    #expect(!printed.contains("\u{1b}") && printed.contains("PWN"), "\(printed)")
    let file = scenario.directory.path("file")
    let raw = try scenario.run(options.dropLast() + [options.last == "-D" ? "-D" : "-o", file, scenario.url()])
    let written = String(decoding: try readFile(file), as: UTF8.self)
    #expect(raw.status == 0 && written.contains(Self.title))
  }

  private static let binary = Array("PNG\u{1b}[2J".utf8) + [0] + Array("rest".utf8)

  /// `binary` in gzip, whose header has a NUL.
  private static let compressed: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x0b, 0xf0, 0x73, 0x97, 0x8e, 0x36, 0xf2, 0x62,
    0x28, 0x4a, 0x2d, 0x2e, 0x01, 0x00, 0xd2, 0xe2, 0x40, 0xd4, 0x0c, 0x00, 0x00, 0x00,
  ]

  @Test func `binary content is printed on no terminal, be it stored or not`() throws {
    let fields = [("Cache-Control", "max-age=60")]
    let scenario = try Scenario { request in
      request.target == "/redirect"
        ? .response(302, fields: fields + [("Location", "/")]) : .response(fields: fields, content: Self.binary)
    }
    for options in [[], ["--offline"], ["-#"]] {
      for target in ["/", "/redirect"] {
        let run = try scenario.run(onTerminalOf: 80, arguments: options + [scenario.url(target)])
        #expect(run.status == 23 && run.text == "", "\(run.diagnostics)")
        #expect(
          run.diagnostics == """
            garner: the content of \(scenario.url()) is binary, and not printed on a terminal
            hint: -o FILE saves it; -o - prints it anyway

            """)
      }
      // These runs store the response.
      #expect(try scenario.run(scenario.url(), scenario.url("/redirect")).output == Self.binary + Self.binary)
    }
    for options in [["-o", "-"], ["--offline", "-o", "-"]] {
      let run = try scenario.run(onTerminalOf: 80, arguments: options + [scenario.url()])
      #expect(run.status == 0 && run.output == Self.binary)
    }
    // `-o -` applies to the first URL only.
    let two = try scenario.run(onTerminalOf: 80, "-s", "-o", "-", scenario.url(), scenario.url())
    #expect(two.status == 23 && two.output == Self.binary)
  }

  @Test func `cache cat prints text on a terminal, and binary content only elsewhere`() throws {
    let fields = [("Cache-Control", "max-age=60")]
    let scenario = try Scenario { request in
      .response(fields: fields, content: request.target == "/text" ? Array("text\n".utf8) : Self.binary)
    }
    try scenario.run(scenario.url("/text"), scenario.url())
    #expect(try scenario.run(onTerminalOf: 80, "cache", "cat", scenario.url("/text")).text == "text\n")
    #expect(try scenario.run("cache", "cat", scenario.url()).output == Self.binary)
    let run = try scenario.run(onTerminalOf: 80, "cache", "cat", scenario.url())
    #expect(run.status == 23 && run.text == "", "\(run.diagnostics)")
    #expect(
      run.diagnostics == """
        garner: the content of \(scenario.url()) is binary, and not printed on a terminal
        hint: '> FILE' saves it; '| cat' prints it anyway

        """)
  }

  @Test func `content that is binary once it is decoded is printed on no terminal either`() throws {
    let scenario = try Scenario(.response(fields: [("Content-Encoding", "gzip")], content: Self.compressed))
    let run = try scenario.run(onTerminalOf: 80, "-s", "-i", "--compressed", scenario.url())
    #expect(run.status == 23 && run.text.hasPrefix("HTTP/1.1 200") && !run.text.contains("PNG"))
  }

  @Test(arguments: [["-d", "@-"], ["-H", "@-"], ["--input-file", "-"], ["-K", "-"]])
  func `input that is typed at a terminal has one end`(_ options: [String]) throws {
    let scenario = try Scenario(.response(text: "body"))
    let keyboard = try WatchedTerminal()
    scenario.keyboard = keyboard
    let url = scenario.url("/first")
    let text = ["--input-file": url, "-K": "url=\(url)"][options[0]] ?? "A: first"
    // The text after the end of input would be read only if the program read again after the end.
    try keyboard.type("\(text)\n\u{04}\(text.replacing("first", with: "second"))\n\u{04}")
    let urls = ["-d", "-H"].contains(options[0]) ? [scenario.url()] : []
    #expect(try scenario.run(options + urls).status == 0)
    let request = try #require(scenario.origin.requests.first)
    #expect(scenario.origin.requests.count == 1)
    let said = "\(request.target) \(request.value("A") ?? "") \(String(decoding: request.content, as: UTF8.self))"
    #expect(said.contains("first") && !said.contains("second"), "\(said)")
  }

  @Test(arguments: ["%{json}", "%{header_json}"])
  func `the JSON of -w has no control character of an origin's`(_ format: String) throws {
    // The bytes of U+009B and U+00A9 in UTF-8, each written as one scalar.
    let scenario = try Scenario(
      .response(fields: [("Content-Type", "a/b;c=\u{c2}\u{9b}31m\u{c2}\u{a9}")], text: ""))
    let text = try scenario.run("-w", format, scenario.url()).text
    #expect(text.contains("\\u009b31m\u{a9}") && !text.unicodeScalars.contains("\u{9b}"), "\(text)")
  }

  @Test(arguments: [["-D", "-"], ["-w", "%header{X-A}%{content_type}"], ["-w", "%{stderr}%header{X-A}"]])
  func `control characters of an origin's are escaped on a terminal`(_ options: [String]) throws {
    let scenario = try Scenario(
      .response(fields: [("X-A", "\u{1b}[31m"), ("Content-Type", "a/b;c=\u{1b}[31m")], text: "hello"))
    let file = scenario.directory.path("out")
    let run = try scenario.run(
      onTerminalOf: 80, errorsToo: true, arguments: ["--no-progress", "-o", file] + options + [scenario.url()])
    #expect(run.text.contains("\\x1b[31m") && !run.text.contains("\u{1b}"), "\(run.text)")
    let piped = try scenario.run(["-o", file] + options + [scenario.url()])
    #expect((piped.text + piped.diagnostics).contains("\u{1b}[31m"))
  }
}
