import HTTPSemantics
import TestSupport
import Testing

@testable import Client

/// Cookies that are sent, kept and written.
@Suite struct CookieTests {
  /// Answers with the cookies that came, and sets what the query says.
  private static func scenario(fresh: Bool = false) throws -> Scenario {
    try Scenario { request in
      var fields = request.query.isEmpty ? [] : [("Set-Cookie", request.query.replacing("_", with: " "))]
      if fresh { fields.append(("Cache-Control", "max-age=60")) }
      return .response(fields: fields, text: request.value("Cookie") ?? "none")
    }
  }

  private func lines(_ scenario: Scenario, _ name: String) throws -> [String] {
    String(decoding: try scenario.directory.read(name), as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("# ") }
  }

  @Test func `cookies that are typed are sent, and what they bring is kept apart`() throws {
    let scenario = try Self.scenario(fresh: true)
    #expect(try scenario.run("-b", "a=1; b=2", "-b", "c=3", scenario.url()).text == "a=1; b=2; c=3")
    #expect(try scenario.run(scenario.url()).text == "none")
    #expect(try scenario.run("--offline", "-b", "a=1; b=2; c=3", scenario.url()).text == "a=1; b=2; c=3")
  }

  @Test func `what origins set is sent to them, in this run and, through a jar, in the next`() throws {
    let scenario = try Self.scenario()
    let jar = scenario.directory.path("jar")
    let first = try scenario.run("-c", jar, scenario.url("/a?n=v;_Max-Age=60"), scenario.url("/a"))
    #expect(first.text == "nonen=v")
    #expect(try lines(scenario, "jar") == ["127.0.0.1\tFALSE\t/\tFALSE\t\(scenario.clock.wallTime.seconds + 60)\tn\tv"])
    #expect(try scenario.run("-b", jar, scenario.url()).text == "n=v")
    #expect(try scenario.run("-b", "@" + jar, scenario.url()).text == "n=v")
    #expect(try scenario.run("-b", jar, "-b", "m=w", scenario.url()).text == "n=v; m=w")
    #expect(try scenario.run(scenario.url()).text == "none")
    scenario.clock.advance(bySeconds: 60)
    #expect(try scenario.run("-b", jar, scenario.url()).text == "none")
  }

  @Test func `a jar that cannot be written is warned about`() throws {
    let scenario = try Self.scenario()
    let jar = scenario.directory.path("absent/jar")
    let run = try scenario.run("-c", jar, scenario.url("/a?n=v"))
    #expect(run.status == 0)
    #expect(
      run.diagnostics
        == "garner: warning: the cookies are not kept: cannot write \(jar): No such file or directory\n")
  }

  @Test func `without a jar nothing is kept, and with an empty name it is for the run`() throws {
    let scenario = try Self.scenario()
    let urls = [scenario.url("/?n=v"), scenario.url("/")]
    #expect(try scenario.run(urls).text == "nonenone")
    #expect(try scenario.run(["-b", ""] + urls).text == "nonen=v")
  }

  @Test func `cookies for a session are left out of a file where that is asked for`() throws {
    let scenario = try Self.scenario()
    let jar = scenario.directory.path("jar")
    try scenario.run("-c", jar, scenario.url("/?n=v"))
    #expect(try scenario.run("-b", jar, scenario.url()).text == "n=v")
    #expect(try scenario.run("-b", jar, "-j", scenario.url()).text == "none")
  }

  @Test func `a set that leaves them out does not leave them out of the next one`() throws {
    let scenario = try Scenario { .response(text: $0.value("Cookie") ?? "-") }
    let jar = try scenario.directory.write("127.0.0.1\tFALSE\t/\tFALSE\t0\ts\tv\n", to: "sessions")
    let run = try scenario.run("-j", "-b", jar, scenario.url("/1"), "--next", "-b", jar, scenario.url("/2"))
    #expect(run.text == "-s=v")
  }

  @Test(arguments: [["-j"], []])
  func `what an origin has removed is not read again from the file`(_ later: [String]) throws {
    let scenario = try Scenario { request in
      let fields = request.path == "/out" ? [("Set-Cookie", "p=x; Max-Age=0; Path=/")] : []
      return .response(fields: fields, text: request.value("Cookie") ?? "-")
    }
    let end = scenario.clock.wallTime.seconds + 60
    let jar = try scenario.directory.write("127.0.0.1\tFALSE\t/\tFALSE\t\(end)\tp\told\n", to: "jar")
    let first = ["-j", "-b", jar, scenario.url("/out"), "--next"]
    let run = try scenario.run(first + later + ["-b", jar, "-c", jar, scenario.url("/2")])
    #expect(run.text == "p=old-")
    #expect(try lines(scenario, "jar") == [])
  }

  @Test func `a redirection's cookies go with the hops that follow`() throws {
    let scenario = try Scenario { request in
      request.path == "/in"
        ? .response(302, fields: [("Location", "/"), ("Set-Cookie", "n=v; Path=/")])
        : .response(text: request.value("Cookie") ?? "none")
    }
    #expect(try scenario.run("-b", "", scenario.url("/in")).text == "n=v")
  }

  @Test func `what comes out of the cache sets no cookie again, and what is validated does`() throws {
    let scenario = try Self.numbering()
    let jar = scenario.directory.path("jar")
    try scenario.run(scenario.url())
    #expect(try scenario.run("-c", jar, "--offline", "-w", "%{cache_result}", scenario.url()).text == "xhit")
    #expect(try lines(scenario, "jar") == [])
    #expect(try scenario.run("-c", jar, "--refresh", "-w", "%{cache_result}", scenario.url()).text == "xvalidated")
    #expect(try lines(scenario, "jar").map { $0.split(separator: "\t").last } == ["2"])
  }

  @Test func `what sets cookies is had from its origin where they are kept, and as long as that can be asked`() throws {
    let scenario = try Self.numbering()
    let jar = scenario.directory.path("jar")
    try scenario.run(scenario.url())
    let run = try scenario.run("-v", "-c", jar, "-w", "%{cache_result}", scenario.url())
    #expect(run.text == "xupdated" && run.diagnostics.contains("(the request asks for it)"))
    #expect(try lines(scenario, "jar").map { $0.split(separator: "\t").last } == ["2"])
    let explained = try scenario.run("cache", "explain", "-c", jar, scenario.url())
    #expect(explained.text.contains("it sets cookies"), "\(explained.text)")
    #expect(try scenario.run("-w", "%{cache_result}", scenario.url()).text == "xhit")
    // They go with the next request of the run, whether or not they are written.
    let urls = [scenario.url(), scenario.url("/next")]
    #expect(try scenario.run(["--dry-run", "-b", ""] + urls).text.contains("it sets cookies"))
    #expect(try scenario.run(["-b", ""] + urls).text == "xx")
    #expect(scenario.asked.count == 4)
    #expect(try scenario.run("-b", "", "-w", "%{cache_result}", scenario.url()).text == "xhit")
    scenario.origin.stop()
    #expect(try scenario.run("-c", jar, scenario.url()).text == "x")
  }

  @Test func `a stored redirection that sets cookies is had from its origin for what it leads to`() throws {
    let scenario = try Scenario { request in
      request.path == "/in"
        ? .response(
          301, fields: [("Location", "/"), ("Set-Cookie", "n=v; Path=/"), OriginAnswer.freshForAMinute])
        : .response(text: request.value("Cookie") ?? "none")
    }
    for _ in 0..<2 { #expect(try scenario.run("-b", "", scenario.url("/in")).text == "n=v") }
  }

  /// Fresh for a minute; each answer sets its number.
  private static func numbering() throws -> Scenario {
    try Scenario { request in
      let fields = [("ETag", "\"1\""), OriginAnswer.freshForAMinute, ("Set-Cookie", "n=\(request.number)")]
      return request.has("If-None-Match") ? .response(304, fields: fields) : .response(fields: fields, text: "x")
    }
  }

  @Test(
    arguments: [
      ("127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tv", "n=v"), (".test\tTRUE\t/\tFALSE\t0\tn\tv", "none"),
      ("127.0.0.1\tFALSE\t/\tFALSE\t0\t__Secure-n\tv", "none"),
      ("127.0.0.1\tFALSE\t/\tFALSE\t0\t__Host-n\tv", "none"),
    ])
  func `what no host could have set is not sent, whatever the file says`(_ line: String, _ sent: String) throws {
    let scenario = try Self.scenario()
    let jar = try scenario.directory.write(line + "\n", to: "jar")
    #expect(try scenario.run("-b", jar, scenario.url()).text == sent)
    let route = ["--resolve", "a.test:\(scenario.origin.port):127.0.0.1"]
    let other = try scenario.run(route + ["-b", jar, "http://a.test:\(scenario.origin.port)/"])
    #expect(other.text == "none")
  }

  @Test func `a host of one label keeps its cookie, whatever Domain it says`() throws {
    let scenario = try Self.scenario()
    let jar = scenario.directory.path("jar")
    let host = "http://localhost:\(scenario.origin.port)"
    try scenario.run("-c", jar, host + "/?n=v;_Domain=localhost")
    #expect(try scenario.run("--no-store", "-b", jar, "-c", jar, host + "/").text == "n=v")
    try scenario.directory.write(".localhost\tTRUE\t/\tFALSE\t0\tn\tw\n", to: "jar")
    #expect(try scenario.run("--no-store", "-b", jar, host + "/").text == "n=w")
  }

  @Test func `a jar that is too long to be read is not written over`() throws {
    let scenario = try Self.scenario()
    let line = "127.0.0.1\tFALSE\t/\tFALSE\t0\tn\t" + String(repeating: "v", count: 60_000) + "\n"
    let jar = try scenario.directory.write(String(repeating: line, count: 300), to: "jar")
    let run = try scenario.run("-b", jar, "-c", jar, scenario.url("/?n=v"))
    #expect(run.status == 0 && run.diagnostics.contains("the cookies are not kept"))
    #expect(try scenario.directory.read("jar").count == line.utf8.count * 300)
  }

  @Test func `a changed cookie is another key`() throws {
    let scenario = try Self.scenario(fresh: true)
    let jar = scenario.directory.path("jar")
    try scenario.run("-b", jar, "-c", jar, scenario.url("/?n=1"))
    #expect(try scenario.run("-b", jar, "-c", jar, scenario.url("/")).text == "n=1")
    #expect(try scenario.run("--offline", "-b", jar, scenario.url("/")).text == "n=1")
    try scenario.run("-b", jar, "-c", jar, scenario.url("/?n=2"))
    #expect(try scenario.run("--offline", "-b", jar, scenario.url("/")).status == 110)
  }

  @Test func `a jar is written to standard output where that is asked for`() throws {
    let scenario = try Self.scenario()
    let run = try scenario.run("-s", "-c", "-", "-o", scenario.directory.path("body"), scenario.url("/?n=v"))
    #expect(run.text.hasSuffix("\n127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tv\n"))
  }

  @Test func `sets of options share the cookies of the run, and what is written is all of them`() throws {
    let scenario = try Self.scenario()
    let old = "127.0.0.1\tFALSE\t/\tFALSE\t4000000000\told\tv"
    let jar = scenario.directory.path("jar")
    let run = { (first: [String], second: [String]) in
      try scenario.directory.write(old + "\n", to: "jar")
      let login = first + [scenario.url("/a?n=1;_Path=/"), "--next"]
      return try scenario.run(["--no-store"] + login + ["--no-store"] + second + [scenario.url("/b")]).text
    }
    #expect(try run(["-b", jar, "-c", jar], ["-b", jar, "-c", jar]) == "old=vold=v; n=1")
    #expect(try lines(scenario, "jar") == [old, "127.0.0.1\tFALSE\t/\tFALSE\t0\tn\t1"])
    #expect(try run(["-c", jar], ["-b", jar]) == "nonen=1")
    #expect(try run(["-c", jar], ["-c", jar]) == "nonen=1")
    #expect(try lines(scenario, "jar") == ["127.0.0.1\tFALSE\t/\tFALSE\t0\tn\t1"])
    #expect(try run(["-b", ""], ["-b", ""]) == "nonen=1")
    #expect(try run(["-b", ""], []) == "nonenone")
    #expect(try run(["-b", jar], ["-b", ""]) == "old=vold=v; n=1")
    // What is in a file is for the set that names it, and those behind it.
    #expect(try run(["-b", ""], ["-b", jar]) == "nonen=1; old=v")
  }

  @Test func `a set of options gives none of its cookies to those before it`() throws {
    let scenario = try Self.scenario()
    let line = { (name: String) in "127.0.0.1\tFALSE\t/\tFALSE\t4000000000\t\(name)\tv" }
    let jars = try ["a", "b"].map { try scenario.directory.write(line($0) + "\n", to: $0) }
    let options = jars.map { ["--no-store", "-b", $0, "-c", $0, scenario.url("/")] }
    #expect(try scenario.run(options[0] + ["--next"] + options[1]).text == "a=va=v; b=v")
    #expect(try lines(scenario, "a") == [line("a")])
    #expect(try lines(scenario, "b") == [line("a"), line("b")])
  }

  @Test func `nor where they are fetched side by side`() throws {
    let scenario = try Self.scenario()
    let line = { (name: String) in "127.0.0.1\tFALSE\t/\tFALSE\t4000000000\t\(name)\tv" }
    let jars = try ["a", "b"].map { try scenario.directory.write(line($0) + "\n", to: $0) }
    let options = jars.map { ["-Z", "--no-store", "-b", $0, "-c", $0, scenario.url("/")] }
    for _ in 0..<20 {
      #expect(try scenario.run(options[0] + ["--next"] + options[1]).text == "a=va=v; b=v")
      #expect(try lines(scenario, "a") == [line("a")])
    }
  }

  @Test func `the cookies of several Cookie fields that were typed go with those of a jar, in one`() throws {
    let scenario = try Self.scenario()
    let jar = try scenario.directory.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tv\n", to: "jar")
    let run = try scenario.run("-b", jar, "-H", "Cookie: a=1", "-H", "Cookie: b=2", scenario.url())
    #expect(run.text == "n=v; a=1; b=2")
    #expect(scenario.origin.requests.map { $0.rawValues("Cookie").count } == [1])
  }

  @Test func `what an origin has ended is not read again by a later set of options`() throws {
    let scenario = try Self.scenario()
    let jar = try scenario.directory.write("127.0.0.1\tFALSE\t/\tFALSE\t4000000000\tn\tv\n", to: "jar")
    let options = ["--no-store", "-b", jar, "-c", jar]
    let first = options + [scenario.url("/?n=v;_Max-Age=0"), "--next"]
    #expect(try scenario.run(first + options + [scenario.url("/")]).text == "n=vnone")
    #expect(try lines(scenario, "jar") == [])
  }

  @Test func `cookies are for whom a Host names`() throws {
    let scenario = try Self.scenario()
    let named = "foo.test\tFALSE\t/\tFALSE\t0\tn\tfoo\n127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tlocal\n"
    let jar = try scenario.directory.write(named, to: "jar")
    let host = ["--no-store", "-H", "Host: foo.test:81"]
    #expect(try scenario.run(host + ["-b", jar, scenario.url()]).text == "n=foo")
    try scenario.run(host + ["-c", jar, scenario.url("/?n=v")])
    #expect(try lines(scenario, "jar") == ["foo.test\tFALSE\t/\tFALSE\t0\tn\tv"])
  }

  @Test func `a Host that was typed does not go on to where a redirect leads, nor do its cookies`() throws {
    let other = try Self.scenario()
    let scenario = try Scenario(.response(302, fields: [("Location", other.url()), ("Set-Cookie", "n=v; Path=/")]))
    let run = try scenario.run("--no-store", "-H", "Host: foo.test", "-b", "", scenario.url("/"))
    #expect(run.text == "none")
  }

  @Test func `an empty field of cookies is no cookie`() throws {
    let scenario = try Self.scenario()
    let jar = try scenario.directory.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tv\n", to: "jar")
    #expect(try scenario.run("-H", "Cookie;", "-b", jar, scenario.url()).text == "n=v")
  }

  @Test func `what an answer sets that is tried again goes with the next try`() throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .response(503, fields: [("Set-Cookie", "n=v")], text: "oops")
        : .response(text: request.value("Cookie") ?? "none")
    }
    let jar = scenario.directory.path("jar")
    #expect(try scenario.run("--retry", "1", "-b", "m=w", "-c", jar, scenario.url()).text == "n=v; m=w")
    #expect(try lines(scenario, "jar") == ["127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tv"])
  }

  static let now = Timestamp(secondsSinceEpoch: 1_767_225_600)

  @Test func `a file is read as curl and browsers write it`() throws {
    let text = """
      # Netscape HTTP Cookie File

      a.test\tFALSE\t/\tFALSE\t0\tone\t1
      .a.test\tTRUE\t/x\tTRUE\t1767225660\ttwo\t
      #HttpOnly_b.test\tFALSE\t/\tFALSE\t0\tthree\ta b=c
      # a.test\tFALSE\t/\tFALSE\t0\tno\t1
      a.test FALSE / FALSE 0 no 1
      a.test\tFALSE\t/\tFALSE\tsoon\tno\t1
      Set-Cookie: four=4; path=/; domain=.c.test
      Set-Cookie: no=4; path=/
      """
    let cookies = CookieFile.read(Array(text.replacing("\n", with: "\r\n").utf8), at: Self.now)
    #expect(
      cookies == [
        Cookie(name: Array("one".utf8), value: Array("1".utf8), domain: "a.test", isHostOnly: true),
        Cookie(
          name: Array("two".utf8), value: [], domain: "a.test", isHostOnly: false, path: "/x", isSecure: true,
          expiry: Timestamp(secondsSinceEpoch: 1_767_225_660)),
        Cookie(
          name: Array("three".utf8), value: Array("a b=c".utf8), domain: "b.test", isHostOnly: true, isHTTPOnly: true),
        Cookie(name: Array("four".utf8), value: Array("4".utf8), domain: "c.test", isHostOnly: false),
      ])
    #expect(CookieFile.read(CookieFile.write(cookies), at: Self.now) == cookies)
  }

  @Test(
    arguments: [
      ("1995441849.25", 1_995_441_849), ("1995441849.", 1_995_441_849), ("0.5", nil),
    ] as [(String, Int64?)])
  func `the decimals of an expiry are cut off`(_ expiry: String, _ seconds: Int64?) {
    let cookies = CookieFile.read(Array("a.test\tFALSE\t/\tFALSE\t\(expiry)\tn\tv\n".utf8), at: Self.now)
    #expect(cookies.map(\.expiry) == [seconds.map { Timestamp(secondsSinceEpoch: $0) }])
  }

  @Test(arguments: [".5", "1.5.5", "1.5e9", "1.-5", "."])
  func `an expiry that is no number is no cookie's`(_ expiry: String) {
    #expect(CookieFile.read(Array("a.test\tFALSE\t/\tFALSE\t\(expiry)\tn\tv\n".utf8), at: Self.now) == [])
  }

  @Test(arguments: ["::1", "0:0::1", "[::1]"])
  func `an IPv6 address has no brackets in a file, and brackets in a URL`(_ domain: String) throws {
    let line = { (domain: String) in Array("\(domain)\tFALSE\t/\tFALSE\t0\tn\tv\n".utf8) }
    let cookies = CookieFile.read(line(domain), at: Self.now)
    #expect(cookies.map(\.domain) == ["[::1]"])
    #expect(CookieFile.write(cookies).suffix(line("::1").count).elementsEqual(line("::1")))
  }
}
