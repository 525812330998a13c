import Glibc
import TestSupport
import TestTraits
import Testing

/// Tests that a time limit ends a fetch, whatever it waits for, with status 28, one line, and no process left.
///
/// The time limit of every test run bounds the time that this takes: without their own limit all these runs last for
/// minutes.
@Suite("Limits of time", .waiting)
struct TimeLimitTests {
  /// `SILENT` stands for a port whose connections nobody reads, `FULL` for one that accepts none, `ORIGIN` for a server
  /// that sends very slowly, `HOME` for a directory.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let arguments: [String]

    init(_ description: String, _ arguments: String...) {
      testDescription = description
      self.arguments = arguments
    }
  }

  private static let whole = ["-m", "0.3"]

  static let unconnectedRows = [
    Row("connecting", "http://127.0.0.1:FULL/"),
    Row("the TLS handshake", "https://127.0.0.1:SILENT/"),
    Row("connecting to a proxy", "-x", "http://127.0.0.1:FULL", "http://a.test/"),
    Row("a tunnel", "-x", "http://127.0.0.1:SILENT", "https://a.test/"),
    Row("the TLS handshake with a proxy", "-x", "https://127.0.0.1:SILENT", "http://a.test/"),
    Row("a SOCKS proxy", "-x", "socks5://127.0.0.1:SILENT", "http://127.0.0.1:1/"),
    Row("an address by DNS over HTTPS", "--doh-url", "https://127.0.0.1:SILENT/", "http://a.test/"),
    Row("several connections", "-Z", "http://127.0.0.1:FULL/a", "https://127.0.0.1:SILENT/b"),
  ]

  @Test(
    "A time limit ends a run that waits for a connection", arguments: unconnectedRows,
    [whole, ["--connect-timeout", "0.3"]])
  func unconnected(row: Row, limit: [String]) throws {
    try check(row, limit)
  }

  static let connectedRows = [
    Row("a head", "http://127.0.0.1:SILENT/"),
    Row("a 100 Continue", "-H", "Expect: 100-continue", "-d", "content", "http://127.0.0.1:SILENT/"),
    Row("the server's settings of HTTP/2", "--http2-prior-knowledge", "http://127.0.0.1:SILENT/"),
    Row("a proxy's answer", "-x", "http://127.0.0.1:SILENT", "http://a.test/"),
    Row("an upload that nobody reads", "-T", "HOME/large", "http://127.0.0.1:SILENT/"),
    Row("an upload from standard input without data", "-T", "-", "http://127.0.0.1:SILENT/"),
    Row("an upload from a FIFO without a writer", "-T", "HOME/fifo", "http://127.0.0.1:SILENT/"),
    Row(
      "two uploads without data", "-Z", "-T", "-", "http://127.0.0.1:SILENT/a", "-T", "HOME/fifo",
      "http://127.0.0.1:SILENT/b"),
    Row("a head that trickles", "http://ORIGIN/head"),
    Row("content that trickles", "-o", "HOME/output", "http://ORIGIN/content"),
    Row("chunks that trickle", "-o", "HOME/output", "http://ORIGIN/chunks"),
    Row(
      "content that trickles in two transfers", "-Z", "-o", "HOME/a", "http://ORIGIN/content", "-O",
      "http://ORIGIN/chunks"),
  ]

  /// More than the loopback interface carries, so that even the data that fills the buffers at first is too slow.
  private static let speed = ["-y", "1", "-Y", "1000000000000"]

  @Test("A time limit ends a run that waits after it has connected", arguments: connectedRows, [whole, speed])
  func connected(row: Row, limit: [String]) throws {
    try check(row, limit)
  }

  private static func answer(to request: ReceivedRequest) -> OriginAnswer {
    switch request.path {
    case "/head":
      OriginAnswer([.bytes(Array("HTTP/1.1 200 OK\r\n".utf8)), .trickle(Array("A: b\r\n".utf8))])
    case "/chunks":
      OriginAnswer([
        .bytes(OriginAnswer.head(200, nil, fields: [("Transfer-Encoding", "chunked")])),
        .trickle(Array("1\r\na\r\n".utf8)),
      ])
    default:
      OriginAnswer([
        .bytes(OriginAnswer.head(200, nil, fields: [("Content-Length", "1000000")])), .trickle(Array("a".utf8)),
      ])
    }
  }

  private func check(_ row: Row, _ limit: [String]) throws {
    let (silent, full) = (try SilentPort(.unread), try SilentPort(.unconnected))
    let home = try TemporaryDirectory()
    if row.arguments.contains("HOME/large") { try home.write([UInt8](repeating: 0, count: 64 << 20), to: "large") }
    try #require(mkfifo(home.path("fifo"), 0o600) == 0)
    let untyped = try Pipe()
    defer { for end in [untyped.reading, untyped.writing] { close(end) } }
    try withOrigin(answering: Self.answer) { origin in
      let arguments = row.arguments.map {
        $0.replacing("HOME", with: home.path).replacing("SILENT", with: "\(silent.port)")
          .replacing("FULL", with: "\(full.port)").replacing("ORIGIN", with: origin.authority)
      }
      var asked = ToolRun(limit + arguments, home: home)
      asked.stdin = .descriptor(untyped.reading)
      let run = try asked.start()
      var program: ProcessWatch?
      if row.arguments.contains(where: { $0.contains("SILENT") }), silent.isReached() {
        program = try run.children().first.map { try ProcessWatch($0) }
      }
      let result = try run.finish()
      #expect(result.ending == .exit(28))
      #expect(result.stdout.isEmpty)
      // For several URLs, a summary follows.
      let said = lines(of: result.errorText)
      let count = row.arguments.contains("-Z") ? 2 : 1
      let failures = said.prefix(count)
      #expect(said.count == (count == 1 ? 1 : count + 1), "\(result.errorText)")
      let reason =
        limit == Self.speed ? ": the transfer was slower than 1000000000000 bytes/s for 1 s" : ": timed out "
      #expect(failures.allSatisfy { $0.hasPrefix("garner: cannot fetch ") && $0.contains(reason) })
      #expect(program?.hasEnded() ?? true)
    }
  }
}
