import FlagTable
import Interface
import Testing

@Suite("What a habit or a slip has typed is met with a hint")
struct UsageHintTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [ArgumentText]
    let message: String
    let hint: String?

    init(_ rule: String, _ arguments: [ArgumentText], _ message: String, hint: String?) {
      self.testDescription = rule
      self.arguments = arguments
      self.message = message
      self.hint = hint
    }
  }

  static let rows: [Row] = [
    Row(
      "a bundle of wget's has taken the URL", ["-nc", "http://a.test/"], "URL is missing",
      hint: "--cookie-jar has taken the URL for its FILE"),
    Row(
      "an option that takes a value has taken the URL", ["--user-agent", "https://a.test/"], "URL is missing",
      hint: "--user-agent has taken the URL for its NAME"),
    Row(
      "an option without a value behind it is not blamed", ["--noproxy", "http://a.test/", "-s"], "URL is missing",
      hint: "--noproxy has taken the URL for its HOSTS"),
    Row(
      "an option of all commands has taken the URL", ["cache", "show", "--cache-dir", "http://a.test/"],
      "garner cache show: URL is missing", hint: "--cache-dir has taken the URL for its DIRECTORY"),
    Row(
      "the URL before --next has been taken", ["-c", "http://a.test/", "--next", "http://b.test/"], "URL is missing",
      hint: "--cookie-jar has taken the URL for its FILE"),
    Row(
      "an option whose value is a URL is not blamed", ["-x", "http://proxy.test/"], "URL is missing",
      hint: "'garner --help' tells more"),
    Row("a value that is no URL is not blamed", ["-A", "me"], "URL is missing", hint: "'garner --help' tells more"),
    Row(
      "the contrary of an option is no slip for it", ["--no-offline", "u"],
      "option --no-offline is unknown: --offline cannot be taken back",
      hint: "--cache-policy protocol asks the network"),
    Row(
      "what cannot be negated is no slip for what can", ["--no-reload", "u"],
      "option --no-reload is unknown: --reload cannot be taken back", hint: nil),
    Row("nor is it one for itself", ["--no-pinn", "u"], "option --no-pinn is unknown", hint: "did you mean --no-pin?"),
    Row(
      "the beginning of what can be negated is completed", ["--no-clob", "u"], "option --no-clob is unknown",
      hint: "did you mean --no-clobber?"),
    Row(
      "so is what is a negation by itself", ["--no-stoer", "u"], "option --no-stoer is unknown",
      hint: "did you mean --no-store?"),
    Row(
      "what is nearest by its dashes is not near", ["--no-refresh", "u"],
      "option --no-refresh is unknown: --refresh cannot be taken back", hint: nil),
    Row(
      "nor is what is nearest by its beginning", ["--no-remote-name", "u"],
      "option --no-remote-name is unknown: --remote-name cannot be taken back", hint: nil),
    Row(
      "the contrary of what curl has", ["--no-digest", "u"], "garner has no option --digest (curl has)", hint: nil),
    Row(
      "wget's letter of a directory", ["-P", "d", "u"], "garner has no option -P (curl has)",
      hint: "wget's -P is --output-dir"),
    Row(
      "wget's letter of tries", ["-t", "3", "u"], "garner has no option -t (curl has)",
      hint: "wget's -t is --retry"),
    Row(
      "curl's name of a file with URLs", ["--config", "urls"], "URL is missing",
      hint: "--config is garner's own; what curl calls so is --curl-config (-K)"),
    Row(
      "aria2c's name of a digest", ["--checksum=sha-256=0a", "u"], "garner has no option --checksum (aria2c has)",
      hint: "'--sha256 HEX' is for SHA-256, '--integrity' for SHA-384 and SHA-512"),
    Row(
      "wget's name of standard output", ["-qO-", "u"], "garner has no option -O- (wget has)",
      hint: "what is fetched goes to standard output without it"),
  ]

  @Test("What has been typed is refused, and the hint says what was meant", arguments: rows)
  func hints(_ row: Row) {
    let error = #expect(throws: UsageError.self) { try CommandLineInterface.parse(row.arguments) }
    #expect(error?.message == row.message)
    #expect(error?.hint == row.hint)
  }
}
