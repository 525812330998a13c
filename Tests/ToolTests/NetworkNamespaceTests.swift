import TestSupport
import Testing

/// Tests with real network namespaces, links and routes of the kernel.
@Suite(
  "Reachability in a network namespace",
  .enabled(if: Isolation.canUnshareNetwork, "Nobody may make a network namespace here."))
struct NetworkNamespaceTests {
  @Test("Without a route a stored response is printed, an absent one ends with 110, and nothing is sent")
  func noRoute() throws {
    try withOrigin(answering: { _ in fresh(text: "stored") }) { origin in
      let home = try TemporaryDirectory()
      let first = try runTool(["-s", "-x", origin.url(""), "http://origin.example/a"], home: home)
      #expect(first.outputText == "stored", "\(first.errorText)")

      let hit = try inNamespace(["--reachability", "auto", "-v", "http://origin.example/a"], home)
      #expect(hit.succeeded && hit.outputText == "stored", "\(hit.errorText)")
      #expect(hit.errorText.hasPrefix("* reachability: not-reachable (no route leads beyond this machine): "))
      let miss = try inNamespace(["--reachability", "auto", "http://origin.example/b"], home)
      #expect(miss.ending == .exit(110) && miss.stdout.isEmpty)
      #expect(
        miss.errorText.hasSuffix(
          "hint: --reachability has selected cache-only, because the network is not reachable: "
            + "no route leads beyond this machine\n"))
      #expect(
        try inNamespace(["network"], home).outputText
          == "not-reachable\tcache-only\t-\tno route leads beyond this machine\n")
      #expect(origin.requests.count == 1)
    }
  }

  @Test(
    "Without a route no socket is opened", .enabled(if: Machine.has("strace"), "There is no strace."))
  func noSocket() throws {
    let home = try TemporaryDirectory()
    let trace = home.path("trace")
    let miss = try runTool(["--reachability", "auto", "http://origin.example/b"], home: home) {
      $0.wrapper = Isolation.ownNetwork + ["strace", "-f", "-o", trace, "-e", "trace=network,openat"]
    }
    #expect(miss.ending == .exit(110), "\(miss.errorText)")
    let calls = lines(of: String(decoding: try readFile(trace), as: UTF8.self))
    #expect(calls.contains { $0.contains("proc/net/route") })
    #expect(!calls.contains { $0.contains("socket(") || $0.contains("libcurl") })
  }

  @Test("Without a route the local machine counts as reachable, so a refused connection ends with 7 and not with 110")
  func loopback() throws {
    let home = try TemporaryDirectory()
    let result = try inNamespace(["--reachability", "auto", "http://127.0.0.1:9/"], home)
    #expect(result.ending == .exit(7), "\(result.errorText)")
  }

  @Test(
    "The state of a link is followed when it is created, connected and disconnected",
    .enabled(if: Isolation.canMakeLinks, "Nobody may make network links here."))
  func links() throws {
    // The kernel updates the state of links with a delay.
    let steps = """
      await() { until grep -qx "$1" /sys/class/net/v0/operstate; do :; done; }
      mount -t sysfs sysfs /sys && ip link add v0 type veth peer name v1 || exit
      ip link set v0 up; ip link set v1 up; ip address add 10.9.0.1/24 dev v0
      await up
      "$0" network
      ip route add default via 10.9.0.2
      "$0" network
      ip link set v1 down
      await lowerlayerdown
      "$0" network
      ip link set v0 down
      "$0" network
      """
    var run = ToolRun(home: try TemporaryDirectory()).throughShell(steps)
    run.wrapper = Isolation.ownNetwork + ["--mount"]
    let result = try run.run()
    #expect(
      lines(of: result.outputText) == [
        "unknown\tprotocol\tv0\tthere is no default route, only a local one over v0, of unknown kind",
        "unknown\tprotocol\tv0\tthe default route leads over v0, of unknown kind",
        "not-reachable\tcache-only\t-\tthe link of v0 is down",
        "not-reachable\tcache-only\t-\tno route leads beyond this machine",
      ], "\(result.errorText)")
  }

  @Test(
    "A name server that does not answer delays a run no longer than its time limit",
    .enabled(if: Isolation.canMakeLinks, "Nobody may make network links here."),
    arguments: [["-m", "0.3"], ["--connect-timeout", "0.3"], ["-m", "0.3", "-Z", "http://b.example/"]])
  func silentNameServer(_ options: [String]) throws {
    // Packets to the other end of the link are lost.
    let steps = """
      ip link add v0 type veth peer name v1 && ip address add 10.9.0.1/24 dev v0 || exit
      ip link set v0 arp off up && ip link set v1 up || exit
      echo nameserver 10.9.0.2 > resolv.conf && mount --bind resolv.conf /etc/resolv.conf || exit
      exec "$0" "$@"
      """
    var run = ToolRun(options + ["http://a.example/"], home: try TemporaryDirectory()).throughShell(steps)
    run.wrapper = Isolation.ownNetwork + ["--mount"]
    // The resolver tries for longer than any run may take.
    run.environment["RES_OPTIONS"] = "timeout:30 attempts:5"
    let result = try run.run()
    #expect(result.ending == .exit(28), "\(result.errorText)")
    let failures = lines(of: result.errorText).filter { $0.contains("cannot fetch") }
    #expect(failures.count == (options.contains("-Z") ? 2 : 1))
    #expect(failures.allSatisfy { $0.hasSuffix("while resolving the host") })
  }

  private func inNamespace(_ arguments: [String], _ home: TemporaryDirectory) throws -> ToolResult {
    try runTool(arguments, home: home) { $0.wrapper = Isolation.ownNetwork }
  }
}
