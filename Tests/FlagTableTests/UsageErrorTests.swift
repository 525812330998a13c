import FlagTable
import Testing

@Suite("Usage errors are one line each")
struct UsageErrorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [ArgumentText]
    let message: String
    let hint: String?

    init(_ rule: String, _ arguments: [ArgumentText], _ message: String, hint: String? = nil) {
      self.testDescription = rule
      self.arguments = arguments
      self.message = message
      self.hint = hint
    }
  }

  static let rows: [Row] = [
    Row(
      "an unknown long option leads to the nearest", ["--hedaer", "a"],
      "option --hedaer is unknown", hint: "did you mean --header?"),
    Row("an unknown option without a near one has no hint", ["--quux"], "option --quux is unknown"),
    Row(
      "long names are not abbreviated", ["--head", "a"], "option --head is unknown", hint: "did you mean --header?"),
    Row("the value of an unknown option is not repeated", ["--quux=secret"], "option --quux is unknown"),
    Row("an unknown letter in a bundle is named alone", ["-sQv", "u"], "option -Q is unknown"),
    Row(
      "a negation can be the nearest", ["--no-locatoin"], "option --no-locatoin is unknown",
      hint: "did you mean --no-location?"),
    Row(
      "an option with a value has no negation", ["--no-output"], "option --no-output is unknown",
      hint: "did you mean --output?"),
    Row(
      "the negation of an option of the model names the model", ["--no-silence"],
      "toy has no option --silence (model has)"),
    Row(
      "an option of the model names the model, and the nearest by spelling", ["--silence"],
      "toy has no option --silence (model has)", hint: "the nearest is --silent"),
    Row(
      "an option of the model may lead to another by meaning", ["--trace"],
      "toy has no option --trace (model has)", hint: "the nearest is --verbose"),
    Row(
      "a letter of the model names the model", ["-z"],
      "toy has no option -z (model has)", hint: "the nearest is --silent"),
    Row("a value is missing at the end", ["u", "-o"], "option -o needs a value: FILE"),
    Row("a value is missing after a long option", ["--output"], "option --output needs a value: FILE"),
    Row("an option without value has one", ["--verbose=3", "u"], "option --verbose takes no value"),
    Row("a toggle has a value", ["--silent=no", "u"], "option --silent takes no value"),
    Row("a negation has a value", ["--no-silent=1", "u"], "option --no-silent takes no value"),
    Row(
      "a wrong value is shown with what was expected", ["-m", "soon", "u"],
      "option -m: expected a number of seconds, not 'soon'"),
    Row(
      "a wrong word is shown with the valid ones", ["--color=alway", "u"],
      "option --color: expected one of auto, always, not 'alway'", hint: "did you mean always?"),
    Row(
      "a wrong optional value is refused", ["--offline=maybe", "u"],
      "option --offline: expected strict, not 'maybe'"),
    Row(
      "an optional value after a space is refused", ["--offline", "strict", "u"],
      "option --offline takes its value with an equals sign: --offline=strict",
      hint: "if strict is a URL, put it after --"),
    Row(
      "a value that may be secret is not shown", ["-H", "token\n", "u"],
      "option -H: the value holds a line feed"),
    Row("an operand is missing", [], "URL is missing", hint: "see 'toy --help'"),
    Row(
      "an operand of a command is missing", ["store", "show"], "'toy store show' needs FILE",
      hint: "see 'toy store show --help'"),
    Row(
      "one operand too many", ["store", "show", "a", "b", "c"], "'toy store show' does not take the argument 'c'"),
    Row(
      "a wrong operand", ["say", "yess"], "WORD: expected one of yes, no, not 'yess'", hint: "did you mean yes?"),
    Row("a command is missing", ["store"], "'toy store' needs a command: ls, show, find"),
    Row(
      "an unknown command", ["store", "shwo"], "'toy store' has no command 'shwo', only ls, show, find",
      hint: "did you mean show?"),
    Row(
      "a flag of the default command before a command word", ["-s", "store", "ls"],
      "option -s does not belong to 'toy store ls'"),
    Row(
      "a flag before the command that means another one there", ["-m", "1", "store", "wipe"],
      "option -m belongs after the command: toy store wipe -m"),
    Row(
      "a flag between the words of a command", ["store", "--json", "ls"],
      "option --json belongs after the command: toy store COMMAND --json"),
    Row(
      "a flag of another subcommand", ["store", "show", "--json", "f"],
      "option --json does not belong to 'toy store show'", hint: "'toy store ls' has it"),
    Row(
      "a flag of a command without the command", ["--key", "a", "u"],
      "option --key does not belong to 'toy'", hint: "'toy store find' has it"),
    Row(
      "a flag of the default command after a command word", ["store", "ls", "-o", "f"],
      "option -o does not belong to 'toy store ls'"),
    Row(
      "control characters in an option's name are escaped", [ArgumentText([0x2d, 0x2d, 0x1b, 0x5b, 0xff])],
      #"option --\x1b[\xff is unknown"#),
    Row(
      "control characters in a value are escaped", ["-m", "1\u{1b}[2J", "u"],
      #"option -m: expected a number of seconds, not '1\x1b[2J'"#),
    Row(
      "invisible characters, and those that change the direction of text, are escaped",
      ["-m", "\u{202e}\u{e9}\u{200b}\u{9b}", "u"],
      "option -m: expected a number of seconds, not '\\u{202e}\u{e9}\\u{200b}\\u{9b}'"),
    Row(
      "a long value is shortened", ["-m", ArgumentText(String(repeating: "x", count: 1_000)), "u"],
      "option -m: expected a number of seconds, not '\(String(repeating: "x", count: 60))...'"),
  ]

  @Test("A usage error is one line, with a hint if one helps", arguments: rows)
  func refuses(_ row: Row) {
    let error = #expect(throws: UsageError.self) { try Toy.parse(row.arguments) }
    #expect(error?.message == row.message)
    #expect(error?.hint == row.hint)
  }

  @Test(
    "A beginning of one word is completed, also if longer words begin with that word",
    arguments: [
      ("out", "output"), ("loc", "location"), ("parallel-m", "parallel-max"), ("hea", nil), ("ou", nil),
    ])
  func completes(typed: String, meant: String?) {
    let words = ["output-dir", "output", "parallel", "parallel-max", "location", "location-trusted", "header", "heart"]
    #expect(Suggestion.nearest(to: typed.utf8, among: words) == meant)
  }

  @Test(
    "The nearest word differs by one typing error",
    arguments: [
      ("hedaer", "header"), ("headr", "header"), ("headerr", "header"), ("heeder", "header"), ("output", "output"),
      ("qqqqqq", nil), ("", nil), (String(repeating: "header", count: 1_000), nil),
    ])
  func suggests(typed: String, meant: String?) {
    #expect(Suggestion.nearest(to: typed.utf8, among: ["output", "header", "max-time"]) == meant)
  }
}
