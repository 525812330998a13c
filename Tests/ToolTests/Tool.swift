import TestSupport
import Testing

/// Runs the tool to its end.
func runTool(
  _ arguments: [String], home: TemporaryDirectory, _ change: (inout ToolRun) -> Void = { _ in }
) throws -> ToolResult {
  var run = ToolRun(arguments, home: home)
  change(&run)
  return try run.run()
}

/// An answer that stays fresh for longer than a test takes.
func fresh(_ content: [UInt8]) -> OriginAnswer {
  .response(fields: [("Cache-Control", "max-age=3600"), ("Content-Type", "text/plain")], content: content)
}

func fresh(text: String) -> OriginAnswer { fresh(Array(text.utf8)) }

/// The lines of a text, without empty ones.
func lines(of text: String) -> [Substring] { text.split(separator: "\n") }
