import FlagTable
import Testing

@Suite("Hints for typing errors and for habits from other programs")
struct UsageHintTests {
  typealias Row = RefusalRow

  static let rows: [Row] = [
    Row(
      "a bundle as of wget has taken the URL", ["-nc", "http://a.test/"], "URL is missing",
      hint: "--cookie-jar took the URL as its FILE"),
    Row(
      "an option that takes a value has taken the URL", ["--user-agent", "https://a.test/"], "URL is missing",
      hint: "--user-agent took the URL as its NAME"),
    Row(
      "an option between others has taken the URL", ["--noproxy", "http://a.test/", "-s"], "URL is missing",
      hint: "--noproxy took the URL as its HOSTS"),
    Row(
      "an option of all commands has taken the URL", ["cache", "show", "--cache-dir", "http://a.test/"],
      "'garner cache show' needs URL", hint: "--cache-dir took the URL as its DIRECTORY"),
    Row(
      "an option before --next has taken the URL", ["-c", "http://a.test/", "--next", "http://b.test/"],
      "URL is missing",
      hint: "--cookie-jar took the URL as its FILE"),
    Row(
      "an option that wants a URL is not blamed", ["-x", "http://proxy.test/"], "URL is missing",
      hint: "see 'garner --help'"),
    Row("a value that is no URL is not blamed", ["-A", "me"], "URL is missing", hint: "see 'garner --help'"),
    Row(
      "the negation of --offline has a hint of its own", ["--no-offline", "u"],
      "option --no-offline is unknown: --offline cannot be taken back",
      hint: "--cache-policy protocol allows the network"),
    Row(
      "an option that cannot be negated leads to no other", ["--no-reload", "u"],
      "option --no-reload is unknown: --reload cannot be taken back", hint: nil),
    Row(
      "a misspelt negation of another option leads to that", ["--no-pinn", "u"], "option --no-pinn is unknown",
      hint: "did you mean --no-pin?"),
    Row(
      "the beginning of a negation is completed", ["--no-clob", "u"], "option --no-clob is unknown",
      hint: "did you mean --no-clobber?"),
    Row(
      "a misspelt option that begins with no- is corrected", ["--no-stoer", "u"], "option --no-stoer is unknown",
      hint: "did you mean --no-store?"),
    Row(
      "a negation leads to no option that only shares its dashes", ["--no-refresh", "u"],
      "option --no-refresh is unknown: --refresh cannot be taken back", hint: nil),
    Row(
      "a negation leads to no option that only begins alike", ["--no-remote-name", "u"],
      "option --no-remote-name is unknown: --remote-name cannot be taken back", hint: nil),
    Row(
      "the negation of an option of curl", ["--no-digest", "u"], "garner has no option --digest (curl has)", hint: nil),
    Row(
      "no hint names an option that the command does not have", ["cache", "prune", "--quiet"],
      "garner has no option --quiet (wget has)"),
    Row(
      "no advice names an option that the command does not have", ["cache", "check", "--timestamping", "u"],
      "garner has no option --timestamping (wget has)"),
    Row(
      "no hint at a letter of wget's names an option that the command does not have", ["cache", "ls", "-P", "d"],
      "garner has no option -P (curl has)"),
    Row(
      "a hint names an option that the command has", ["prefetch", "--quiet", "u"],
      "garner has no option --quiet (wget has)", hint: "the nearest is --silent"),
    Row(
      "wget's letter for a directory", ["-P", "d", "u"], "garner has no option -P (curl has)",
      hint: "wget's -P is --output-dir"),
    Row(
      "wget's letter for retries", ["-t", "3", "u"], "garner has no option -t (curl has)",
      hint: "wget's -t is --retry"),
    Row(
      "--config with a file in curl's syntax", ["--config", "urls"], "URL is missing",
      hint: "--config reads garner's own config file; curl's --config is --curl-config (-K)"),
    Row(
      "aria2c's option for a digest", ["--checksum=sha-256=0a", "u"], "garner has no option --checksum (aria2c has)",
      hint: "'--sha256 HEX' is for SHA-256, '--integrity' for SHA-384 and SHA-512"),
    Row(
      "wget's option for standard output", ["-qO-", "u"], "garner has no option -O- (wget has)",
      hint: "without it, the content goes to standard output"),
  ]

  @Test("A refused option has a hint that names what was probably meant", arguments: rows)
  func hints(_ row: Row) { row.check() }
}
