import TestSupport
import Testing

/// A host name beyond ASCII means the same as its ASCII form, wherever it is used.
@Suite struct HostNameTests {
  private static let labels = "xn--bcher-kva.example"
  private static let spellings = [
    "bücher.example", "BÜCHER.example", "b%C3%BCcher.example", "bu\u{308}cher\u{3002}example",
  ]

  private func route(_ scenario: Scenario) -> [String] { ["--connect-to", "::127.0.0.1:\(scenario.origin.port)"] }

  @Test(arguments: spellings) func `a response stored for one spelling of a host is stored for all`(_ host: String)
    throws
  {
    let scenario = try Scenario(.fresh(text: "content"))
    try scenario.run(route(scenario) + ["http://\(host)/a"])
    #expect(scenario.origin.requests.first?.value("Host") == Self.labels)
    let run = try scenario.run(
      "--offline", "-w", " %{url_effective}", "--connect-to", "::127.0.0.1:\(scenario.origin.port)",
      "http://\(Self.labels)/a")
    #expect(run.status == 0 && run.text == "content http://\(Self.labels)/a")
    #expect(try scenario.run("cache", "ls", "http://\(host)/a").text.contains("http://\(Self.labels)/a"))
    #expect(try scenario.run("cache", "ls", "\(host)/*").text.contains("http://\(Self.labels)/a"))
    #expect(try scenario.run("cache", "show", "http://\(host)/a").status == 0)
    #expect(try scenario.run("cache", "rm", "http://\(host)/a").status == 0)
    #expect(scenario.entryFiles.isEmpty)
  }

  @Test(arguments: spellings) func `an unsafe request invalidates other spellings of its host`(_ host: String) throws {
    let scenario = try Scenario(.fresh(text: "content"))
    try scenario.run(route(scenario) + ["http://\(Self.labels)/a"])
    try scenario.run(route(scenario) + ["-X", "DELETE", "http://\(host)/a"])
    #expect(scenario.entryFiles.isEmpty)
  }

  @Test(arguments: ["127.1", "0x7F000001", "2130706433", "%31%32%37.0.0.1"])
  func `an IPv4 address is one host, however it is spelt`(_ spelling: String) throws {
    let scenario = try Scenario(.fresh(text: "content"))
    let port = scenario.origin.port
    let logins = try scenario.directory.write("machine 127.0.0.1 login a password b\n", to: "netrc")
    let first = try scenario.run("--netrc-file", logins, "http://\(spelling):\(port)/a")
    #expect(first.status == 0 && first.text == "content")
    let request = try #require(scenario.origin.requests.first)
    #expect(request.value("Host") == "127.0.0.1:\(port)" && request.value("Authorization") == "Basic YTpi")
    let run = try scenario.run("--offline", "-u", "a:b", "-w", " %{url_effective}", scenario.url("/a"))
    #expect(run.status == 0 && run.text == "content \(scenario.url("/a"))")
    try scenario.run("-X", "DELETE", "http://\(spelling):\(port)/a")
    #expect(scenario.entryFiles.isEmpty)
  }

  @Test func `HSTS, netrc and cookies of a host hold for each spelling of its name`() throws {
    let scenario = try Scenario(.fresh(text: "content"))
    let hosts = try scenario.directory.write("\(Self.labels) \"20991231 00:00:00\"\n", to: "hosts")
    let logins = try scenario.directory.write("machine \(Self.labels) login a password b\n", to: "netrc")
    let cookies = try scenario.directory.write("\(Self.labels)\tFALSE\t/\tFALSE\t0\tname\tvalue\n", to: "cookies")
    for host in Self.spellings {
      let strict = try scenario.run("--offline", "--hsts", hosts, "-w", "%{url_effective}", "http://\(host)/")
      #expect(strict.status == 110 && strict.text == "https://\(Self.labels)/")
      try scenario.run(
        route(scenario) + ["--no-store", "--netrc-file", logins, "-b", cookies, "http://\(host)/"])
      let request = try #require(scenario.origin.requests.last)
      #expect(request.value("Authorization") == "Basic YTpi" && request.value("Cookie") == "name=value")
    }
  }

  @Test(arguments: spellings) func `a redirection leads to the host in ASCII`(_ host: String) throws {
    let moved = "HTTP/1.1 302 Found\r\nLocation: http://\(host)/b\r\nContent-Length: 0\r\n\r\n"
    let scenario = try Scenario { request in
      request.target == "/a" ? OriginAnswer([.bytes(Array(moved.utf8))]) : .response(text: "arrived")
    }
    let run = try scenario.run(route(scenario) + ["-w", " %{url_effective}", "http://a.test/a"])
    #expect(run.status == 0 && run.text == "arrived http://\(Self.labels)/b", "\(run)")
  }

  @Test func `a host with a zero byte matches none of the stored hosts`() throws {
    let scenario = try Scenario(.fresh(text: "content"))
    try scenario.run(route(scenario) + ["http://\(Self.labels)/a"])
    for command in ["rm", "ls"] {
      let run = try scenario.run("cache", command, "http://bücher.example%00.evil/a")
      #expect(!run.text.contains(Self.labels), "\(run)")
    }
    #expect(scenario.entryFiles.count == 1)
  }

  @Test(arguments: [
    "a\u{ff0f}b.test", "a\u{ff20}b.test", "\u{202e}.test", "xn--a\u{fc}.test", "b\u{fc}cher%00.test",
    String(repeating: "\u{fc}", count: 100_000),
  ])
  func `a host name without a valid form in ASCII is malformed`(_ host: String) throws {
    let scenario = try Scenario(.fresh(text: "content"))
    let run = try scenario.run(route(scenario) + ["http://\(host)/"])
    #expect(run.status == 3 && scenario.asked == [])
    #expect(run.diagnostics.contains("its host is malformed"), "\(run.diagnostics)")
  }
}
