import FlagTable
import Interface
import Testing

@Suite("URL globs with braces and brackets")
struct URLGlobTests {
  static let expansions: [(glob: ArgumentText, urls: [ArgumentText])] = [
    ("h/{a,b}", ["h/a", "h/b"]),
    ("h/{a,}", ["h/a", "h/"]),
    ("h/[1-3]", ["h/1", "h/2", "h/3"]),
    ("h/[08-10]", ["h/08", "h/09", "h/10"]),
    ("h/[1-10:4]", ["h/1", "h/5", "h/9"]),
    ("h/[a-c]", ["h/a", "h/b", "h/c"]),
    ("h/[a-e:2]", ["h/a", "h/c", "h/e"]),
    ("h/[X-Z]", ["h/X", "h/Y", "h/Z"]),
    ("h/[7-7]", ["h/7"]),
    ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]),
    ("http://[::1]:80/", ["http://[::1]:80/"]),
    ("http://[fe80::1%25eth0]/{a,b}", ["http://[fe80::1%25eth0]/a", "http://[fe80::1%25eth0]/b"]),
    ("h/?a[]={1,2}&b[]=", ["h/?a[]=1&b[]=", "h/?a[]=2&b[]="]),
    (#"h/\{a\}\[1\]"#, ["h/{a}[1]"]),
    (#"h/{a\,b,c}"#, ["h/a,b", "h/c"]),
    (#"h/a\b"#, [#"h/a\b"#]),
  ]

  @Test("A glob expands to its URLs, and the last set or range changes fastest", arguments: expansions)
  func expansion(_ row: (glob: ArgumentText, urls: [ArgumentText])) throws {
    let glob = try URLGlob(parsing: row.glob)
    #expect((0..<glob.count).map { glob.element($0).text } == row.urls)
  }

  @Test("An expanded URL knows the choices that it consists of")
  func choices() throws {
    let glob = try URLGlob(parsing: "{a,b}/x/[01-02]")
    #expect(glob.element(2).choices == [Array("b".utf8), Array("01".utf8)])
  }

  @Test("A huge glob is expanded one URL at a time")
  func lazily() throws {
    let glob = try URLGlob(parsing: "h/[0-999999999]/[a-z]")
    #expect(glob.count == 26_000_000_000)
    #expect(glob.element(glob.count - 1).text == "h/999999999/z")
  }

  static let faults: [(glob: ArgumentText, fault: URLGlob.Fault)] = [
    ("h/[1-", .unmatched(at: 3)), ("h/{a", .unmatched(at: 3)), ("h/a]", .unmatched(at: 4)), ("h}", .unmatched(at: 2)),
    ("h/{}", .emptyBraces(at: 3)), ("h/{a,{b}}", .nestedBrace(at: 6)), ("h/{a[1-2]}", .nestedBrace(at: 5)),
    ("h/[1]", .badRange(at: 3)), ("h/[3-1]", .badRange(at: 3)),
    ("h/[1-3x]", .badRange(at: 3)), ("h/[A-c]", .badRange(at: 3)), ("h/[a-3]", .badRange(at: 3)),
    ("h/[1-5:0]", .badRange(at: 3)), ("h/[1-5:9]", .badRange(at: 3)), ("h/[a-c:9]", .badRange(at: 3)),
    ("h/[1-9999999999999999999]", .badRange(at: 3)),
    ("[0-99999999999][0-99999999999]", .tooMany),
  ]

  @Test("A malformed glob is refused with the place of the fault", arguments: faults)
  func fault(_ row: (glob: ArgumentText, fault: URLGlob.Fault)) {
    #expect(throws: row.fault) { try URLGlob(parsing: row.glob) }
  }
}

@Suite("A file of URLs")
struct URLListTests {
  @Test("A file of URLs has one on each line, without comments, blank lines and surrounding spaces")
  func lines() {
    var list = URLList(Array("\u{feff}http://a/\n\n  # b\n\thttp://c/#d \r\n#\nhttp://e/".utf8))
    var lines: [URLList.Line] = []
    while let line = list.next() { lines.append(line) }
    #expect(lines.map(\.number) == [1, 4, 6])
    #expect(lines.map(\.text) == ["http://a/", "http://c/#d", "http://e/"])
  }
}

@Suite("A file of options in curl's notation")
struct CurlConfigTests {
  static let rows: [(line: String, arguments: [ArgumentText])] = [
    ("url = http://a/", ["--url=http://a/"]), ("url=\"http://a/ b\"", ["--url=http://a/ b"]),
    ("url: http://a/", ["--url=http://a/"]), ("  url http://a/ # x", ["--url=http://a/"]),
    ("--url http://a/", ["--url=http://a/"]), ("--url=http://a/", ["--url=http://a/"]),
    ("-o file", ["-o", "file"]), ("-ofile", ["-ofile"]), ("-s", ["-s"]), ("silent", ["--silent"]),
    ("silent # quiet", ["--silent", "#", "--", "quiet"]), ("-H \"A: \\\"b\\\"\\t\\\\\"", ["-H", "A: \"b\"\t\\"]),
    ("header = \"A: b\"", ["--header=A: b"]), ("# nothing", []), ("", []), ("   ", []),
    ("user-agent = a b", ["--user-agent=a", "--", "b"]), ("-d x -d y", ["-d", "x", "--", "-d y"]),
    ("config = \"k\"", ["--curl-config=k"]), ("--config k", ["--curl-config=k"]), ("output=\r", ["--output"]),
    (#"--data="ab""#, ["--data=ab"]), (#"--data="a \"b" # c"#, [#"--data=a "b"#]), ("--data=", ["--data="]),
    ("--data= # c", ["--data="]), ("--data==x", ["--data==x"]), ("--data=:x", ["--data=:x"]),
    ("--data=#x", ["--data=#x"]), (#"--data=a"b""#, [#"--data=a"b""#]), ("--data = a", ["--data==", "--", "a"]),
    ("-d =x", ["-d", "=x"]), ("-d\t:x", ["-d", ":x"]), ("-sd ==x", ["-sd", "==x"]), ("-d =", ["-d", "="]),
    ("--data =x", ["--data==x"]), ("--data :x", ["--data=:x"]), ("data = :x", ["--data=x"]), ("data==x", ["--data=x"]),
    ("data = #x", ["--data", "#x"]), ("-d #x", ["-d", "#x"]), ("data =", ["--data"]), ("/ nothing", []), ("*", []),
    ("data\u{b}\u{c}\rx", ["--data=x"]),
    (#"--data= "ab""#, ["--data=", "--", #""ab""#]), ("--config=k", ["--curl-config=k"]), ("-d=x", ["-d=x"]),
  ]

  @Test("A line of curl's config syntax is read as an option with its arguments", arguments: rows)
  func line(_ row: (line: String, arguments: [ArgumentText])) {
    let lines = CurlConfigText.lines(Array("\n\(row.line)\n".utf8))
    #expect(lines == (row.arguments.isEmpty ? [] : [OptionLine(number: 2, arguments: row.arguments)]))
  }

  @Test("A byte order mark is ignored")
  func byteOrderMark() {
    let lines = CurlConfigText.lines([0xef, 0xbb, 0xbf] + Array("silent\n".utf8))
    #expect(lines == [OptionLine(number: 1, arguments: ["--silent"])])
  }

  private func parse(_ arguments: [ArgumentText], _ text: String) throws -> Invocation {
    try CommandLineInterface.parse(arguments) { _, _ in CurlConfigText.lines(Array(text.utf8)) }
  }

  @Test("The options of a config file count as if they were typed in its place")
  func inPlace() throws {
    let parsed = try parse(["-H", "A: 1", "-sK", "f", "http://b/"], "header = \"B: 2\"\nurl = http://a/\n")
    let expected = try CommandLineInterface.parse(["-H", "A: 1", "-s", "-H", "B: 2", "http://a/", "http://b/"])
    #expect(parsed == expected)
  }

  @Test(
    "In a file of options, a command that prints no body ignores options for the body",
    arguments: [["prefetch"], ["cache", "check"]] as [[ArgumentText]])
  func ofDelivery(_ command: [ArgumentText]) throws {
    let text = "remote-name\nurl = http://a/\n-o x\nno-clobber\ncontinue-at = 5\nnext\nurl = http://b/\nexit-unchanged"
    let words = command.map(\.visible).joined(separator: " ")
    let parsed = try parse(command + ["-K", "f"], text)
    #expect(try parsed == CommandLineInterface.parse(command + ["http://a/", "--next", "http://b/"]))
    for (line, message) in [
      ("output\n", "f, line 1: option --output needs a value: FILE"),
      ("sort = url\n", "f, line 1: option --sort does not belong to 'garner \(words)'"),
    ] {
      let error = #expect(throws: UsageError.self) { try parse(command + ["-K", "f", "u"], line) }
      #expect(error?.message == message)
    }
    let error = #expect(throws: UsageError.self) { try parse(command + ["-K", "f", "-O", "u"], "remote-name\n") }
    #expect(error?.message.hasPrefix("option -O does not belong to 'garner ") == true)
  }

  @Test("Text from a number sign on is the value of an option that takes one, and else a comment")
  func numberSign() throws {
    let parsed = try parse(["-K", "f", "http://a/"], "-d #x # y\ndata = #y\n-s # quiet -d z\nsilent #quiet\n-S #\n")
    #expect(parsed == (try CommandLineInterface.parse(["-d", "#x", "-d", "#y", "-s", "-S", "http://a/"])))
  }

  static let refusals: [(text: String, message: String)] = [
    ("data #x y\n", "f, line 1: there is text that is not the value of an option"),
    ("\noutput\n", "f, line 2: option --output needs a value: FILE"),
    ("-o\n", "f, line 1: option -o needs a value: FILE"),
    ("user-agent = a b\n", "f, line 1: there is text that is not the value of an option"),
    ("-d x -d y\n", "f, line 1: there is text that is not the value of an option"),
    ("-s -o y\n", "f, line 1: there is text that is not the value of an option"),
    ("-s y\n", "f, line 1: there is text that is not the value of an option"),
    ("silent = yes\n", "f, line 1: option --silent takes no value"),
    ("nonsense\n", "f, line 1: option --nonsense is unknown"),
    ("data = \"x\n", "f, line 1: a quotation mark is not closed"),
    ("-s\n--data \"x\\\"\n", "f, line 2: a quotation mark is not closed"),
    ("url = \"http://a/\\", "f, line 1: a quotation mark is not closed"),
    ("\ncurl-config = f\n", "f, line 2: f: files of options include each other, more than 8 deep"),
  ]

  @Test("A fault in a config file is reported with the file and the line", arguments: refusals)
  func refusal(_ row: (text: String, message: String)) {
    let error = #expect(throws: UsageError.self) { try parse(["-K", "f", "http://a/"], row.text) }
    #expect(error?.message == row.message)
  }

  @Test(
    "An error message repeats no part of a value that lacks quotation marks",
    arguments: [
      "header = Authorization: Bearer SECRET", "cookie = a=b; c=SECRET", "user = \"me:x\"SECRET", "-u me:x SECRET",
      "-s SECRET",
    ])
  func secret(_ line: String) {
    let error = #expect(throws: UsageError.self) { try parse(["-K", "f", "http://a/"], line) }
    #expect(error?.message.contains("SECRET") == false)
    #expect(error?.hint?.contains("in quotation marks") == true)
  }
}

@Suite("Sets of options, separated by --next")
struct NextTests {
  @Test("Options before --next apply only to the URLs before it")
  func groups() throws {
    let groups = try CommandLineInterface.parse(["-H", "A: 1", "-o", "x", "a", "-:", "-i", "b", "--next", "c"]).groups
    #expect(groups.map(\.operands) == [["a"], ["b"], ["c"]])
    #expect(groups.map(\.request.fieldChanges.count) == [1, 0, 0])
    #expect(groups.map(\.output.destinations.count) == [1, 0, 0])
    #expect(groups.map(\.output.includesHead) == [false, true, false])
  }

  static let settings = TableTests.settable

  /// Options without effect, for the default or with the value that TableTests gives them.
  private static let withoutEffect: Set = [
    "basic", "location", "no-buffer", "proto", "proxy-basic", "remove-on-error",
  ]

  @Test("Options of the whole run apply before and after --next, and no others do", arguments: settings.map(\.name))
  func scope(_ name: String) throws {
    let flag = try #require(Self.settings.first { $0.name == name })
    let setting = try #require(TableTests.setting(of: flag))
    var invocation = Invocation()
    try setting.apply(to: &invocation)
    #expect((invocation == Invocation()) == Self.withoutEffect.contains(name))
    if Self.withoutEffect.contains(name) { return }
    let option =
      switch flag.shape {
      case .required: ArgumentText("--\(name)=\(setting.value.string ?? "")")
      case .none, .optional: ArgumentText("--\(name)")
      }
    let plain = try CommandLineInterface.parse(["http://a/", "--next", "http://b/"]).groups
    let before = try CommandLineInterface.parse([option, "http://a/", "--next", "http://b/"]).groups
    let behind = try CommandLineInterface.parse(["http://a/", "--next", option, "http://b/"]).groups
    let isOfRun = flag.scope == .run
    #expect((before[1].withoutEarlier != plain[1].withoutEarlier) == isOfRun, "\(name)")
    #expect((behind[0].withoutEarlier != plain[0].withoutEarlier) == isOfRun, "\(name)")
    if isOfRun { #expect(behind[0].withoutEarlier == before[0].withoutEarlier, "\(name)") }
  }

  @Test("The last of several options of the whole run counts for every set")
  func lastOfRun() throws {
    let groups = try CommandLineInterface.parse(
      ["--parallel-max", "1", "-v", "a", "--next", "--parallel-max", "2", "b", "--next", "--no-verbose", "c"]
    ).groups
    #expect(groups.map(\.many.parallelLimit) == [2, 2, 2])
    #expect(groups.map(\.output.isVerbose) == [false, false, false])
  }

  @Test("Each set of options needs a URL")
  func missing() {
    for arguments: [ArgumentText] in [
      ["-d", "x", "--next", "a"], ["a", "--next"], ["a", "--next", "-s", "--next", "b"], ["--next"],
    ] {
      let error = #expect(throws: UsageError.self) { try CommandLineInterface.parse(arguments) }
      #expect(error?.message == "URL is missing")
    }
  }

  @Test("--next without an option or URL before it has no effect")
  func leading() throws {
    #expect(try CommandLineInterface.parse(["--next", "-:", "-i", "a"]) == CommandLineInterface.parse(["-i", "a"]))
    let included = try CommandLineInterface.parse(["-K", "f", "a"]) { _, _ in
      CurlConfigText.lines(Array("next\nurl = b\n".utf8))
    }
    #expect(included.groups.map(\.operands) == [["b", "a"]])
    #expect(try CommandLineInterface.parse(["--next", "cache"]).groups.map(\.operands) == [["cache"]])
  }

  @Test("No command begins after --next")
  func noCommand() throws {
    #expect(try CommandLineInterface.parse(["a", "--next", "cache"]).groups.map(\.operands) == [["a"], ["cache"]])
  }
}

extension Invocation {
  /// The values of the set of options, without those of the whole run.
  fileprivate var withoutEarlier: [String] {
    ["\(request)", "\(output)", "\(cache)", "\(reachability)", "\(connection)", "\(many)"]
  }
}
