import TestSupport
import Testing

@Suite("A run fetches several URLs")
struct ManyURLTests {
  private static func echoing() throws -> Scenario {
    try Scenario { request in
      if request.target == "/missing" { return .response(404, text: "no such thing\n") }
      return .fresh(text: "\(request.target)\n")
    }
  }

  @Test func `the URLs of an --input-file are read line by line, behind those that are typed`() throws {
    let scenario = try Self.echoing()
    let list = "\(scenario.url("/a"))\r\n\n# none\n  \(scenario.url("/b[1]"))\n"
    try scenario.directory.write(list, to: "list")
    let run = try scenario.run("--input-file", scenario.directory.path("list"), scenario.url("/typed"))
    #expect(run.text == "/typed\n/a\n/b[1]\n")
    #expect((run.status, run.diagnostics) == (0, ""))
    #expect(try scenario.run("--input-file", "-", input: list).text == "/a\n/b[1]\n")
  }

  @Test func `a line of an --input-file that is no URL is named, and the others are fetched`() throws {
    let scenario = try Self.echoing()
    try scenario.directory.write("http://a b/\n\(scenario.url("/x"))\nftp://h/\n\u{1b}[2J\n", to: "list")
    let list = scenario.directory.path("list")
    let run = try scenario.run("--input-file", list)
    #expect(run.text == "/x\n")
    #expect(run.status == 3)
    let lines = run.diagnostics.split(separator: "\n")
    #expect(lines.count >= 4)
    #expect(lines.contains { $0.hasPrefix("garner: \(list), line 1: the URL http://a b/ is malformed") })
    #expect(lines.contains { $0.hasPrefix("garner: \(list), line 3: the URL ftp://h/ is not supported") })
    #expect(lines.contains { $0.hasPrefix("garner: \(list), line 4: ") })
    #expect(!run.diagnostics.contains("\u{1b}"))
    #expect(lines.last == "garner: 4 URLs: 1 fetched (3 B), 3 failed")
  }

  @Test func `an --input-file that cannot be read is status 26, and nothing is sent`() throws {
    let scenario = try Self.echoing()
    let run = try scenario.run("--input-file", scenario.directory.path("none"), scenario.url("/a"))
    #expect(run.status == 26)
    #expect(scenario.asked.isEmpty)
  }

  @Test func `braces and brackets stand for several URLs, and name their files`() throws {
    let scenario = try Self.echoing()
    let run = try scenario.run(
      "-o", scenario.directory.path("#2-#1-#3"), scenario.url("/{x,y}/[08-10:2]"), scenario.url("/rest"))
    #expect(run.status == 0)
    #expect(run.text == "/rest\n")
    #expect(scenario.asked == ["/x/08", "/x/10", "/y/08", "/y/10", "/rest"])
    #expect(try String(decoding: scenario.directory.read("10-y-#3"), as: UTF8.self) == "/y/10\n")
    #expect(try String(decoding: scenario.directory.read("08-x-#3"), as: UTF8.self) == "/x/08\n")
  }

  @Test(arguments: [[], ["-Z"]])
  func `a file name that is empty for one choice of a glob fails that URL alone`(_ options: [String]) throws {
    let scenario = try Scenario(.response(text: "content"))
    let name = scenario.directory.path("")
    let run = try scenario.run(options + ["--output-dir", name, "-o", "#1", scenario.url("/{a,,b}")])
    #expect(run.status == 23, "\(run)")
    #expect(run.diagnostics.contains("cannot write the file of --output '#1': its name is empty"))
    #expect(try scenario.directory.read("a") == scenario.directory.read("b"))
    #expect(try scenario.run("-o", "", scenario.url()).status == 2)
  }

  @Test(arguments: ["\n", "\r", "\t", "\u{1}"])
  func `a URL with a control character is malformed, and the others are fetched`(_ character: String) throws {
    let scenario = try Scenario(.fresh(text: "x"))
    let run = try scenario.run(scenario.url("/a\(character)b"), scenario.url("/good"))
    #expect(run.status == 3 && run.text == "x" && scenario.asked == ["/good"], "\(run)")
    #expect(run.diagnostics.contains("is malformed: it holds a space or a control character"), "\(run)")
  }

  @Test func `--globoff takes braces and brackets as they are, and without it a malformed glob is refused`() throws {
    let scenario = try Self.echoing()
    let name = scenario.directory.path("#1")
    #expect(try scenario.run("-g", "-o", name, scenario.url("/{a}[1]")).status == 0)
    #expect(scenario.asked == ["/{a}[1]"])
    #expect(try String(decoding: scenario.directory.read("#1"), as: UTF8.self) == "/{a}[1]\n")
    let refused = try scenario.run(scenario.url("/[3-1]"), scenario.url("/b"))
    #expect((refused.status, refused.text) == (3, "/b\n"))
    #expect(refused.diagnostics.contains("hint: --globoff"))
  }

  @Test func `a huge glob is expanded only as far as it is fetched`() throws {
    let scenario = try Self.echoing()
    let early = try scenario.run("--fail-early", scenario.url("/missing"), scenario.url("/[1-99999999999]"))
    #expect((early.status, early.text) == (22, "no such thing\n"))
    #expect(scenario.asked.last == "/missing")
    #expect(early.diagnostics.hasSuffix("garner: 100000000000 URLs: 1 failed, 99999999999 not fetched\n"))
  }

  @Test func `with --fail-early, the number of URLs that are not fetched is reported`() throws {
    let scenario = try Self.echoing()
    let list = try scenario.directory.write("\(scenario.url("/3"))\n", to: "list")
    let run = try scenario.run(
      "-Z", "--parallel-max", "1", "--fail-early", scenario.url("/missing"), scenario.url("/2"), "--input-file", list)
    #expect(run.diagnostics.hasSuffix("\ngarner: 3 URLs: 1 failed, 2 not fetched\n"), "\(run.diagnostics)")
    let last = try scenario.run("--fail-early", scenario.url("/1"), scenario.url("/missing"))
    #expect(last.diagnostics.hasSuffix("\ngarner: 2 URLs: 1 fetched (3 B), 1 failed\n"), "\(last.diagnostics)")
  }

  @Test func `the options before --next do not apply behind it`() throws {
    let scenario = try Scenario { request in
      .response(fields: [("X-Method", request.method)], text: request.value("A") ?? "-")
    }
    let run = try scenario.run(
      "-s", "-H", "A: 1", "-d", "x", "-w", "(%{method})", scenario.url("/a"), "--next", "-w", "[%{method}]",
      scenario.url("/b"))
    #expect(run.text == "1(POST)-[GET]")
    #expect(scenario.asked == ["POST /a", "/b"])
  }

  @Test func `the options of the whole run apply to the URLs before --next, too`() throws {
    let scenario = try Self.echoing()
    let run = try scenario.run("-s", scenario.url("/a"), "--next", "-v", scenario.url("/b"))
    #expect(run.text == "/a\n/b\n" && run.diagnostics.contains("> GET /a HTTP/1.1"), "\(run)")
    let heads = scenario.directory.path("made/heads")
    let planned = try scenario.run(
      "--create-dirs", "-D", heads, scenario.url("/c"), "--next", "--dry-run", scenario.url("/d"))
    #expect(planned.status == 0 && scenario.asked == ["/a", "/b"], "\(planned)")
    #expect(!namesInDirectory(scenario.directory.path).contains("made"))
  }

  @Test func `a variable of the environment counts for each set of options`() throws {
    let scenario = try Scenario { request in .response(text: request.value("User-Agent") ?? "-") }
    scenario.environment = ["GARNER_USER_AGENT": "ours"]
    let run = try scenario.run("-A", "mine", scenario.url("/a"), "--next", scenario.url("/b"))
    #expect(run.text == "mineours")
  }

  @Test func `-K reads options in curl's notation, from standard input too`() throws {
    let scenario = try Scenario { request in .response(text: "\(request.target) \(request.value("A") ?? "-")\n") }
    let text =
      "# curl's\nurl = \"\(scenario.url("/{a,b}"))\"\n-H \"A: x y\"\nsilent\nnext\nurl: \(scenario.url("/c"))\n"
    #expect(try scenario.run("-K", "-", input: text).text == "/a x y\n/b x y\n/c -\n")
    try scenario.directory.write("nonsense\n", to: "k")
    let wrong = try scenario.run("-K", scenario.directory.path("k"), scenario.url())
    #expect(wrong.status == 2)
    #expect(
      wrong.diagnostics.hasPrefix("garner: \(scenario.directory.path("k")), line 1: option --nonsense is unknown"))
    #expect(try scenario.run("-K", scenario.directory.path("none"), scenario.url()).status == 26)
    for line in ["header = @/nowhere/fields", "config = /nowhere/config", "data = @/nowhere/data"] {
      let unread = try scenario.run("-K", "-", scenario.url(), input: line)
      #expect(unread.status == 26 && unread.diagnostics.contains("cannot read /nowhere/"), "\(unread)")
    }
  }

  @Test func `--remote-name-all names the files of all URLs for which there is no -o`() throws {
    let scenario = try Self.echoing()
    let run = try scenario.run("--remote-name-all", "-o", "-", scenario.url("/a"), scenario.url("/"))
    // The second URL has no name, so that nothing is written into the working directory.
    #expect(run.text == "/a\n")
    #expect(run.status == 23)
  }

  @Test func `the summary line is printed for a run with several URLs of which one failed`() throws {
    let scenario = try Self.echoing()
    let (a, missing) = (scenario.url("/a"), scenario.url("/missing"))
    #expect(try scenario.run(a, a).diagnostics == "")
    #expect(try scenario.run(a, missing, a).diagnostics.hasSuffix("garner: 3 URLs: 2 from the cache, 1 failed\n"))
    #expect(!(try scenario.run(missing).diagnostics.contains("URLs:")))
    #expect(try scenario.run("-s", a, missing).diagnostics == "")
    #expect(!(try scenario.run("-sS", a, missing).diagnostics.contains("URLs:")))
  }
}
