import Glibc
import TestSupport
import Testing

/// `--dry-run` shows what a run would do and send.
@Suite struct DryRunTests {
  @Test func `--dry-run shows the request as it would be sent, and sends nothing`() throws {
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
    (["-X", "PATCH"], "HTTP/1.1", ["Content-Length: 0"]), (["-X", "OPTIONS"], "HTTP/1.1", []),
    (["-I", "-X", "POST"], "HTTP/1.1", []),
    (["-0"], "HTTP/1.0", []), (["-d", "x"], "HTTP/1.1", ["Content-Length: 1"]), (["-T", "-"], "HTTP/1.1", ["chunked"]),
    (["-d", "x", "-H", "Transfer-Encoding: chunked"], "HTTP/1.1", ["chunked"]),
    (["-T", "-", "-H", "Content-Length: 7"], "HTTP/1.1", ["Content-Length: 7"]),
    (["-d", "x", "-H", "Transfer-Encoding: chunked", "-H", "Content-Length: 1"], "HTTP/1.1", ["chunked"]),
    (["-0", "-d", "x"], "HTTP/1.0", ["Content-Length: 1"]),
    (["-0", "-T", "-", "-H", "Content-Length: 7"], "HTTP/1.0", ["Content-Length: 7"]),
    (["-0", "-T", "-", "-H", "Transfer-Encoding: chunked"], "HTTP/1.0", ["chunked"]),
  ])
  func `--dry-run shows how the request's content would be framed`(
    _ options: [String], _ version: String, _ framing: [String]
  ) throws {
    let scenario = try Scenario(.response(text: "body"))
    let run = try scenario.run(["--dry-run"] + options + [scenario.url("/x")])
    let lines = run.text.split(separator: "\n").filter { $0.hasPrefix("> ") }
    #expect(lines.first?.hasSuffix(" /x \(version)") == true, "\(lines)")
    let framed = lines.filter { $0.contains("Content-Length: ") || $0.contains("Transfer-Encoding: ") }
    #expect(framed.count == framing.count && zip(framed, framing).allSatisfy { $0.hasSuffix($1) }, "\(framed)")
  }

  @Test func `--dry-run says that HTTP/1.0 cannot send content whose length is not known, as the fetch does`() throws {
    let scenario = try Scenario(.response(text: "body"))
    let upload = ["-0", "-T", "-", scenario.url("/x")]
    let run = try scenario.run(["--dry-run"] + upload)
    let reason = "content whose length is not known cannot be sent by HTTP/1.0"
    #expect(run.status == 0 && run.text.hasSuffix("\nnothing is sent, and the fetch fails with 25: \(reason)\n\n"))
    #expect(!run.text.contains("> "), "\(run)")
    let fetch = try scenario.run(upload, input: "content")
    #expect(fetch.status == 25 && fetch.diagnostics.contains(reason) && scenario.asked.isEmpty, "\(fetch)")
  }

  @Test func `--dry-run shows a field with an empty value as its name and a colon`() throws {
    let scenario = try Scenario(.response(text: "body"))
    let run = try scenario.run("--dry-run", "-H", "X-Foo;", scenario.url("/x"))
    #expect(run.text.contains("\n> X-Foo:\n"), "\(run.text)")
  }

  @Test func `--dry-run shows no secret of a URL`() throws {
    let scenario = try Scenario(.response(text: "body"))
    let run = try scenario.run("--dry-run", "-e", "http://a.test/?token=secret", scenario.url("/?token=secret"))
    #expect(run.status == 0 && run.text.contains("> GET /?token=") && !run.text.contains("secret"))
  }

  @Test func `--dry-run decides by the stored response, under the policy that is asked for`() throws {
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

  /// The digest of "body".
  private static let sha256 = "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"

  @Test func `--dry-run finds a stored response with the expected digest, for whatever URL`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let digest = ["--sha256", Self.sha256]
    func dryRun(_ options: [String], _ url: String) throws -> String {
      try scenario.run(["--dry-run"] + digest + options + [url]).text
    }
    let absent = try dryRun([], scenario.url("/b"))
    #expect(absent.contains("\nprotocol           forward: no response is stored") && !absent.contains("digest"))
    try scenario.run(digest + [scenario.url("/a?token=secret")])
    scenario.clock.advance(bySeconds: 10_000)
    let files = namesInDirectory(scenario.cachePath)
    let own = try dryRun([], scenario.url("/a?token=secret"))
    #expect(own.hasSuffix("\nprotocol           serve: it has the requested digest\nnothing is sent\n\n"))
    let other = "serve: the stored response for \(scenario.url("/a?token=***")) has the requested digest"
    for (options, policy) in [([], "protocol"), (["--offline"], "cache-only"), (["-L"], "protocol")] {
      let run = try dryRun(options, scenario.url("/b"))
      #expect(run.contains("\n\(policy) ") && run.hasSuffix(" \(other)\nnothing is sent\n\n"), "\(run)")
    }
    for options in [["--reload"], ["--refresh"], ["--no-store"], ["-H", "Cache-Control: no-cache"], ["-r", "0-1"]] {
      let run = try dryRun(options, scenario.url("/b"))
      #expect(run.contains(" forward: ") && run.contains("\n> GET /b ") && !run.contains("digest"), "\(run)")
    }
    let first = try dryRun(["--cache-policy", "network-first"], scenario.url("/b"))
    #expect(first.contains("if the origin cannot be reached, the stored response for "))
    #expect(scenario.asked == ["/a?token=secret"] && namesInDirectory(scenario.cachePath) == files)
  }

  @Test func `--dry-run says that a stored response with another digest is fetched anew, or refused`() throws {
    let scenario = try Scenario(.fresh([("ETag", "\"1\"")], text: "other"))
    try scenario.run(scenario.url())
    let run = try scenario.run("--dry-run", "--sha256", Self.sha256, scenario.url())
    #expect(run.text.contains("\nprotocol           forward: the stored response does not have the requested digest\n"))
    #expect(run.text.contains("\n> GET / ") && !run.text.contains("If-None-Match"))
    let offline = try scenario.run("--dry-run", "--offline", "--sha256", Self.sha256, scenario.url())
    #expect(
      offline.text.hasSuffix("it does not have the requested digest, and is refused with 111\nnothing is sent\n\n"))
    #expect(scenario.asked == ["/"])
  }

  @Test func `--dry-run says that a stored response larger than --max-filesize is refused, as the fetch does`() throws {
    let scenario = try Scenario(.fresh([("ETag", "\"1\"")], text: "body"))
    try scenario.run(scenario.url())
    let otherDigest = String(repeating: "0", count: 64)
    let rows: [(options: [String], refusal: String?)] = [
      (["--max-filesize", "3"], "it is larger than 3 bytes"), (["--max-filesize", "4"], nil),
      (["--max-filesize", "1", "-r", "0-1"], "it is larger than 1 byte"), (["--max-filesize", "2", "-r", "0-1"], nil),
      (["--max-filesize", "3", "-I"], nil),
      (["--max-filesize", "3", "--sha256", Self.sha256], "it is larger than 3 bytes"),
      (["--max-filesize", "3", "--offline", "--sha256", otherDigest], "it is larger than 3 bytes"),
    ]
    for (options, refusal) in rows {
      let dryRun = try scenario.run(["--dry-run"] + options + [scenario.url()])
      let end = refusal.map { "\n\($0), and is refused with 63\nnothing is sent\n\n" } ?? "\nnothing is sent\n\n"
      #expect(dryRun.text.hasSuffix(end), "\(options) \(dryRun)")
      #expect(dryRun.text.contains("refused") == (refusal != nil), "\(options) \(dryRun)")
      #expect(try scenario.run(options + [scenario.url()]).status == (refusal == nil ? 0 : 63), "\(options)")
    }
    #expect(scenario.asked == ["/"])
  }

  @Test(arguments: [true, false])
  func `a dry run set by a variable or the config file holds for rm, clear, prune and prefetch`(_ isVariable: Bool)
    throws
  {
    let scenario = try Scenario(.fresh(text: "body"))
    try scenario.run(scenario.url("/a"))
    try scenario.setDryRun(byVariable: isVariable)
    let stored = scenario.entryFiles
    let removals = [
      ["rm", scenario.url("/a")], ["rm", "--all"], ["rm", "--host", "*"], ["clear"], ["prune", "--max-size", "0"],
      ["prune", "--larger-than", "1"],
    ]
    for words in removals {
      let run = try scenario.run(["cache"] + words)
      #expect(run.status == 0 && run.text.hasPrefix(scenario.url("/a") + "\nwould remove 1 "), "\(words) \(run)")
    }
    let prefetch = try scenario.run("prefetch", scenario.url("/a"), scenario.url("/b"))
    #expect(prefetch.status == 0 && prefetch.text.contains("\n> GET /b HTTP/1.1\n"), "\(prefetch)")
    #expect(try scenario.run("prefetch", scenario.url("/c")).status == 0)
    #expect(scenario.asked == ["/a"] && scenario.entryFiles == stored)
    scenario.environment["GARNER_DRY_RUN"] = "0"
    #expect(try scenario.run("cache", "rm", scenario.url("/a")).text.hasPrefix("removed 1 response"))
  }

  @Test(arguments: [true, false])
  func `with a dry run set by a variable or the config file, a command without a dry run does nothing`(
    _ isVariable: Bool
  ) throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let (url, archive) = (scenario.url(), scenario.directory.path("archive.warc"))
    try scenario.run(url)
    let bytes = try readFile(scenario.onlyEntry())
    let counted = try scenario.run("cache", "stats").text
    try scenario.setDryRun(byVariable: isVariable)
    let place = isVariable ? "GARNER_DRY_RUN" : "\(scenario.directory.path("config")), line 1"
    let refused = [
      ["pin", url], ["unpin", url], ["tag", url, "a=b"], ["export", archive], ["import", archive], ["stats", "--zero"],
      ["verify", "--repair"],
    ]
    for words in refused {
      let run = try scenario.run(["cache"] + words)
      #expect(run.status == 2 && run.text == "")
      #expect(
        run.diagnostics == """
          garner: \(place) asks for a dry run, which the command does not support: nothing is done
          hint: GARNER_DRY_RUN=0 turns it off

          """)
    }
    #expect(access(archive, F_OK) != 0)
    #expect(try readFile(scenario.onlyEntry()) == bytes)
    // Commands that only show something work.
    #expect(try scenario.run("cache", "stats").text == counted)
    for words in [["verify"], ["ls"], ["cat", url], ["explain", url], ["check", url], ["dir"], ["export", "-"]] {
      #expect(try scenario.run(["cache"] + words).status == 0, "\(words)")
    }
  }

  @Test func `prefetch --dry-run shows the request, and sends and stores nothing`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let run = try scenario.run("prefetch", "--dry-run", scenario.url("/a"))
    #expect(run.status == 0 && run.text.contains("\n> GET /a HTTP/1.1\n"))
    #expect(scenario.asked.isEmpty && scenario.entryFiles.isEmpty)
  }

  @Test func `--dry-run shows the request of each URL`() throws {
    let scenario = try Scenario(.response())
    let run = try scenario.run("--dry-run", scenario.url("/a"), scenario.url("/b"))
    #expect(run.text.contains("GET \(scenario.url("/a"))\n") && run.text.contains("GET \(scenario.url("/b"))\n"))
  }

  @Test func `--dry-run reports a URL that cannot be fetched as a fetch does, and shows the others`() throws {
    let scenario = try Scenario(.response())
    let urls = [scenario.url("/a"), "http://a b/", "ftp://h/", scenario.url("/b")]
    let run = try scenario.run(["--dry-run"] + urls)
    #expect(run.status == 3 && run.text.contains("\n> GET /a ") && run.text.contains("\n> GET /b "), "\(run)")
    #expect(run.diagnostics.hasPrefix("garner: the URL http://a b/ is malformed"), "\(run)")
    let early = try scenario.run(["--dry-run", "--fail-early"] + urls)
    #expect(early.status == 3 && early.text.contains("\n> GET /a ") && !early.text.contains("/b "), "\(early)")
    #expect(scenario.asked.isEmpty)
    let fetch = try scenario.run(urls)
    #expect(fetch.status == 3 && fetch.diagnostics.hasPrefix(run.diagnostics), "\(fetch)")
  }

  @Test func `--dry-run goes on behind a URL whose scheme is not allowed`() throws {
    let scenario = try Scenario(.response())
    let hosts = try scenario.directory.write("", to: "hosts")
    let run = try scenario.run("--dry-run", "--proto", "=https", "--hsts", hosts, scenario.url(), "https://h.test/b")
    #expect(run.status == 1 && run.text.contains("\n> GET /b "), "\(run)")
  }
}

extension Scenario {
  /// Sets `dry-run` in the environment or in the config file.
  fileprivate func setDryRun(byVariable isVariable: Bool) throws {
    if isVariable {
      environment["GARNER_DRY_RUN"] = "1"
    } else {
      environment["GARNER_CONFIG"] = try directory.write("dry-run\n", to: "config")
    }
  }
}
