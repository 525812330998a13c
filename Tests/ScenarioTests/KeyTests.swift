import TestSupport
import Testing

/// The options for cache keys: --cache-key, --ignore-param, --cache-post, --cache-partition, --credential-field.
@Suite struct KeyTests {
  /// An origin that answers with the number, the target and the content of the request. Answers are fresh for a minute.
  private static func echo(_ fields: [(String, String)] = []) throws -> Scenario {
    try Scenario { request in
      let text = "\(request.number) \(request.target) \(String(decoding: request.content, as: UTF8.self))"
      return .response(fields: [("Cache-Control", "max-age=60")] + fields, text: text)
    }
  }

  // MARK: --cache-key

  @Test func `a response under a --cache-key answers any URL that is fetched under the key, and no other`() throws {
    let scenario = try Self.echo()
    let other = try Self.echo()
    #expect(try scenario.run("--cache-key", "k", scenario.url("/a")).text == "1 /a ")
    #expect(try scenario.run("--cache-key", "k", other.url("/b")).text == "1 /a ")
    #expect(try scenario.run("--offline", "--cache-key", "k", other.url("/c")).text == "1 /a ")
    #expect(try scenario.run("--offline", "--cache-key", "l", scenario.url("/a")).status == 110)
    #expect(try scenario.run("--offline", scenario.url("/a")).status == 110)
    #expect(other.asked.isEmpty)
  }

  @Test func `credentials separate the responses under one --cache-key`() throws {
    let scenario = try Self.echo()
    let keyed = ["--cache-key", "k", scenario.url("/a")]
    #expect(try scenario.run(["-u", "me:a"] + keyed).text == "1 /a ")
    #expect(try scenario.run(["-u", "me:b"] + keyed).text == "2 /a ")
    #expect(try scenario.run(keyed).text == "3 /a ")
    #expect(try scenario.run(["-u", "me:a"] + keyed).text == "1 /a ")
  }

  @Test func `under a --cache-key, a validator goes only to the origin that it is from`() throws {
    let answering: OriginServer.Handler = { request in
      validated(request, etag: "\"1\"", fields: [("Cache-Control", "max-age=10")], text: "\(request.target)")
    }
    let scenario = try Scenario(answering: answering)
    let mirror = try Scenario(answering: answering)
    try scenario.run("--cache-key", "k", scenario.url("/a"))
    scenario.clock.advance(bySeconds: 11)
    #expect(try scenario.run("--cache-key", "k", scenario.url("/b")).text == "/a")
    #expect(scenario.origin.requests.last?.value("If-None-Match") == "\"1\"")
    scenario.clock.advance(bySeconds: 11)
    #expect(try scenario.run("--cache-key", "k", mirror.url("/c")).text == "/c")
    #expect(mirror.origin.requests.map { $0.has("If-None-Match") } == [false])
    #expect(try scenario.run("--offline", "--cache-key", "k", scenario.url("/a")).text == "/c")
  }

  @Test func `under a --cache-key, a part is continued only at the origin that it is from`() throws {
    let broken = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\nbo"
    let scenario = try Scenario(.raw(broken))
    let mirror = try Scenario(.response(fields: [("ETag", "\"1\"")], text: "else"))
    #expect(try scenario.run("--cache-key", "k", scenario.url()).status == 18)
    #expect(try scenario.run("--cache-key", "k", mirror.url()).text == "else")
    #expect(mirror.origin.requests.map { $0.has("Range") } == [false])
  }

  @Test func `a --cache-key does not apply to the target of a redirection`() throws {
    let scenario = try Scenario { request in
      request.target == "/a"
        ? .response(302, fields: [("Location", "/b"), ("Cache-Control", "max-age=60")])
        : .fresh(text: "there")
    }
    #expect(try scenario.run("--cache-key", "k", scenario.url("/a")).text == "there")
    #expect(try scenario.run("--offline", "--cache-key", "k", scenario.url("/x")).text == "there")
    #expect(try scenario.run("--offline", scenario.url("/b")).text == "there")
    #expect(try scenario.run("--offline", scenario.url("/a")).status == 110)
  }

  @Test func `one --cache-key for two URLs of a run is a contradiction`() throws {
    let scenario = try Self.echo()
    let run = try scenario.run("--cache-key", "k", scenario.url("/a"), scenario.url("/b"))
    #expect(run.status == 2)
    #expect(run.diagnostics.hasPrefix("garner: --cache-key stands for one URL, and there are several\n"))
    #expect(scenario.origin.requests.isEmpty)
    #expect(try scenario.run("-Z", "--cache-key", "k", scenario.url("/{a,b}")).status == 2)
    let sets = ["--cache-key", "k", scenario.url("/b"), "--next", "--cache-key", "k", scenario.url("/a")]
    #expect(try scenario.run(sets).status == 2)
    #expect(scenario.origin.requests.isEmpty)
    let config = try scenario.directory.write("[site \"\(scenario.url("/*"))\"]\ncache-key = k\n", to: "config")
    #expect(try scenario.run("--config", config, scenario.url("/a"), scenario.url("/b")).status == 2)
    #expect(scenario.origin.requests.isEmpty)
    #expect(try scenario.run("--cache-key", "k", scenario.url("/a"), scenario.url("/a")).status == 0)
  }

  @Test(arguments: [
    ("the same URL without the key", "/a", false, true), ("another URL without the key", "/b", false, false),
    ("another URL with the key", "/b", true, true),
  ])
  func `an unsafe request invalidates the responses under a --cache-key that are known to be of its URL`(
    _ request: String, _ path: String, _ isKeyed: Bool, _ isGone: Bool
  ) throws {
    let scenario = try Self.echo([("Vary", "Accept")])
    let keyed = ["--cache-key", "k"]
    for type in ["a/b", "a/c"] { try scenario.run(keyed + ["-H", "Accept: \(type)", scenario.url("/a")]) }
    try scenario.run(scenario.url("/z"))
    try scenario.run((isKeyed ? keyed : []) + ["-X", "DELETE", scenario.url(path)])
    for type in ["a/b", "a/c"] {
      let status = try scenario.run(["--offline", "-H", "Accept: \(type)"] + keyed + [scenario.url("/a")]).status
      #expect(status == (isGone ? 110 : 0), "\(request)")
    }
    #expect(try scenario.run("--offline", scenario.url("/z")).status == 0)
  }

  @Test func `--ignore-param applies to responses in memory as on the disk`() throws {
    let scenario = try Self.echo()
    let memory = ["--memory-only", "--ignore-param", "u", scenario.url("/a?u=1"), scenario.url("/a?u=2")]
    #expect(try scenario.run(memory).text == "1 /a?u=1 1 /a?u=1 ")
  }

  // MARK: --ignore-param

  static let parameters: [(String, String, Bool)] = [
    ("/x?a=1&utm_source=b", "/x?utm_medium=c&a=1", true), ("/x?a=1&utm_source=b", "/x?a=1", true),
    ("/x?utm_source=b", "/x", true), ("/x?%75tm_source=b", "/x", true), ("/x?utm_source", "/x", true),
    ("/x?a=1&utm_source=b", "/x?a=2&utm_source=b", false), ("/x?a=1&b=2", "/x?b=2&a=1", false),
    ("/x?autm_=1", "/x", false), ("/x?a=utm_", "/x", false), ("/x?utm_a=1", "/y?utm_a=1", false),
  ]

  @Test(arguments: parameters)
  func `an ignored parameter is sent, and is no part of the key`(_ one: String, _ other: String, _ isSame: Bool) throws
  {
    let scenario = try Self.echo()
    try scenario.run("--ignore-param", "utm_*", scenario.url(one))
    #expect(scenario.asked == [one])
    #expect(
      try scenario.run("--ignore-param", "utm_*", scenario.url(other)).text == "\(isSame ? "1 \(one)" : "2 \(other)") ")
  }

  @Test func `a response under --ignore-param answers only requests that ignore the same parameters`() throws {
    let scenario = try Self.echo()
    try scenario.run("--ignore-param", "token", scenario.url("/x?token=a"))
    #expect(try scenario.run(scenario.url("/x")).text == "2 /x ")
    #expect(try scenario.run("--ignore-param", "utm_*", scenario.url("/x?utm_a=1")).text == "3 /x?utm_a=1 ")
    #expect(try scenario.run("--ignore-param", "token", scenario.url("/x?token=b")).text == "1 /x?token=a ")
    // The order of the options does not matter.
    let both = ["--ignore-param", "a", "--ignore-param", "b"]
    try scenario.run(both + [scenario.url("/x?a=1&b=2")])
    let turned = ["--ignore-param", "b", "--ignore-param", "a", "--ignore-param", "b"]
    #expect(try scenario.run(turned + [scenario.url("/x")]).text == "4 /x?a=1&b=2 ")
  }

  @Test(arguments: [("/x?a=1", true), ("/x?a=1&u=9", true), ("/x?a=2", false), ("/x", false)])
  func `an unsafe request to any URL of a response under --ignore-param invalidates the response`(
    _ path: String, _ isGone: Bool
  ) throws {
    let scenario = try Self.echo()
    try scenario.run("--ignore-param", "u", scenario.url("/x?a=1&u=1"))
    try scenario.run("-d", "x", scenario.url(path))
    let status = try scenario.run("--offline", "--ignore-param", "u", scenario.url("/x?a=1")).status
    #expect(status == (isGone ? 110 : 0))
  }

  @Test func `--ignore-param applies to the target of a redirection, too`() throws {
    let scenario = try Scenario { request in
      request.path == "/a"
        ? .response(302, fields: [("Location", "/b?signed=\(request.number)")])
        : .fresh(text: "there")
    }
    for _ in 1...2 { #expect(try scenario.run("--ignore-param", "signed", scenario.url("/a")).text == "there") }
    #expect(scenario.asked == ["/a", "/b?signed=1", "/a"])
  }

  // MARK: --cache-post

  @Test func `a --cache-post POST is answered from the cache if content, type and credentials are the same`() throws {
    let scenario = try Self.echo()
    func post(_ arguments: String...) throws -> String {
      try scenario.run(["--cache-post"] + arguments + [scenario.url()]).text
    }
    #expect(try post("-d", "a=1") == "1 / a=1")
    #expect(try post("-d", "a=2") == "2 / a=2")
    #expect(try post("--json", "a=1") == "3 / a=1")
    #expect(try post("-u", "me:x", "-d", "a=1") == "4 / a=1")
    #expect(try post("-X", "POST") == "5 / ")
    #expect(try post("-d", "a=1") == "1 / a=1")
    #expect(try post("-d", "a=2") == "2 / a=2")
    #expect(try scenario.run("-d", "a=1", scenario.url()).text == "6 / a=1")
  }

  @Test func `a --cache-post answer answers neither GET nor QUERY, and a QUERY's answers no --cache-post`() throws {
    let scenario = try Self.echo()
    try scenario.run("--cache-post", "-d", "a=1", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
    #expect(try scenario.run("--offline", "-X", "QUERY", "-d", "a=1", scenario.url()).status == 110)
    try scenario.run("-X", "QUERY", "-d", "a=2", scenario.url())
    #expect(try scenario.run("--offline", "--cache-post", "-d", "a=2", scenario.url()).status == 110)
    #expect(try scenario.run("--offline", "--cache-post", "-d", "a=1", scenario.url()).text == "1 / a=1")
    #expect(try scenario.run("--offline", "-d", "a=1", scenario.url()).status == 110)
  }

  @Test func `a stale answer to a --cache-post POST is fetched anew, without a condition`() throws {
    let scenario = try Scenario { request in
      if request.has("If-None-Match") || request.has("If-Modified-Since") { return .response(412) }
      return .fresh([("ETag", "\"1\"")], text: "\(request.number)")
    }
    let post = ["--cache-post", "-d", "a=1", scenario.url()]
    #expect(try scenario.run(post).text == "1")
    scenario.clock.advance(bySeconds: 61)
    #expect(try scenario.run(post).text == "2")
    #expect(try scenario.run(["--refresh"] + post).text == "3")
    // The origin answers conditions and ranges of the user's own.
    #expect(try scenario.run(["-H", "If-None-Match: \"1\""] + post).status == 22)
    #expect(try scenario.run(["-H", "Range: bytes=0-0"] + post).text == "5")
  }

  @Test func `an answer to a --cache-post POST that breaks off leaves no part`() throws {
    let scenario = try Scenario(.raw("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 4\r\n\r\nbo"))
    for _ in 1...2 { #expect(try scenario.run("--cache-post", "-d", "a", scenario.url()).status == 18) }
    #expect(scenario.origin.requests.allSatisfy { !$0.has("Range") })
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `a --cache-post POST invalidates GET and QUERY answers, and an ordinary POST those of its kind`() throws {
    let scenario = try Self.echo()
    let stored = [[scenario.url()], ["-X", "QUERY", "-d", "q", scenario.url()]]
    let posted = ["--cache-post", "-d", "a=1", scenario.url()]
    for arguments in stored { try scenario.run(arguments) }
    try scenario.run(posted)
    try scenario.run("--cache-post", "-d", "a=2", scenario.url())
    for arguments in stored { #expect(try scenario.run(["--offline"] + arguments).status == 110) }
    #expect(try scenario.run(["--offline"] + posted).status == 0)
    try scenario.run("-d", "change", scenario.url())
    #expect(try scenario.run(["--offline"] + posted).status == 110)
  }

  // MARK: --cache-partition

  @Test func `a partition has its own responses, and is invalidated with all others`() throws {
    let scenario = try Self.echo()
    let url = scenario.url("/a")
    #expect(try scenario.run(url).text == "1 /a ")
    #expect(try scenario.run("--cache-partition", "p", url).text == "2 /a ")
    #expect(try scenario.run("--cache-partition", "q", url).text == "3 /a ")
    #expect(try scenario.run("--cache-partition", "p", url).text == "2 /a ")
    #expect(try scenario.run(url).text == "1 /a ")
    try scenario.run("-X", "DELETE", url)
    for partition in ["p", "q"] {
      #expect(try scenario.run("--offline", "--cache-partition", partition, url).status == 110)
    }
  }

  // MARK: --credential-field

  @Test func `a field of --credential-field is part of the key, stays with its origin and is not shown`() throws {
    let other = try Scenario(.response(text: "other"))
    let location = other.url("/there")
    let scenario = try Scenario { request in
      request.target == "/away"
        ? .response(302, fields: [("Location", location)])
        : .fresh([("Vary", "X-Who")], text: "\(request.number)")
    }
    let listed = ["--credential-field", "x-who", "-H", "X-Who: canary"]
    #expect(try scenario.run(listed + [scenario.url()]).text == "1")
    #expect(try scenario.run("--credential-field", "X-Who", scenario.url()).text == "2")
    #expect(try scenario.run(["--offline"] + listed + [scenario.url()]).text == "1")
    let run = try scenario.run(["-v"] + listed + [scenario.url("/away")])
    #expect(run.diagnostics.contains("> X-Who: (not shown)\n") && !run.diagnostics.contains("canary"))
    #expect(scenario.origin.requests.last?.has("X-Who") == true && other.origin.requests.last?.has("X-Who") == false)
    try scenario.run(["--location-trusted"] + listed + [scenario.url("/away")])
    #expect(other.origin.requests.last?.has("X-Who") == true)
  }

  @Test func `config show masks the fields of credential-field, wherever they are listed`() throws {
    let scenario = try Self.echo()
    try scenario.directory.write(
      "header = \"X-Who: canary\"\nheader = \"X-What: plain\"\n[site \"a.test\"]\ncredential-field = x-who\n", to: "c")
    let shown = try scenario.run("--config", scenario.directory.path("c"), "config", "show", "http://a.test/").text
    #expect(shown.contains("X-Who: ***\t") && shown.contains("X-What: plain") && !shown.contains("canary"))
    let secret = ["--config", scenario.directory.path("c"), "config", "show", "--show-secrets", "http://a.test/"]
    #expect(try scenario.run(secret).text.contains("canary"))
  }

  // MARK: The cache commands

  @Test func `ls, show, cat, explain and rm find the responses under any key of a URL`() throws {
    let scenario = try Self.echo()
    let url = scenario.url("/a?u=1")
    // The POST comes first, because it invalidates the stored responses of its URL.
    let keys = [
      ["--cache-post", "-d", "x"], ["--cache-key", "k"], ["--ignore-param", "u"], ["--cache-partition", "p"],
    ]
    for key in keys {
      try scenario.run(key + [url])
      scenario.clock.advance(bySeconds: 1)
    }
    let listed = try scenario.run("cache", "ls", url).text
    #expect(listed.split(separator: "\n").count == 4 && !listed.contains("POST"), "\(listed)")
    #expect(try scenario.run(onTerminalOf: 100, "cache", "ls", url).text.contains("  POST \(url)\n"))
    #expect(listed.contains("\t\(scenario.url("/a"))\n"))
    #expect(try scenario.run("cache", "ls", "--json").text.contains(#""key":"k (chosen, http)""#))
    let shown = try scenario.run("cache", "show", url).text
    for row in [
      "key       k\n", "without   the parameters u\n",
      "for       requests with certain credentials, trust or partition\n",
      "content   the request content is part of the key\n", "method    POST\n",
    ] {
      #expect(shown.contains(row), "\(row) in \(shown)")
    }
    #expect(try scenario.run("cache", "cat", url).text == "4 /a?u=1 ")
    for key in keys {
      let explained = try scenario.run(["cache", "explain", "--require"] + key + [url])
      #expect(explained.status == 0 && explained.text.contains("serve: it is fresh"), "\(key): \(explained.text)")
      #expect(explained.text.contains("3 responses are stored for the URL under other keys"), "\(explained.text)")
    }
    #expect(try scenario.run("cache", "rm", url).text.hasPrefix("removed 4 responses"))
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `cache explain explains a --cache-key from any URL that it stands for`() throws {
    let scenario = try Self.echo()
    try scenario.run("--cache-key", "k", scenario.url("/a"))
    let explained = try scenario.run("cache", "explain", "--cache-key", "k", scenario.url("/b")).text
    #expect(explained.contains("serve: it is fresh") && explained.contains("k (chosen, http)"), "\(explained)")
  }

  @Test func `a response under a key of the user's answers no other request after export and import`() throws {
    let scenario = try Self.echo()
    let archive = scenario.directory.path("archive.warc")
    for key in [["--cache-post", "-d", "x"], ["--cache-key", "k"], ["--ignore-param", "u"]] {
      try scenario.run(key + [scenario.url("/a?u=1")])
    }
    try scenario.run(scenario.url("/plain"))
    #expect(try scenario.run("cache", "export", archive).status == 0)
    try scenario.run("cache", "rm", "--all")
    try scenario.run("cache", "import", archive)
    #expect(try scenario.run("--offline", scenario.url("/plain")).status == 0)
    for path in ["/a", "/a?u=1"] { #expect(try scenario.run("--offline", scenario.url(path)).status == 110) }
  }
}
