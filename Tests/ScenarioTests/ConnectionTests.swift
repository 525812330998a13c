import Glibc
import HTTPSemantics
import Interface
import TestSupport
import Testing
import Transport

@testable import Client

/// The way to a host, and its effect on stored responses.
@Suite struct ConnectionTests {
  private static let fresh = OriginAnswer.fresh(text: "content")

  @Test(arguments: ["--resolve", "--connect-to"])
  func `another way to a host brings what is stored apart`(_ option: String) throws {
    let scenario = try Scenario(Self.fresh)
    let port = scenario.origin.port
    let url = "http://a.test:\(port)/"
    let value = option == "--resolve" ? "a.test:\(port):127.0.0.1" : "a.test:\(port):127.0.0.1:"
    let run = try scenario.run(option, value, url)
    #expect(run.status == 0 && run.text == "content", "\(run.diagnostics)")
    #expect(scenario.origin.requests.first?.value("Host") == "a.test:\(port)")
    #expect(try scenario.run("--offline", option, value, url).text == "content")
    #expect(try scenario.run("--offline", url).status == 110)
    #expect(try scenario.run("cache", "explain", "--require", option, value, url).status == 0)
    #expect(try scenario.run("cache", "explain", "--require", url).status == 110)
  }

  @Test(arguments: [[], ["-Z"]])
  func `the addresses given for a host count for their set of options alone`(_ options: [String]) throws {
    let scenario = try Scenario(Self.fresh)
    let url = "http://name.invalid:\(scenario.origin.port)/"
    let way = ["--resolve", "name.invalid:\(scenario.origin.port):127.0.0.1"]
    #expect(try scenario.run(options + way + [url, url + "a", "--next", url + "b"]).status == 6)
    #expect(scenario.asked.sorted() == ["/", "/a"])
    #expect(try scenario.run("--offline", url + "b").status == 110)
  }

  @Test func `over plain http, authorities count where the server of --doh-url is verified by them`() throws {
    let scenario = try Scenario(Self.fresh)
    let server = ["--doh-url", "https://192.0.2.1/"]
    let authority = ["--cacert", try scenario.directory.write("certificates", to: "one.pem")]
    let other = ["--cacert", try scenario.directory.write("others", to: "other.pem")]
    // The host is an address, which needs no name resolution.
    #expect(try scenario.run(server + authority + [scenario.url()]).text == "content")
    #expect(try scenario.run(["--offline"] + server + authority + [scenario.url()]).text == "content")
    for apart in [server, server + other, authority, []] {
      #expect(try scenario.run(["--offline"] + apart + [scenario.url()]).status == 110, "\(apart)")
    }
    #expect(try scenario.run([scenario.url()]).text == "content")
    #expect(try scenario.run(["--offline"] + authority + [scenario.url()]).text == "content")
  }

  @Test(arguments: [["-k"], ["--cacert", "/dev/null"]])
  func `over plain http, authorities are part of the key where a proxy is reached over TLS`(_ trust: [String]) throws {
    let scenario = try Scenario(Self.fresh)
    scenario.transport = RecordingTransport { _ in
      Response(200, fields: ["Cache-Control": "max-age=60", "Content-Length": "0"])
    }
    let proxy = ["-x", "HTTPS://127.0.0.1:1"]
    #expect(try scenario.run(proxy + trust + ["http://a.test/"]).status == 0)
    #expect(try scenario.run(["--offline"] + proxy + trust + ["http://a.test/"]).status == 0)
    for apart in [proxy, trust, []] {
      #expect(try scenario.run(["--offline"] + apart + ["http://a.test/"]).status == 110, "\(apart)")
    }
    #expect(try scenario.run(["-x", "http://127.0.0.1:1"] + trust + ["http://a.test/"]).status == 0)
    #expect(try scenario.run(["--offline", "http://a.test/"]).status == 0)
  }

  @Test func `options that weaken certificate checks separate the responses fetched with them`() throws {
    let scenario = try Scenario(Self.fresh)
    scenario.transport = RecordingTransport { _ in
      Response(200, fields: ["Cache-Control": "max-age=60", "Content-Length": "0"])
    }
    let weak = ["--ciphers", "DEFAULT@SECLEVEL=0"]
    #expect(try scenario.run(weak + ["https://a.test/"]).status == 0)
    #expect(try scenario.run(["--offline"] + weak + ["https://a.test/"]).status == 0)
    for apart in [[], ["--ciphers", "DEFAULT"], ["--ciphers", "DEFAULT@SECLEVEL=1"]] {
      #expect(try scenario.run(["--offline"] + apart + ["https://a.test/"]).status == 110, "\(apart)")
    }
    #expect(try scenario.run(["cache", "check", "--offline"] + weak + ["https://a.test/"]).status == 0)
    #expect(try scenario.run("--ciphers", "DEFAULT", "https://a.test/").status == 0)
    #expect(try scenario.run("--offline", "https://a.test/").status == 0)
  }

  @Test func `a socket in the file system is connected to, whatever the host`() throws {
    let scenario = try Scenario(Self.fresh)
    let run = try scenario.run("--unix-socket", scenario.directory.path("missing"), scenario.url())
    #expect(run.status == 7 && scenario.origin.connectionCount == 0)
  }

  @Test func `a way that does not show is no way that is known`() throws {
    let scenario = try Scenario(Self.fresh)
    let run = try scenario.run(
      "-v", "--reachability", "auto", "--unix-socket", scenario.directory.path("missing"), "http://a.test/")
    #expect(run.diagnostics.contains("reachability: wifi (--unix-socket leads to this machine)"))
    let other = try scenario.run("-v", "--reachability", "auto", "--interface", "nonsense0", "http://a.test/")
    #expect(other.diagnostics.contains("reachability: unknown (--interface selects a route that is unknown)"))
  }

  @Test func `the system's error of one transfer is not told of the next`() throws {
    let scenario = try Scenario(.response(text: "body"))
    let run = try scenario.run(
      "--no-store", "http://127.0.0.1:1/", "--next", "--interface", "nonsense0", scenario.url())
    let alone = try scenario.run("--no-store", "--interface", "nonsense0", scenario.url())
    #expect(alone.status == 45 && run.diagnostics.contains(alone.diagnostics), "\(run.diagnostics)")
  }

  @Test func `an interface is connected from`() throws {
    let scenario = try Scenario(Self.fresh)
    #expect(try scenario.run("--interface", "127.0.0.2", scenario.url()).status == 0)
    #expect(try scenario.run("--reload", "--interface", "nonsense0", scenario.url()).status == 45)
  }

  @Test(
    arguments: [("socks9://127.0.0.1:1", 7), ("ftp://127.0.0.1:1", 7), ("a b", 5), ("http://127.0.0.1:99999", 5)]
      as [(String, Int32)])
  func `a proxy that cannot be meant is named, and nothing stale hides it`(_ proxy: String, _ status: Int32) throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=1")], text: "content"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    let run = try scenario.run("-x", proxy, scenario.url())
    #expect(run.status == status && run.text == "")
    #expect(run.diagnostics.contains(": the proxy cannot be used: Unsupported proxy "), "\(run.diagnostics)")
    #expect(scenario.origin.requests.count == 1)
  }

  @Test(arguments: [[], ["-s"]])
  func `TLS of at least 1.3 and at most 1.2 is a contradiction, told in any case`(_ options: [String]) throws {
    let scenario = try Scenario(Self.fresh)
    let run = try scenario.run(options + ["--tlsv1.3", "--tls-max", "1.2", scenario.url()])
    #expect(run.status == 2 && scenario.origin.requests.isEmpty)
    #expect(run.diagnostics == "garner: --tlsv1.3 and --tls-max 1.2 contradict each other\n")
  }

  @Test(arguments: [("502 Bad Gateway", 56), ("200 OK", 35)] as [(String, Int32)])
  func `-w reports a proxy's answer to CONNECT`(_ answer: String, _ status: Int32) throws {
    let proxy = try Scenario(.raw("HTTP/1.1 \(answer)\r\n\r\n"))
    let run = try proxy.run(
      "-s", "-x", proxy.url(), "-w", "%{http_connect} %{http_code}", "https://a.test/")
    #expect(run.status == status && run.text == "\(answer.prefix(3)) 000", "\(run)")
    let plain = try proxy.run("-s", "-x", proxy.url(), "-o", "/dev/null", "-w", "%{http_connect}", "http://a.test/")
    #expect(plain.text == "000")
  }

  @Test(arguments: [407, 403, 502, 302])
  func `the message names the answer of a proxy that opens no tunnel`(_ status: Int) throws {
    let proxy = try Scenario(.response(status, fields: [("Location", "http://a.test/")], text: "no"))
    let run = try proxy.run("-x", proxy.url(), "https://a.test/")
    #expect(run.status == 56 && run.text == "" && proxy.origin.requests.count == 1)
    #expect(
      run.diagnostics.contains("https://a.test/: the proxy refused to open a tunnel: it answered \(status)\n"), "\(run)"
    )
    #expect(run.diagnostics.contains("hint: --proxy-user ") == (status == 407))
  }

  @Test func `a tunnel is asked for without Proxy-Connection`() throws {
    let proxy = try Scenario(.response(502))
    try proxy.run("-s", "-x", proxy.url(), "https://a.test/")
    let asked = try #require(proxy.origin.requests.first)
    #expect(asked.method == "CONNECT" && !asked.has("Proxy-Connection"))
  }

  @Test func `a tunnel is asked for with the User-Agent of the request`() throws {
    let proxy = try Scenario(.response(502))
    try proxy.run("-s", "-x", proxy.url(), "-A", "me/1", "https://a.test/")
    try proxy.run("-s", "-x", proxy.url(), "-A", "", "https://a.test/")
    let agents = proxy.origin.requests.map { "\($0.method) \($0.value("User-Agent") ?? "none")" }
    #expect(agents == ["CONNECT me/1", "CONNECT none"])
  }

  @Test(arguments: [(503, 0, "stored"), (407, 56, "")])
  func `a tunnel that is refused is no way to the origin, but for want of credentials`(
    _ answer: Int, _ status: Int32, _ text: String
  ) throws {
    let proxy = try Scenario(.response(answer))
    let page = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nCache-Control: max-age=1\r\nContent-Length: 6\r\n\r\nstored"
    let archive = try proxy.directory.write(Self.archived(page, from: "https://a.test/"), to: "page.warc")
    #expect(try proxy.run("cache", "import", archive).status == 0)
    proxy.clock.advance(bySeconds: 100)
    let run = try proxy.run("-s", "-x", proxy.url(), "https://a.test/")
    #expect((run.status, run.text) == (status, text))
  }

  private static func archived(_ response: String, from url: String) -> String {
    let record = """
      WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n\
      WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: \(url)\r\n\
      Content-Type: application/http;msgtype=response\r\nContent-Length: \(response.utf8.count)\r\n\r\n
      """
    return record + response + "\r\n\r\n"
  }

  @Test func `a proxy is asked for what is not left out, with its own credentials`() throws {
    let proxy = try Scenario(.response(text: "proxied"))
    let scenario = try Scenario(.response(text: "direct"))
    let run = try scenario.run("-x", proxy.url(), "-U", "me:p", "http://a.test/")
    #expect(run.text == "proxied")
    let asked = try #require(proxy.origin.requests.first)
    #expect(asked.target == "http://a.test/" && asked.value("Proxy-Authorization") == "Basic bWU6cA==")
    #expect(!asked.has("Proxy-Connection"))
    let named = proxy.url().replacing("http://", with: "http://u:q@")
    #expect(try scenario.run("-x", named, "-U", "me:p", "http://b.test/").text == "proxied")
    #expect(proxy.origin.requests.last?.value("Proxy-Authorization") == "Basic dTpx")
    #expect(try scenario.run("-x", proxy.url(), "--noproxy", "127.0.0.1", scenario.url()).text == "direct")
  }

  @Test func `a name that is not found is told of with the server that was asked for it`() throws {
    let run = try Scenario(.response()).run("--doh-url", "https://127.0.0.1:1/", "http://a.test/")
    let hint = "hint: the name was looked up at the server of --doh-url; -v "
    #expect(run.status == 6 && run.diagnostics.contains(hint), "\(run)")
  }

  @Test func `HTTP 1.0 is asked in where that is ordered`() throws {
    let scenario = try Scenario(.response(text: "x"))
    #expect(try scenario.run("-0", scenario.url()).status == 0)
    #expect(scenario.origin.requests.first?.version == "HTTP/1.0")
  }

  @Test func `a scheme that is not allowed is not asked, nor redirected to`() throws {
    let scenario = try Scenario(.response(302, fields: [("Location", "/b")]))
    let run = try scenario.run("--proto", "=https", scenario.url())
    #expect(run.status == 1 && run.diagnostics.contains("--proto leaves out http"))
    #expect(scenario.origin.connectionCount == 0)
    let redirected = try scenario.run("--proto-redir", "-http", scenario.url())
    #expect(redirected.status == 1 && redirected.diagnostics.contains("leaves out http"))
    #expect(scenario.asked == ["/"])
  }

  @Test(arguments: [
    ("https://a.test/", "https://a.test/x", true), ("https://a.test/", "https://b.test/", false),
    ("https://a.test/", "https://a.test:8443/", false), ("http://a.test/", "https://a.test/", true),
    ("http://a.test/", "https://b.test/", false), ("http://a.test:8080/", "https://a.test/", false),
  ])
  func `a client's certificate is for the origin that was typed`(_ typed: String, _ next: String, _ isShown: Bool)
    throws
  {
    let requests = try [typed, next].map { Request(.get, try URIReference.typed(Array($0.utf8)).target) }
    #expect(RedirectRules().showsClientCertificate(to: requests[1], after: requests[0]) == isShown)
    #expect(RedirectRules(trustsEveryOrigin: true).showsClientCertificate(to: requests[1], after: requests[0]))
  }

  static let downgradeRows: [(RedirectRules, Redirection?)] = [
    (RedirectRules(), .downgrade(plain)),
    (RedirectRules(allowsDowngrade: true), nil),
    (RedirectRules(schemes: .init(http: false, https: true), allowsDowngrade: true), .forbidden(plain)),
  ]

  private static let plain = TargetURI(
    origin: TargetURI.Origin(scheme: .http, host: "a.test", port: 80), pathAndQuery: "/")

  @Test(arguments: downgradeRows)
  func `from https to http is allowed by name only`(_ rules: RedirectRules, _ refusal: Redirection?) {
    let request = Request(
      .get, TargetURI(origin: TargetURI.Origin(scheme: .https, host: "a.test", port: 443), pathAndQuery: "/"))
    let response = Response(302, fields: [.location: "http://a.test/"])
    let redirection = rules.redirection(of: request, .none, by: response, securedBy: nil)
    #expect(redirection == refusal ?? .to(Request(.get, Self.plain), .none))
  }

  @Test func `a redirection from https to http sends no Referer`() {
    let origin = TargetURI.Origin(scheme: .https, host: "a.test", port: 443)
    let (secure, next) = (TargetURI(origin: origin, pathAndQuery: "/s"), TargetURI(origin: origin, pathAndQuery: "/t"))
    let request = Request(.get, secure, fields: [.referer: "http://typed.test/"])
    let rules = RedirectRules(setsReferer: true, allowsDowngrade: true)
    let downgrade = rules.redirection(
      of: request, .none, by: Response(302, fields: [.location: "http://a.test/"]), securedBy: nil)
    #expect(downgrade == .to(Request(.get, Self.plain), .none))
    let same = rules.redirection(of: request, .none, by: Response(302, fields: [.location: "/t"]), securedBy: nil)
    #expect(same == .to(Request(.get, next, fields: [.referer: "https://a.test/s"]), .none))
  }

  @Test func `a host that is to be asked over TLS is looked up as such`() throws {
    let scenario = try Scenario(Self.fresh)
    let file = try scenario.directory.write(".a.test \"20991231 00:00:00\"\n", to: "hsts")
    let run = try scenario.run("--hsts", file, "--offline", "-w", "%{url_effective}", "http://www.a.test/b")
    #expect(run.status == 110 && run.text == "https://www.a.test/b")
    #expect(
      try scenario.run("--offline", "-w", "%{url_effective}", "http://www.a.test/b").text == "http://www.a.test/b")
  }

  /// A transport whose responses all have Strict-Transport-Security.
  private final class StrictTransport: Transport {
    private let meanwhile: @Sendable () -> Void

    init(meanwhile: @escaping @Sendable () -> Void = {}) { self.meanwhile = meanwhile }

    func send(
      _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
    ) throws(TransportError) {
      meanwhile()
      let fields: Fields = ["Strict-Transport-Security": "max-age=60", "Content-Length": "0"]
      _ = receiver.receive(head: Response(200, fields: fields), framing: .storable)
    }
  }

  @Test func `a file of such hosts that cannot be written is warned about`() throws {
    let scenario = try Scenario(Self.fresh)
    scenario.transport = StrictTransport()
    let kept = scenario.directory.path("hosts")
    let run = try scenario.run("--hsts", kept, "https://a.test/")
    #expect(try run.status == 0 && String(decoding: readFile(kept), as: UTF8.self).contains("\na.test "))
    let lost = scenario.directory.path("absent/hosts")
    let warned = try scenario.run("--hsts", lost, "https://a.test/")
    let reason = "the hosts of --hsts are not saved: cannot write \(lost): No such file or directory\n"
    #expect(warned.status == 0 && warned.diagnostics == "garner: warning: " + reason, "\(warned)")
  }

  /// A transport that ends every transfer with the same error number of libcurl.
  private struct FailingTransport: Transport {
    let code: Int32

    func send(
      _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
    ) throws(TransportError) {
      throw .other(CurlFailure(code: code, reason: "it failed"))
    }
  }

  @Test(
    "An error number of libcurl that has no exit status of its own ends the run with a similar one",
    arguments: [(47, 47), (90, 90), (4, 2), (43, 2), (49, 2), (91, 56), (111, 56)] as [(Int32, Int32)])
  func listedStatus(_ code: Int32, _ status: Int32) throws {
    let scenario = try Scenario(Self.fresh)
    scenario.transport = FailingTransport(code: code)
    #expect(try scenario.run(scenario.url()).status == status)
  }

  @Test(arguments: [[], ["-Z", "--parallel-max", "2"]])
  func `a file of alternatives holds each of them once, whatever a run fetches`(_ options: [String]) throws {
    let scenario = try Scenario(Self.fresh)
    let lines = ["a.test", "b.test"].map { "h2 \($0) 443 h2 c.test 443 \"20991231 00:00:00\" 0 0" }
    let file = try scenario.directory.write(lines.map { $0 + "\n" }.joined(), to: "kept")
    let urls = (1...5).map { scenario.url("/\($0)") }
    for _ in 1...2 { #expect(try scenario.run(options + ["--reload", "--alt-svc", file] + urls).status == 0) }
    let kept = String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(kept.map(String.init) == lines)
  }

  @Test(arguments: [("absent", "No such file or directory"), (".", "Is a directory")])
  func `a file of keys that cannot be read is told of before anything is sent`(_ name: String, _ why: String) throws {
    let scenario = try Scenario(Self.fresh)
    let file = scenario.directory.path(name)
    let run = try scenario.run("--pinnedpubkey", file, scenario.url())
    #expect(run.status == 26 && run.diagnostics == "garner: cannot read \(file): \(why)\n")
  }

  @Test func `hosts that cannot be read any more when a run ends stay in their file`() throws {
    let scenario = try Scenario(Self.fresh)
    let file = try scenario.directory.write("b.test \"20991231 00:00:00\"\n", to: "hosts")
    // More than the limit up to which the file is read.
    scenario.transport = StrictTransport { truncate(file, 17 << 20) }
    let run = try scenario.run("--hsts", file, "https://a.test/")
    let reason = "the hosts of --hsts are not saved: cannot read \(file): it has more than 16 MiB\n"
    #expect(run.status == 0 && run.diagnostics == "garner: warning: " + reason, "\(run)")
    #expect(try readFile(file).count == 17 << 20)
  }

  @Test func `a file that cannot be read is not overwritten`() throws {
    let scenario = try Scenario(.response(fields: [("Set-Cookie", "a=b")], text: "text"))
    let directory = scenario.directory.path("")
    for options in [["--hsts", directory], ["-b", directory, "-c", directory]] {
      let run = try scenario.run(options + [scenario.url()])
      let reason = "garner: warning: cannot read \(directory): Is a directory\n"
      #expect(run.status == 0 && run.diagnostics.hasPrefix(reason), "\(run)")
    }
  }

  @Test func `a file that is no text for its size is not read`() throws {
    let scenario = try Scenario(.response(fields: [("Set-Cookie", "a=b")], text: "text"))
    let file = try scenario.directory.write("", to: "huge")
    try checked("truncate", truncate(file, 17 << 20))
    let reason = "cannot read \(file): it has more than 16 MiB\n"
    for option in ["--hsts", "-b"] {
      let run = try scenario.run(option, file, scenario.url())
      #expect(run.status == 0 && run.diagnostics == "garner: warning: " + reason)
    }
    for (option, status) in [("-w", 26), ("-K", 26), ("-H", 26)] {
      let run = try scenario.run(option, option == "-K" ? file : "@" + file, scenario.url())
      #expect(run.status == status && run.diagnostics == "garner: " + reason, "\(option): \(run)")
    }
  }

  @Test func `the file of such hosts is read as it is written`() {
    let text = """
      # Your HSTS cache.
      .a.test "20260101 00:01:00"
      b.test "unlimited"
      c.test "soon"
      d.test
      """
    let entries = StrictHostFile.read(Array(text.utf8))
    #expect(
      entries == [
        .init(host: "a.test", includesSubdomains: true, expiry: Timestamp(secondsSinceEpoch: 1_767_225_660)),
        .init(host: "b.test", includesSubdomains: false, expiry: nil),
      ])
    #expect(StrictHostFile.read(StrictHostFile.write(entries)) == entries)
  }
}
