import Glibc
import TestSupport
import TestTraits
import Testing

/// Tests of garner and garner-transport, the program that uses libcurl, as two processes.
@Suite("The transport program")
struct TransportProgramTests {
  /// A file in place of the program, and garner's message about it.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// A shell script in place of the program; `nil` for no file.
    let program: String?
    let message: String
    var hint: String? = "garner and garner-transport are installed together"
    var mode = "755"
    var interpreter = "/bin/sh"
  }

  /// The beginning of the dynamic linker's message.
  private static let linker = "error while loading shared libraries: libcurl.so.4"
  private static let absent = "cannot open shared object file: No such file or directory"

  static let rows: [Row] = [
    Row(
      testDescription: "a missing program", program: nil, message: "garner-transport cannot be used: it is not in /",
      hint: "it belongs beside garner"),
    Row(
      testDescription: "a program without permission to execute", program: "exit 3",
      message: "garner-transport: Permission denied", mode: "644"),
    Row(
      testDescription: "a program whose interpreter is missing", program: "exit 3",
      message: "garner-transport: the interpreter that it names is missing", interpreter: "/nonexistent/sh"),
    Row(
      testDescription: "a program of another release",
      program: #"printf '\000\000\000\000\001\000\000\000\004\000\000\000\377\000\000\000'; cat > /dev/null"#,
      message: "is from another release"),
    Row(testDescription: "a program that prints text", program: "echo nonsense; exit 3", message: "nonsense"),
    Row(testDescription: "a program that prints nothing", program: "exit 3", message: "it ended with status 3"),
    Row(
      testDescription: "a program without memory or descriptors", program: "exit 71",
      message: "garner-transport: it has no memory or no descriptors left", hint: nil),
    Row(
      testDescription: "a program whose libcurl cannot be initialised", program: "exit 70",
      message: "garner-transport: it cannot work with this libcurl"),
    Row(testDescription: "a program that prints without end", program: "exec yes", message: "garner-transport: y"),
    Row(
      testDescription: "a program that prints nothing and does not end", program: "exec sleep 60 >&- 2>&-",
      message: "it was ended by signal 9"),
    Row(
      testDescription: "a program whose library is missing",
      program: "echo '\(linker): \(absent)' >&2; exit 127",
      message: "libcurl cannot be loaded: \(linker): cannot open", hint: "apt install"),
    Row(
      testDescription: "a program whose library is missing, and about which the dynamic linker has warned before",
      program: "printf 'ERROR: ld.so: object\\n\(linker): \(absent)\\n' >&2; exit 127",
      message: "libcurl cannot be loaded: \(linker): cannot open", hint: "apt install"),
    Row(
      testDescription: "a program without memory for its library",
      program: "echo '\(linker): failed to map segment from shared object' >&2; exit 127",
      message: "libcurl cannot be loaded: \(linker): failed to map", hint: nil),
  ]

  @Test("Anything but the right garner-transport is refused in one line, with a hint where one helps", arguments: rows)
  func refusal(row: Row) throws {
    let home = try TemporaryDirectory()
    let tool = try install(BuiltTool.path, as: "garner", in: home)
    if let script = row.program {
      let file = try home.write("#!\(row.interpreter)\n\(script)\n", to: "script")
      _ = try install(file, as: "garner-transport", in: home, mode: row.mode)
    }
    let result = try runTool(["http://127.0.0.1:1/"], home: home) { $0.executable = tool }
    #expect(result.ending == .exit(2))
    #expect(result.stdout.isEmpty)
    let said = lines(of: result.errorText)
    #expect(said.first?.contains(row.message) == true, "\(result.errorText)")
    #expect(said.count == (row.hint == nil ? 1 : 2))
    if let hint = row.hint { #expect(said.last?.contains(hint) == true, "\(result.errorText)") }
  }

  @Test("What libraries write to standard error before the programs begin is no part of their answers")
  func warnings() throws {
    try withOrigin(answering: { _ in fresh(text: "body") }) { origin in
      let home = try TemporaryDirectory()
      // The dynamic linker warns, and goes on without the library.
      for host in ["127.0.0.1", "b\u{fc}cher.localhost"] {
        let url = origin.url("/a").replacing("127.0.0.1", with: host)
        let result = try runTool(["--resolve", "*:\(origin.port):127.0.0.1", url], home: home) {
          $0.environment["LD_PRELOAD"] = "libabsent.so"
        }
        #expect(result.succeeded && result.outputText == "body", "\(result.errorText)")
      }
      let listing = try runTool(["cache", "ls", "--format", "{url}"], home: home)
      #expect(listing.outputText.contains("http://xn--bcher-kva.localhost:"), "\(listing.outputText)")
    }
  }

  @Test("A program that sends an unknown frame and does not end is killed", arguments: [[], ["-Z"]])
  func nonsense(options: [String]) throws {
    let home = try TemporaryDirectory()
    let tool = try install(BuiltTool.path, as: "garner", in: home)
    // The real program's greeting, then a frame of an unknown kind for each of the first streams.
    let script = """
      #!/bin/sh
      '\(BuiltTool.path)-transport' "$1" < /dev/null
      for stream in 0 1 2; do printf "\\00$stream\\000\\000\\000\\377\\000\\000\\000\\000\\000\\000\\000"; done
      exec sleep 60

      """
    let file = try home.write(script, to: "script")
    _ = try install(file, as: "garner-transport", in: home)
    let result = try runTool(options + ["http://127.0.0.1:1/"], home: home) {
      $0.executable = tool
      $0.timeLimitMilliseconds = 20_000
    }
    #expect(result.ending == .exit(56), "\(result.errorText)")
    #expect(result.errorText.contains("it sent a frame of an unknown kind"), "\(result.errorText)")
  }

  @Test("A program that ends before its greeting is read is reported as ended, and not as one of another release")
  func endingAtOnce() throws {
    let home = try TemporaryDirectory()
    let tool = try install(BuiltTool.path, as: "garner", in: home)
    // The real program sends its greeting even to a client with another protocol.
    let file = try home.write("#!/bin/sh\n'\(BuiltTool.path)-transport' other < /dev/null\nexit 3\n", to: "script")
    _ = try install(file, as: "garner-transport", in: home)
    // More than a pipe holds, so that the program ends before the request has been read.
    let field = "A: " + String(repeating: "a", count: 100_000)
    let result = try runTool(["-H", field, "-H", field, "http://127.0.0.1:1/"], home: home) { $0.executable = tool }
    #expect(result.ending == .exit(56))
    #expect(lines(of: result.errorText).count == 1)
    #expect(result.errorText.contains("garner-transport failed: it ended with status 3"), "\(result.errorText)")
  }

  @Test(
    "The program is found without /proc",
    .enabled(if: Isolation.canMount, "This process may not mount a file system."),
    arguments: ["garner", "./garner", "a link"])
  func withoutProc(name: String) throws {
    try withOrigin(answering: { _ in fresh(text: "body") }) { origin in
      let home = try TemporaryDirectory()
      let directory = String(BuiltTool.path.dropLast("/garner".count))
      let link = home.path("link")
      #expect(symlink(BuiltTool.path, link) == 0)
      let tool = ["garner": BuiltTool.path, "a link": link][name] ?? name
      let run = ToolRun([tool, "--reload", origin.url("/a")], home: home)
        .throughShell("umount -l /proc && cd '\(directory)' && exec \"$@\"")
      var isolated = run
      isolated.wrapper = Isolation.mounts
      let result = try isolated.run()
      #expect(result.succeeded && result.outputText == "body", "\(result.errorText)")
    }
  }

  @Test("The program works without /dev", .enabled(if: Isolation.canMount, "This process may not mount a file system."))
  func withoutDevices() throws {
    try withOrigin(answering: { _ in fresh(text: "body") }) { origin in
      let run = ToolRun(["--reload", origin.url("/a")], home: try TemporaryDirectory())
        .throughShell("mount -t tmpfs none /dev && exec \"$0\" \"$@\"")
      var isolated = run
      isolated.wrapper = Isolation.mounts
      let result = try isolated.run()
      #expect(result.succeeded && result.outputText == "body" && result.stderr.isEmpty, "\(result.errorText)")
    }
  }

  /// Installs a file by means of another program: a file that this process has open for writing is also open in the
  /// children that it starts at that moment, and cannot be executed then.
  private func install(
    _ file: String, as name: String, in home: TemporaryDirectory, mode: String = "755"
  ) throws -> String {
    let result = try runTool(["-m", mode, file, home.path(name)], home: home) { $0.executable = "/usr/bin/install" }
    #expect(result.ending == .exit(0), "\(result.errorText)")
    return home.path(name)
  }

  /// Half of a response. The rest never comes, and the origin waits for the gate.
  private func half(_ gate: Gate) -> OriginAnswer {
    OriginAnswer([
      .bytes(OriginAnswer.head(200, nil, fields: [("Content-Length", "2000"), ("Cache-Control", "max-age=60")])),
      .content(Pattern.bytes(count: 1000)), .wait(gate),
    ])
  }

  @Test("A program that dies ends the fetch with status 56 and one line")
  func death() throws {
    let gate = Gate()
    defer { gate.open() }
    try withOrigin(answering: { _ in half(gate) }) { origin in
      let home = try TemporaryDirectory()
      let run = try ToolRun([origin.url("/a")], home: home).start()
      #expect(run.hasWritten(byteCount: 1000))
      let program = try #require(run.children().first)
      kill(program, SIGKILL)
      let result = try run.finish()
      #expect(result.ending == .exit(56))
      #expect(lines(of: result.errorText).count == 1)
      #expect(result.errorText.contains("garner-transport failed: it was ended by signal 9"), "\(result.errorText)")
      let listing = try runTool(["cache", "ls"], home: home)
      #expect(listing.stdout.isEmpty, "\(listing.outputText)")
    }
  }

  @Test("However garner ends, garner-transport ends, too", arguments: [SIGKILL, SIGINT, SIGTERM, SIGHUP])
  func orphan(signal: Int32) throws {
    let gate = Gate()
    defer { gate.open() }
    try withOrigin(answering: { _ in half(gate) }) { origin in
      let run = try ToolRun(["-s", origin.url("/a")], home: try TemporaryDirectory()).start()
      #expect(run.hasWritten(byteCount: 1000))
      let program = try #require(run.children().first)
      let watch = try ProcessWatch(program)
      run.send(signal: signal)
      #expect(try run.finish().ending == .signal(signal))
      #expect(watch.hasEnded())
    }
  }

  @Test(
    "A time limit or a signal ends a run whose garner-transport hangs", .waiting,
    arguments: [["-m", "1"], [], ["-Z", "-m", "1"], ["-Z"]])
  func hanging(options: [String]) throws {
    let gate = Gate()
    defer { gate.open() }
    try withOrigin(answering: { _ in half(gate) }) { origin in
      let urls = options.contains("-Z") ? [origin.url("/a"), origin.url("/b")] : [origin.url("/a")]
      let run = try ToolRun(options + urls, home: try TemporaryDirectory()).start()
      #expect(run.hasWritten(byteCount: 1000))
      let program = try #require(run.children().first)
      kill(program, SIGSTOP)
      let watch = try ProcessWatch(program)
      if !options.contains("-m") { run.send(signal: SIGTERM) }
      #expect(try run.finish().ending == (options.contains("-m") ? .exit(28) : .signal(SIGTERM)))
      #expect(watch.hasEnded())
    }
  }

  @Test("A signal to the process group, as from a terminal, is an interruption and not a failure of the program")
  func group() throws {
    let gate = Gate()
    defer { gate.open() }
    try withOrigin(answering: { _ in half(gate) }) { origin in
      let run = try ToolRun([origin.url("/a")], home: try TemporaryDirectory()).start()
      #expect(run.hasWritten(byteCount: 1000))
      kill(-run.processID, SIGINT)
      let result = try run.finish()
      #expect(result.ending == .signal(SIGINT))
      #expect(!result.errorText.contains("garner-transport"), "\(result.errorText)")
    }
  }
}
