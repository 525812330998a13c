import CTestSupport
import Glibc
import Platform
import TestSupport
import Testing

@testable import Client

/// The places that bodies and heads go to, and the messages about them.
@Suite struct OutputTests {
  @Test func `-o writes the body to a file and nothing to standard output`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let file = scenario.directory.path("out")
    let fetched = try scenario.run("-o", file, scenario.url())
    #expect(fetched.status == 0 && fetched.text == "" && fetched.diagnostics == "")
    #expect(try readFile(file) == Array("body".utf8))

    try writeFile(file, Array("other".utf8))
    try scenario.run("--offline", "-o", file, scenario.url())
    #expect(try readFile(file) == Array("body".utf8))
  }

  @Test func `an error that is stored is not told of as if the server had answered`() throws {
    let scenario = try Scenario(.response(404, fields: [("Cache-Control", "max-age=60")]))
    #expect(try scenario.run(scenario.url()).diagnostics.contains("the server answered 404 Not Found"))
    scenario.origin.stop()
    for options in [[], ["--offline"]] {
      let run = try scenario.run(options + [scenario.url()])
      #expect(
        run.status == 22
          && run.diagnostics == "garner: the stored response for \(scenario.url()) is 404 Not Found\n")
    }
  }

  @Test(arguments: [
    ([], true), (["--offline"], false), (["--forget-on-error"], false), (["--no-store"], false),
    (["-u", "a:b"], false), (["-d", "x"], false),
    (["--retry", "1", "--retry-connrefused"], true),
  ])
  func `a message says that a response is stored if the origin cannot be reached`(
    _ options: [String], _ isTold: Bool
  ) throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=0, must-revalidate")], text: "body"))
    _ = RetryTests.Pauses(of: scenario)
    try scenario.run(scenario.url())
    scenario.origin.stop()
    let run = try scenario.run(options + [scenario.url()])
    #expect(run.diagnostics.contains("hint: the cache has a stored response: --offline serves it") == isTold, "\(run)")
    #expect(!(try scenario.run(options + [scenario.url("/other")]).diagnostics.contains("stored response: --offline")))
  }

  @Test(arguments: [(["-I"], true), (["-I", "-X", "GET"], true), (["-i"], true), (["-I", "--no-fail"], false)])
  func `an error that fails leaves the file as it was, heads or not`(_ options: [String], _ fails: Bool) throws {
    let scenario = try Scenario(.response(404))
    let file = try scenario.directory.write("before", to: "out")
    let run = try scenario.run(options + ["-o", file, scenario.url()])
    #expect(run.status == (fails ? 22 : 0))
    #expect(try (readFile(file) == Array("before".utf8)) == fails)
  }

  @Test(arguments: ["broken", "refused", "absent"])
  func `a failed fetch leaves the file as it was`(_ failure: String) throws {
    let scenario = try Scenario(.raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))
    let file = try scenario.directory.write("before", to: "out")
    if failure == "refused" { scenario.origin.stop() }
    let run = try scenario.run((failure == "absent" ? ["--offline"] : []) + ["-o", file, scenario.url()])
    #expect(run.status == ["broken": 18, "refused": 7, "absent": 110][failure])
    #expect(try readFile(file) == Array("before".utf8))
    #expect(namesInDirectory(scenario.directory.path).filter { $0.contains("out") } == ["out"])
  }

  @Test func `an error's body is printed with status 22 and one line`() throws {
    let scenario = try Scenario(.response(404, "Not Found", text: "no such thing"))
    let run = try scenario.run(scenario.url("/x"))
    #expect(run.status == 22 && run.text == "no such thing")
    #expect(run.diagnostics == "garner: the server answered 404 Not Found for \(scenario.url("/x"))\n")
    #expect(try scenario.run("-s", scenario.url("/x")).diagnostics == "")
    #expect(try scenario.run("-sS", scenario.url("/x")).diagnostics != "")
    #expect(try scenario.run("--no-fail", scenario.url("/x")).status == 0)
    let silenced = try scenario.run("-f", scenario.url("/x"))
    #expect(silenced.status == 22 && silenced.text == "")
  }

  @Test func `-f leaves a named file alone where the body is not delivered`() throws {
    let scenario = try Scenario(.response(500, text: "oops"))
    let file = try scenario.directory.write("before", to: "out")
    #expect(try scenario.run("-f", "-o", file, scenario.url()).status == 22)
    #expect(try readFile(file) == Array("before".utf8))
  }

  @Test func `--fail-with-body writes the body of an error to a named file`() throws {
    let scenario = try Scenario(.response(422, text: "why"))
    let file = try scenario.directory.write("old", to: "f")
    let run = try scenario.run("--fail-with-body", "-o", file, scenario.url())
    #expect(try run.status == 22 && String(decoding: readFile(file), as: UTF8.self) == "why")
    let config = try scenario.directory.write("fail-with-body\n", to: "config")
    let set = try scenario.run("--config", config, "-o", scenario.directory.path("g"), scenario.url())
    #expect(try set.status == 22 && String(decoding: readFile(scenario.directory.path("g")), as: UTF8.self) == "why")
    try scenario.directory.write("old", to: "f")
    #expect(try scenario.run("--fail-with-body", "-f", "-o", file, scenario.url()).status == 22)
    #expect(try String(decoding: readFile(file), as: UTF8.self) == "old")
  }

  @Test func `a named file is left alone by an error status, and written with --no-fail`() throws {
    let scenario = try Scenario(.response(404, text: "no such thing"))
    let file = try scenario.directory.write("before", to: "out")
    let failed = try scenario.run("-o", file, scenario.url())
    #expect(failed.status == 22 && failed.text == "")
    #expect(try readFile(file) == Array("before".utf8))
    #expect(try scenario.run("--no-fail", "-o", file, scenario.url()).status == 0)
    #expect(try readFile(file) == Array("no such thing".utf8))
  }

  @Test func `a variable that there is not prints nothing and is warned about`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("-w", "[%{bogus}]", scenario.url())
    #expect(run.status == 0 && run.text == "x[]")
    #expect(run.diagnostics == "garner: warning: --write-out: %{bogus} is not a variable\n")
  }

  @Test func `a variable that there is not is warned about before anything is sent, and once`() throws {
    let scenario = try Scenario(.response(404, text: ""))
    let run = try scenario.run("-w", "%{bogus}%{onerror}%{Bogus}%{bogus}", scenario.url("/a"), scenario.url("/b"))
    let lines = run.diagnostics.split(separator: "\n")
    #expect(lines.count == 5 && lines.dropFirst(2).allSatisfy { !$0.contains("bogus") })
    #expect(lines.first == "garner: warning: --write-out: %{bogus} is not a variable")
    #expect(lines.dropFirst().first == "garner: warning: --write-out: %{Bogus} is not a variable")
    #expect(try scenario.run("--dry-run", "-w", "%{bogus}", scenario.url()).diagnostics.isEmpty)
  }

  @Test(arguments: [
    ("%%{url}", "%{url}"), ("%", "%"), ("%{url", "%{url"), ("%header{x", "%header{x"), ("a\\", "a\\"),
    ("\\q\\t", "\\q\t"), ("%header{ETag}%header{}%header{a b}.", #""e"."#), ("%HEADER{etag}", "%HEADER{etag}"),
    ("%{Http_Code}", "200"), ("%{}", ""),
  ])
  func `text that names no variable is printed as it is`(_ format: String, _ text: String) throws {
    let scenario = try Scenario(.response(fields: [("ETag", #""e""#)], text: ""))
    #expect(try scenario.run("-w", format, scenario.url()).text == text)
  }

  @Test(arguments: [
    ("http://joe:secret pass@host/", 3, "the URL http://***@host/ is malformed"), ("", 3, "the URL is empty"),
    ("http://joe:1/secret@ho st/", 3, "the URL http://***@ho st/ is malformed"),
    ("http://joe:99999/secret@host/", 3, "the URL http://***@host/ is malformed"),
    ("http://host/@scope/a b", 3, "the URL http://host/@scope/a b is malformed"),
    ("ftp://joe:1/secret@host/", 1, "the URL ftp://***@host/ is not supported"),
    ("gopher://host/", 1, "the URL gopher://host/ is not supported: gopher is neither http nor https"),
    ("http://host:99999/", 3, "its port is not a number from 0 to 65535"),
  ])
  func `a URL that is none is told in one line, without its password`(
    _ url: String, _ status: Int32, _ words: String
  ) throws {
    let scenario = try Scenario(.response())
    let run = try scenario.run(url)
    #expect(run.status == status && run.diagnostics.contains(words) && !run.diagnostics.contains("secret"))
    #expect(run.diagnostics.split(separator: "\n").count == 1)
  }

  @Test func `-I prints the head of a HEAD's answer, from the store too`() throws {
    let scenario = try Scenario(.fresh([("Note", "x")], text: "body"))
    let first = try scenario.run("-I", scenario.url())
    #expect(first.status == 0 && first.text.hasSuffix("\r\n\r\n") && first.field("Note") == "x")
    try scenario.run(scenario.url())
    let stored = try scenario.run("-I", scenario.url())
    #expect(stored.field("Age") == "0" && stored.field("Content-Length") == "4" && stored.text.hasSuffix("\r\n\r\n"))
    #expect(scenario.asked == ["HEAD /", "/"])
  }

  @Test func `-D writes the heads of all hops, interim ones too`() throws {
    let scenario = try Scenario { request in
      request.target == "/a"
        ? .response(302, fields: [("Location", "/b")])
        : .response(text: "end").after(interim: [(103, [("Link", "</x>")])])
    }
    let file = scenario.directory.path("heads")
    #expect(try scenario.run("-D", file, scenario.url("/a")).text == "end")
    let heads = String(decoding: try readFile(file), as: UTF8.self)
    let lines = heads.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/") }
    #expect(lines == ["HTTP/1.1 302 Found", "HTTP/1.1 103 Early Hints", "HTTP/1.1 200 OK"])
  }

  @Test func `bytes behind a 101 are another protocol's, and are printed as they come`() throws {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    let scenario = try Scenario(.raw(head + "frame"))
    let written = ["-w", "|%{http_code} %{cache_stored}", scenario.url()]
    let run = try scenario.run(["-H", "Connection: Upgrade", "-H", "Upgrade: websocket"] + written)
    #expect(run.status == 0 && run.text == "frame|101 0", "\(run.diagnostics)")
    #expect(try scenario.run(written).status == 8)
  }

  @Test(arguments: [[], ["-Z"]])
  func `-D - prints heads before the content, of each URL in its turn`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      switch request.target {
      case "/a": .response(302, fields: [("Location", "/b")], text: "moved")
      case "/b": .response(text: "<b>")
      default: .response(404, text: "<c>")
      }
    }
    func outline(_ text: String) -> [String] {
      // The content does not end its line.
      text.replacing("HTTP/", with: "\r\nHTTP/").split(separator: "\r\n").compactMap { line in
        if line.hasPrefix("<") { return String(line) }
        return line.hasPrefix("HTTP/") ? String(line.dropFirst("HTTP/1.1 ".count).prefix(3)) : nil
      }
    }
    let urls = ["/a", "/c", "/b"].map { scenario.url($0) }
    let run = try scenario.run(["-s", "-D", "-"] + options + urls)
    #expect(outline(run.text) == ["302", "200", "<b>", "404", "<c>", "200", "<b>"])
    let file = scenario.directory.path("body")
    let apart = try scenario.run(["-s", "-D", "-"] + options + ["-o", file, scenario.url("/a"), scenario.url("/c")])
    #expect(outline(apart.text) == ["302", "200", "404", "<c>"])
  }

  @Test(arguments: ["absent/heads", ""])
  func `a file of -D that cannot be is found out before anything is sent`(_ name: String) throws {
    let scenario = try Scenario(.response(text: "body"))
    let file = scenario.directory.path(name)
    let run = try scenario.run("-D", file, "-d", "x", scenario.url())
    #expect(run.status == 23 && run.text == "" && run.diagnostics.contains("cannot write \(file)"), "\(run)")
    #expect(scenario.asked == [])
  }

  @Test(.enabled(if: Machine.isRoot, "Only root may be others."))
  func `a file of -D that cannot be replaced is written over`() throws {
    let directory = try TemporaryDirectory("heads")
    let file = try directory.write("before", to: "heads")
    chmod(file, 0o666)
    chmod(directory.path, 0o555)
    let nobody: UInt32 = 65_534
    testSupportBeUser(nobody)
    defer { testSupportBeUser(0) }
    guard case .file = try HeadDump(try #require(Path(file)), makingDirectories: false) else {
      Issue.record("it is no file")
      return
    }
    let absent = try #require(Path(file + "2"))
    #expect(throws: Failure.self) { try HeadDump(absent, makingDirectories: false) }
  }

  @Test func `a FIFO gets a head of -D when it comes`() throws {
    let directory = try TemporaryDirectory("heads")
    let path = directory.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    let fifo = open(path, O_RDWR | O_NONBLOCK)
    try #require(fifo >= 0)
    defer { close(fifo) }
    let scenario = try Scenario { request in
      guard request.target == "/b" else { return .response(302, fields: [("Location", "/b")]) }
      var seen = [UInt8](repeating: 0, count: 12)
      let count = read(fifo, &seen, seen.count)
      return .response(text: String(decoding: seen.prefix(max(0, count)), as: UTF8.self))
    }
    #expect(try scenario.run("-D", path, scenario.url("/a")).text == "HTTP/1.1 302")
  }

  @Test func `-w prints curl's variables and the cache's`() throws {
    let scenario = try Scenario { request in
      validated(
        request, etag: "\"e\"", fields: [("Cache-Control", "max-age=60"), ("Content-Type", "text/plain")], text: "body")
    }
    let format =
      "\\n%{http_code} %{content_type} %{size_download} %{method} %{scheme} %{http_version} %{num_redirects}"
      + " %{exitcode} %{urlnum} %{header{etag}}|%header{etag} %{cache_result} %{cache_age} %{cache_ttl}"
      + " %{cache_stored} %% %{unknown}\\t%{url_effective}"
    let miss = try scenario.run("-w", format, scenario.url())
    #expect(
      miss.text.hasPrefix("body\n200 text/plain 4 GET HTTP 1.1 0 0 0 "), "\(miss.text)")
    #expect(miss.text.hasSuffix(" miss 0 60 1 % \t\(scenario.url())"), "\(miss.text)")
    scenario.clock.advance(bySeconds: 10)
    let short = "%{cache_result} %{cache_age} %{cache_ttl} %{cache_stored} %{cache_key}"
    #expect(try scenario.run("-w", short, scenario.url()).text == "bodyhit 10 50 0 \(scenario.url())")
    #expect(try scenario.run("--refresh", "-w", short, scenario.url()).text == "bodyvalidated 0 60 1 \(scenario.url())")
    scenario.clock.advance(bySeconds: 100)
    #expect(try scenario.run("--offline", "-s", "-w", "%{cache_result}", scenario.url()).text == "bodystale")
    #expect(try scenario.run("--no-store", "-w", "%{cache_result}", scenario.url()).text == "bodybypass")
  }

  @Test func `variables are known in either case, and a version as curl prints it`() throws {
    let scenario = try Scenario(.raw("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"))
    let run = try scenario.run("-w", "%{STDERR}%{HTTP_CODE} %{Http_Version}%{NoneSuch}", scenario.url())
    #expect(run.text == "ok" && run.diagnostics.hasSuffix("200 1"))
    #expect(run.diagnostics.contains("%{NoneSuch}"))
  }

  @Test func `all URLs of one glob have one number`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let urls = [scenario.url("/{a,b}"), scenario.url("/c"), "--next", "-w", "%{urlnum}", scenario.url("/d")]
    #expect(try scenario.run(["-w", "%{urlnum}"] + urls).text == "x0x0x1x2")
  }

  @Test func `line breaks of a -w file are its layout`() throws {
    let scenario = try Scenario(.response(text: "body"))
    try scenario.directory.write("[%{http_code}\\n\r\n|\n%{method}]\n", to: "format")
    #expect(try scenario.run("-w", "@" + scenario.directory.path("format"), scenario.url()).text == "body[200\n|GET]")
    #expect(try scenario.run("-w", "@-", scenario.url(), input: "a\nb\r\n").text == "bodyab")
    #expect(try scenario.run("-w", "a\nb", scenario.url()).text == "bodya\nb")
  }

  @Test func `%{json} is all variables, and %{header_json} all fields`() throws {
    let scenario = try Scenario(
      .response(fields: [("X-A", "1"), ("Cache-Control", "max-age=60"), ("x-a", "2 \"q\"")], text: "body"))
    let run = try scenario.run("-so", "/dev/null", "-w", "%{header_json}%{json}", scenario.url("/a"))
    let lines = run.text.split(separator: "\n")
    #expect(lines.contains(#"{"x-a":["1","2 \"q\""],"#) && lines.contains(#""cache-control":["max-age=60"],"#))
    let members = [
      #""cache_age":0,"#, #""cache_result":"miss","#, #""cache_stored":1,"#,
      #""cache_ttl":60,"certs":null,"#, #""num_certs":0,"#,
      #""content_type":null,"errormsg":null,"exitcode":0,"filename_effective":"/dev/null","http_code":200,"#,
      #""http_connect":0,"http_version":"1.1","local_ip":"127.0.0.1","local_port":"#, #""method":"GET","#,
      #""proxy_ssl_verify_result":0,"redirect_url":null,"referer":null,"#, #""size_download":4,"#,
      #""time_redirect":0.000000,"#, #","url":"\#(scenario.url("/a"))","url_effective":"\#(scenario.url("/a"))","#,
    ]
    for member in members { #expect(run.text.contains(member), "\(member) in \(run.text)") }
    #expect(run.text.hasSuffix(#","urlnum":0}"#))
    let hit = try scenario.run("-so", "/dev/null", "-w", "%{json}", scenario.url("/a"))
    #expect(hit.text.contains(#""local_ip":null,"#) && hit.text.contains(#""remote_ip":null,"#))
    scenario.origin.stop()
    let failed = try scenario.run("-s", "-w", "%{header_json}%{json}", scenario.url("/b"))
    #expect(failed.text.hasPrefix("{\n}{") && failed.text.contains(#""exitcode":7,"#))
    #expect(failed.text.contains(#""http_code":0,"#) && !failed.text.contains(#""errormsg":null"#))
  }

  @Test func `-w is printed for a failed fetch, and %{stderr} goes to standard error`() throws {
    let scenario = try Scenario(.response())
    scenario.origin.stop()
    let run = try scenario.run("-s", "-w", "%{http_code} %{exitcode} %{stderr}%{errormsg}%{stdout} end", scenario.url())
    #expect(run.status == 7 && run.text == "000 7  end")
    #expect(run.diagnostics.contains("Connection refused"))
    let quiet = try scenario.run("-s", "-w", "a%{onerror}b", scenario.url())
    #expect(quiet.text == "ab")
  }

  @Test func `--compressed decodes on delivery, and what is stored stays as it was received`() throws {
    // "hello" as `printf hello | gzip -n` writes it.
    let packed: [UInt8] = [
      0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86, 0xa6, 0x10, 0x36, 0x05,
      0, 0, 0,
    ]
    let scenario = try Scenario(
      .fresh([("Content-Encoding", "gzip")], content: packed))
    #expect(try scenario.run("--compressed", scenario.url()).text == "hello")
    #expect(try scenario.run("--compressed", scenario.url()).text == "hello")
    #expect(try scenario.run("cache", "cat", scenario.url()).output == packed)
    #expect(scenario.origin.requests.count == 1)
  }

  @Test func `a broken coding is status 61, and not stored`() throws {
    let scenario = try Scenario(
      .fresh([("Content-Encoding", "gzip")], text: "not gzip"))
    let run = try scenario.run("--compressed", scenario.url())
    #expect(run.status == 61 && run.diagnostics.contains("not valid gzip"))
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `several URLs are fetched in order, and a failure does not stop the others`() throws {
    let scenario = try Scenario { request in
      request.target == "/bad" ? .response(500, text: "bad") : .response(text: request.target)
    }
    let run = try scenario.run(scenario.url("/1"), scenario.url("/bad"), scenario.url("/2"))
    #expect(run.status == 22 && run.text == "/1bad/2")
  }

  @Test func `-v tells the request, the response and the cache's reason, and no credentials`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let miss = try scenario.run("-v", "-u", "me:secret", scenario.url())
    #expect(miss.text == "body")
    #expect(miss.diagnostics.contains("> GET / HTTP/1.1\n") && miss.diagnostics.contains("< HTTP/1.1 200 OK\n"))
    #expect(miss.diagnostics.contains("> Authorization: (not shown)\n"))
    #expect(!miss.diagnostics.contains("bWU6c2VjcmV0"))
    #expect(
      miss.diagnostics.contains(
        "* cache: sent to the origin (no response is stored for this request); to be stored, fresh for 60 s"))
    let hit = try scenario.run("-v", "-u", "me:secret", scenario.url())
    #expect(
      hit.diagnostics.contains("* cache: stored, fresh for 60 s more (60 s by max-age, age 0 s): nothing was sent"))
    scenario.clock.advance(bySeconds: 100)
    let stale = try scenario.run("-v", "-u", "me:secret", "--max-stale", scenario.url())
    #expect(
      stale.diagnostics.contains(
        "* cache: stored, 100 s old, served, stale for 40 s, because the request allows it (max-stale): nothing was"))
  }

  @Test func `a hit has the time that the cache has taken, and the speed of that`() throws {
    let scenario = try Scenario(.fresh(text: "12345678"))
    scenario.secondsPerLook = 1
    try scenario.run(scenario.url())
    let words = try scenario.run("-so", "/dev/null", "-w", "%{time_total} %{speed_download}", scenario.url()).text
      .split(separator: " ")
    let (time, speed) = (try #require(words.first.flatMap { Double($0) }), try #require(words.last.flatMap { Int($0) }))
    #expect(time >= 1 && speed == Int(8 / time), "\(words)")
  }

  @Test func `-v says of what states no lifetime that it states none`() throws {
    let scenario = try Scenario(.response(fields: [("ETag", "\"e\"")], text: "body"))
    let run = try scenario.run("-v", scenario.url())
    #expect(run.diagnostics.contains("(no response is stored for this request); to be stored; it states no lifetime\n"))
    #expect(try scenario.run("cache", "show", scenario.url()).text.contains("lifetime  0 s: it states none\n"))
  }
}
