import FlagTable

extension RefusalTests {
  /// Refused arguments of `garner help`.
  static let topics: [Row] = [
    Row(
      "a misspelt topic", ["help", "exit-statsu"], "there is no topic 'exit-statsu'",
      hint: "did you mean exit-status?"),
    Row(
      "an unknown topic", ["help", "gardening"], "there is no topic 'gardening'",
      hint: "'garner help topics' lists them"),
    Row(
      "another command's option without dashes", ["help", "cache", "ls", "output"], "TOPIC: 'ls' has no commands"),
    Row(
      "a misspelt option", ["help", "--outptu"], "there is no option '--outptu'",
      hint: "did you mean --output?"),
    Row(
      "an unknown option", ["help", "-§"], "there is no option '-§'",
      hint: "'garner help' lists them"),
    Row(
      "another command's option", ["help", "cache", "ls", "--output"], "there is no option '--output'",
      hint: "'garner help cache ls' lists them"),
    Row("a topic after a topic", ["help", "keys", "man"], "TOPIC: only one topic can be given"),
    Row("a topic after a page", ["help", "man", "garner", "x"], "TOPIC: only one topic can be given"),
    Row(
      "an unknown page", ["help", "man", "cache"],
      "TOPIC: expected one of garner, garner-cache, garner-config, not 'cache'"),
    Row(
      "a topic below a command without commands", ["help", "completions", "x"], "TOPIC: 'completions' has no commands"),
  ]
}
