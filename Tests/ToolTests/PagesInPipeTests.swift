import Glibc
import TestSupport
import Testing

/// What a hit moves into a pipe are the pages of the entry's file, until somebody reads them.
@Suite("Pages in a pipe")
struct PagesInPipeTests {
  /// More than a pipe holds: whoever prints it waits for a reader.
  private static let content = Pattern.bytes(count: 3_000_000)

  /// What is done to the file while its pages lie in the pipe.
  struct Row: Sendable, CustomTestStringConvertible {
    let rule: String
    /// In the shell, of `$F`.
    let change: String
    var options: [String] = []
    var status: Int32 = 0
    /// What is said.
    var words: [String] = []

    var testDescription: String { rule }
  }

  private static let overwritten = "printf EVIL | dd of=\"$F\" bs=1 seek=20000 conv=notrunc status=none"
  private static let dropped = "was damaged and is dropped"
  private static let unproven = "was changed while it was written, and what has been written may be wrong"

  private static let rows = [
    Row(
      rule: "What is overwritten is no success, though all that followed was right", change: overwritten, status: 18,
      words: [dropped, unproven]),
    Row(
      rule: "What is cut off is not continued from the origin", change: "truncate -s 20000 \"$F\"", status: 18,
      words: [dropped, unproven]),
    Row(
      rule: "Where nothing may be sent, what is overwritten is told of as damaged", change: overwritten,
      options: ["--offline"], status: 110, words: [dropped, "is damaged, part of it had been written"]),
    Row(
      rule: "What is cut off behind the pipe is continued from the origin", change: "truncate -s 2900000 \"$F\"",
      words: [dropped]),
    Row(rule: "A time of use makes no difference", change: "touch \"$F\""),
    Row(rule: "A name less makes no difference", change: "rm \"$F\""),
    Row(
      rule: "A head behind the content makes no difference",
      change: "\"$GARNER\" cache pin \"$URL\" >/dev/null"),
  ]

  private func change(_ home: TemporaryDirectory, _ script: String, _ url: String = "") throws {
    let place = "GARNER=$0 URL='\(url)' F=$(find cache/garner/v1/?? -type f -size +1M)"
    #expect(try ToolRun([], home: home).throughShell("\(place); \(script)").run().succeeded)
  }

  @Test("A body with status 0 is right, whatever becomes of the file", arguments: rows)
  func change(row: Row) throws {
    try withOrigin(answering: { _ in fresh(Self.content) }) { origin in
      let home = try TemporaryDirectory()
      let url = origin.url("/a")
      #expect(try runTool(["-so", "/dev/null", url], home: home).succeeded)
      var run = ToolRun(row.options + [url], home: home)
      run.stdout = .stalled
      let process = try run.start()
      #expect(process.hasOutputWaiting())
      try change(home, row.change, url)
      let result = try process.finish()
      #expect(result.ending == .exit(row.status), "\(result.errorText)")
      // Compared beforehand: to print how two long contents differ takes minutes.
      let isWhole = result.stdout == Self.content
      #expect(isWhole == (row.status == 0))
      let told = lines(of: result.errorText).filter { !$0.hasPrefix("hint: ") }
      #expect(told.count == row.words.count && zip(told, row.words).allSatisfy { $0.contains($1) }, "\(told)")
      let next = try runTool(["-s", url], home: home)
      let isMended = next.succeeded && next.stdout == Self.content
      #expect(isMended)
    }
  }

  @Test("What 'cache cat' has written of a file that is changed meanwhile may be wrong, and the status is 18")
  func printedByCommand() throws {
    try withOrigin(answering: { _ in fresh(Self.content) }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool(["-so", "/dev/null", origin.url("/a")], home: home).succeeded)
      var run = ToolRun(["cache", "cat", origin.url("/a")], home: home)
      run.stdout = .stalled
      let process = try run.start()
      #expect(process.hasOutputWaiting())
      try change(home, Self.overwritten)
      let result = try process.finish()
      #expect(result.ending == .exit(18) && result.errorText.contains(Self.unproven), "\(result.errorText)")
    }
  }
}
