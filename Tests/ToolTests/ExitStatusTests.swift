import TestSupport
import Testing

/// Tests of the exit status of runs that fail.
@Suite("Exit statuses")
struct ExitStatusTests {
  /// A command line, in which URL stands for the origin's URL, and the status it must end with.
  struct Row: Sendable, CustomTestStringConvertible {
    let rule: String
    let arguments: [String]
    let status: Int32
    var answer = OriginAnswer.response(text: "content")
    /// The expected standard output.
    var output = ""

    var testDescription: String { rule }
  }

  static let rows: [Row] = [
    Row(rule: "no URL is a misuse", arguments: [], status: 2),
    Row(rule: "an unknown option is a misuse", arguments: ["--no-such-option", "URL"], status: 2),
    Row(rule: "an option without its value is a misuse", arguments: ["URL", "-o"], status: 2),
    Row(rule: "a value that is no time is a misuse", arguments: ["-m", "soon", "URL"], status: 2),
    Row(rule: "an unknown policy is a misuse", arguments: ["--cache-policy", "sometimes", "URL"], status: 2),
    Row(rule: "a line break in a field is a misuse", arguments: ["-H", "A: b\r\nC: d", "URL"], status: 2),
    Row(rule: "an unknown command of the cache is a misuse", arguments: ["cache", "polish"], status: 2),
    Row(rule: "a URL without a host is malformed", arguments: ["http://"], status: 3),
    Row(rule: "a port that is no number is malformed", arguments: ["http://127.0.0.1:port/"], status: 3),
    Row(rule: "a name that does not resolve", arguments: ["http://name.invalid/"], status: 6),
    Row(rule: "a port that nobody listens on", arguments: ["http://127.0.0.1:1/"], status: 7),
    Row(
      rule: "a body that breaks off", arguments: ["-s", "URL"], status: 18,
      answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), output: "half"),
    Row(
      rule: "an HTTP error prints its body", arguments: ["URL"], status: 22,
      answer: .response(404, text: "none such"), output: "none such"),
    Row(
      rule: "with -f an HTTP error prints nothing", arguments: ["-f", "URL"], status: 22,
      answer: .response(404, text: "none such")),
    Row(
      rule: "with --no-fail an HTTP error is a success", arguments: ["--no-fail", "URL"], status: 0,
      answer: .response(404, text: "none such"), output: "none such"),
    Row(
      rule: "a time limit before the answer", arguments: ["-m", "0.3", "URL"], status: 28,
      answer: .late(Gate(), .disconnect)),
    Row(
      rule: "redirects without an end", arguments: ["--max-redirs", "3", "URL"], status: 47,
      answer: .response(302, fields: [("Location", "/again")])),
    Row(rule: "a connection closed without an answer", arguments: ["URL"], status: 52, answer: .disconnect),
    Row(rule: "a connection that is reset", arguments: ["URL"], status: 56, answer: .reset),
    Row(
      rule: "lengths that contradict each other", arguments: ["URL"], status: 8,
      answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody!")),
    Row(rule: "an absent response, offline", arguments: ["--offline", "URL"], status: 110),
    Row(rule: "an absent response under cache-only", arguments: ["--cache-policy", "cache-only", "URL"], status: 110),
    Row(rule: "showing an absent response", arguments: ["cache", "show", "URL"], status: 110),
    Row(rule: "removing an absent response", arguments: ["cache", "rm", "URL"], status: 1),
    Row(rule: "removing an absent one with --if-exists", arguments: ["cache", "rm", "--if-exists", "URL"], status: 0),
  ]

  @Test("A file name in place of a URL leads to a hint that names the options for files")
  func fileForURL() throws {
    let home = try TemporaryDirectory()
    // RFC 6761 section 6.4: no resolver gives this name an address.
    try home.write("", to: "urls.invalid")
    let result = try runTool(["urls.invalid"], home: home)
    #expect(result.ending == .exit(6))
    #expect(
      result.errorText == """
        garner: cannot fetch http://urls.invalid/: the host urls.invalid cannot be resolved
        hint: urls.invalid is a file: --input-file reads URLs from one, and --output writes one

        """)
  }

  @Test("A failure has its exit status, and is reported in one line", arguments: rows)
  func status(row: Row) throws {
    try withOrigin(answering: { _ in row.answer }) { origin in
      let arguments = row.arguments.map { $0 == "URL" ? origin.url("/a") : $0 }
      let result = try runTool(arguments, home: try TemporaryDirectory())
      #expect(result.ending == .exit(row.status), "\(result.errorText)")
      #expect(result.outputText == row.output)
      if row.status != 0, row.status != 110, !row.arguments.contains("-s") {
        #expect(result.errorText.hasPrefix("garner: "), "\(result.errorText)")
        let others = lines(of: result.errorText).dropFirst().filter { !$0.hasPrefix("hint: ") && !$0.hasPrefix("  ") }
        #expect(others.isEmpty, "\(result.errorText)")
      }
    }
  }
}
