import Glibc
import TestSupport
import Testing

/// Tests that archives are written and read piece by piece, and that few files are open meanwhile.
@Suite("Archives take little memory")
struct ArchiveMemoryTests {
  private static let count = 64 << 20

  /// A debug build maps the standard library and is not optimised, so its bound shows only that memory does not grow.
  private static let bound = BuiltTool.isNamed ? 8 << 20 : 32 << 20

  @Test("A large body is exported without being held in memory")
  func export() throws {
    try withOrigin(answering: { _ in
      .response(fields: [("Cache-Control", "max-age=3600")], patternCount: UInt64(Self.count))
    }) { origin in
      let home = try TemporaryDirectory()
      let first = try runTool(["-s", "-o", "/dev/null", origin.url("/a")], home: home)
      #expect(first.succeeded, "\(first.errorText)")
      var run = ToolRun(["cache", "export", "-"], home: home)
      run.stdout = .stalled
      let export = try run.start()
      // By then the whole body has been read once, for its digest.
      #expect(export.hasOutputWaiting(withinMilliseconds: 30_000))
      export.readOutput()
      #expect(export.hasWritten(byteCount: Self.count - (1 << 20), withinMilliseconds: 30_000))
      let resident = try export.peakResidentBytes()
      #expect(resident <= Self.bound, "\(resident >> 10) KiB")
      #expect(try export.finish().succeeded)
    }
  }

  @Test("A large body is imported without being held in memory")
  func importing() throws {
    let home = try TemporaryDirectory()
    let pipe = home.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let head = "HTTP/1.1 200 OK\r\n\r\n"
    let record = """
      WARC/1.1\r
      WARC-Type: response\r
      WARC-Target-URI: http://a.test/\r
      WARC-Date: 2026-01-01T00:00:00Z\r
      Content-Type: application/http\r
      Content-Length: \(head.utf8.count + Self.count)\r
      \r
      \(head)
      """
    let process = try ToolRun(["cache", "import", pipe], home: home).start()
    let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    try writeAll(Array(record.utf8), to: descriptor, pipe)
    let piece = Pattern.bytes(count: 1 << 20)
    // Everything that has been written has been read, except for what the pipe holds.
    for _ in 0..<(Self.count / piece.count) { try writeAll(piece, to: descriptor, pipe) }
    let resident = try process.peakResidentBytes()
    #expect(resident <= Self.bound, "\(resident >> 10) KiB")
    close(descriptor)
    let result = try process.finish()
    #expect(result.succeeded, "\(result.errorText)")
    #expect(result.errorText == "garner: imported 1 response\n")
  }

  @Test("Responses that come long before their requests are imported with few open files")
  func waitingResponses() throws {
    let home = try TemporaryDirectory()
    let numbers = 1...200
    let responses = numbers.map { number in
      Self.record("response", number, "WARC-Record-ID: <urn:x:\(number)>", "HTTP/1.1 200 OK\r\n\r\nx")
    }
    let requests = numbers.map { number in
      Self.record("request", number, "WARC-Concurrent-To: <urn:x:\(number)>", "GET /\(number) HTTP/1.1\r\n\r\n")
    }
    let archive = try home.write((responses + requests).joined(), to: "a.warc")
    // Each response that waits has a file open, and also a directory where files must have names.
    let run = ToolRun(["cache", "import", archive], home: home)
      .throughShell("ulimit -n 100 && exec \"$0\" \"$@\"")
    let result = try run.run()
    #expect(result.succeeded)
    #expect(result.errorText == "garner: imported 32 responses, skipped 168 (168 without their request)\n")
  }

  private static func record(_ type: String, _ number: Int, _ field: String, _ block: String) -> String {
    """
    WARC/1.1\r
    WARC-Type: \(type)\r
    \(field)\r
    WARC-Target-URI: http://a.test/\(number)\r
    WARC-Date: 2026-01-01T00:00:00Z\r
    Content-Type: application/http\r
    Content-Length: \(block.utf8.count)\r
    \r
    \(block)\r
    \r\n
    """
  }

  @Test("A signal ends an import in the middle of a record that is skipped", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) throws {
    let home = try TemporaryDirectory()
    let length = 1 << 40
    let head = """
      WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
      WARC-Target-URI: http://a.test/\r\nContent-Length: \(length)\r\n\r\n
      """
    let archive = try home.write(head, to: "a.warc")
    // A sparse file: it takes no disk space, and a quarter of an hour to read.
    try #require(truncate(archive, length + head.utf8.count) == 0)
    let run = try ToolRun(["cache", "import", archive], home: home).start()
    #expect(run.hasRead(byteCount: 1 << 20))
    run.send(signal: signal)
    #expect(try run.finish().ending == .signal(signal))
  }
}
