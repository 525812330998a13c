import TestSupport
import Testing

/// `--dry-run`: what would be done and sent.
@Suite struct DryRunTests {
  @Test func `the request is shown as it would be sent, and nothing is`() throws {
    let scenario = try Scenario(.response(text: "body"))
    let run = try scenario.run(
      "--dry-run", "-u", "me:secret", "-H", "Accept: a/b", "-d", "abc", "-X", "PUT", scenario.url("/x?y"))
    #expect(run.status == 0 && scenario.asked == [])
    #expect(run.text.contains("\nprotocol           forward: "))
    #expect(run.text.contains("> PUT /x?y HTTP/1.1\n> Host: 127.0.0.1:"))
    #expect(run.text.contains("> Accept: a/b\n") && run.text.contains("> Content-Length: 3\n"))
    #expect(run.text.contains("> Authorization: (not shown)\n") && !run.text.contains("bWU6c2VjcmV0"))
    #expect(namesInDirectory(scenario.directory.path) == [])
  }

  @Test(arguments: [
    (["-X", "POST"], "HTTP/1.1", ["Content-Length: 0"]), (["-X", "PUT"], "HTTP/1.1", ["Content-Length: 0"]),
    (["-0"], "HTTP/1.0", []), (["-d", "x"], "HTTP/1.1", ["Content-Length: 1"]), (["-T", "-"], "HTTP/1.1", ["chunked"]),
    (["-d", "x", "-H", "Transfer-Encoding: chunked"], "HTTP/1.1", ["chunked"]),
  ])
  func `its content is framed as it would be`(_ options: [String], _ version: String, _ framing: [String]) throws {
    let scenario = try Scenario(.response(text: "body"))
    let run = try scenario.run(["--dry-run"] + options + [scenario.url("/x")])
    let lines = run.text.split(separator: "\n").filter { $0.hasPrefix("> ") }
    #expect(lines.first?.hasSuffix(" /x \(version)") == true, "\(lines)")
    let framed = lines.filter { $0.contains("Content-Length: ") || $0.contains("Transfer-Encoding: ") }
    #expect(framed.count == framing.count && zip(framed, framing).allSatisfy { $0.hasSuffix($1) }, "\(framed)")
  }

  @Test func `what gives access in a URL is not shown`() throws {
    let scenario = try Scenario(.response(text: "body"))
    let run = try scenario.run("--dry-run", "-e", "http://a.test/?token=secret", scenario.url("/?token=secret"))
    #expect(run.status == 0 && run.text.contains("> GET /?token=") && !run.text.contains("secret"))
  }

  @Test func `what is stored decides, under the policy that is asked for`() throws {
    let scenario = try Scenario(.fresh([("ETag", "\"1\"")], text: "body"))
    try scenario.run(scenario.url())
    let fresh = try scenario.run("--dry-run", scenario.url())
    #expect(fresh.text.contains("\nprotocol           serve: ") && fresh.text.contains("\nnothing is sent\n"))
    let refreshed = try scenario.run("--dry-run", "--refresh", scenario.url())
    #expect(refreshed.text.contains("\nrevalidate         validate: "))
    #expect(refreshed.text.contains("> If-None-Match: \"1\"\n"))
    let offline = try scenario.run("--dry-run", "--offline", scenario.url("/absent"))
    #expect(offline.status == 0 && offline.text.contains("\ncache-only         fail with 110: "))
    #expect(scenario.asked == ["/"])
  }

  @Test func `each URL has its own`() throws {
    let scenario = try Scenario(.response())
    let run = try scenario.run("--dry-run", scenario.url("/a"), scenario.url("/b"))
    #expect(run.text.contains("GET \(scenario.url("/a"))\n") && run.text.contains("GET \(scenario.url("/b"))\n"))
  }
}
