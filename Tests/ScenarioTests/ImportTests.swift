import TestSupport
import Testing

/// The import of archives that other programs have written.
@Suite struct ImportTests {
  static let date = "2024-12-31T23:59:00Z"

  /// A WARC record as crawlers write it.
  static func record(_ type: String, _ uri: String, _ block: String, fields: String = "") -> String {
    let kind = type == "revisit" ? "response" : type
    return """
      WARC/1.0\r
      WARC-Type: \(type)\r
      WARC-Target-URI: \(uri)\r
      WARC-Date: \(date)\r
      Content-Type: application/http; msgtype=\(kind)\r
      \(fields)Content-Length: \(block.utf8.count)\r
      \r
      \(block)\r
      \r\n
      """
  }

  static func response(_ uri: String, _ head: String, _ content: String, fields: String = "") -> String {
    record("response", uri, "HTTP/1.1 \(head)\r\n\r\n\(content)", fields: fields)
  }

  static func request(_ uri: String, _ line: String, fields: String = "") -> String {
    record("request", uri, "\(line)\r\nHost: a.test\r\n\r\n", fields: fields)
  }

  static let uri = "http://a.test/"

  struct Served: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let archive: String
    var text = "body"
  }

  static let served = [
    Served(testDescription: "A response alone", archive: response(uri, "200 OK\r\nContent-Length: 4", "body")),
    Served(testDescription: "A URI in angle brackets", archive: response("<\(uri)>", "200 OK", "body")),
    Served(
      testDescription: "Chunked content",
      archive: response(uri, "200 OK\r\nTransfer-Encoding: chunked", "4\r\nbody\r\n0\r\n\r\n")),
    Served(
      testDescription: "Content that is no longer chunked",
      archive: response(uri, "200 OK\r\nTransfer-Encoding: chunked", "body")),
    Served(
      testDescription: "A response behind its request",
      archive: request(uri, "GET / HTTP/1.1") + response(uri, "200 OK", "body")),
    Served(
      testDescription: "A response before its request",
      archive: response(uri, "200 OK", "body") + request(uri, "GET / HTTP/1.1")),
    Served(
      testDescription: "A response with Vary, whatever the archived request's fields",
      archive: record("request", uri, "GET / HTTP/1.1\r\nAccept-Encoding: br\r\nCookie: a=b\r\n\r\n")
        + response(uri, "200 OK\r\nVary: Accept-Encoding, Cookie", "body")),
    Served(
      testDescription: "A response behind an interim response",
      archive: record("response", uri, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody")),
    Served(
      testDescription: "A response with no-cache",
      archive: response(
        uri, "200 OK\r\nCache-Control: no-cache", "body")),
    Served(
      testDescription: "The newest of several responses",
      archive: response(uri, "200 OK", "old").replacing("2024-12-31", with: "2023-12-31")
        + response(uri, "200 OK", "body")),
    Served(
      testDescription: "A response with a digest of its block",
      archive: response(
        uri, "200 OK", "body",
        fields: "WARC-Block-Digest: sha1:BL7BKSPXWGVF5LLM5P2VIBNDK7XDFSPC\r\n")),
    Served(
      testDescription: "A revisit record that refers to the content of another URL",
      archive: response("http://b.test/", "200 OK", "body")
        + record(
          "revisit", uri, "HTTP/1.1 200 OK\r\n\r\n",
          fields:
            "WARC-Refers-To-Target-URI: http://b.test/\r\n"
            + "WARC-Payload-Digest: sha1:AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U\r\n"
        )),
    Served(
      testDescription: "A revisit record as wget writes it, with the digest of an empty block",
      archive: response(uri, "200 OK", "body").replacing("2024-12-31", with: "2023-12-31")
        + record(
          "revisit", uri, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n",
          fields: "WARC-Truncated: length\r\nWARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n"
            + "WARC-Payload-Digest: sha1:AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U\r\n"
        )),
    Served(
      testDescription: "A HAR entry",
      archive: #"""
        {"log": {"entries": [{"startedDateTime": "\#(date)", "time": 5,
        "request": {"method": "GET", "url": "\#(uri)#x"}, "response": {"status": 200, "httpVersion": "h2",
        "headers": [{"name": "content-encoding", "value": "br"},
        {"name": "Content-Type", "value": "text/plain; charset=iso-8859-1"}], "content": {"text": "bödy"}}}]}}
        """#, text: "bödy"),
    Served(
      testDescription: "A HAR entry with content in base 64",
      archive: #"""
        {"log": {"entries": [{"startedDateTime": "\#(date)", "time": 5, "request": {"method": "GET", "url": "\#(uri)"},
        "response": {"status": 200, "headers": [], "content": {"text": "Ym9keQ==", "encoding": "base64"}}}]}}
        """#),
  ]

  @Test("A response imported from an archive is served offline", arguments: served)
  func isServed(row: Served) throws {
    let (run, scenario) = try imported(row.archive)
    #expect(run.status == 0, "\(run.diagnostics)")
    let fetched = try scenario.run("-s", "--offline", "-i", Self.uri)
    #expect(fetched.status == 0)
    #expect(fetched.text.hasSuffix("\r\n\r\n" + row.text), "\(fetched.text)")
    // The clock of a scenario begins a minute after the archive's date.
    #expect(fetched.field("Age") == "60")
    #expect(fetched.field("Content-Encoding") == nil && fetched.field("Transfer-Encoding") == nil)
  }

  struct Skipped: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let archive: String
    let word: String
    var isImportedWithAll = false
  }

  static let skipped = [
    Skipped(
      testDescription: "POST", archive: request(uri, "POST / HTTP/1.1") + response(uri, "200 OK", "x"), word: "POST"),
    Skipped(
      testDescription: "POST, with the request behind the response",
      archive: response(uri, "200 OK", "x", fields: "WARC-Record-ID: <urn:uuid:1>\r\n")
        + request(uri, "POST / HTTP/1.1", fields: "WARC-Concurrent-To: <urn:uuid:1>\r\n"), word: "POST"),
    Skipped(
      testDescription: "HEAD", archive: request(uri, "HEAD / HTTP/1.1") + response(uri, "200 OK", ""), word: "HEAD"),
    Skipped(
      testDescription: "HEAD, with the request behind the response",
      archive: response(uri, "200 OK\r\nContent-Length: 99999999999", "") + request(uri, "HEAD / HTTP/1.1"),
      word: "HEAD"),
    Skipped(
      testDescription: "GET with content, with the request behind the response",
      archive: response(uri, "200 OK", "x") + request(uri, "GET / HTTP/1.1\r\nContent-Length: 1"),
      word: "bound to their requests"),
    Skipped(
      testDescription: "no-store", archive: response(uri, "200 OK\r\nCache-Control: no-store", "x"), word: "no-store",
      isImportedWithAll: true),
    Skipped(
      testDescription: "Vary: *", archive: response(uri, "200 OK\r\nVary: *", "x"), word: "vary-any",
      isImportedWithAll: true),
    Skipped(testDescription: "A 304", archive: response(uri, "304 Not Modified", ""), word: "304"),
    Skipped(
      testDescription: "A 206", archive: response(uri, "206 Partial Content\r\nContent-Range: bytes 0-0/9", "x"),
      word: "partial"),
    Skipped(testDescription: "A DNS record", archive: record("response", "dns:a.test", "x"), word: "not http or https"),
    Skipped(
      testDescription: "A truncated record",
      archive: response(uri, "200 OK", "x", fields: "WARC-Truncated: length\r\n"), word: "without content"),
    Skipped(
      testDescription: "A revisit that refers to nothing", archive: record("revisit", uri, "HTTP/1.1 200 OK\r\n\r\n"),
      word: "without the content that they refer to"),
    Skipped(
      testDescription: "A revisit record without a head", archive: record("revisit", uri, ""),
      word: "without content"),
    Skipped(
      testDescription: "A revisit record without a Content-Type",
      archive: record("revisit", uri, "").replacing("Content-Type: application/http; msgtype=response\r\n", with: ""),
      word: "without content"),
    Skipped(
      testDescription: "A truncated revisit record",
      archive: record(
        "revisit", uri, "HTTP/1.1 200 OK\r\n\r\n",
        fields: "WARC-Truncated: time\r\nWARC-Payload-Digest: sha1:AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U\r\n"),
      word: "without content"),
    Skipped(
      testDescription: "A HAR entry without a response",
      archive: #"{"log": {"entries": [{"request": {"url": "\#(uri)"}, "response": {"status": 0}}]}}"#,
      word: "without a response"),
    Skipped(
      testDescription: "A HAR entry without content",
      archive: #"""
        {"log": {"entries": [{"startedDateTime": "\#(date)", "request": {"method": "GET", "url": "\#(uri)"},
        "response": {"status": 200, "content": {}}}]}}
        """#, word: "without content"),
    Skipped(
      testDescription: "A HAR entry for a data URL",
      archive: #"{"log": {"entries": [{"request": {"url": "data:text/plain,x"}}]}}"#, word: "not http or https"),
  ]

  @Test("A record of an archive that cannot be stored is skipped", arguments: skipped)
  func isSkipped(row: Skipped) throws {
    let (run, scenario) = try imported(row.archive)
    #expect(run.status == 0)
    #expect(run.diagnostics == "garner: imported 0 responses, skipped 1 (1 \(row.word))\n")
    #expect(try scenario.run("--offline", Self.uri).status == 110)
    let all = try imported(row.archive, "--all").run
    #expect(all.diagnostics.hasPrefix("garner: imported \(row.isImportedWithAll ? 1 : 0) response"))
  }

  struct Damaged: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let record: String
    let reason: String
  }

  static let damaged = [
    Damaged(
      testDescription: "A wrong digest",
      record: response(uri, "200 OK", "x", fields: "WARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n"),
      reason: "block does not have the stated digest"),
    Damaged(
      testDescription: "A wrong digest of the payload",
      record: response(uri, "200 OK", "x", fields: "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n"),
      reason: "content does not have the stated digest"),
    Damaged(
      testDescription: "Less content than the head says", record: response(uri, "200 OK\r\nContent-Length: 9", "x"),
      reason: "content has 1 bytes, but its head says 9"),
    Damaged(
      testDescription: "A revisit record whose head states another length than the content has",
      record: record(
        "revisit", uri, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
        fields: "WARC-Refers-To-Target-URI: http://b.test/\r\n"
          + "WARC-Payload-Digest: sha1:7QMTDDORGEUM4FBUJUDGKEFJQITJYJA3\r\n"),
      reason: "content has 4 bytes, but its head says 9"),
    Damaged(
      testDescription: "Chunks that end early", record: response(uri, "200 OK\r\nTransfer-Encoding: chunked", "9\r\nx"),
      reason: "chunks are malformed, or end too early"),
    Damaged(
      testDescription: "Chunks that end within the first line",
      record: response(uri, "200 OK\r\nTransfer-Encoding: chunked", "1000;ext=1"),
      reason: "chunks are malformed, or end too early"),
    Damaged(
      testDescription: "Chunks that are missing", record: response(uri, "200 OK\r\nTransfer-Encoding: chunked", ""),
      reason: "chunks are malformed, or end too early"),
    Damaged(
      testDescription: "Two lengths", record: response(uri, "200 OK\r\nContent-Length: 1\r\nContent-Length: 2", "x"),
      reason: "head has Content-Length fields that conflict"),
    Damaged(
      testDescription: "No head", record: record("response", uri, "x"), reason: "head has a malformed status line"),
    Damaged(
      testDescription: "A head without end", record: record("response", uri, "HTTP/1.1 200 OK\r\nX: y\r\n"),
      reason: "head has no end"),
    Damaged(
      testDescription: "A huge head",
      record: response(uri, "200 OK\r\nX: " + String(repeating: "x", count: 300_000), "x"),
      reason: "head is larger than 256 KiB"),
    Damaged(
      testDescription: "A hostile URL", record: response("http://a.test/\u{1b}[31m", "200 OK", "x"),
      reason: "URL is malformed: it holds a space or a control character"),
    Damaged(
      testDescription: "Content of a 204", record: response(uri, "204 No Content", "x"),
      reason: "response is a 204, but has content"),
    Damaged(
      testDescription: "No date", record: response(uri, "200 OK", "x").replacing(date, with: "yesterday"),
      reason: "WARC-Date is missing or malformed"),
  ]

  @Test(
    "A broken record in an archive is refused with its place, and the others are imported", arguments: damaged)
  func isRefused(row: Damaged) throws {
    let good = Self.response("http://b.test/", "200 OK", "good")
    let (run, scenario) = try imported(good + row.record + good.replacing("b.test", with: "c.test"))
    #expect(run.status == 26)
    #expect(
      run.diagnostics == """
        garner: warning: the record at byte \(good.utf8.count) of standard input is not imported: its \(row.reason)
        garner: imported 2 responses, skipped 1 (1 damaged)
        garner: the archive standard input is damaged: 1 record is not imported

        """)
    for host in ["b", "c"] { #expect(try scenario.run("--offline", "http://\(host).test/").text == "good") }
    #expect(try scenario.run("--offline", Self.uri).status == 110)
  }

  @Test(arguments: [
    (10, "it ends within its last record"), (0, "there is no WARC record at byte"),
  ])
  func `the whole records of a broken archive are imported`(_ cut: Int, _ reason: String) throws {
    let good = Self.response(Self.uri, "200 OK", "good")
    let end = cut == 0 ? "something else\r\n" : String(Self.response("http://b.test/", "200 OK", "lost").dropLast(cut))
    let (run, scenario) = try imported(good + end)
    #expect(run.status == 26)
    #expect(run.diagnostics.contains("garner: imported 1 response\n"))
    #expect(run.diagnostics.contains("garner: cannot read the archive standard input: \(reason)"))
    #expect(try scenario.run("--offline", Self.uri).text == "good")
    #expect(try scenario.run("--offline", "http://b.test/").status == 110)
  }

  @Test func `an archived response to a request with credentials answers only requests with the same ones`() throws {
    let archive =
      Self.record("request", Self.uri, "GET / HTTP/1.1\r\nAuthorization: Basic bWU6d29yZA==\r\n\r\n")
      + Self.response(Self.uri, "200 OK", "mine")
    let scenario = try imported(archive).scenario
    #expect(try scenario.run("--offline", Self.uri).status == 110)
    #expect(try scenario.run("--offline", "-u", "me:word", Self.uri).text == "mine")
  }

  @Test(arguments: [
    ("http://a.test/", "A.test:80", true), ("https://a.test/", "a.test:443", true),
    ("http://a.test/", "a.test:443", false), ("http://a.test/", "b.test", false),
  ])
  func `an archived Host with the port of the scheme is that of the URL`(_ uri: String, _ host: String, _ isOwn: Bool)
    throws
  {
    let request = Self.record("request", uri, "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    let scenario = try imported(request + Self.response(uri, "200 OK", "body")).scenario
    #expect(try scenario.run("--offline", uri).status == (isOwn ? 0 : 110))
  }

  @Test(arguments: [true, false])
  func `an archived response to a URL with credentials answers only requests with the same ones`(_ isHAR: Bool) throws {
    let uri = "http://me:w%6Frd@a.test/"
    let archive =
      isHAR
      ? #"""
      {"log": {"entries": [{"startedDateTime": "\#(Self.date)", "request": {"method": "GET", "url": "\#(uri)"},
      "response": {"status": 200, "headers": [], "content": {"text": "mine"}}}]}}
      """#
      : Self.request(uri, "GET / HTTP/1.1") + Self.response(uri, "200 OK", "mine")
    let scenario = try imported(archive).scenario
    #expect(try scenario.run("--offline", Self.uri).status == 110)
    #expect(try scenario.run("--offline", "-u", "me:word", Self.uri).text == "mine")
    #expect(try scenario.run("--offline", uri).text == "mine")
  }

  @Test func `credentials in an archived request's URL count, unless the request has Authorization`() throws {
    let answer = Self.response(Self.uri, "200 OK", "mine", fields: "WARC-Concurrent-To: <urn:a>\r\n")
    let rows = [("", "other:word"), ("Authorization: Basic bWU6d29yZA==\r\n", "me:word")]
    for (line, user) in rows {
      let request = Self.record(
        "request", "http://other:word@a.test/", "GET / HTTP/1.1\r\n\(line)\r\n",
        fields: "WARC-Record-ID: <urn:a>\r\n")
      let scenario = try imported(request + answer).scenario
      #expect(try scenario.run("--offline", Self.uri).status == 110)
      #expect(try scenario.run("--offline", "-u", user, Self.uri).text == "mine")
    }
  }

  @Test(arguments: [
    (#""text": "bödy""#, false), (#""text": "Ym9keQ==", "encoding": "base64""#, true),
    (#""text": "Ym9keQ==", "encoding": "base64""#, false),
  ])
  func `digest fields are not imported when the HAR does not have the bytes that they are of`(
    _ content: String, _ areSame: Bool
  ) throws {
    let digests = ["Content-Digest", "Repr-Digest", "Content-MD5", "Digest"]
    let coding = areSame ? "X-Coding" : "Content-Encoding"
    let fields = (digests + [coding]).map { #"{"name": "\#($0)", "value": "br"}"# }.joined(separator: ",")
    let archive = #"""
      {"log": {"entries": [{"startedDateTime": "\#(Self.date)", "request": {"method": "GET", "url": "\#(Self.uri)"},
      "response": {"status": 200, "headers": [\#(fields)], "content": {\#(content)}}}]}}
      """#
    let (run, scenario) = try imported(archive)
    #expect(run.status == 0)
    let fetched = try scenario.run("-s", "--offline", "-i", Self.uri)
    for name in digests { #expect((fetched.field(name) != nil) == areSame, "\(name)") }
  }

  @Test func `the limits of the store apply to an import`() throws {
    let (run, _) = try imported(Self.response(Self.uri, "200 OK", "12345"), "--max-object-size", "4")
    #expect(run.status == 0 && run.diagnostics == "garner: imported 0 responses, skipped 1 (1 too large)\n")
  }

  @Test func `import reports how much of what was stored had to make room`() throws {
    let archive = (1...60).map { Self.response("http://a.test/\($0)", "200 OK", "\($0)") }.joined()
    let (run, scenario) = try imported(archive, "--disk-capacity", "8K")
    #expect(run.status == 0 && run.diagnostics.hasPrefix("garner: imported "))
    let end = " of stored responses evicted to make room (the capacity is 8.0 KiB)\n"
    #expect(run.diagnostics.hasSuffix(end), "\(run.diagnostics)")
    #expect(try scenario.run("cache", "ls").text.split(separator: "\n").count < 60)
    #expect(try imported(archive).run.diagnostics == "garner: imported 60 responses\n")
  }

  @Test func `import and export are status 112 when the store cannot be used`() throws {
    let scenario = try Scenario(.response(text: "nobody asks"))
    let file = try scenario.directory.write("no directory", to: "file")
    let archive = Self.response(Self.uri, "200 OK", "x")
    let run = try scenario.run("--cache-dir", file, "cache", "import", "-", input: archive)
    #expect(run.status == 112)
    #expect(run.diagnostics.contains("cannot import into the cache in \(file): it is not a directory\n"))
    #expect(try scenario.run("--cache-dir", file, "cache", "export", "-").status == 112)
  }

  @Test func `an archived response with a date in the future is imported as one of now`() throws {
    let archive = Self.response(Self.uri, "200 OK\r\nCache-Control: max-age=60", "x")
    let (run, scenario) = try imported(archive.replacing("2024-12-31", with: "2099-12-31"))
    #expect(run.status == 0)
    #expect(try scenario.run("cache", "show", Self.uri).text.contains("(age 0 s)"))
  }
}

/// Imports an archive into an empty store.
func imported(_ archive: String, _ arguments: String...) throws -> (run: Scenario.Run, scenario: Scenario) {
  let scenario = try Scenario(.response(500, text: "nobody asks"))
  let run = try scenario.run(["cache", "import", "-"] + arguments, input: archive)
  #expect(scenario.asked == [])
  return (run, scenario)
}
