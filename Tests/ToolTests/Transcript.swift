/// The commands in the boxes of a document, with the output that the document shows.
struct Transcript {
  struct Step {
    /// The command as it is typed, with its continuation lines.
    var command: String
    /// The lines shown below it; `nil` in a box that shows only commands.
    var output: [String]?
    /// The number of the document's section that contains it, from 0.
    var section: Int

    /// Whether the shell asks for another line of the command.
    var continues: Bool { command.hasSuffix("\\") || command.contains("<<") }

    /// Whether the command shows the exit status of the one before it.
    var showsStatus: Bool { command.contains("$?") }
  }

  var steps: [Step] = []

  /// - Parameter document: a document in Markdown. A box of `console` has a prompt before each command and its output
  ///   below; a box of `sh` has one command in each line.
  init(_ document: String) {
    enum Box { case none, console, commands, other }
    var box = Box.none
    var section = 0
    for line in document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        box =
          switch (box, line) {
          case (.none, "```console"): .console
          case (.none, "```sh"): .commands
          case (.none, _): .other
          default: .none
          }
      } else if box == .none && line.hasPrefix("##") {
        section += 1
      } else if box == .commands {
        if !line.isEmpty && !line.hasPrefix("#") { steps.append(Step(command: line, section: section)) }
      } else if box == .console {
        if line.hasPrefix("$ ") {
          steps.append(Step(command: String(line.dropFirst(2)), output: [], section: section))
        } else if line.hasPrefix(">"), let last = steps.last, last.continues {
          steps[steps.count - 1].command += "\n" + line.dropFirst(2)
        } else if !steps.isEmpty {
          steps[steps.count - 1].output?.append(line)
        }
      }
    }
  }

  /// Whether the printed lines match those shown, in which `...` stands for any text, and alone on a line for any
  /// lines.
  static func matches(_ printed: [String], _ shown: [String]) -> Bool {
    guard let first = shown.first else { return printed.isEmpty }
    let rest = Array(shown.dropFirst())
    if first == "..." { return (0...printed.count).contains { matches(Array(printed.dropFirst($0)), rest) } }
    guard let line = printed.first, fits(steady(line), steady(first)) else { return false }
    return matches(Array(printed.dropFirst()), rest)
  }

  private static func fits(_ line: String, _ pattern: String) -> Bool {
    let pieces = pattern.split(separator: "...", omittingEmptySubsequences: false)
    guard pieces.count > 1 else { return line == pattern }
    guard line.hasPrefix(pieces[0]), line.hasSuffix(pieces[pieces.count - 1]) else { return false }
    var rest = line.dropFirst(pieces[0].count)
    for piece in pieces.dropFirst() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }

  /// A line without the parts that vary: dates, and times in seconds.
  private static func steady(_ line: String) -> String {
    line
      .replacing(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/, with: "DATE")
      .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "DATE")
      .replacing(/\ +\d+ (s|min)\b/, with: " TIME")
      .replacing(/(ttl=|Age: )-?\d+/) { "\($0.output.1)SECONDS" }
  }
}
