import Glibc
import TestSupport
import Testing

/// Tests of where the content goes, and of runs that cannot write it.
@Suite("Output")
struct OutputTests {
  private static let large = Pattern.bytes(count: 4 << 20)

  @Test("A hit prints the same bytes as the miss, and sends no request", arguments: [0, 1, 65_536, 1_000_003])
  func hit(count: Int) throws {
    let content = Pattern.bytes(count: count)
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let home = try TemporaryDirectory()
      for _ in 1...2 {
        let result = try runTool(["-s", origin.url("/a")], home: home)
        #expect(result.succeeded)
        #expect(result.stdout == content)
        #expect(result.stderr.isEmpty)
      }
      #expect(origin.requests.count == 1)
    }
  }

  @Test("Parallel transfers are limited by the address space for their stacks")
  func fewAddresses() throws {
    let answer: OriginServer.Handler = { request in
      usleep(100_000)
      return fresh(text: request.target)
    }
    try withOrigin(answering: answer) { origin in
      let home = try TemporaryDirectory()
      let run = ToolRun(["-sZ", "--parallel-max", "200", origin.url("/[1-250]")], home: home)
        .throughShell("ulimit -v 500000 && exec \"$0\" \"$@\"")
      let result = try run.run()
      #expect(result.succeeded && result.errorText == "", "\(result.errorText)")
      #expect(result.outputText == (1...250).map { "/\($0)" }.joined())
    }
  }

  @Test(
    "Fetching stored content into a file that already contains it writes nothing", arguments: [100, 100_000, 4 << 20])
  func unchangedFile(count: Int) throws {
    let content = Pattern.bytes(count: count)
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-so", "f", origin.url("/a")], home: home).succeeded)
      // No file may grow in this run.
      var run = ToolRun(["-o", "f", "-w", "%{size_download} %{cache_result}", origin.url("/a")], home: home)
        .throughShell("trap '' XFSZ; ulimit -f 0 && exec \"$0\" \"$@\"")
      run.stdout = .captured
      let again = try run.run()
      #expect(again.succeeded && again.errorText == "")
      #expect(try home.read("f") == content)
      // The last byte differs.
      var other = content
      other[count - 1] ^= 1
      try writeFile(home.path("f"), other)
      #expect(try run.run().ending == .exit(23))
      #expect(try home.read("f") == other)
      #expect(try runTool(["-so", "f", origin.url("/a")], home: home).succeeded)
      #expect(try home.read("f") == content)
      #expect(origin.requests.count == 1)
    }
  }

  /// A standard output that accepts nothing, or not everything.
  enum Sink: String, CaseIterable, CustomTestStringConvertible {
    case closed = "a closed standard output"
    case broken = "a pipe that nobody reads"
    case full = "a full device"

    var testDescription: String { rawValue }

    var output: ToolRun.Output {
      switch self {
      case .closed: .closed
      case .broken: .broken
      case .full: .file("/dev/full")
      }
    }
  }

  @Test(
    "A body that cannot be written ends the run with 23, on a miss and on a hit", arguments: Sink.allCases,
    [1, 4 << 20])
  func unwritable(sink: Sink, count: Int) throws {
    let content = Self.large.prefix(count)
    try withOrigin(answering: { _ in fresh(Array(content)) }) { origin in
      let home = try TemporaryDirectory()
      let miss = try runTool([origin.url("/a")], home: home) { $0.stdout = sink.output }
      #expect(miss.ending == .exit(23))
      #expect(lines(of: miss.errorText).count == 1, "\(miss.errorText)")
      let stored = try runTool(["-s", origin.url("/a")], home: home)
      #expect(stored.stdout == Array(content))
      let hit = try runTool([origin.url("/a")], home: home) { $0.stdout = sink.output }
      #expect(hit.ending == .exit(23))
    }
  }

  @Test("In parallel, hits are printed before responses that have to be waited for, and these piece by piece")
  func printedBeforeWaits() throws {
    let (answer, rest) = (Gate(), Gate())
    let pieces = OriginAnswer(
      [.bytes(Array("HTTP/1.1 200 OK\r\n\r\n1".utf8)), .wait(rest), .bytes(Array("2".utf8))], ending: .close)
    try withOrigin(answering: { $0.target == "/slow" ? .late(answer, pieces) : .fresh(text: $0.target) }) { origin in
      let home = try TemporaryDirectory()
      let hits = ["/a", "/b", "/c"].map { origin.url($0) }
      #expect(try runTool(["-s"] + hits, home: home).succeeded)
      let run = try ToolRun(["-s", "-Z"] + hits + [origin.url("/slow")] + hits, home: home).start()
      #expect(run.hasWritten(byteCount: "/a/b/c".utf8.count))
      answer.open()
      #expect(run.hasWritten(byteCount: "/a/b/c1".utf8.count))
      rest.open()
      #expect(String(decoding: try run.finish().stdout, as: UTF8.self) == "/a/b/c12/a/b/c")
    }
  }

  @Test(arguments: [Sink.closed, .broken], [[], ["-Z", "--parallel-max", "2"]])
  func `a standard output that nobody reads is reported once, and nothing more is fetched for it`(
    sink: Sink, options: [String]
  ) throws {
    try withOrigin(answering: { _ in fresh(Array("body".utf8)) }) { origin in
      let home = try TemporaryDirectory()
      let run = try runTool(options + [origin.url("/[1-400]")], home: home) { $0.stdout = sink.output }
      #expect(run.ending == .exit(23))
      let said = lines(of: run.errorText)
      #expect(said.count == 2 && said.last == "garner: 400 URLs: 400 failed", "\(run.errorText)")
      // In parallel, other transfers go on until the thread that prints gets a processor.
      #expect(origin.requests.count < (options.isEmpty ? 2 : 200))
    }
  }

  @Test(
    arguments: Sink.allCases,
    [
      ["cache", "ls"], ["cache", "cat", "URL"], ["help"], ["cache", "export", "-"], ["cache", "rm", "-n", "URL"],
      ["cache", "prune", "-n", "--max-size", "0"], ["cache", "check", "http://a.test/"],
    ])
  func `a command that only shows something is silent when its reader has gone away`(_ sink: Sink, _ command: [String])
    throws
  {
    try withOrigin(answering: { _ in fresh(Array("body".utf8)) }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url("/a")], home: home).succeeded)
      let isQuiet = sink == .broken && !command.contains("export")
      let arguments = command.map { $0 == "URL" ? origin.url("/a") : $0 }
      let run = try runTool(arguments, home: home) { $0.stdout = sink.output }
      #expect(run.ending == .exit(23) && lines(of: run.errorText).isEmpty == isQuiet, "\(run)")
    }
  }

  @Test(arguments: Sink.allCases)
  func `output of -w that cannot be written is a failure of the run, reported once`(_ sink: Sink) throws {
    try withOrigin(answering: { _ in fresh(Array("body".utf8)) }) { origin in
      let home = try TemporaryDirectory()
      let (one, other) = (home.path("one"), home.path("other"))
      // After standard output is closed or broken, URLs that would only be printed are not fetched.
      let unprinted = sink == .full ? [] : [origin.url("/c")]
      let run = try runTool(
        ["-w", "x", "-o", one, origin.url("/a"), "-o", other, origin.url("/b")] + unprinted, home: home
      ) { $0.stdout = sink.output }
      #expect(run.ending == .exit(23))
      let said = lines(of: run.errorText).filter { $0.hasPrefix("garner: cannot write to standard output: ") }
      #expect(said.count == 1, "\(run.errorText)")
      #expect(try readFile(one) == Array("body".utf8) && readFile(other) == Array("body".utf8))
    }
  }

  @Test func `a URL that goes to a file is fetched although nobody reads standard output`() throws {
    try withOrigin(answering: { _ in fresh(Array("body".utf8)) }) { origin in
      let home = try TemporaryDirectory()
      let file = home.path("file")
      let run = try runTool([origin.url("/a"), "--next", "-o", file, origin.url("/b")], home: home) {
        $0.stdout = .broken
      }
      #expect(run.ending == .exit(23))
      #expect(lines(of: run.errorText).last?.hasPrefix("garner: 2 URLs: 1 fetched") == true, "\(run.errorText)")
      #expect(try readFile(file) == Array("body".utf8))
    }
  }

  @Test("A standard descriptor that was closed is not reused for a file that the run opens")
  func closedDescriptors() throws {
    try withOrigin(answering: { _ in fresh(Array(Self.large)) }) { origin in
      let home = try TemporaryDirectory()
      for _ in 1...2 {
        let run = ToolRun([origin.url("/a")], home: home)
          .throughShell("\"$0\" \"$@\" <&- >&-; echo $? >&2")
        let lines = lines(of: try run.run().errorText)
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.last == "23")
      }
      let verified = try runTool(["-s", origin.url("/a")], home: home)
      #expect(verified.stdout == Self.large)
    }
  }

  @Test(
    "A standard descriptor that was closed is not reused where there is no /dev/null, either",
    .enabled(if: Isolation.canMount, "This process may not mount a file system."),
    arguments: ["<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func closedDescriptorsWithoutDevices(closing: String) throws {
    try withOrigin(answering: { _ in fresh(text: "body") }) { origin in
      let home = try TemporaryDirectory()
      var run = ToolRun([origin.url("/a")], home: home).throughShell(
        """
        mount -t tmpfs none /dev && exec 3>&2
        "$0" -v "$@" \(closing); echo $? >&3
        "$0" -sv --no-store -o '\(home.path("file"))' "$@" \(closing); echo $? >&3
        """)
      run.wrapper = Isolation.mounts
      let result = try run.run()
      let statuses = lines(of: result.errorText).filter { Int($0) != nil }
      #expect(statuses == [closing.contains(">&- ") || closing.hasSuffix(" >&-") ? "23" : "0", "0"], "\(statuses)")
      #expect(try readFile(home.path("file")) == Array("body".utf8))
      let lock = try? readFile(home.path("cache/garner/v1/lock"))
      #expect(lock?.contains(UInt8(ascii: "b")) != true)
    }
  }

  @Test("A large body that was not delivered is not stored")
  func abortedBody() throws {
    try withOrigin(answering: { _ in fresh(Self.large) }) { origin in
      let home = try TemporaryDirectory()
      _ = try runTool(["-s", origin.url("/a")], home: home) { $0.stdout = .broken }
      let listing = try runTool(["cache", "ls"], home: home)
      #expect(listing.succeeded)
      #expect(listing.stdout.isEmpty)
    }
  }

  @Test("A reader that closes early gets what it read, and the run ends with 23")
  func head() throws {
    let content = Array("first\n".utf8) + Self.large
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let run = ToolRun(["-s", origin.url("/a")], home: try TemporaryDirectory())
        .throughShell("{ \"$0\" \"$@\"; echo $? >&2; } | head -n 1")
      let result = try run.run()
      #expect(result.outputText == "first\n")
      #expect(lines(of: result.errorText).last == "23")
    }
  }

  @Test("An output file is replaced as a whole")
  func file() throws {
    try withOrigin(answering: { _ in fresh(Self.large) }) { origin in
      let home = try TemporaryDirectory()
      let directory = try home.makeDirectory("out")
      try writeFile("\(directory)/file", Array("old".utf8))
      let result = try runTool(["-s", "-o", "\(directory)/file", origin.url("/a")], home: home)
      #expect(result.succeeded)
      #expect(result.stdout.isEmpty)
      #expect(try readFile("\(directory)/file") == Self.large)
      #expect(namesInDirectory(directory) == ["file"])
    }
  }

  @Test("A failed run leaves an existing output file unchanged, and no other file")
  func failedFile() throws {
    let cut = OriginAnswer.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nnot all")
    try withOrigin(answering: { _ in cut }) { origin in
      let home = try TemporaryDirectory()
      let directory = try home.makeDirectory("out")
      try writeFile("\(directory)/file", Array("old".utf8))
      let result = try runTool(["-s", "-o", "\(directory)/file", origin.url("/a")], home: home)
      #expect(result.ending == .exit(18))
      #expect(try readFile("\(directory)/file") == Array("old".utf8))
      #expect(namesInDirectory(directory) == ["file"])
    }
  }

  @Test("An output file that cannot be created ends the run with 23")
  func impossibleFile() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let result = try runTool(["-o", home.path("absent/file"), origin.url("/a")], home: home)
      #expect(result.ending == .exit(23))
      #expect(lines(of: result.errorText).first?.hasPrefix("garner: ") ?? false)
    }
  }

  @Test("The password of a proxy in an environment variable does not appear in the log")
  func proxyOfEnvironment() throws {
    let home = try TemporaryDirectory()
    for proxy in ["http://me:canary@127.0.0.1:1", "http://me:canary@[", "foo://me:canary@h"] {
      let result = try runTool(["-v", "http://a.test/"], home: home) { $0.environment["http_proxy"] = proxy }
      #expect(result.errorText.contains("http_proxy") && !result.errorText.contains("canary"), "\(result.errorText)")
    }
  }
}
