import FlagTable

extension RefusalTests {
  /// What may stand behind `garner help`, and what may not.
  static let topics: [Row] = [
    Row(
      "a topic that is none", ["help", "exit-statsu"], "there is no topic 'exit-statsu'",
      hint: "did you mean exit-status?"),
    Row(
      "a topic that is like none", ["help", "gardening"], "there is no topic 'gardening'",
      hint: "'garner help topics' lists them"),
    Row(
      "an option of another command", ["help", "cache", "ls", "output"], "TOPIC: 'ls' has no commands"),
    Row(
      "help of an option that is none", ["help", "--outptu"], "there is no option '--outptu'",
      hint: "did you mean --output?"),
    Row(
      "help of an option that is like none", ["help", "-§"], "there is no option '-§'",
      hint: "'garner help' lists them"),
    Row(
      "help of another command's option", ["help", "cache", "ls", "--output"], "there is no option '--output'",
      hint: "'garner help cache ls' lists them"),
    Row("a topic behind a topic", ["help", "keys", "man"], "TOPIC: there is no use for a second topic"),
    Row("a page behind a page", ["help", "man", "garner", "x"], "TOPIC: there is no use for a second topic"),
    Row(
      "a page that is none", ["help", "man", "cache"],
      "TOPIC: expected one of garner, garner-cache, garner-config, not 'cache'"),
    Row(
      "a topic below a command without commands", ["help", "completions", "x"], "TOPIC: 'completions' has no commands"),
  ]
}
