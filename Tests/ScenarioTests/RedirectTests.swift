import HTTPSemantics
import TestSupport
import Testing
import Transport

@testable import Client

@Suite struct RedirectTests {
  private static func redirect(_ status: Int, to location: String, _ fields: [(String, String)] = []) -> OriginAnswer {
    .response(status, fields: [("Location", location)] + fields, text: "moved")
  }

  @Test func `redirections are followed, and only the last body is printed`() throws {
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(302, to: "/b") : .response(text: "arrived")
    }
    let run = try scenario.run("-w", " %{num_redirects} %{url_effective}", scenario.url("/a"))
    #expect(run.status == 0 && run.text == "arrived 1 \(scenario.url("/b"))")
    #expect(scenario.asked == ["/a", "/b"])
  }

  private static let chunk =
    Array("10000\r\n".utf8) + [UInt8](repeating: 0x78, count: 0x10000) + Array("\r\n".utf8)

  @Test(
    arguments: [
      (302, [], ["--no-store"]), (302, [], []), (301, [("Cache-Control", "max-age=60")], []),
      (302, [("Repr-Digest", "sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:")], ["-v"]),
    ] as [(Int, [(String, String)], [String])])
  func `the endless content of a redirection is not read to its end`(
    _ status: Int, _ fields: [(String, String)], _ options: [String]
  ) throws {
    let head = OriginAnswer.head(
      status, nil, fields: fields + [("Location", "/b"), ("Transfer-Encoding", "chunked")])
    let scenario = try Scenario { request in
      request.target == "/a" ? OriginAnswer([.bytes(head), .trickle(Self.chunk)]) : .fresh(text: "arrived")
    }
    let run = try scenario.run(options + ["-m", "20", scenario.url("/a")])
    #expect(run.status == 0 && run.text == "arrived", "\(run.diagnostics)")
    #expect(!run.diagnostics.contains("the digest that the origin promised"))
    #expect(scenario.asked == ["/a", "/b"])
  }

  @Test func `a redirection that is not read to its end removes the stored response`() throws {
    let head = OriginAnswer.head(
      302, nil, fields: [("Location", "/b"), OriginAnswer.freshForAMinute, ("Transfer-Encoding", "chunked")])
    let scenario = try Scenario { request in
      switch request.number {
      case 1: .fresh(text: "old")
      case 2: OriginAnswer([.bytes(head), .trickle(Self.chunk)])
      default: .fresh(text: "arrived")
      }
    }
    try scenario.run(scenario.url("/a"))
    #expect(try scenario.run("--reload", "-m", "20", scenario.url("/a")).text == "arrived")
    #expect(try scenario.run("--offline", scenario.url("/a")).status == 110)
  }

  @Test(arguments: [[], ["--no-store"]])
  func `the endless content of an error is not read to its end with -f`(_ options: [String]) throws {
    let head = OriginAnswer.head(404, nil, fields: [("Transfer-Encoding", "chunked")])
    let scenario = try Scenario(OriginAnswer([.bytes(head), .trickle(Self.chunk)]))
    let run = try scenario.run(options + ["-f", "-m", "20", scenario.url()])
    #expect(run.status == 22 && run.text == "" && scenario.asked.count == 1, "\(run)")
  }

  @Test func `a stored redirection costs no request`() throws {
    let scenario = try Scenario { request in
      request.target == "/a"
        ? Self.redirect(301, to: "/b", [("Cache-Control", "max-age=60")])
        : .fresh(text: "arrived")
    }
    try scenario.run(scenario.url("/a"))
    #expect(try scenario.run("--offline", scenario.url("/a")).text == "arrived")
    #expect(scenario.asked == ["/a", "/b"])
  }

  @Test func `--no-location shows the redirection`() throws {
    let scenario = try Scenario(Self.redirect(301, to: "/b"))
    let run = try scenario.run("--no-location", "-w", " %{http_code} %{redirect_url}", scenario.url("/a"))
    #expect(run.status == 0 && run.text == "moved 301 \(scenario.url("/b"))")
  }

  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
  ])
  func `a redirected POST becomes a GET or stays a POST, by the status`(_ status: Int, _ method: String, _ then: String)
    throws
  {
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(status, to: "/b") : .response(text: "ok")
    }
    try scenario.run("-d", "data", scenario.url("/a"))
    let last = try #require(scenario.origin.requests.last)
    #expect(last.method == then)
    #expect(String(decoding: last.content, as: UTF8.self) == (then == "POST" ? "data" : ""))
    #expect(last.has("Content-Type") == (then == "POST"))
  }

  @Test func `a typed method is kept when a 302 is followed`() throws {
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(302, to: "/b") : .response(text: "ok")
    }
    try scenario.run("-X", "PUT", "-d", "data", scenario.url("/a"))
    #expect(scenario.origin.requests.map(\.method) == ["PUT", "PUT"])
  }

  @Test(arguments: [
    ("POST", 301, ""), ("POST", 302, ""), ("POST", 303, ""), ("PUT", 303, ""), ("DELETE", 303, ""),
    ("GET", 303, ""), ("GET", 302, "data"),
    ("POST", 307, "data"), ("POST", 308, "data"), ("PUT", 302, "data"),
  ])
  func `a redirected request with a typed method keeps its content if the status says so`(
    _ method: String, _ status: Int, _ content: String
  ) throws {
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(status, to: "/b") : .response(text: "ok")
    }
    try scenario.run("-X", method, "-d", "data", scenario.url("/a"))
    let last = try #require(scenario.origin.requests.last)
    // After a 303, the target is fetched with GET, whatever the method was.
    #expect(last.target == "/b" && last.method == (status == 303 ? "GET" : method))
    #expect(String(decoding: last.content, as: UTF8.self) == content)
    #expect(last.has("Content-Type") == !content.isEmpty)
  }

  @Test(arguments: [
    ([";auto"], nil, true), (["http://r/;auto"], "http://r/", true), (["http://r/"], "http://r/", false),
    ([";auto", "-H", "Referer: mine"], "mine", false),
  ])
  func `-e with auto sends the URL of a redirection as the Referer`(
    _ options: [String], _ first: String?, _ isSet: Bool
  ) throws {
    let scenario = try Scenario { request in
      request.target == "/b" ? .response(text: "ok") : Self.redirect(302, to: "/b")
    }
    let typed = scenario.url("/a?b").replacing("http://", with: "http://u:p@")
    let run = try scenario.run(["-o", "/dev/null", "-w", "%{referer}", "-e"] + options + [typed + "#c"])
    let then = isSet ? scenario.url("/a?b") : first
    #expect(scenario.origin.requests.map { $0.value("Referer") } == [first, then])
    #expect(run.text == then)
  }

  @Test func `300 with a Location is followed, and an empty Location is not`() throws {
    let scenario = try Scenario { request in
      switch request.target {
      case "/a": Self.redirect(300, to: "/b")
      case "/c": Self.redirect(302, to: "")
      default: .response(text: "ok")
      }
    }
    #expect(try scenario.run(scenario.url("/a")).text == "ok")
    let run = try scenario.run("-w", " %{num_redirects}%{redirect_url}", scenario.url("/c"))
    #expect(run.status == 0 && run.text == "moved 0")
  }

  @Test(arguments: [307, 308])
  func `content that was read from a pipe is not sent to the target of a redirection`(_ status: Int) throws {
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(status, to: "/b") : .response(text: "ok")
    }
    let run = try scenario.run("-T", "-", scenario.url("/a"), throughPipe: "data")
    #expect(run.status == 65 && scenario.asked == ["PUT /a"])
  }

  @Test(arguments: ["Authorization: Bearer t", "Cookie: a=b", "X-Api-Key: k", "X-My-Secret: s"])
  func `credentials do not go to another port, and stay with the same origin`(_ line: String) throws {
    let other = try Scenario(.response(text: "other"))
    let target = other.url("/")
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(302, to: "/b") : Self.redirect(302, to: target)
    }
    try scenario.run("-H", line, scenario.url("/a"))
    let name = String(line.prefix { $0 != ":" })
    #expect(scenario.origin.requests.allSatisfy { $0.has(name) })
    #expect(other.origin.requests.map { $0.has(name) } == [false])

    try scenario.run("--location-trusted", "--no-store", "-H", line, scenario.url("/a"))
    #expect(other.origin.requests.last?.has(name) == true)
  }

  @Test(
    arguments: [
      (["-H", "Authorization: Bearer t"], "Authorization"), (["-H", "X-Api-Key: k"], "X-Api-Key"),
      (["-b", "a=b"], "Cookie"), (["-u", "a:b"], "Authorization"), (["-n"], "Authorization"),
      (["-H", "Host: typed.test"], "Host"),
      (["--location-trusted", "-H", "Authorization: Bearer t", "-H", "Host: typed.test"], "Authorization"),
      (["--location-trusted", "-n"], "Authorization"),
    ] as [([String], String)])
  func `fields for the typed origin are sent again when redirections lead back to it`(
    _ options: [String], _ name: String
  ) throws {
    let back = Monitor("")
    let other = try Scenario { request in
      request.target == "/b" ? Self.redirect(302, to: "/c") : Self.redirect(302, to: back.withLock { $0 })
    }
    let target = other.url("/b")
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(302, to: target) : .fresh([("Vary", "X-A")], text: "end")
    }
    back.withLock { $0 = scenario.url("/d") }
    let netrc = try scenario.directory.write("machine 127.0.0.1 login a password b\n", to: "netrc")
    let typed = options.flatMap { $0 == "-n" ? ["--netrc-file", netrc] : [$0] }
    #expect(try scenario.run(typed + [scenario.url("/a")]).text == "end")
    #expect(scenario.asked == ["/a", "/d"] && other.asked == ["/b", "/c"])
    let (first, last) = (scenario.origin.requests[0].value(name), scenario.origin.requests[1].value(name))
    #expect(first != nil && last == first)
    let mayGoOn = options.contains("--location-trusted") && !options.contains("-n")
    #expect(other.origin.requests.allSatisfy { ($0.value(name) == first) == mayGoOn })
    // The response is stored for requests with the same fields only.
    #expect(try scenario.run(typed + ["--offline", scenario.url("/d")]).text == "end")
    #expect(try scenario.run("--offline", scenario.url("/d")).status == 110)
  }

  @Test func `a typed Host goes to its origin alone, even with --location-trusted`() throws {
    let other = try Scenario(.response(text: "other"))
    let target = other.url("/")
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(302, to: "/b") : Self.redirect(302, to: target)
    }
    for trust in [[], ["--location-trusted"]] {
      try scenario.run(trust + ["--no-store", "-H", "Host: typed.test", scenario.url("/a")])
      #expect(scenario.origin.requests.suffix(2).map { $0.value("Host") } == ["typed.test", "typed.test"])
      #expect(other.origin.requests.last?.value("Host") == other.origin.authority)
    }
  }

  @Test func `no Referer goes from https to http, not even a typed one`() throws {
    let from = try URIReference(typed: "https://a.test/b".utf8).target
    let request = Request(.get, from, fields: ["Referer": "https://r.test/"])
    for (location, referer) in [("https://a.test/c", "https://a.test/b"), ("http://a.test/c", nil)] {
      let response = Response(302, fields: ["Location": FieldValue(location)])
      let rules = RedirectRules(setsReferer: true, allowsDowngrade: true)
      guard case .to(let next, _) = rules.redirection(of: request, .none, by: response, securedBy: nil) else {
        Issue.record("\(location) is not followed")
        continue
      }
      #expect(next.fields[.referer]?.text == referer)
    }
  }

  @Test func `-w prints the fragments of URLs, which are not sent`() throws {
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(302, to: "/b#there\u{1b}") : .response(text: "end")
    }
    let format = " %{redirect_url} %{url_effective}"
    let (from, to) = (scenario.url("/a#here"), scenario.url("/b#there%1B"))
    #expect(try scenario.run("--no-location", "-w", format, from).text == "moved \(to) \(from)")
    #expect(try scenario.run("-w", format, from).text == "end  \(to)")
    #expect(scenario.asked == ["/a", "/a", "/b"])
  }

  @Test(arguments: ["myapp://cb?code=1", "mailto:a@b", "http://ex ample/", "//"])
  func `-w prints a Location that is no URL for garner as it came`(location: String) throws {
    let scenario = try Scenario(Self.redirect(302, to: location))
    let run = try scenario.run("--no-location", "-w", " %{redirect_url}", scenario.url())
    #expect(run.status == 0 && run.text == "moved \(location)")
  }

  @Test func `a loop ends with status 47`() throws {
    let scenario = try Scenario(Self.redirect(302, to: "/again"))
    let format = "%{num_redirects} %{http_code} %{redirect_url}"
    let run = try scenario.run("--max-redirs", "3", "-w", format, scenario.url("/"))
    #expect(run.status == 47 && run.text == "3 302 \(scenario.url("/again"))")
    #expect(run.diagnostics.contains("more than 3 redirections"))
    #expect(scenario.origin.requests.count == 4)
  }

  @Test(arguments: [("ftp://example.com/", 1), ("http://exa mple/", 3), ("http://:x/", 3)])
  func `a redirection to a malformed or unsupported URL fails`(_ location: String, _ status: Int32) throws {
    let scenario = try Scenario(Self.redirect(302, to: location))
    let run = try scenario.run(scenario.url())
    #expect(run.status == status && run.diagnostics.contains(" redirects to a "))
  }

  @Test func `-w counts heads, requests and connections of all hops together, as curl does`() throws {
    let scenario = try Scenario { request in
      let fields = [("Connection", "close")]
      return request.target == "/a" ? Self.redirect(302, to: "/b", fields) : .response(fields: fields, text: "end")
    }
    let format = "|%{size_header} %{size_request} %{num_connects} %{size_download}"
    func numbers(_ arguments: String...) throws -> [Int] {
      let text = try scenario.run(["--no-store", "-w", format] + arguments).text
      return text.split(separator: "|").last.map { $0.split(separator: " ").compactMap { Int($0) } } ?? []
    }
    let first = try numbers("--no-location", scenario.url("/a"))
    let second = try numbers(scenario.url("/b"))
    let both = try numbers(scenario.url("/a"))
    #expect(both == [first[0] + second[0], first[1] + second[1], 2, 3])
  }

  @Test func `-w counts both requests when the answer to a conditional one is of no use`() throws {
    let fields = [("Connection", "close"), ("Cache-Control", "max-age=0"), ("ETag", "\"kept\"")]
    let scenario = try Scenario { request in
      let isConditional = request.has("If-None-Match")
      return isConditional ? .response(304, fields: [("ETag", "\"other\"")]) : .response(fields: fields, text: "x")
    }
    let plain = try scenario.run("-w", "|%{size_request}", scenario.url()).text.dropFirst(2)
    let both = try scenario.run("-w", "|%{num_connects} %{size_request}", scenario.url()).text.split(separator: " ")
    #expect(scenario.origin.requests.count == 3 && both.first == "x|2")
    // The first of the two requests also has a condition.
    #expect(try #require(Int(both.last ?? "")) > 2 * #require(Int(plain)))
  }

  @Test func `-w prints the figures of the last response when the next hop has none`() throws {
    let gone = try Scenario(.response())
    gone.origin.stop()
    let target = gone.url("/")
    let scenario = try Scenario(Self.redirect(302, to: target))
    let format = "%{http_code} %{num_redirects} %{url_effective} %{remote_port}"
    let run = try scenario.run("-s", "-w", format, scenario.url())
    #expect(run.status == 7 && run.text == "302 1 \(target) \(scenario.origin.port)")
  }

  @Test func `-i prints the head of every hop`() throws {
    let scenario = try Scenario { request in
      request.target == "/a" ? Self.redirect(302, to: "/b") : .response(text: "end")
    }
    let run = try scenario.run("-i", scenario.url("/a"))
    #expect(run.text.hasPrefix("HTTP/1.1 302 Found\r\n") && run.text.contains("\r\n\r\nHTTP/1.1 200 OK\r\n"))
    #expect(run.text.hasSuffix("\r\n\r\nend"))
  }
}
