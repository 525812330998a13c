import Client
import Glibc
import Platform
import TestSupport
import Testing
import Transport

/// An origin, a store, a clock that a test moves, and runs of the program in this process.
///
/// Concurrent runs change only the origin and the store. A test sets all other properties before the first run begins.
final class Scenario: @unchecked Sendable {
  /// The result of a run.
  struct Run {
    let status: Int32
    let output: [UInt8]
    let diagnostics: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  let origin: OriginServer
  let directory: TemporaryDirectory
  let clock = ManualClock()
  /// Added to every run's environment.
  var environment: [String: String] = [:]
  var doesDetachedWork = true
  /// Replaces libcurl, where a test needs another connection than one to the origin.
  var transport: (any Transport)?
  /// Replaces the kernel's tables of links and routes.
  var network: FakeNetwork?
  /// Replaces the file for standard error.
  var terminal: WatchedTerminal?
  /// Replaces the file for standard input.
  var keyboard: WatchedTerminal?
  /// The time that passes whenever the program reads the monotonic clock.
  var secondsPerLook: UInt32 = 0
  private(set) var detachedCount = 0
  /// Called whenever the program reads the monotonic clock, on the same thread.
  var whenLooking: @Sendable () -> Void = {}
  /// Called where the program pauses, on the same thread. No time passes by itself.
  var whenPausing: @Sendable (_ nanoseconds: UInt64) -> Void = { _ in }

  init(_ family: OriginServer.Family = .ipv4, answering handler: @escaping OriginServer.Handler) throws {
    origin = try OriginServer(family, handler: handler)
    directory = try TemporaryDirectory("scenario")
  }

  /// Makes an origin that gives the same answer to every request.
  convenience init(_ answer: OriginAnswer) throws {
    try self.init { _ in answer }
  }

  deinit { origin.stop() }

  var cachePath: String { directory.path("cache/garner") }

  /// The usual place of the config file.
  var configPath: String { directory.path(".config/garner/config") }

  /// Writes the config file.
  func write(config: String) throws(SystemFailure) {
    if access(directory.path(".config"), F_OK) != 0 {
      try directory.makeDirectory(".config")
      try directory.makeDirectory(".config/garner")
    }
    try directory.write(config, to: ".config/garner/config")
  }

  /// The files of the store that are entries, sorted: responses, parts of them and lists of variants.
  var entryFiles: [String] {
    let version = "\(cachePath)/v1/"
    return filesBelow(cachePath).filter { file in
      file.hasPrefix(version) && !file.hasPrefix(version + "tmp/") && file.dropFirst(version.count).contains("/")
    }
  }

  func onlyEntry() throws -> String {
    let files = entryFiles
    return try #require(files.count == 1 ? files.first : nil, "\(files)")
  }

  /// Flips a bit of the only entry.
  func damageOnlyEntry(at offset: Int) throws {
    let entry = try onlyEntry()
    var bytes = try readFile(entry)
    bytes[offset] ^= 1
    try writeFile(entry, bytes)
  }

  /// The targets of the requests at the origin, with the method before them where it is not GET.
  var asked: [String] {
    origin.requests.map { $0.method == "GET" ? $0.target : "\($0.method) \($0.target)" }
  }

  func url(_ target: String = "/") -> String { origin.url(target) }

  /// Runs the program with these arguments; standard output and standard error are files.
  @discardableResult
  func run(_ arguments: [String], input: String = "") throws -> Run {
    try run(raw: arguments.map { Array($0.utf8) }, input: input)
  }

  @discardableResult
  func run(_ arguments: String..., input: String = "") throws -> Run {
    try run(arguments, input: input)
  }

  /// Like `run`, with a pipe for standard input, which can be read only once. The input must fit into a pipe's buffer.
  func run(_ arguments: String..., throughPipe input: String) throws -> Run {
    try run(raw: arguments.map { Array($0.utf8) }, input: input, isPipe: true)
  }

  /// Begins a run on a thread of its own.
  func start(_ arguments: String...) -> StartedRun { start(arguments) }

  func start(_ arguments: [String]) -> StartedRun {
    let started = StartedRun()
    startThread { [self] in started.end(with: Result { try run(arguments) }) }
    return started
  }

  func run(raw arguments: [[UInt8]], input: String = "", isPipe: Bool = false) throws -> Run {
    let streams = try TemporaryDirectory("streams")
    try streams.write(input, to: "input")
    var stdin = try Descriptor.workingDirectory.open(try path(streams.path("input")), .readOnly)
    if isPipe {
      let pipe = try Pipe()
      let writing = OwnedDescriptor(owning: pipe.writing)
      stdin = OwnedDescriptor(owning: pipe.reading)
      try writing.writeAll(Array(input.utf8))
    }
    let stdout = try open(streams.path("output"))
    let stderr = try open(streams.path("diagnostics"))
    let errors = terminal.map { Descriptor(rawValue: $0.descriptor) } ?? stderr.borrowed
    let typed = keyboard.map { Descriptor(rawValue: $0.descriptor) } ?? stdin.borrowed
    let status = App.run(try context(arguments, typed, stdout.borrowed, errors))
    return Run(
      status: status, output: try streams.read("output"),
      diagnostics: String(decoding: try streams.read("diagnostics"), as: UTF8.self))
  }

  /// Runs the program with a terminal as standard output.
  func run(onTerminalOf columns: Int, _ arguments: String...) throws -> Run {
    try run(onTerminalOf: columns, arguments: arguments)
  }

  /// Runs the program with a terminal as standard output and, if `errorsToo` is set, as standard error.
  func run(onTerminalOf columns: Int, errorsToo: Bool = false, arguments: [String]) throws -> Run {
    let streams = try TemporaryDirectory("streams")
    let stdin = try Descriptor.workingDirectory.open("/dev/null", .readOnly)
    let stderr = try open(streams.path("diagnostics"))
    let terminal = try PseudoTerminal(columns: columns)
    let output = Descriptor(rawValue: terminal.descriptor)
    let status = App.run(
      try context(
        arguments.map { Array($0.utf8) }, stdin.borrowed, output, errorsToo ? output : stderr.borrowed))
    return Run(
      status: status, output: terminal.finish(),
      diagnostics: String(decoding: try streams.read("diagnostics"), as: UTF8.self))
  }

  private func context(
    _ arguments: [[UInt8]], _ input: Descriptor, _ output: Descriptor, _ diagnostics: Descriptor
  ) throws -> ProcessContext {
    ProcessContext(
      arguments: arguments,
      environment: Environment(
        ["HOME": directory.path, "XDG_CACHE_HOME": directory.path("cache")].merging(environment) { $1 }),
      standardInput: input, standardOutput: output, standardError: diagnostics,
      clock: programClock, makeTransport: { [self] in transport ?? ProgramTransport(shouldStop: { false }) },
      makeParallelTransport: { ParallelTransport(shouldStop: { false }) }, detach: { [self] _, work in detached(work) },
      networkRoot: try path(network?.root ?? "/"))
  }

  /// Takes the place of a detached process: the work is done at once, after the run's answer.
  private func detached(_ work: () -> Void) {
    detachedCount += 1
    if doesDetachedWork { work() }
  }

  private var programClock: Clock {
    let (clock, pause, seconds, look) = (clock, whenPausing, secondsPerLook, whenLooking)
    return Clock(
      wallTime: { WallTime(seconds: clock.seconds) },
      monotonic: {
        look()
        clock.advance(bySeconds: seconds)
        return clock.monotonicNanoseconds
      },
      pause: pause)
  }

  private func open(_ name: String) throws -> OwnedDescriptor {
    let file = try Descriptor.workingDirectory.open(try path(name), [.readWrite, .create])
    try file.truncate(to: 0)
    return file
  }

  private func path(_ text: String) throws -> Path { try #require(Path(text)) }
}

/// A run on another thread than the test's.
final class StartedRun: Sendable {
  private let outcome = Monitor<Result<Scenario.Run, any Error>?>(nil)

  fileprivate func end(with result: Result<Scenario.Run, any Error>) { outcome.withLock { $0 = result } }

  /// Waits for the end of the run.
  func finish() throws -> Scenario.Run { try outcome.wait { $0 }.get() }
}

extension Scenario.Run {
  /// The value of a field in a printed head.
  func field(_ name: String) -> String? {
    for line in text.split(separator: "\r\n") where line.lowercased().hasPrefix("\(name.lowercased()): ") {
      return String(line.dropFirst(name.utf8.count + 2))
    }
    return nil
  }
}

/// The field that makes a response fresh for a minute.
let fresh = OriginAnswer.freshForAMinute

/// An answer with an entity tag; a 304 where the request's If-None-Match has this tag.
func validated(_ request: ReceivedRequest, etag: String, fields: [(String, String)], text: String) -> OriginAnswer {
  let fields = fields + [("ETag", etag)]
  if request.value("If-None-Match") == etag { return .response(304, fields: fields) }
  return .response(fields: fields, text: text)
}

/// The output of `-0` for `lines`.
func zeroEnded(_ lines: some Sequence<String>) -> String {
  lines.map { $0 + "\0" }.joined()
}
