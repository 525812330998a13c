import Glibc
import TestSupport
import Testing

@Suite struct CacheCommandTests {
  /// A store with three responses: /a of 1 byte, fresh for 60 s; /b of 20, fresh for 600 s; /c?token=t of 300,
  /// no-cache.
  private func filled() throws -> Scenario {
    let scenario = try Scenario { request in
      switch request.path {
      case "/a": .fresh([("Content-Type", "text/plain")], text: "a")
      case "/b": .response(fields: [("Cache-Control", "max-age=600")], text: String(repeating: "b", count: 20))
      default: .response(fields: [("Cache-Control", "no-cache")], text: String(repeating: "c", count: 300))
      }
    }
    for target in ["/a", "/b", "/c?token=t"] { try scenario.run(scenario.url(target)) }
    scenario.clock.advance(bySeconds: 100)
    return scenario
  }

  @Test func `ls prints a line for each response, tab-separated in a pipe, and masks secrets`() throws {
    let scenario = try filled()
    let run = try scenario.run("cache", "ls")
    #expect(run.status == 0)
    #expect(
      run.text == """
        stale\t200\t1\t100\t-40\ttext/plain\t\(scenario.url("/a"))
        fresh\t200\t20\t100\t500\t-\t\(scenario.url("/b"))
        validate\t200\t300\t100\t-100\t-\t\(scenario.url("/c?token=***"))

        """)
    #expect(try scenario.run("cache", "ls", "--show-secrets").text.contains("token=t\n"))
    #expect(scenario.origin.requests.count == 3)
  }

  @Test(arguments: [
    ("url", ["/a", "/b", "/c?token=***"]), ("size", ["/c?token=***", "/b", "/a"]),
    ("expires", ["/c?token=***", "/a", "/b"]),
  ])
  func `ls sorts by the column that is named`(_ key: String, _ order: [String]) throws {
    let scenario = try filled()
    let expected = order.map { scenario.url($0) }
    let sorted = try scenario.run("cache", "ls", "-0", "--sort", key)
    #expect(sorted.text == zeroEnded(expected))
    let reversed = try scenario.run("cache", "ls", "-0", "--sort", key, "--reverse", "--limit", "2")
    #expect(reversed.text == zeroEnded(expected.reversed().prefix(2)))
  }

  @Test func `ls --json and --jsonl print objects`() throws {
    let scenario = try filled()
    let line = try scenario.run("cache", "ls", "--jsonl", scenario.url("/a")).text
    #expect(
      line.hasPrefix(#"{"url":"\#(scenario.url("/a"))","method":"GET","status":200,"type":"text/plain","size":1,"#))
    #expect(line.contains(#""stored_at":"2025-01-01T00:00:00Z""#) && line.contains(#""state":"stale""#))
    #expect(line.contains(#""expires_at":"2025-01-01T00:01:00Z","age":100,"ttl":-40"#))
    #expect(try scenario.run("cache", "ls", "--json").text.hasPrefix("[\n{"))
    #expect(try scenario.run("cache", "ls", "--json", "http://nothing/*").text == "[]\n")
  }

  @Test(arguments: [
    ("/a", 1), ("*", 3), ("*/b", 1), ("*token=t", 1), ("/*", 3), ("/x", 0), ("*zzz*", 0),
  ])
  func `ls takes patterns`(_ pattern: String, _ count: Int) throws {
    let scenario = try filled()
    let text = pattern.hasPrefix("*") ? pattern : scenario.url(pattern)
    #expect(try scenario.run("cache", "ls", text).text.split(separator: "\n").count == count)
  }

  @Test func `show prints what is known of a stored response, and is status 110 for an absent one`() throws {
    let scenario = try filled()
    let shown = try scenario.run("cache", "show", scenario.url("/b"))
    #expect(shown.status == 0)
    for line in ["size      20 bytes", "state     fresh for 500 s more", "lifetime  600 s, from max-age"] {
      #expect(shown.text.contains(line + "\n"), "\(line) in \(shown.text)")
    }
    #expect(shown.text.contains("HTTP/1.1 200 OK\r\n"))
    let headers = try scenario.run("cache", "show", "--headers", scenario.url("/b")).text
    #expect(headers.hasPrefix("HTTP/1.1 200 OK\r\n") && headers.hasSuffix("\r\n\r\n"))
    #expect(try scenario.run("cache", "show", "--json", scenario.url("/b")).text.contains(#""headers":[["#))
    let absent = try scenario.run("cache", "show", scenario.url("/x"))
    #expect(absent.status == 110)
    #expect(
      absent.diagnostics == """
        garner: \(scenario.url("/x")) is not in the cache
        hint: 'garner cache ls' lists the stored responses

        """)
  }

  @Test func `show prints no cookie and no token, unless it is told to`() throws {
    let fields = [
      ("Cache-Control", "max-age=60"), ("Set-Cookie", "id=secret"), ("Content-Location", "/a?token=secret&b=c"),
    ]
    let scenario = try Scenario(.response(fields: fields, text: "x"))
    try scenario.run(scenario.url())
    for form in [[], ["--headers"]] {
      let shown = try scenario.run(["cache", "show", scenario.url()] + form).text
      #expect(shown.contains("\r\nSet-Cookie: (not shown)\r\nContent-Location: /a?token=***&b=c\r\n"), "\(shown)")
      let whole = try scenario.run(["cache", "show", "--show-secrets", scenario.url()] + form).text
      #expect(whole.contains("\r\nSet-Cookie: id=secret\r\nContent-Location: /a?token=secret&b=c\r\n"), "\(whole)")
    }
    let json = try scenario.run("cache", "show", "--json", scenario.url()).text
    #expect(json.contains(#"["Set-Cookie",null],["Content-Location","/a?token=***&b=c"]"#), "\(json)")
    #expect(try scenario.run("cache", "show", "--json", "--show-secrets", scenario.url()).text.contains("id=secret"))
  }

  @Test func `cat prints the body of a stored response, and is status 110 for an absent one`() throws {
    let scenario = try filled()
    #expect(try scenario.run("cache", "cat", scenario.url("/b")).text == String(repeating: "b", count: 20))
    let absent = try scenario.run("cache", "cat", scenario.url("/x"))
    #expect(absent.status == 110 && absent.text == "" && absent.diagnostics.contains("is not in the cache"))
  }

  @Test func `rm removes matching responses, says how much, and is status 1 when nothing matches`() throws {
    let scenario = try filled()
    let dryRun = try scenario.run("cache", "rm", "-n", scenario.url("/*"))
    #expect(dryRun.text.contains("would remove 3 responses"))
    #expect(try scenario.run("cache", "rm", scenario.url("/a")).text.hasPrefix("removed 1 response, "))
    #expect(try scenario.run("--offline", scenario.url("/a")).status == 110)
    let nothing = try scenario.run("cache", "rm", scenario.url("/a"))
    #expect(nothing.status == 1)
    #expect(nothing.diagnostics.hasPrefix("garner: no stored response matches \(scenario.url("/a"))\nhint: "))
    #expect(try scenario.run("cache", "rm", "--if-exists", scenario.url("/a")).status == 0)
    #expect(try scenario.run("cache", "rm").status == 2)
    #expect(try scenario.run("cache", "clear").status == 0)
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `rm, pin and unpin report each pattern that matches nothing, and carry out the others`() throws {
    let scenario = try filled()
    let (absent, glob) = (scenario.url("/absent"), scenario.url("/none*"))
    let done = [("pin", "pinned 1 response\n"), ("unpin", "unpinned 1 response\n"), ("rm", "removed 1 response, ")]
    for (command, words) in done {
      let run = try scenario.run("cache", command, absent, scenario.url("/a"), glob)
      #expect(run.status == 1 && run.text.hasPrefix(words), "\(run)")
      #expect(
        run.diagnostics == """
          garner: no stored response matches \(absent)
          hint: 'garner cache ls' lists the stored responses
          garner: no stored response matches \(glob)

          """)
    }
    // Without a scheme, a pattern means two URLs, and one of them is enough.
    let plain = String(scenario.url("/b").dropFirst("http://".count))
    let filtered = try scenario.run("cache", "rm", "--fresh", plain, scenario.url("/c*"))
    #expect(filtered.status == 1 && filtered.text.hasPrefix("removed 1 response, "), "\(filtered)")
    #expect(filtered.diagnostics.hasPrefix("garner: no stored response matches \(scenario.url("/c*"))\nhint: "))
    let tolerant = try scenario.run("cache", "rm", "--if-exists", absent, scenario.url("/c*"))
    #expect(tolerant.status == 0 && tolerant.text.hasPrefix("removed 1 response, ") && tolerant.diagnostics == "")
  }

  @Test func `rm --all leaves no entry, damaged ones and lists of variants included`() throws {
    let scenario = try Scenario(.fresh([("Vary", "Accept")], text: "x"))
    for type in ["text/a", "text/b"] { try scenario.run("-H", "Accept: \(type)", scenario.url()) }
    #expect(scenario.entryFiles.count == 3)
    try writeFile(try #require(scenario.entryFiles.last), [1, 2, 3])
    #expect(try scenario.run("cache", "rm", "--all", "--dry-run").text.contains("would remove 2 responses"))
    let all = try scenario.run("cache", "rm", "--all")
    #expect(all.status == 0)
    #expect(all.text.hasPrefix("removed 2 responses"))
    #expect(all.diagnostics == "")
    #expect(scenario.entryFiles == [])

    for type in ["text/a", "text/b"] { try scenario.run("-H", "Accept: \(type)", scenario.url()) }
    #expect(try scenario.run("cache", "rm", scenario.url()).text.hasPrefix("removed 2 responses"))
    #expect(scenario.entryFiles == [])
  }

  @Test func `rm of a URL removes its damaged entry, even if nothing else is stored for it`() throws {
    let scenario = try filled()
    let json = try scenario.run("cache", "show", "--json", scenario.url("/a")).text
    let path = String(try #require(json.split(separator: #""path":""#).last).prefix { $0 != "\"" })
    let url = scenario.url("/a")
    try writeFile(path, Array(try readFile(path).prefix(50)))
    #expect(try scenario.run("cache", "rm", "--larger-than", "0", url).status == 1)
    let dryRun = try scenario.run("cache", "rm", "-n", url)
    #expect(dryRun.text == "\(url)\nwould remove 1 response, 50 B\n")
    #expect(try scenario.run("cache", "rm", url).text == "removed 1 response, 50 B\n")
    #expect(filesBelow(scenario.cachePath).contains(path) == false)
    try checked("mkdir", mkdir(path, 0o700))
    #expect(try scenario.run("cache", "rm", url).status == 0)
    try checked("mkdir", mkdir(path, 0o700))
    try writeFile(path + "/precious", [1])
    let kept = try scenario.run("cache", "rm", url)
    #expect(kept.status == 112)
    #expect(
      kept.diagnostics == "garner: cannot remove from the cache in \(scenario.cachePath): "
        + "\(path.dropFirst(scenario.cachePath.utf8.count + 1)) in it is a directory with something in it, "
        + "and should be a file\n")
  }

  @Test func `show and cat take one URL, no pattern`() throws {
    let scenario = try filled()
    #expect(try scenario.run("cache", "cat", scenario.url("/*")).status == 110)
    #expect(try scenario.run("cache", "show", scenario.url("/*")).status == 110)
  }

  @Test func `dir prints the cache directory of the option, of the environment or by default`() throws {
    let scenario = try filled()
    #expect(try scenario.run("cache", "dir").text == scenario.cachePath + "\n")
    scenario.environment["GARNER_CACHE_DIR"] = "/somewhere"
    #expect(try scenario.run("cache", "dir").text == "/somewhere\n")
    #expect(try scenario.run("cache", "dir", "--cache-dir", "/other").text == "/other\n")
  }

  @Test func `dir escapes control characters on a terminal, and prints them raw elsewhere`() throws {
    let scenario = try filled()
    scenario.environment["GARNER_CACHE_DIR"] = "/a\u{1b}[2Jb"
    #expect(try scenario.run("cache", "dir").text == "/a\u{1b}[2Jb\n")
    let shown = try scenario.run(onTerminalOf: 80, "cache", "dir")
    #expect(shown.text == #"/a\x1b[2Jb"# + "\n")
  }
}
