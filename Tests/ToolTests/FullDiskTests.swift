import TestSupport
import Testing

/// Tests with the user's output and the store on one disk that has room only for the output.
@Suite(.enabled(if: Isolation.canMount, "This process may not mount a file system."))
struct FullDiskTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let rule: String
    /// The commands, in which `$0` is the tool and `$1` the origin's URL.
    let commands: String
    /// The number of copies of the content that the commands print.
    var copies = 1

    var testDescription: String { rule }
  }

  /// The length of each response in bytes.
  private static let length = 2_000_000
  /// The disk space of each response, and that of a new store, in KiB.
  private static let (room, roomOfStore) = (1_960, 900)

  private static let fetches = [
    Row(rule: "A file", commands: #""$0" -o out "$1/a" && cat out"#),
    Row(rule: "Standard output", commands: #""$0" "$1/a" >out && cat out"#),
    Row(rule: "Content of unknown length", commands: #""$0" -o out "$1/chunked" && cat out"#),
    Row(
      rule: "Content that waits for the hook",
      commands: #""$0" --memory-capacity 64K --store-hook true -o out "$1/a" && cat out"#),
    Row(
      rule: "A file beside the one that it replaces",
      commands: #"head -c 2000000 /dev/zero >out; "$0" -o out "$1/a" && cat out out"#, copies: 2),
    Row(
      rule: "A file that cannot be replaced, and is overwritten in place",
      commands: #": >out; mount --bind out out; "$0" -o out "$1/a" && cat out out"#, copies: 2),
    Row(
      rule: "Files, when others have been stored before them",
      commands: #""$0" -o one "$1/a" -o two "$1/b" -o three "$1/c" && cat one two three"#, copies: 3),
    Row(
      rule: "Files side by side",
      commands: #""$0" -Z -o one "$1/a" -o two "$1/b" -o three "$1/c" && cat one two three"#, copies: 3),
    Row(
      rule: "Standard output, side by side", commands: #""$0" -Z "$1/a" "$1/b" "$1/c" >out && cat out"#, copies: 3),
  ]

  private func run(_ commands: String, kibibytes: Int) throws -> ToolResult {
    let content = Pattern.bytes(count: Self.length)
    return try withOrigin(answering: { request in
      guard request.path == "/chunked" else { return fresh(content) }
      return .chunked(fields: [OriginAnswer.freshForAMinute], chunks: [content])
    }) { origin in
      let home = try TemporaryDirectory()
      var run = ToolRun([origin.url("")], home: home).throughShell(
        "mount -t tmpfs -o size=\(kibibytes)k,mode=700 none '\(home.path)' && cd '\(home.path)' && \(commands)")
      run.wrapper = Isolation.mounts
      return try run.run()
    }
  }

  @Test("When the disk is full, the delivered content gets the space that the store has taken", arguments: fetches)
  func output(row: Row) throws {
    let result = try run(row.commands, kibibytes: Self.room * row.copies + Self.roomOfStore)
    #expect(result.succeeded && lines(of: result.errorText).count <= 1, "\(result.errorText)")
    let content = Pattern.bytes(count: Self.length)
    let isWhole = result.stdout == [[UInt8]](repeating: content, count: row.copies).flatMap { $0 }
    #expect(isWhole)
  }

  @Test func `stored responses stay when another disk is full`() throws {
    let commands = #"""
      mkdir other && mount -t tmpfs -o size=1000k none other
      "$0" -s -o /dev/null "$1/a" -o other/out "$1/b"; echo $?; "$0" -s -o /dev/null "$1/c"; echo $?
      "$0" -s -o /dev/null "$1/d" "$1/e" >other/out; echo $?
      for key in a c d; do "$0" --offline=strict "$1/$key" | wc -c; done
      """#
    let result = try run(commands, kibibytes: 8 * Self.room + Self.roomOfStore)
    #expect(result.outputText == "23\n0\n23\n" + String(repeating: "\(Self.length)\n", count: 3), "\(result.errorText)")
  }

  @Test func `a pinned response is not given back`() throws {
    let commands = #"""
      "$0" -s -o /dev/null "$1/a" && "$0" cache pin "$1/a" >/dev/null
      "$0" -s --reload -o /dev/null "$1/a" -o one "$1/b" -o two "$1/c" && cmp one two && echo delivered
      for key in a b c; do "$0" -s --offline=strict "$1/$key" | wc -c; done
      """#
    let result = try run(commands, kibibytes: 3 * Self.room + Self.roomOfStore)
    #expect(result.outputText == "delivered\n\(Self.length)\n0\n0\n", "\(result.errorText)")
  }

  @Test func `stored responses stay when a device takes no output`() throws {
    let commands = #""$0" -s -o /dev/null "$1/a" -o /dev/full "$1/b"; echo $?; "$0" --offline=strict "$1/a" | wc -c"#
    let result = try run(commands, kibibytes: 4 * Self.room + Self.roomOfStore)
    #expect(result.outputText == "23\n\(Self.length)\n", "\(result.errorText)")
  }

  @Test(arguments: ["--no-store", "--offline"])
  func `with -C -, a full disk keeps what has been written, and more room makes the file whole`(_ option: String) throws
  {
    let commands = #"""
      mkdir other && mount -t tmpfs -o size=1000k none other && "$0" -s -o whole "$1/a"
      "$0" -s OPTION -C - -o other/out "$1/a"; echo $?
      size=$(stat -c %s other/out) && [ $size -gt 500000 ] && cmp -n $size whole other/out && echo same
      mount -o remount,size=5000k other && "$0" -s -C - -o other/out "$1/a" && cmp whole other/out && echo whole
      """#
    let result = try run(
      commands.replacing("OPTION", with: option), kibibytes: 4 * Self.room + Self.roomOfStore)
    #expect(result.outputText == "23\nsame\nwhole\n", "\(result.errorText)")
  }

  @Test func `a tag for which there is no room puts no stored response in doubt`() throws {
    let commands = #"""
      "$0" -s "$1/a" >/dev/null; head -c 9000000 /dev/zero >fill 2>/dev/null; long=$(printf %01000d 0)
      for key in a b c d e f g h i j; do "$0" cache tag "*" $key=$long || break; done >/dev/null 2>&1
      "$0" --offline=strict "$1/a" | wc -c
      """#
    let result = try run(commands, kibibytes: Self.room + Self.roomOfStore)
    // A doubt about the stored response would be reported.
    #expect(result.outputText == "\(Self.length)\n" && result.stderr.isEmpty, "\(result.errorText)")
  }

  @Test func `no part of a response is kept when there is no room to deliver it`() throws {
    // The size of the sparse lock file depends on its highest slot, so it is left out.
    let commands = #""$0" -o out "$1/a"; echo $?; find . -type f -size +500k ! -name lock"#
    let result = try run(commands, kibibytes: Self.room / 2 + Self.roomOfStore)
    #expect(result.outputText == "23\n", "\(result.errorText)")
  }
}
