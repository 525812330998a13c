import TestSupport
import Testing

/// Libraries and programs that a run without the network must not load or start, because that takes most of the time.
@Suite("A run without the network loads no network library and starts no other program")
struct LinkageTests {
  private static let banned = [
    "libcurl", "libcrypto", "libssl", "libz.so", "libbrotli", "libzstd", "libyajl", "libnghttp2", "Foundation",
  ]

  /// Files that only `--reachability auto` and `garner network` read.
  private static let networkTables = ["/proc/net/", "/sys/class/net"]

  @Test("A hit has no network library mapped while it delivers")
  func mappings() throws {
    let content = Pattern.bytes(count: 1 << 20)
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let home = try TemporaryDirectory()
      let first = try runTool(["-s", origin.url("/a")], home: home)
      #expect(first.succeeded, "\(first.errorText)")
      var run = ToolRun(["-s", origin.url("/a")], home: home)
      run.stdout = .stalled
      let hit = try run.start()
      #expect(hit.hasOutputWaiting())
      let mappings = try hit.mappings()
      #expect(Self.banned.filter(mappings.contains).isEmpty)
      let result = try hit.finish()
      #expect(result.stdout == content)
      #expect(origin.requests.count == 1)
    }
  }

  @Test(
    "A run without the network opens no network library or table, and starts no other program",
    .enabled(if: Machine.has("strace"), "There is no strace."),
    arguments: [
      ["-s", "URL"], ["--offline", "-s", "URL"], ["--version"], ["--help"], ["help", "man"], ["completions", "bash"],
      ["cache", "ls"], ["cache", "dir"], ["cache", "show", "URL"],
      ["cache", "explain", "URL"], ["cache", "stats"], ["cache", "prune"], ["cache", "pin", "URL"],
      ["cache", "unpin", "URL"], ["cache", "export", "-"], ["cache", "export", "--har", "-"],
    ])
  func opened(arguments: [String]) throws {
    try withOrigin(answering: { _ in fresh(text: "small") }) { origin in
      let home = try TemporaryDirectory()
      let first = try runTool(["-s", origin.url("/a")], home: home)
      #expect(first.succeeded, "\(first.errorText)")
      let trace = home.path("trace")
      let result = try runTool(arguments.map { $0 == "URL" ? origin.url("/a") : $0 }, home: home) {
        $0.wrapper = ["strace", "-f", "-o", trace, "-e", "trace=open,openat,execve"]
      }
      #expect(result.succeeded, "\(result.errorText)")
      let opened = lines(of: String(decoding: try readFile(trace), as: UTF8.self)).filter { !$0.contains("ENOENT") }
      #expect(!opened.isEmpty)
      let unwanted = Self.banned + Self.networkTables
      #expect(opened.filter { line in unwanted.contains { line.contains($0) } }.isEmpty)
      #expect(opened.filter { $0.contains("execve(") }.count == 1)
      #expect(origin.requests.count == 1)
    }
  }

  @Test("--version prints the version and reports nothing else")
  func version() throws {
    let result = try runTool(["--version"], home: try TemporaryDirectory())
    #expect(result.succeeded)
    #expect(result.outputText.hasPrefix("garner "))
    #expect(lines(of: result.outputText).first?.split(separator: " ").count ?? 0 >= 2)
    #expect(result.stderr.isEmpty)
  }
}
