import TestSupport
import Testing

/// The commands that documents show in boxes do what they are shown for.
@Suite struct DocumentCommandTests {
  /// The words of a line, of which those in single quotes are one.
  private static func words(_ line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, piece in
      index % 2 == 1 ? [String(piece)] : piece.split(separator: " ").map(String.init)
    }
  }

  /// The lines in boxes of shell commands.
  private static func commands(in document: String) -> [[String]] {
    var isInBox = false
    var commands: [[String]] = []
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInBox = line == "```sh"
      } else if isInBox {
        commands.append(words(line))
      }
    }
    return commands
  }

  @Test func `every command of docs/from-urlcache.md runs as it stands, and succeeds`() throws {
    let document = try readFile("\(BuiltTool.projectRoot)/docs/from-urlcache.md")
    let commands = Self.commands(in: String(decoding: document, as: UTF8.self))
    #expect(commands.count > 10 && commands.allSatisfy { $0.first == "garner" })
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=60")], text: "body"))
    let origin = String(scenario.url("/").dropLast())
    for command in commands {
      let arguments = command.dropFirst().map { word in
        word.hasPrefix("https://example.com") ? origin + word.dropFirst("https://example.com".count) : word
      }
      let run = try scenario.run(arguments)
      #expect(run.status == 0 && run.diagnostics == "", "\(arguments): \(run.diagnostics)")
      if !["cache", "network"].contains(arguments[0]) { #expect(run.text == "body", "\(arguments)") }
    }
  }
}
