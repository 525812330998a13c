import Glibc
import TestSupport
import Testing

/// Tests of changes to an entry while a pipe holds pages of its file: a hit moves these pages into the pipe unread.
@Suite("Changes to an entry whose pages lie in a pipe")
struct PagesInPipeTests {
  /// More than a pipe holds, so that printing it waits for a reader.
  private static let content = Pattern.bytes(count: 3_000_000)

  /// A change of the file while its pages lie in the pipe.
  struct Row: Sendable, CustomTestStringConvertible {
    let rule: String
    /// A shell command that changes the file `$F`.
    let change: String
    var options: [String] = []
    var status: Int32 = 0
    /// Parts of the lines that are expected on standard error.
    var words: [String] = []

    var testDescription: String { rule }
  }

  private static let overwritten = "printf EVIL | dd of=\"$F\" bs=1 seek=20000 conv=notrunc status=none"
  private static let dropped = "was damaged and is dropped"
  private static let unproven = "was changed while it was being written, and the output may be wrong"

  private static let rows = [
    Row(
      rule: "An overwritten file ends with a failure, even if the rest is right", change: overwritten, status: 18,
      words: [dropped, unproven]),
    Row(
      rule: "A file cut off within the pipe is not continued from the origin", change: "truncate -s 20000 \"$F\"",
      status: 18,
      words: [dropped, unproven]),
    Row(
      rule: "Offline, an overwritten file is reported as damaged", change: overwritten,
      options: ["--offline"], status: 110, words: [dropped, "is damaged, part of it has been written"]),
    Row(
      rule: "A file cut off beyond the pipe is continued from the origin", change: "truncate -s 2900000 \"$F\"",
      words: [dropped]),
    Row(rule: "Another time of use makes no difference", change: "touch \"$F\""),
    Row(rule: "Removing the file's name makes no difference", change: "rm \"$F\""),
    Row(
      rule: "A head that is appended makes no difference",
      change: "\"$GARNER\" cache pin \"$URL\" >/dev/null"),
  ]

  private func change(_ home: TemporaryDirectory, _ script: String, _ url: String = "") throws {
    let place = "GARNER=$0 URL='\(url)' F=$(find cache/garner/v1/?? -type f -size +1M)"
    #expect(try ToolRun([], home: home).throughShell("\(place); \(script)").run().succeeded)
  }

  @Test(
    "A body that is delivered with status 0 is right, whatever happens to the entry's file meanwhile", arguments: rows)
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
      // Compared first, because printing the difference of two long contents takes minutes.
      let isWhole = result.stdout == Self.content
      #expect(isWhole == (row.status == 0))
      let told = lines(of: result.errorText).filter { !$0.hasPrefix("hint: ") }
      #expect(told.count == row.words.count && zip(told, row.words).allSatisfy { $0.contains($1) }, "\(told)")
      let next = try runTool(["-s", url], home: home)
      let isMended = next.succeeded && next.stdout == Self.content
      #expect(isMended)
    }
  }

  @Test("cache cat ends with 18 if the file is changed while it is printed")
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
