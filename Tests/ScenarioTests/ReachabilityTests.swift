import HTTPSemantics
import TestSupport
import Testing
import Transport

/// The state of the network selects the cache policy, as with AFNetworking's reachability manager.
@Suite struct ReachabilityTests {
  /// A URL whose host is not this machine. The first run fetches it through a proxy.
  private static let target = "http://origin.example/a"

  private let transport = NoWayOut()

  /// A store with a stale response for the target, and a network of this one link, or without a route.
  private func scenario(_ name: String, _ link: FakeNetwork.Link?) throws -> Scenario {
    let scenario = try Scenario { request in
      validated(request, etag: "\"e\"", fields: [("Cache-Control", "max-age=60")], text: "\(request.number)")
    }
    let network = try FakeNetwork()
    if let link {
      try network.add(name, link)
      try network.setRoutes(ipv4: [FakeNetwork.everywhere(name)])
    }
    scenario.network = network
    try scenario.run("-x", scenario.url(), Self.target)
    scenario.clock.advance(bySeconds: 61)
    scenario.transport = transport
    return scenario
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let state: String
    let interface: String
    let link: FakeNetwork.Link?
    let policy: String
    /// The `%{cache_result}` of a run with a stale response in the store.
    let result: String

    var testDescription: String { state }
  }

  static let rows: [Row] = [
    Row(state: "not-reachable", interface: "-", link: nil, policy: "cache-only", result: "stale"),
    Row(state: "wwan", interface: "wwan0", link: .modem, policy: "cache-else-load", result: "stale"),
    Row(state: "wifi", interface: "wlan0", link: .wireless, policy: "protocol", result: "disconnected"),
    Row(state: "wifi", interface: "eth0", link: .wired, policy: "protocol", result: "disconnected"),
    Row(state: "unknown", interface: "tap0", link: .tunnel, policy: "protocol", result: "disconnected"),
  ]

  @Test(arguments: rows)
  func `each state of the network selects its policy`(_ row: Row) throws {
    let scenario = try scenario(row.interface, row.link)
    let shown = try scenario.run("network")
    #expect(shown.status == 0)
    #expect(shown.text.hasPrefix("\(row.state)\t\(row.policy)\t\(row.interface)\t"))

    // A run that asks the network falls back to the stored response, and says so.
    let run = try scenario.run("--reachability", "auto", "-v", Self.target)
    #expect(run.status == 0 && run.text == "1")
    #expect(run.diagnostics.hasPrefix("* reachability: \(row.state) ("))
    #expect(run.diagnostics.contains("): the cache policy is \(row.policy)\n"))
    #expect(run.diagnostics.contains("cannot fetch") == (row.result == "disconnected"))
  }

  @Test func `without a route nothing is sent, and an absent response is status 110 with the reason`() throws {
    let scenario = try scenario("eth0", FakeNetwork.Link.wired.unplugged)
    let run = try scenario.run("--reachability", "auto", "http://origin.example/b")
    #expect(run.status == 110 && run.text == "")
    #expect(
      run.diagnostics == """
        garner: http://origin.example/b is not in the cache, and nothing may be sent
        hint: --reachability has selected cache-only, because the network is not reachable: the link of eth0 is down

        """)
    #expect(transport.sentCount == 0)
  }

  @Test func `a mobile network is used only for a response that is not stored`() throws {
    let scenario = try scenario("wwan0", .modem)
    try scenario.run("--reachability", "auto", Self.target)
    #expect(transport.sentCount == 0)
    try scenario.run("--reachability", "auto", "http://origin.example/b")
    #expect(transport.sentCount == 1)
  }

  @Test(arguments: [
    ("not-reachable", "stale"), ("wwan", "stale"), ("wifi", "validated"), ("lan", "validated"),
    ("unknown", "validated"),
  ])
  func `a state that --reachability names is taken for the network's`(_ state: String, _ result: String) throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"e\"", fields: [("Cache-Control", "max-age=60")], text: "x")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    let run = try scenario.run("--reachability", state, "-w", "|%{cache_result}", scenario.url())
    #expect(run.text == "x|\(result)")
  }

  @Test func `this machine is always reachable`() throws {
    let scenario = try scenario("eth0", nil)
    scenario.transport = nil
    let run = try scenario.run("--reachability", "auto", "-v", scenario.url("/b"))
    #expect(run.status == 0 && run.text == "2")
    #expect(
      run.diagnostics.hasPrefix("* reachability: wifi (the host is this machine): the cache policy is protocol\n"))
    #expect(try scenario.run("network", "localhost:8080").text == "wifi\tprotocol\t-\tthe host is this machine\n")
  }

  @Test(arguments: ["", "0"])
  func `the network's state selects a policy only if nothing stronger names one`(_ offline: String) throws {
    let scenario = try scenario("eth0", nil)
    scenario.environment["GARNER_OFFLINE"] = offline
    #expect(try scenario.run("--reachability", "auto", "http://origin.example/b").status == 110)
    #expect(transport.sentCount == 0)
    // --reload is the user's own order: the run tries it, and does not report a choice by the network's state.
    let reload = try scenario.run("--reachability", "auto", "--reload", "-v", Self.target)
    #expect(transport.sentCount == 1)
    #expect(!reload.diagnostics.contains("reachability"))
    scenario.environment["GARNER_OFFLINE"] = "strict"
    let strict = try scenario.run("--reachability", "wifi", "http://origin.example/b")
    #expect(strict.status == 110 && transport.sentCount == 1)
    #expect(strict.diagnostics.hasSuffix("hint: offline is set by GARNER_OFFLINE\n"))
  }

  @Test func `--reachability-policy says which policy a state selects`() throws {
    let scenario = try scenario("eth0", nil)
    let mapping = ["--reachability-policy", "not-reachable=network-first", "--reachability-policy", "lan=no-store"]
    try scenario.run(["--reachability", "auto"] + mapping + [Self.target])
    #expect(transport.sentCount == 1)
    #expect(try scenario.run(["network"] + mapping).text.hasPrefix("not-reachable\tnetwork-first\t"))
    #expect(try scenario.run(["network", "--reachability", "wifi"] + mapping).text.hasPrefix("wifi\tno-store\t"))
  }

  @Test(arguments: [
    ("http_proxy", "http://127.0.0.1:3128"), ("all_proxy", "socks5h://user:pass@localhost:9050/"),
    ("http_proxy", "[::1]:3128"),
  ])
  func `behind a proxy on this machine, the state of the network is unknown`(_ variable: String, _ proxy: String) throws
  {
    let scenario = try scenario("eth0", nil)
    scenario.environment[variable] = proxy
    #expect(
      try scenario.run("network", Self.target).text.hasPrefix("unknown\tprotocol\t-\tthe proxy is on this machine"))
    // An empty -x, which means no proxy, overrides the environment's proxy.
    let direct = try scenario.run("--reachability", "auto", "-x", "", "http://origin.example/b")
    #expect(direct.status == 110)
  }

  static let ways: [([String], String, String)] = [
    (["--resolve", "origin.example:80:127.0.0.1"], target, "wifi"),
    (["--resolve", "*:80:192.0.2.1,[::1]"], target, "wifi"),
    (["--resolve", "+ORIGIN.example:80:127.0.0.1"], target, "wifi"),
    (["--resolve", "origin.example:81:127.0.0.1"], target, "not-reachable"),
    (["--resolve", "origin.example:80:192.0.2.1"], target, "not-reachable"),
    (["--resolve", "origin.example:80:127.0.0.1", "--resolve", "-origin.example:80"], target, "not-reachable"),
    (["--resolve", "localhost:80:192.0.2.1"], "http://localhost/", "not-reachable"),
    (["--connect-to", "::127.0.0.1:18310"], target, "wifi"),
    (["--connect-to", "origin.example:80:[::1]:"], target, "wifi"),
    (["--connect-to", "Origin.example::localhost:80"], target, "wifi"),
    (["--connect-to", "origin.example:81:127.0.0.1:"], target, "not-reachable"),
    (["--connect-to", "other.example::127.0.0.1:"], target, "not-reachable"),
    (["--connect-to", "::192.0.2.1:", "--connect-to", "::127.0.0.1:"], target, "not-reachable"),
    (["--connect-to", "::192.0.2.1:"], "http://localhost/", "not-reachable"),
    (["--connect-to", ":::81", "--resolve", "origin.example:81:127.0.0.1"], target, "wifi"),
    (["--connect-to", "::near.example:", "--resolve", "near.example:80:127.0.0.1"], target, "wifi"),
  ]

  @Test(arguments: ways)
  func `the state is that of the address to which --resolve and --connect-to lead`(
    _ options: [String], _ target: String, _ state: String
  ) throws {
    let scenario = try scenario("eth0", nil)
    let run = try scenario.run(["--reachability", "auto", "-v"] + options + [target])
    #expect(run.diagnostics.hasPrefix("* reachability: \(state) ("), "\(run)")
  }

  @Test(arguments: [
    ("*", "not-reachable"), ("origin.example", "not-reachable"), ("a.example, .EXAMPLE.", "not-reachable"),
    ("", "unknown"), ("rigin.example", "unknown"), ("www.origin.example", "unknown"), ("example.org", "unknown"),
  ])
  func `the state of a host that is reached without the proxy is that of the routes`(_ exempt: String, _ state: String)
    throws
  {
    let scenario = try scenario("eth0", nil)
    let proxied = ["--reachability", "auto", "-v", "-x", "http://127.0.0.1:9"]
    let typed = try scenario.run(proxied + ["--noproxy", exempt, Self.target])
    #expect(typed.diagnostics.hasPrefix("* reachability: \(state) ("), "\(typed)")
    for name in ["no_proxy", "NO_PROXY"] {
      scenario.environment = [name: exempt]
      let run = try scenario.run(proxied + [Self.target])
      #expect(run.diagnostics.hasPrefix("* reachability: \(state) ("), "\(run)")
    }
    // A typed option overrides the environment.
    let none = try scenario.run(proxied + ["--noproxy", "", Self.target])
    #expect(none.diagnostics.hasPrefix("* reachability: unknown ("), "\(none)")
  }

  @Test func `the state behind a proxy on another machine is that of the routes`() throws {
    let scenario = try scenario("eth0", .wired)
    scenario.environment["http_proxy"] = "http://localhost.example:3128"
    #expect(try scenario.run("network", Self.target).text.hasPrefix("wifi\tprotocol\teth0\t"))
  }

  @Test func `without --reachability, the network's state is not read, and changes nothing`() throws {
    let scenario = try scenario("eth0", nil)
    scenario.transport = nil
    let run = try scenario.run("-v", scenario.url("/b"))
    #expect(run.status == 0 && !run.diagnostics.contains("reachability"))
    #expect(try scenario.run("--reachability", "auto", "--reachability", "off", scenario.url("/c")).status == 0)
  }

  @Test func `garner network --json prints all that is known of the state`() throws {
    let scenario = try scenario("wlan0", .wireless)
    let network = try #require(scenario.network)
    try network.add("tun0", .tunnel)
    try network.setRoutes(
      ipv4: [FakeNetwork.everywhere("tun0"), FakeNetwork.everywhere("wlan0", metric: 600)])
    #expect(
      try scenario.run("network", "--json").text
        == #"{"state":"wifi","policy":"protocol","in_force":false,"interface":"wlan0","medium":"wireless","#
        + #""tunnel":"tun0","reason":"the default route leads through tun0 and over wlan0, which is wireless"}"# + "\n")
    let forced = try scenario.run("network", "--json", "--reachability", "auto").text
    #expect(forced.contains(#""in_force":true"#))
  }

  @Test func `garner network refuses a malformed or unsupported URL, and an unknown state`() throws {
    let scenario = try scenario("eth0", nil)
    #expect(try scenario.run("network", "ftp://a/").status == 1)
    #expect(try scenario.run("network", "http://[").status == 3)
    #expect(try scenario.run("network", "--reachability", "3g").status == 2)
  }
}

@Suite struct UnresolvedHostTests {
  @Test(
    "The message about an unknown host that is spelt almost like a command suggests the command",
    arguments: [
      ("caceh", "garner cache"), ("prefech", "garner prefetch"), ("ls", "garner cache ls"),
      ("version", "garner --version"), ("example", nil), ("caceh.test", nil), ("caceh/x", nil), ("caceh:81", nil),
      ("https://caceh", nil), ("complete", nil),
    ] as [(String, String?)])
  func command(_ operand: String, _ command: String?) throws {
    let scenario = try Scenario(.response(text: ""))
    scenario.transport = NoWayOut()
    let run = try scenario.run(operand)
    #expect(run.status == 6 && run.diagnostics.hasPrefix("garner: cannot fetch http"))
    let hints = run.diagnostics.split(separator: "\n").dropFirst()
    #expect(hints.joined() == (command.map { "hint: did you mean '\($0)'?" } ?? ""))
  }

  @Test func `the name of a file in the place of a URL causes a hint about the options for files`() throws {
    let scenario = try Scenario(.response(text: ""))
    let list = try scenario.directory.write("\(scenario.url())\n", to: "urls")
    let run = try scenario.run(list)
    #expect(run.status == 3)
    let hint = "hint: \(list) is a file: --input-file reads URLs from one, and --output writes one\n"
    #expect(run.diagnostics.hasSuffix("is malformed: it has no host\n" + hint), "\(run.diagnostics)")
    #expect(try !scenario.run(list + "x").diagnostics.contains("hint: "))
  }

  @Test(arguments: ["/tmp/page", "page.test", "-"])
  func `a file name behind -O causes a hint about wget's -O`(_ name: String) throws {
    let scenario = try Scenario(.response(text: ""))
    scenario.transport = NoWayOut()
    let hint = "hint: wget's -O FILE is --output FILE: -O has no value here\n"
    #expect(try scenario.run("-O", name, scenario.url()).diagnostics.contains(hint))
    #expect(try !scenario.run("-O", scenario.url(), name).diagnostics.contains(hint))
    #expect(try !scenario.run(name, scenario.url()).diagnostics.contains(hint))
  }
}

/// A transport that cannot resolve any name, and counts the messages.
private final class NoWayOut: Transport {
  private(set) var sentCount = 0

  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    sentCount += 1
    throw .couldNotResolve(host: message.request.target.origin.host)
  }
}
