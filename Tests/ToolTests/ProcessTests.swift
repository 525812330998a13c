import Glibc
import TestSupport
import Testing

/// Tests of signals and of the memory that a run takes.
@Suite("A run as a process")
struct ProcessTests {
  @Test(
    "A signal ends the run by that signal, and leaves no output and no entry", arguments: [SIGINT, SIGTERM, SIGHUP])
  func signal(number: Int32) throws {
    let gate = Gate()
    let half = OriginAnswer([
      .bytes(OriginAnswer.head(200, nil, fields: [("Content-Length", "200000"), ("Cache-Control", "max-age=60")])),
      .content(Pattern.bytes(count: 100_000)), .wait(gate),
    ])
    try withOrigin(answering: { _ in half }) { origin in
      let home = try TemporaryDirectory()
      let directory = try home.makeDirectory("out")
      let toFile = try ToolRun(["-s", "-o", "\(directory)/file", origin.url("/file")], home: home).start()
      let toPipe = try ToolRun(["-s", origin.url("/pipe")], home: home).start()
      #expect(toPipe.hasWritten(byteCount: 1))
      #expect(origin.hasSeen(requests: 2))
      toFile.send(signal: number)
      toPipe.send(signal: number)
      let endings = [try toFile.finish().ending, try toPipe.finish().ending]
      #expect(endings == [.signal(number), .signal(number)])
      #expect(namesInDirectory(directory).isEmpty)
      let listing = try runTool(["cache", "ls"], home: home)
      #expect(listing.stdout.isEmpty, "\(listing.outputText)")
    }
  }

  @Test func `a body that waits for its turn when a signal comes is not printed, nor reported as failed`() throws {
    let gate = Gate()
    let content = Pattern.bytes(count: 200_000)
    let head = OriginAnswer.head(200, nil, fields: [("Content-Length", "200000")])
    let half = OriginAnswer([.bytes(head), .content(Array("first".utf8)), .wait(gate)])
    try withOrigin(answering: { $0.path == "/1" ? half : .response(content: content) }) { origin in
      var run = ToolRun(["-Z", origin.url("/[1-4]")], home: try TemporaryDirectory())
      // Without a directory for temporary files, content beyond the memory limit has to wait for its turn.
      run.environment["TMPDIR"] = "/nonexistent"
      let process = try run.start()
      #expect(process.hasWritten(byteCount: 1) && origin.hasSeen(requests: 4))
      process.send(signal: SIGINT)
      let result = try process.finish()
      #expect(result.ending == .signal(SIGINT) && result.outputText == "first")
      #expect(result.errorText == "garner: interrupted\n")
    }
  }

  @Test func `behind a signal, nothing is printed out of its turn, nor reported as if it had been printed`() throws {
    let head = OriginAnswer.head(200, nil, fields: [("Content-Length", "200000")])
    let half = OriginAnswer([.bytes(head), .content(Array("first".utf8)), .wait(Gate())])
    try withOrigin(answering: { $0.path == "/0" ? half : .response(text: "whole") }) { origin in
      let home = try TemporaryDirectory()
      let process = try ToolRun(["-sZ", "-w", "|%{exitcode}", origin.url("/[0-299]")], home: home).start()
      // 128 transfers wait for their turn, and those after them have not begun.
      #expect(process.hasWritten(byteCount: 5) && origin.hasSeen(requests: 128))
      process.send(signal: SIGINT)
      let result = try process.finish()
      #expect(result.ending == .signal(SIGINT))
      #expect(result.outputText.replacing("|130", with: "") == "first", "\(result)")
    }
  }

  @Test func `a signal ends the pause before another attempt, with -Z, too`() throws {
    try withOrigin(answering: { $0.path == "/1" ? .response(503) : .response(text: "whole") }) { origin in
      let home = try TemporaryDirectory()
      let options = ["-sZ", "-D", home.path("head"), "-w", "|%{exitcode}", "--retry", "9", "--retry-delay", "900"]
      let process = try ToolRun(options + [origin.url("/0"), origin.url("/1")], home: home).start()
      #expect(process.hasWritten(byteCount: 7) && origin.hasSeen(requests: 2))
      process.send(signal: SIGINT)
      let result = try process.finish()
      #expect(result.ending == .signal(SIGINT) && result.outputText == "whole|0|130", "\(result)")
      #expect(String(decoding: try home.read("head"), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test("A signal ends an import within an entry that never ends")
  func longEntry() throws {
    let home = try TemporaryDirectory()
    let path = home.path("archive")
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    try writeAll(Array(#"{"log":{"entries":[{"response":{"content":{"text":""#.utf8), to: file, path)
    // The rest of a text that is too long is skipped.
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    for _ in 0..<65 { try writeAll(piece, to: file, path) }
    try #require(ftruncate(file, 1 << 40) == 0)
    close(file)
    let run = try ToolRun(["cache", "import", path], home: home).start()
    let counts = "/proc/\(run.processID)/io"
    func readBytes() throws -> Int {
      let line = String(decoding: try readFile(counts), as: UTF8.self).split(separator: "\n")[0]
      return try #require(Int(line.dropFirst("rchar: ".count)))
    }
    for _ in 0..<10_000 where try readBytes() < 4 << 20 { usleep(1_000) }
    let result = try run.finishInterrupted()
    #expect(result.ending == .signal(SIGINT), "\(result.errorText)")
  }

  @Test("A signal ends a run that follows stored redirections in a circle")
  func circle() throws {
    let fields = [("Location", "/"), ("Cache-Control", "max-age=1000")]
    try withOrigin(answering: { _ in .response(301, fields: fields) }) { origin in
      let run = try ToolRun(["--max-redirs", "-1", origin.url()], home: try TemporaryDirectory()).start()
      let counts = "/proc/\(run.processID)/io"
      func readCount() throws -> Int {
        let lines = String(decoding: try readFile(counts), as: UTF8.self).split(separator: "\n")
        return try #require(lines.first { $0.hasPrefix("syscr: ") }.flatMap { Int($0.dropFirst("syscr: ".count)) })
      }
      for _ in 0..<10_000 where try readCount() < 200 { usleep(1_000) }
      let result = try run.finishInterrupted()
      #expect(result.ending == .signal(SIGINT), "\(result.errorText)")
      #expect(origin.requests.count == 1)
    }
  }

  @Test("A signal ends the check of a huge glob's output file names")
  func names() throws {
    let home = try TemporaryDirectory()
    let run = try ToolRun(["-O", "-c", home.path("jar"), "http://127.0.0.1:1/[1-100000000]"], home: home).start()
    // The processor time of the process, in hundredths of a second.
    func work() throws -> Int {
      let fields = String(decoding: try readFile("/proc/\(run.processID)/stat"), as: UTF8.self).split(separator: " ")
      return try #require(Int(fields[13]))
    }
    for _ in 0..<10_000 where try work() < 5 { usleep(1_000) }
    let result = try run.finishInterrupted()
    #expect(result.ending == .signal(SIGINT) && result.errorText == "garner: interrupted\n", "\(result)")
  }

  @Test(
    "A signal while an option's file is being read is an interruption, and not a failure to read",
    arguments: [
      ["-d", "@FIFO"], ["--config", "FIFO"], ["-K", "FIFO"], ["-H", "@FIFO"], ["--input-file", "FIFO"],
      ["-w", "@FIFO"], ["-b", "FIFO", "-b", "./fifo"],
    ])
  func reading(_ options: [String]) throws {
    let home = try TemporaryDirectory()
    let path = home.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let arguments = options.map { $0 == "@FIFO" ? "@" + path : $0 == "FIFO" ? path : $0 }
    let run = try ToolRun(arguments + ["http://127.0.0.1:1/"], home: home).start()
    var writer: Int32 = -1
    // The FIFO can be opened for writing once the run has it open. A run that sleeps after that is reading.
    for _ in 0..<10_000 where writer < 0 {
      writer = open(path, O_WRONLY | O_NONBLOCK)
      if writer < 0 { usleep(1_000) }
    }
    let state = "/proc/\(run.processID)/stat"
    for _ in 0..<10_000 where !String(decoding: try readFile(state), as: UTF8.self).contains(") S ") { usleep(1_000) }
    run.send(signal: SIGINT)
    let result = try run.finish()
    close(writer)
    #expect(result.ending == .signal(SIGINT) && result.errorText == "garner: interrupted\n", "\(result.errorText)")
  }

  @Test(
    "Secrets are hidden in the command line that the list of processes shows",
    arguments: [
      (["-u", "me:secret"], ["-u", "me:******"]), (["-sume:secret"], ["-sume:******"]),
      (["--oauth2-bearer=secret"], ["--oauth2-bearer=******"]),
      (["-H", "Authorization: Basic secret"], ["-H", "Authorization: ************"]),
      (["-U", "me:secret", "--next", "-u", "me:other"], ["-U", "me:******", "--next", "-u", "me:*****"]),
      (["-H", "Accept: a/b"], ["-H", "Accept: a/b"]),
      (["-H", "X-My: secret", "--credential-field", "X-My"], ["-H", "X-My: ******", "--credential-field", "X-My"]),
    ])
  func secrets(_ typed: [String], _ shown: [String]) throws {
    try expectShown(shown, of: typed, home: try TemporaryDirectory())
  }

  @Test("A field that the environment or the config file lists as a credential is hidden in the list of processes")
  func listedSecrets() throws {
    let (typed, shown) = (["-H", "X-My: secret", "-u", "me:secret"], ["-H", "X-My: ******", "-u", "me:******"])
    let home = try TemporaryDirectory()
    try expectShown(shown, of: typed, home: home, environment: ["GARNER_CREDENTIAL_FIELD": "X-My"])
    try home.write("[site \"other.test\"]\ncredential-field = X-My\n", to: "config")
    try expectShown(shown, of: typed, home: home, environment: ["GARNER_CONFIG": home.path("config")])
  }

  @Test(
    "Secrets are hidden in the list of processes even if a file of options precedes them",
    arguments: [
      (["--next", "-u", "me:secret"], ["--next", "-u", "me:******"]),
      (["-H", "X-My: secret"], ["-H", "X-My: ******"]),
    ])
  func secretsBehindFile(_ typed: [String], _ shown: [String]) throws {
    let home = try TemporaryDirectory()
    try expectShown(shown, of: typed, home: home) { url in
      try home.write("url = \(url)\ncredential-field = X-My\n", to: "options")
      return ["-s", "-K", home.path("options")]
    }
  }

  /// Checks the command line of a run in the list of processes while the run goes on.
  ///
  /// - Parameter first: the arguments that fetch the first URL.
  private func expectShown(
    _ shown: [String], of typed: [String], home: TemporaryDirectory, environment: [String: String] = [:],
    first: (String) throws -> [String] = { [$0] }
  ) throws {
    let gate = Gate()
    let half = OriginAnswer([
      .bytes(OriginAnswer.head(200, nil, fields: [("Content-Length", "2")])), .content([1]), .wait(gate), .content([2]),
    ])
    try withOrigin(answering: { _ in half }) { origin in
      let first = try first(origin.url("/a"))
      var tool = ToolRun(first + typed + [origin.url("/b")], home: home)
      tool.environment.merge(environment) { $1 }
      let run = try tool.start()
      #expect(run.hasWritten(byteCount: 1))
      let words = try readFile("/proc/\(run.processID)/cmdline").split(separator: 0).dropFirst()
      gate.open()
      _ = try run.finish()
      let line = words.map { String(decoding: $0, as: UTF8.self) }
      #expect(line == first + shown + [origin.url("/b")])
    }
  }

  /// How a transfer is ended by the client.
  enum End: String, CaseIterable, CustomTestStringConvertible {
    case interrupt = "SIGINT"
    case termination = "SIGTERM"
    case hangUp = "SIGHUP"
    case reader = "A reader that has enough"
    case interruptedWriting = "SIGINT while nobody reads"

    var testDescription: String { rawValue }
  }

  @Test("However a transfer with a strong validator is ended, the next run continues it", arguments: End.allCases)
  func continuation(end: End) throws {
    let gate = Gate()
    let content = Pattern.bytes(count: 4 << 20)
    let fields = [("ETag", "\"a\""), ("Cache-Control", "max-age=60")]
    let first = OriginAnswer([
      .bytes(OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "\(content.count)")])),
      .content(Array(content.prefix(1 << 20))), .wait(gate), .content(Array(content[(1 << 20)...])),
    ])
    try withOrigin(answering: { request in
      guard let range = request.value("Range"), let start = Int(range.filter(\.isNumber)) else { return first }
      return .response(
        206, fields: fields + [("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")],
        content: Array(content[start...]))
    }) { origin in
      let home = try TemporaryDirectory()
      var run = ToolRun(["-s", origin.url("/a")], home: home)
      if end == .reader || end == .interruptedWriting { run.stdout = .stalled }
      let process = try run.start()
      switch end {
      case .interrupt, .termination, .hangUp:
        #expect(process.hasWritten(byteCount: 1))
        process.send(signal: end == .interrupt ? SIGINT : end == .hangUp ? SIGHUP : SIGTERM)
      case .interruptedWriting:
        #expect(process.hasOutputWaiting())
        process.send(signal: SIGINT)
      case .reader:
        #expect(process.hasOutputWaiting())
        process.stopReading()
        gate.open()
      }
      let expected: [End: ToolResult.Ending] = [
        .interrupt: .signal(SIGINT), .termination: .signal(SIGTERM), .reader: .exit(23),
        .interruptedWriting: .signal(SIGINT), .hangUp: .signal(SIGHUP),
      ]
      let ending = try process.finish().ending
      #expect(ending == expected[end])
      gate.open()
      let second = try runTool(["-s", origin.url("/a")], home: home)
      #expect(second.succeeded && second.stdout == content)
      #expect(origin.requests.count == 2 && origin.requests[1].has("If-Range"))
    }
  }

  @Test func `a signal that comes twice at once loses no part that one of several transfers has kept`() throws {
    let gate = Gate()
    let fields = [("ETag", "\"a\""), ("Cache-Control", "max-age=60"), ("Content-Length", "2000000")]
    let half = OriginAnswer([
      .bytes(OriginAnswer.head(200, nil, fields: fields)), .content(Pattern.bytes(count: 1 << 20)), .wait(gate),
    ])
    try withOrigin(answering: { _ in half }) { origin in
      let home = try TemporaryDirectory()
      let process = try ToolRun(["-sZ", origin.url("/[1-4]")], home: home).start()
      #expect(process.hasWritten(byteCount: 1 << 20) && origin.hasSeen(requests: 4))
      process.send(signal: SIGTERM)
      process.send(signal: SIGINT)
      // Either signal may be delivered first.
      #expect([.signal(SIGTERM), .signal(SIGINT)].contains(try process.finish().ending))
      let listing = try runTool(["cache", "ls", "--jsonl"], home: home).outputText
      #expect(listing.split(separator: "\n").count == 4, "\(listing)")
    }
  }

  @Test("A signal ends a run whose output nobody reads, even in the middle of a write", arguments: [100_000, 3 << 20])
  func partialWrite(count: Int) throws {
    try withOrigin(answering: { _ in
      .response(fields: [("Cache-Control", "max-age=3600")], patternCount: UInt64(count))
    }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-s", origin.url("/a")], home: home).succeeded)
      let url = origin.url("/a")
      for arguments in [["-s", url], ["-s", "-Z", url, url], ["cache", "cat", url]] {
        var run = ToolRun(arguments, home: home)
        run.stdout = .stalled
        let process = try run.start()
        let watch = try ProcessWatch(process.processID)
        #expect(process.hasOutputWaiting())
        process.send(signal: SIGTERM)
        #expect(watch.hasEnded(withinMilliseconds: 3_000), "\(arguments)")
        let ending = try process.finish().ending
        #expect(ending == .signal(SIGTERM), "\(arguments)")
      }
    }
  }

  @Test(
    "A signal ends a run that is answered from the disk only",
    arguments: [["-s", "#"], ["--dry-run", "#"], ["cache", "check", "--offline", "http://absent.test/", "#"]])
  func hits(arguments: [String]) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool([origin.url("/a")], home: home).succeeded)
      // All these URLs are one, because fragments are not sent.
      let urls = origin.url("/a#[1-9999999]")
      let process = try ToolRun(arguments.map { $0 == "#" ? urls : $0 }, home: home).start()
      let watch = try ProcessWatch(process.processID)
      #expect(process.hasWritten(byteCount: 7))
      process.send(signal: SIGINT)
      #expect(watch.hasEnded(withinMilliseconds: 3_000), "\(arguments)")
      let result = try process.finish()
      let told = arguments[0] == "-s" ? "" : "garner: interrupted\n"
      #expect(result.ending == .signal(SIGINT) && result.errorText == told, "\(arguments): \(result.errorText)")
    }
  }

  /// A debug build maps the standard library and is not optimised, so its bounds show only that memory does not grow.
  private static let hitBound = BuiltTool.isNamed ? 6 << 20 : 24 << 20
  private static let missBound = BuiltTool.isNamed ? 32 << 20 : 48 << 20

  @Test("A hit takes little memory, however large the body is", arguments: [1 << 20, 64 << 20])
  func hitMemory(count: Int) throws {
    try withOrigin(answering: { _ in
      .response(fields: [("Cache-Control", "max-age=3600")], patternCount: UInt64(count))
    }) { origin in
      let home = try TemporaryDirectory()
      let first = try runTool(["-s", "-o", "/dev/null", origin.url("/a")], home: home)
      #expect(first.succeeded, "\(first.errorText)")
      var run = ToolRun(["-s", origin.url("/a")], home: home)
      run.stdout = .stalled
      let hit = try run.start()
      #expect(hit.hasOutputWaiting())
      let resident = try hit.peakResidentBytes()
      #expect(resident <= Self.hitBound, "\(resident >> 10) KiB")
      #expect(resident > 0)
      let result = try hit.finish()
      #expect(result.stdout.count == count)
      #expect(origin.requests.count == 1)
    }
  }

  /// The number of bytes that a run may have received but not yet written.
  private static let slack = 1 << 20

  @Test("A miss takes little memory, however large the body is")
  func missMemory() throws {
    let count: UInt64 = 128 << 20
    let gate = Gate()
    let head = OriginAnswer.head(
      200, nil, fields: [("Content-Length", "\(count + 1)"), ("Cache-Control", "max-age=60")])
    let answer = OriginAnswer([.bytes(head), .pattern(count: count), .wait(gate), .content([10])])
    try withOrigin(answering: { _ in answer }) { origin in
      let miss = try ToolRun(["-s", origin.url("/a")], home: try TemporaryDirectory()).start()
      #expect(miss.hasWritten(byteCount: Int(count) - Self.slack, withinMilliseconds: 30_000))
      let resident = try miss.peakResidentBytes()
      #expect(resident <= Self.missBound, "\(resident >> 10) KiB")
      #expect(resident > 0)
      gate.open()
      let result = try miss.finish()
      #expect(result.stdout.count == Int(count) + 1)
      #expect(result.succeeded)
    }
  }
}
