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

  @Test func `a redirection's cookies go with the hops that follow`() throws {
    let scenario = try Scenario { request in
      request.path == "/in"
        ? .response(302, fields: [("Location", "/"), ("Set-Cookie", "n=v; Path=/")])
        : .response(text: request.value("Cookie") ?? "none")
    }
    #expect(try scenario.run("-b", "", scenario.url("/in")).text == "n=v")
  }

  @Test func `what comes out of the cache sets no cookie again, and what is validated does`() throws {
    let scenario = try Scenario { request in
      let fields = [("ETag", "\"1\""), ("Cache-Control", "max-age=60"), ("Set-Cookie", "n=\(request.number)")]
      return request.has("If-None-Match") ? .response(304, fields: fields) : .response(fields: fields, text: "x")
    }
    let jar = scenario.directory.path("jar")
    try scenario.run(scenario.url())
    #expect(try scenario.run("-c", jar, "-w", "%{cache_result}", scenario.url()).text == "xhit")
    #expect(try lines(scenario, "jar") == [])
    #expect(try scenario.run("-c", jar, "--refresh", "-w", "%{cache_result}", scenario.url()).text == "xvalidated")
    #expect(try lines(scenario, "jar").map { $0.split(separator: "\t").last } == ["2"])
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
}
