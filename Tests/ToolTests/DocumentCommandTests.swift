import Glibc
import TestSupport
import Testing

/// Runs the commands that documents show in boxes, and compares what they print with the documents.
@Suite(.enabled(if: Machine.hasTool, "There is no tool at \(BuiltTool.path)."))
struct DocumentCommandTests {
  /// The exit status and the output of a command.
  private struct Outcome {
    let status: Int
    let lines: [String]
  }

  /// The port of the demonstration's origin in the documents.
  private static let port = ":8080"
  /// The greatest width of a box.
  private static let columnCount = 100
  /// A document takes about a hundred runs, and the machine may be busy.
  private static let timeLimitMilliseconds = 5 * ToolRun.timeLimitMilliseconds

  @Test(arguments: [
    "README.md", "docs/guide.md", "docs/troubleshooting.md", "docs/from-curl.md", "docs/from-wget.md",
    "docs/from-urlcache.md", "docs/cache-commands.md", "docs/archives.md", "docs/store-hook.md",
  ])
  func `every command of a document does what is shown`(_ path: String) throws {
    let document = try readFile("\(BuiltTool.projectRoot)/\(path)")
    let steps = Transcript(String(decoding: document, as: UTF8.self)).steps
    #expect(steps.count > 5, "\(path) shows few commands")
    let outcomes = try run(steps)
    try #require(outcomes.count == steps.count, "\(path): the shell did not come to the last command")
    for (index, (step, outcome)) in zip(steps, outcomes).enumerated() {
      let printed = outcome.lines.joined(separator: "\n")
      if let output = step.output {
        let isShown = Transcript.matches(outcome.lines, output)
        #expect(isShown, "\(path): $ \(step.command)\n\(printed)\n--- and not\n\(output.joined(separator: "\n"))")
      }
      let isFollowed = index + 1 < steps.count && steps[index + 1].showsStatus
      #expect(outcome.status == 0 || isFollowed, "\(path): $ \(step.command)\n\(printed)\n(\(outcome.status))")
    }
  }

  /// Runs the commands in order in a shell on a terminal, with a home of their own.
  ///
  /// The origin is the shell's only job, and is restarted in each section. `jobs` makes the shell forget jobs that have
  /// ended, so the next one is number 1 again.
  private func run(_ steps: [Transcript.Step]) throws -> [Outcome] {
    let port = try freePort()
    let home = try TemporaryDirectory("document")
    try home.write(script(for: steps, port: port), to: "script")
    let terminal = try PseudoTerminal(columns: Self.columnCount)
    var shell = ToolRun([home.path("script")], home: home)
    shell.executable = "/bin/bash"
    shell.timeLimitMilliseconds = Self.timeLimitMilliseconds
    shell.stdout = .file("/proc/self/fd/\(terminal.descriptor)")
    shell.workingDirectory = try home.makeDirectory("work")
    let directory = BuiltTool.path.split(separator: "/").dropLast().joined(separator: "/")
    shell.environment["PATH"] = "/\(directory):\(shell.environment["PATH"] ?? "")"
    for name in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME"] { shell.environment[name] = nil }
    shell.environment["TERM"] = "xterm"
    shell.environment["NO_COLOR"] = "1"
    let result = try shell.run()
    #expect(result.ending == .exit(0) && result.errorText == "")
    let printed = String(decoding: terminal.finish(), as: UTF8.self)
    let typical = printed.replacing(":\(port)", with: Self.port).replacing(" port \(port)", with: " port 8080")
    return outcomes(in: typical.replacing(home.path, with: "/home/me"))
  }

  /// A port with as many digits as in the documents, so that the output has the same width and entries the same size.
  private func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 2_000...9_999)
      if let origin = try? OriginServer(port: port, handler: { _ in .disconnect }) {
        origin.stop()
        return port
      }
    }
    throw SystemFailure("find a free port", code: EADDRINUSE)
  }

  /// A script of the commands. After the output of each it prints a control character, the status, and another one.
  private func script(for steps: [Transcript.Step], port: UInt16) -> String {
    var text = """
      mkfifo ../port
      serve() {
        kill $! 2> /dev/null; wait; jobs > ../jobs
        '\(BuiltTool.origin)' --quiet --port \(port) --print-port > ../port & read -r < ../port
      }
      trap 'kill $! 2> /dev/null' EXIT
      exec 2>&1
      status=0

      """
    var section: Int?
    for step in steps {
      if step.section != section { text += "serve\n" }
      section = step.section
      let command = step.command.replacing(Self.port, with: ":\(port)")
      text += "(exit $status)\n\(command)\nstatus=$?; printf '\\036%d\\037' $status\n"
    }
    return text + "exit 0\n"
  }

  private func outcomes(in printed: String) -> [Outcome] {
    printed.split(separator: "\u{1f}").compactMap { part in
      let pieces = part.split(separator: "\u{1e}", omittingEmptySubsequences: false)
      guard pieces.count == 2, let status = Int(pieces[1]) else { return nil }
      var lines = pieces[0].split(separator: "\n", omittingEmptySubsequences: false).map { line in
        // A line of progress is overwritten, and then erased.
        String(line.split(separator: "\r", omittingEmptySubsequences: false).last ?? "").replacing("\u{1b}[K", with: "")
      }
      if lines.last == "" { lines.removeLast() }
      return Outcome(status: status, lines: lines)
    }
  }
}
