import Glibc
import HTTPSemantics
import Platform
import TestSupport
import Testing
import Transport

@testable import Client

/// The file of `--hsts`, with hosts that are asked over TLS only. All decisions about a URL apply to the URL that it
/// becomes.
@Suite struct StrictHostTests {
  private static let entry = "a.test \"20991231 00:00:00\"\n"

  /// A transport on which `/from` leads to `http://a.test/to` for every host.
  private static func transport() -> RecordingTransport {
    RecordingTransport { message in
      let isFrom = message.request.target.path == "/from"
      var fields: Fields = ["Cache-Control": "max-age=60", "Content-Length": "0"]
      if isFrom { fields.append(.location, "http://a.test/to") }
      return Response(isFrom ? 302 : 200, fields: fields)
    }
  }

  private func scenario() throws -> (Scenario, RecordingTransport, hosts: [String]) {
    let scenario = try Scenario(.response(text: ""))
    let transport = Self.transport()
    scenario.transport = transport
    return (scenario, transport, ["--hsts", try scenario.directory.write(Self.entry, to: "hosts")])
  }

  @Test(arguments: [[], ["--proto-redir", "=https"], ["--proto", "=https"]])
  func `a redirection to a host of the --hsts file leads to it over TLS`(_ options: [String]) throws {
    let (scenario, transport, hosts) = try scenario()
    let run = try scenario.run(["-u", "me:p"] + options + hosts + ["https://a.test/from"])
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(transport.messages.map(\.request.target.description) == ["https://a.test/from", "https://a.test/to"])
    #expect(transport.messages.allSatisfy { $0.request.fields.contains(.authorization) })
    let unknown = try scenario.run(["-u", "me:p", "--reload"] + options + ["https://a.test/from"])
    #expect(unknown.status != 0)
  }

  @Test func `--proto applies to the scheme that the --hsts file makes of a URL's`() throws {
    let (scenario, transport, hosts) = try scenario()
    #expect(try scenario.run(["--proto", "=https"] + hosts + ["http://a.test/"]).status == 0)
    #expect(transport.messages.map(\.request.target.description) == ["https://a.test/"])
    for (schemes, url) in [("=https", "http://b.test/"), ("=http", "http://a.test/")] {
      let options = ["--proto", schemes] + hosts + [url]
      #expect(try scenario.run(options).status == 1, "\(options)")
      #expect(try scenario.run(["--dry-run"] + options).status == 1, "\(options)")
    }
    #expect(transport.messages.count == 1)
  }

  @Test func `check, explain and --dry-run apply the --hsts file, and leave it alone`() throws {
    let (scenario, transport, hosts) = try scenario()
    try scenario.run(["-L"] + hosts + ["http://a.test/to"])
    #expect(try scenario.run(["cache", "check"] + hosts + ["http://a.test/to"]).status == 0)
    #expect(try scenario.run(["cache", "explain", "--require"] + hosts + ["http://a.test/to"]).status == 0)
    #expect(try scenario.run(["--dry-run"] + hosts + ["http://a.test/to"]).text.contains("\nnothing is sent\n"))
    for command in [["cache", "check"], ["cache", "explain", "--require"]] {
      #expect(try scenario.run(command + ["http://a.test/to"]).status == 110, "\(command)")
    }
    #expect(transport.messages.count == 1)
    #expect(try scenario.directory.read("hosts") == Array(Self.entry.utf8))
  }

  @Test(arguments: ["--hsts", "--alt-svc"])
  func `a FIFO is no file for hosts or alternatives, and is not waited for`(_ option: String) throws {
    let (scenario, transport, _) = try scenario()
    let path = scenario.directory.path("fifo")
    try checked("mkfifo", mkfifo(path, 0o600))
    // A run that opened the FIFO would find it empty, and not wait for ever.
    startThread { close(open(path, O_WRONLY)) }
    defer { close(open(path, O_RDONLY | O_NONBLOCK)) }
    let run = try scenario.run(option, path, "https://a.test/to")
    #expect(run.status == 0 && run.diagnostics == "garner: warning: cannot read \(path): it is a FIFO\n", "\(run)")
    let passed: [UInt8]? = option == "--hsts" ? nil : []
    #expect(transport.messages.map(\.options.altSvcFile) == [passed])
  }

  @Test func `the hosts of --hsts may come from a pipe that has the name of a descriptor`() throws {
    let (scenario, transport, _) = try scenario()
    let pipe = try Pipe()
    defer { close(pipe.reading) }
    let count = Self.entry.withCString { write(pipe.writing, $0, Self.entry.utf8.count) }
    close(pipe.writing)
    try #require(count == Self.entry.utf8.count)
    let run = try scenario.run("--hsts", "/dev/fd/\(pipe.reading)", "http://a.test/to")
    #expect(run.status == 0 && run.diagnostics == "", "\(run)")
    #expect(transport.messages.map(\.request.target.description) == ["https://a.test/to"])
  }

  @Test func `HSTS and alternatives of a background revalidation are kept, too`() throws {
    let scenario = try Scenario(.response(text: ""))
    let answers = Monitor(0)
    scenario.transport = RecordingTransport { _ in
      let number = answers.withLock { count in
        count += 1
        return count
      }
      var fields: Fields = ["Cache-Control": "max-age=10, stale-while-revalidate=50", "Content-Length": "0"]
      if number == 2 {
        fields.append("Strict-Transport-Security", "max-age=60")
        fields.append("Alt-Svc", "h2=\":8443\"; ma=60")
      }
      return Response(200, fields: fields)
    }
    let (hosts, alternatives) = (scenario.directory.path("hosts"), scenario.directory.path("alternatives"))
    let options = ["--hsts", hosts, "--alt-svc", alternatives, "https://a.test/"]
    try scenario.run(options)
    scenario.clock.advance(bySeconds: 20)
    #expect(try scenario.run(options).status == 0 && scenario.detachedCount == 1)
    let written = try String(decoding: scenario.directory.read("hosts"), as: UTF8.self)
    #expect(written.contains("\na.test \""), "\(written)")
    let offered = try String(decoding: scenario.directory.read("alternatives"), as: UTF8.self)
    #expect(offered.contains(" h2 a.test 8443 "), "\(offered)")
  }

  @Test func `a run writes the hosts that it has learnt once, and does not undo what others write later`() throws {
    let scenario = try Scenario(.response(text: ""))
    let (hosts, kept) = (scenario.directory.path("hosts"), Self.entry)
    let isBackground = Monitor(false)
    scenario.transport = RecordingTransport { message in
      var fields: Fields = ["Cache-Control": "max-age=10, stale-while-revalidate=50", "Content-Length": "0"]
      if message.request.target.origin.host == "new.test" {
        fields.append("Strict-Transport-Security", "max-age=60")
        isBackground.withLock { $0 = true }
      } else if isBackground.withLock({ $0 }) {
        // Another run writes the file meanwhile.
        try? writeFile(hosts, Array(kept.utf8))
      }
      return Response(200, fields: fields)
    }
    try scenario.run("https://b.test/")
    scenario.clock.advance(bySeconds: 20)
    #expect(try scenario.run("--hsts", hosts, "https://b.test/", "https://new.test/").status == 0)
    #expect(scenario.detachedCount == 1)
    #expect(try scenario.directory.read("hosts") == Array(kept.utf8))
  }

  @Test func `a full --hsts file loses no host, and the run says which new ones are not kept`() throws {
    let scenario = try Scenario(.response(text: ""))
    let lines = (1...(StrictHosts.maximumEntries + 5)).map { "h\($0).test \"20991231 00:00:00\"" }
    let file = try scenario.directory.write(lines.joined(separator: "\n"), to: "hosts")
    scenario.transport = RecordingTransport { _ in
      Response(200, fields: ["Strict-Transport-Security": "max-age=6000000000", "Content-Length": "0"])
    }
    for host in [lines.count, 1] {
      let urls = ["http://h\(host).test/", "https://new.test/", "http://new.test/", "https://other.test/"]
      let run = try scenario.run(["-w", "%{url_effective}", "--hsts", file] + urls)
      #expect(run.text == "https://h\(host).test/https://new.test/https://new.test/https://other.test/")
      let warning = "new.test and 1 more: not saved, because the file of --hsts has 10000 hosts already\n"
      #expect(run.diagnostics.contains(warning))
    }
    let kept = String(decoding: try scenario.directory.read("hosts"), as: UTF8.self).split(separator: "\n")
    #expect(kept.count { $0.hasPrefix("h") } == lines.count)
  }

  /// Another run that has a directory locked. The lock lasts as long as this object lives.
  private final class OtherRun: Sendable {
    private let locked: Directory

    init(_ path: String) throws {
      locked = try Directory(try #require(Path(path)))
      #expect(try locked.tryLockWhole())
    }
  }

  /// Runs the program, which learns of `new.test` while another run has the directory of the file locked.
  private func learning(_ scenario: Scenario, whenPausing: @escaping @Sendable () -> Void) throws -> [UInt8] {
    scenario.transport = RecordingTransport { _ in
      Response(200, fields: ["Strict-Transport-Security": "max-age=60", "Content-Length": "0"])
    }
    scenario.whenPausing = { _ in whenPausing() }
    let run = try scenario.run("--hsts", scenario.directory.path("hosts"), "https://new.test/")
    #expect(run.status == 0 && run.diagnostics == "")
    return try scenario.directory.read("hosts")
  }

  @Test func `a run writes the --hsts file when another run has written it`() throws {
    let (scenario, _, _) = try scenario()
    let directory = scenario.directory
    let other = Monitor<OtherRun?>(try OtherRun(directory.path))
    let kept = try learning(scenario) {
      try? writeFile(directory.path("hosts"), Array("b.test \"20991231 00:00:00\"\n".utf8))
      other.withLock { $0 = nil }
    }
    let text = String(decoding: kept, as: UTF8.self)
    #expect(text.contains("b.test \"2099") && text.contains("new.test \"2025"), "\(text)")
  }

  @Test func `a run waits for its turn to write the --hsts file through a link, too`() throws {
    let (scenario, _, _) = try scenario()
    let directory = scenario.directory
    let elsewhere = try directory.makeDirectory("elsewhere")
    #expect(symlink("elsewhere/kept", directory.path("hosts.link")) == 0)
    let other = Monitor<OtherRun?>(try OtherRun(elsewhere))
    scenario.transport = RecordingTransport { _ in
      Response(200, fields: ["Strict-Transport-Security": "max-age=60", "Content-Length": "0"])
    }
    let pauses = Monitor(0)
    scenario.whenPausing = { _ in
      pauses.withLock { $0 += 1 }
      other.withLock { $0 = nil }
    }
    #expect(try scenario.run("--hsts", directory.path("hosts.link"), "https://new.test/").status == 0)
    // More often than once where a program that another test starts has yet to close what it inherited.
    #expect(pauses.withLock { $0 } >= 1)
    #expect(String(decoding: try readFile("\(elsewhere)/kept"), as: UTF8.self).contains("new.test"))
  }

  @Test func `a run does not wait for ever for its turn to write the --hsts file`() throws {
    let (scenario, _, _) = try scenario()
    let other = try OtherRun(scenario.directory.path)
    let clock = scenario.clock
    let kept = try learning(scenario) { clock.advance(bySeconds: 1) }
    #expect(String(decoding: kept, as: UTF8.self).contains("new.test \"2025"))
    withExtendedLifetime(other) {}
  }
}
