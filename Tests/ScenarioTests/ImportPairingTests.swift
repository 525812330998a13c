import TestSupport
import Testing

/// The pairing of the responses of an archive with the requests that they answer.
@Suite struct ImportPairingTests {
  private static let uri = ImportTests.uri

  private static func name(_ text: String) -> String { "WARC-Record-ID: <urn:uuid:\(text)>\r\n" }
  private static func naming(_ text: String) -> String { "WARC-Concurrent-To: <urn:uuid:\(text)>\r\n" }

  private static func response(_ path: String, _ content: String = "x", fields: String = "") -> String {
    ImportTests.response(uri + path, "200 OK", content, fields: fields)
  }

  private static func request(_ method: String, _ path: String, fields: String = "") -> String {
    ImportTests.request(uri + path, "\(method) /\(path) HTTP/1.1", fields: fields)
  }

  @Test func `the requests of an archive may follow after several responses`() throws {
    let login = "GET /mine HTTP/1.1\r\nAuthorization: Basic bWU6d29yZA=="
    let archive =
      Self.response("mine", "mine", fields: Self.name("1")) + Self.response("all", "all", fields: Self.name("2"))
      + Self.response("form", fields: Self.name("3"))
      + ImportTests.request(Self.uri + "mine", login, fields: Self.naming("1"))
      + Self.request("POST", "form", fields: Self.naming("3")) + Self.request("GET", "all", fields: Self.naming("2"))
    let (run, scenario) = try imported(archive)
    #expect(run.status == 0)
    #expect(run.diagnostics == "garner: imported 2 responses, skipped 1 (1 POST)\n")
    for path in ["mine", "form"] { #expect(try scenario.run("--offline", Self.uri + path).status == 110) }
    #expect(try scenario.run("--offline", "-u", "me:word", Self.uri + "mine").text == "mine")
    #expect(try scenario.run("--offline", Self.uri + "all").text == "all")
  }

  @Test func `the responses of an archive may follow after several requests`() throws {
    let paths = (1...20).map { "\($0)" }
    let archive =
      paths.map { Self.request("POST", $0, fields: Self.name($0)) }.joined()
      + paths.map { Self.response($0, fields: Self.naming($0)) }.joined()
    let run = try imported(archive).run
    #expect(run.diagnostics == "garner: imported 0 responses, skipped 20 (20 POST)\n")
  }

  @Test(arguments: [true, false])
  func `a response that is too far from its request in the archive is skipped`(
    _ areResponsesFirst: Bool
  ) throws {
    let paths = (1...200).map { "\($0)" }
    let responses = paths.map { Self.response($0, fields: areResponsesFirst ? Self.name($0) : Self.naming($0)) }
    let requests = paths.map {
      Self.request("POST", $0, fields: areResponsesFirst ? Self.naming($0) : Self.name($0))
    }
    let archive = (areResponsesFirst ? responses + requests : requests + responses).joined()
    let run = try imported(archive).run
    #expect(
      run.diagnostics == "garner: imported 0 responses, skipped 200 (168 without their request, 32 POST)\n")
  }

  @Test func `through a pipe, an archive that has had no request so far is taken for one without requests`() throws {
    let scenario = try Scenario(.response(500, text: "nobody asks"))
    let responses = (1...40).map { Self.response("\($0)", fields: Self.name("\($0)")) }
    let archive = responses.joined() + Self.request("POST", "40", fields: Self.naming("40"))
    let run = try scenario.run("cache", "import", "-", throughPipe: archive)
    #expect(
      run.diagnostics == "garner: imported 8 responses, skipped 32 (1 POST, 31 without their request)\n")
  }

  struct Unanswered: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let archive: String
    var others = 0
  }

  static let unanswered = [
    Unanswered(
      testDescription: "A response that names a request which is not in the archive",
      archive: response("a", fields: naming("1"))),
    Unanswered(
      testDescription: "A response whose request cannot be parsed",
      archive: ImportTests.record("request", uri + "a", "?\r\n\r\n", fields: name("1"))
        + response("a", fields: naming("1"))),
    Unanswered(
      testDescription: "A response whose request is too large to be read",
      archive: ImportTests.request(
        uri + "a", "GET /a HTTP/1.1\r\nX: \(String(repeating: "x", count: 300_000))", fields: name("1"))
        + response("a", fields: naming("1"))),
    Unanswered(
      testDescription: "A response whose request was truncated",
      archive: ImportTests.record(
        "request", uri + "a", "GET /a HTTP/1.1\r\nAuthori", fields: name("1") + "WARC-Truncated: length\r\n")
        + response("a", fields: naming("1"))),
    Unanswered(
      testDescription: "A response without a request, in an archive with other requests",
      archive: response("a") + response("b") + request("GET", "b"), others: 1),
    Unanswered(
      testDescription: "Two responses to one request",
      archive: request("GET", "b", fields: name("1")) + response("b", fields: naming("1"))
        + response("a", fields: naming("1")), others: 1),
    Unanswered(
      testDescription: "A response whose URI has a request that names another response",
      archive: response("a", fields: name("1")) + request("GET", "a", fields: naming("2"))),
  ]

  @Test("A response whose request is not in the archive is not taken for the answer to a GET", arguments: unanswered)
  func isPassedOver(row: Unanswered) throws {
    let (run, scenario) = try imported(row.archive)
    #expect(run.status == 0)
    let others = row.others == 1 ? "1 response" : "0 responses"
    #expect(run.diagnostics == "garner: imported \(others), skipped 1 (1 without their request)\n")
    #expect(try scenario.run("--offline", Self.uri + "a").status == 110)
    let all = try imported(row.archive, "--all").scenario
    #expect(try all.run("--offline", Self.uri + "a").text == "x")
  }

  @Test func `a response is not stored when its request has been cut off`() throws {
    let archive = Self.response("a", fields: Self.name("1")) + Self.request("POST", "a", fields: Self.naming("1"))
    let (run, scenario) = try imported(String(archive.dropLast(20)))
    #expect(run.status == 26)
    #expect(run.diagnostics.hasPrefix("garner: imported 0 responses, skipped 1 (1 without their request)\n"))
    #expect(try scenario.run("--offline", Self.uri + "a").status == 110)
  }

  @Test(arguments: [true, false])
  func `the request of a skipped response is not taken for that of another response`(_ isRequestFirst: Bool) throws {
    let cut = (Self.request("POST", "a"), Self.response("a", fields: "WARC-Truncated: time\r\n"))
    let whole = (Self.request("GET", "a"), Self.response("a"))
    let archive =
      isRequestFirst ? cut.0 + cut.1 + whole.0 + whole.1 : cut.1 + cut.0 + whole.1 + whole.0
    let (run, scenario) = try imported(archive)
    #expect(run.diagnostics == "garner: imported 1 response, skipped 1 (1 without content)\n")
    #expect(try scenario.run("--offline", Self.uri + "a").text == "x")
  }

  @Test func `a revisit finds the content of a response that waits before it`() throws {
    let archive =
      Self.response("a", "body", fields: Self.name("1"))
      + ImportTests.record(
        "revisit", Self.uri + "b", "HTTP/1.1 200 OK\r\n\r\n",
        fields: Self.name("2") + "WARC-Refers-To-Target-URI: \(Self.uri)a\r\n"
          + "WARC-Payload-Digest: sha1:AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U\r\n")
      + Self.request("GET", "a", fields: Self.naming("1")) + Self.request("GET", "b", fields: Self.naming("2"))
    let (run, scenario) = try imported(archive)
    #expect(run.diagnostics == "garner: imported 2 responses\n")
    #expect(try scenario.run("--offline", Self.uri + "b").text == "body")
  }

  @Test func `a large response is skipped if another large one comes before its request`() throws {
    let large = String(repeating: "x", count: 5 << 20)
    let paths = ["a", "b", "c"]
    let archive =
      Self.request("GET", "first") + Self.response("first")
      + paths.map { Self.response($0, large, fields: Self.name($0)) }.joined()
      + paths.map { Self.request("GET", $0, fields: Self.naming($0)) }.joined()
    let (run, scenario) = try imported(archive)
    #expect(run.diagnostics == "garner: imported 2 responses, skipped 2 (2 without their request)\n")
    let absent = try (["first"] + paths).filter { try scenario.run("--offline", Self.uri + $0).status == 110 }
    #expect(absent == ["a", "b"])
  }
}
