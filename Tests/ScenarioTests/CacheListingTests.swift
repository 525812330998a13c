import TestSupport
import Testing

/// The output of `cache ls`.
@Suite struct CacheListingTests {
  @Test(arguments: [
    (#"{url}\t{size}"#, "URL/json\t20\n"), (#"{{{status}}} {state}\\"#, "{200} fresh\\\n"),
    ("{type}|{etag}|{last_modified}", "application/ld+json; charset=utf-8|\"e\"|-\n"),
    ("{groups} {vary} {pinned} {method}", "one,two - false GET\n"), ("{age} {ttl} {total}", "500 5500 20\n"),
    ("{stored_at} {expires_at}", "2025-01-01T00:08:20Z 2025-01-01T01:48:20Z\n"), ("", "\n"), (#"\0"#, "\0\n"),
  ])
  func `--format prints the fields of the JSON`(_ format: String, _ expected: String) throws {
    let scenario = try CacheSelectionTests.filled()
    let run = try scenario.run("cache", "ls", "--format", format, scenario.url("/json"))
    let parts = expected.split(separator: "URL", omittingEmptySubsequences: false)
    #expect(run.status == 0 && run.text == parts.joined(separator: scenario.url("")), "\(run.text)\(run.diagnostics)")
  }

  @Test(arguments: [
    ("{url", "a brace is not closed\nhint: '{{' stands for a brace"),
    ("{}", "there is no field ''\nhint: 'garner help formats' lists them"),
    ("{sise}", "there is no field 'sise'\nhint: did you mean {size}?"),
    (#"\x"#, "a backslash must be followed by t, n, r, 0 or another backslash"),
    (#"\"#, "a backslash must be followed by t, n, r, 0 or another backslash"),
  ])
  func `a --format that is malformed or names an unknown field is refused`(_ format: String, _ message: String) throws {
    let run = try CacheSelectionTests.filled().run("cache", "ls", "--format", format)
    #expect(run.status == 2 && run.diagnostics == "garner: option --format: \(message)\n")
  }

  @Test(arguments: ["url", "size", "age", "expires"])
  func `responses with equal sort keys are sorted by URL, however many there are`(_ key: String) throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run("-s", scenario.url("/[100-499]"))
    let expected = (100..<500).map { scenario.url("/\($0)") }
    let all = try scenario.run("cache", "ls", "-0", "--sort", key)
    #expect(all.text == zeroEnded(expected))
    let last = try scenario.run("cache", "ls", "-0", "--sort", key, "--reverse", "--limit", "3")
    #expect(last.text == zeroEnded(expected.suffix(3).reversed()))
  }

  @Test func `-0 ends each line of --format with a zero byte`() throws {
    let scenario = try CacheSelectionTests.filled()
    #expect(try scenario.run("cache", "ls", "-0", "--format", "{size}", "--status", "404").text == "3000\0")
  }

  @Test func `control characters from an origin are escaped in a listing, and end no line`() throws {
    let scenario = try Scenario(
      .fresh([("ETag", "\"a\tb\u{9b}31m\"")], text: ""))
    try scenario.run(scenario.url())
    #expect(try scenario.run("cache", "ls", "--format", "{etag}|{size}").text == "\"a\\x09b\u{fffd}31m\"|0\n")
  }

  @Test func `ls prints a table on a terminal`() throws {
    let scenario = try CacheSelectionTests.filled()
    try scenario.run("cache", "pin", scenario.url("/json"))
    scenario.environment["NO_COLOR"] = "1"
    let run = try scenario.run(onTerminalOf: 100, "cache", "ls")
    #expect(
      run.text == """
            code      size     age  fresh for  URL
        V    200       3 B     0 s       asks  \(scenario.url("/ask?token=***"))
        F    404   2.9 KiB     0 s    100 min  \(scenario.url("/gone"))
        F*   200      20 B   8 min     91 min  \(scenario.url("/json"))
        S    200       1 B  16 min          -  \(scenario.url("/old"))
        P    200  5 B/10 B     0 s          -  \(scenario.url("/part"))

        """)
    #expect(try scenario.run(onTerminalOf: 100, "cache", "ls", "--host", "x").text == "")
  }

  @Test(arguments: [300, 80, 60, 50, 40, 30, 20])
  func `a table fits the terminal, and a URL loses its middle`(_ columns: Int) throws {
    let scenario = try Scenario(.fresh(text: "x"))
    scenario.environment["LC_ALL"] = "C.UTF-8"
    let path = "/" + String(repeating: "long/", count: 30) + "end.html"
    try scenario.run(scenario.url(path))
    let lines = try scenario.run(onTerminalOf: columns, "cache", "ls", "--color", "never").text.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.count <= columns }, "\(lines)")
    let row = try #require(lines.last)
    #expect(row.contains("…") == (columns < 300))
    #expect(row.hasSuffix("d.html") && row.contains("http://"))
  }

  @Test func `in a locale without UTF-8, three full stops stand for the middle of a URL`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    scenario.environment["LC_ALL"] = "C"
    try scenario.run(scenario.url("/" + String(repeating: "long/", count: 30)))
    let text = try scenario.run(onTerminalOf: 60, "cache", "ls", "--color", "never").text
    #expect(text.contains("...") && text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
  }

  @Test(arguments: [
    ([:], [], true), (["NO_COLOR": "1"], [], false), (["NO_COLOR": ""], [], true), (["TERM": "dumb"], [], false),
    (["NO_COLOR": "1"], ["--color", "always"], true), ([:], ["--color=never"], false),
  ])
  func `ls colours the state on a terminal, unless the environment or an option forbids colour`(
    _ environment: [String: String], _ options: [String], _ isColoured: Bool
  ) throws {
    let scenario = try CacheSelectionTests.filled()
    scenario.environment = environment
    let arguments = ["cache", "ls", "--stale"] + options
    let text = try scenario.run(onTerminalOf: 80, arguments: arguments).text
    #expect(text.contains("\u{1b}[33mS \u{1b}[0m") == isColoured && text.contains("\u{1b}") == isColoured)
  }
}
