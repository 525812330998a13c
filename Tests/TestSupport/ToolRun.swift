/// The description of a run of the built tool: its arguments, its input and its environment.
///
/// It does not inherit the tests' environment: HOME, the XDG directories and so the cache are in a temporary directory.
package struct ToolRun: Sendable {
  package enum Stdin: Sendable {
    /// `/dev/null`.
    case none
    /// These bytes, then the end.
    case bytes([UInt8])
    /// This descriptor.
    case descriptor(Int32)
  }

  package enum Output: Sendable {
    /// A pipe that is read to its end.
    case captured
    /// A pipe that is not read until ``ToolProcess/readOutput()`` is called.
    case stalled
    /// A pipe whose reading end is already closed.
    case broken
    /// No descriptor at all, as with `>&-`.
    case closed
    /// This file, as with `>FILE`.
    case file(String)
  }

  /// Longer than any run on a busy machine takes: a run that reaches the limit is stuck.
  package static let timeLimitMilliseconds = 60_000

  /// Keeps the directory for as long as this run can be started.
  package let home: TemporaryDirectory
  package var executable: String
  package var arguments: [[UInt8]]
  package var environment: [String: String]
  package var workingDirectory: String
  package var stdin = Stdin.none
  package var stdout = Output.captured
  package var timeLimitMilliseconds = Self.timeLimitMilliseconds
  /// A program, with its first arguments, that runs the tool: `["strace", "-f"]`.
  package var wrapper: [String] = []

  /// - Parameter home: the directory for everything that the tool keeps.
  package init(_ arguments: [String] = [], home: TemporaryDirectory) {
    self.init(rawArguments: arguments.map { Array($0.utf8) }, home: home)
  }

  /// - Parameter rawArguments: bytes, which need not be UTF-8.
  package init(rawArguments: [[UInt8]], home: TemporaryDirectory) {
    self.home = home
    executable = BuiltTool.path
    arguments = rawArguments
    workingDirectory = home.path
    environment = [
      "HOME": home.path,
      "XDG_CACHE_HOME": home.path("cache"),
      "XDG_CONFIG_HOME": home.path("config"),
      "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      "LC_ALL": "C.UTF-8",
      // A crash must show as its signal at once, not after a backtrace.
      "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  /// Runs the tool to its end.
  package func run() throws(SystemFailure) -> ToolResult {
    try start().finish()
  }

  /// Starts the tool.
  package func start() throws(SystemFailure) -> ToolProcess {
    try ToolProcess(self)
  }

  /// Returns a run of `/bin/sh -c script` in the same environment: `$0` is the tool, `$1`... are the arguments.
  package func throughShell(_ script: String) -> ToolRun {
    var run = self
    run.executable = "/bin/sh"
    run.arguments = ["-c", script, executable].map { Array($0.utf8) } + arguments
    return run
  }

  /// The whole command line.
  var commandLine: [[UInt8]] {
    wrapper.map { Array($0.utf8) } + [Array(executable.utf8)] + arguments
  }
}

/// The result of a run.
package struct ToolResult: Sendable {
  package enum Ending: Sendable, Hashable {
    case exit(Int32)
    case signal(Int32)
    /// Killed by the test bench, because the time limit was reached.
    case timeLimit
  }

  package let ending: Ending
  package let stdout: [UInt8]
  package let stderr: [UInt8]

  package var outputText: String { String(decoding: stdout, as: UTF8.self) }
  package var errorText: String { String(decoding: stderr, as: UTF8.self) }
  package var succeeded: Bool { ending == .exit(0) }
}
