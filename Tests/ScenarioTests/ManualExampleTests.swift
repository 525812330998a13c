import FlagTable
import TestSupport
import Testing

@testable import Interface

/// The commands in the manual work as the manual says.
@Suite struct ManualExampleTests {
  /// The words of a line. Text in single quotes is one word.
  private static func words(_ line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, piece in
      index % 2 == 1 ? [String(piece)] : piece.split(separator: " ").map(String.init)
    }
  }

  /// The example boxes of a section, as lines.
  private static func boxes(in section: ManualSection) -> [[String]] {
    Markup.blocks(of: section.text).compactMap { block in
      if case .example(let lines) = block { lines } else { nil }
    }
  }

  @Test func `every example of the manual runs as it stands, and succeeds`() throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"1\"", fields: [("Cache-Control", "max-age=60")], text: "body")
    }
    let origin = String(scenario.url("/").dropLast())
    try scenario.run("prefetch", origin + "/", origin + "/data.json", origin + "/sdk/a")
    let files = ["data.json", "site.warc.gz"]
    let commands = [ManualText.examples, ManualText.cacheExamples].flatMap { Self.boxes(in: $0).joined() }
    #expect(commands.count > 15)
    for command in commands {
      let words = Self.words(command[...])
      #expect(words.first == "garner")
      let arguments = words.dropFirst().map { word -> String in
        if files.contains(word) { return scenario.directory.path(word) }
        return word.hasPrefix("https://example.com") ? origin + word.dropFirst("https://example.com".count) : word
      }
      var run = try scenario.run(arguments)
      let mayBeUnchanged = arguments.contains("--exit-unchanged")
      if mayBeUnchanged { run = try scenario.run(arguments) }
      #expect(run.status == (mayBeUnchanged ? 114 : 0), "\(command): \(run.diagnostics)")
      // The next example needs the responses that this one removes.
      if arguments.contains("rm") {
        try scenario.run("prefetch", origin + "/", origin + "/data.json", origin + "/sdk/a")
      }
    }
  }

  @Test func `every example of a config file in the manual is valid, and so are its commands`() {
    for section in [ManualText.configFile, ManualText.networkStates, ManualText.configExamples] {
      let boxes = Self.boxes(in: section)
      #expect(!boxes.isEmpty)
      // All boxes are parsed as one file, with an empty line after each.
      let lines = boxes.filter { !$0[0].hasPrefix("garner ") }.flatMap { $0 + [""] }.joined(separator: "\n")
      let configuration = Configuration(parsing: Array(lines.utf8), home: nil)
      #expect(configuration.faults.isEmpty, "\(section.title): \(configuration.faults)")
      #expect(!configuration.settings.isEmpty)
      for command in boxes.joined() where command.hasPrefix("garner ") {
        let arguments = Self.words(command[...]).dropFirst().map { ArgumentText($0) }
        #expect(throws: Never.self, "\(command)") { try CommandLineInterface.parse(arguments) }
      }
    }
  }
}
