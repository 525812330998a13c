import Glibc
import HTTPSemantics
import TestSupport
import Testing
import Transport

@testable import Client

/// The file of `--alt-svc`, which libcurl reads and garner writes.
@Suite struct AlternativeTests {
  /// `https://HOST/` offers h2 on port 8443. `/clear` withdraws the offer, and `/nothing` has no Alt-Svc.
  private func scenario() throws -> (Scenario, kept: String) {
    let scenario = try Scenario(.response(text: ""))
    scenario.transport = RecordingTransport { message in
      var fields: Fields = ["Cache-Control": "no-store", "Content-Length": "0"]
      switch message.request.target.path {
      case "/nothing": break
      case "/clear": fields.append("Alt-Svc", "clear")
      default: fields.append("Alt-Svc", "h2=\":8443\"; ma=86400")
      }
      return Response(200, fields: fields)
    }
    return (scenario, scenario.directory.path("kept"))
  }

  private func lines(_ file: String) throws -> [String] {
    String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  private static func line(_ host: String) -> String { "h1 \(host) 443 h2 \(host) 8443 \"20250102 00:00:00\" 0 0" }

  @Test func `an alternative is kept in the file once, until the origin withdraws it or it expires`() throws {
    let (scenario, kept) = try scenario()
    let urls = ["https://a.test/1", "https://b.test/", "https://a.test/2"]
    for _ in 1...2 {
      let run = try scenario.run(["--alt-svc", kept] + urls)
      #expect(run.status == 0 && run.diagnostics == "")
      #expect(try lines(kept).sorted() == [Self.line("a.test"), Self.line("b.test")])
    }
    try scenario.run("--alt-svc", kept, "https://a.test/nothing", "http://b.test/clear")
    #expect(try lines(kept).count == 2)
    try scenario.run("--alt-svc", kept, "https://a.test/clear")
    #expect(try lines(kept) == [Self.line("b.test")])
    scenario.clock.advance(bySeconds: 86_400)
    try scenario.run("--alt-svc", kept, "https://a.test/")
    #expect(try lines(kept).map { $0.prefix(9) } == ["h1 a.test"])
  }

  @Test func `an IPv6 address is written to the file of alternatives without brackets, as libcurl reads it`() throws {
    let (scenario, _) = try scenario()
    let line = "h1 ::1 443 h2 ::1 8443 \"20250102 00:00:00\" 0 0"
    let kept = try scenario.directory.write("h2 ::1 443 h2 ::1 8444 \"20991231 00:00:00\" 0 0\n", to: "kept")
    for _ in 1...2 {
      try scenario.run("--alt-svc", kept, "https://[::1]/")
      #expect(try lines(kept) == [line])
    }
  }

  @Test func `with --insecure, the alternatives of an origin are not kept`() throws {
    let (scenario, kept) = try scenario()
    try scenario.run("--insecure", "--alt-svc", kept, "https://a.test/")
    #expect(access(kept, F_OK) != 0)
  }

  @Test func `an alternative of another program stays in the file, and a symbolic link to the file is kept`() throws {
    let (scenario, _) = try scenario()
    let other = "h3 c.test 443 h3 d.test 8443 \"20991231 00:00:00\" 1 0"
    let file = try scenario.directory.write("# anybody's\n\(other)\nno line\n", to: "file")
    let link = scenario.directory.path("link")
    #expect(symlink(file, link) == 0)
    try scenario.run("--alt-svc", link, "https://a.test/nothing")
    #expect(try readFile(file).starts(with: "# anybody's\n".utf8))
    try scenario.run("--alt-svc", link, "https://a.test/")
    #expect(try lines(file) == [other, Self.line("a.test")])
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `a file of --alt-svc that is too large or cannot be written is warned about, and left alone`() throws {
    let (scenario, _) = try scenario()
    let lost = scenario.directory.path("absent/kept")
    let warned = try scenario.run("--alt-svc", lost, "https://a.test/")
    let reason = "the alternatives of --alt-svc are not saved: cannot write \(lost): No such file or directory\n"
    #expect(warned.status == 0 && warned.diagnostics == "garner: warning: " + reason)
    let long = Array(repeating: UInt8(ascii: "#"), count: 17 << 20)
    let file = try scenario.directory.write(long, to: "long")
    let unread = try scenario.run("--alt-svc", file, "https://a.test/")
    #expect(unread.status == 0 && unread.diagnostics.contains("the alternatives of --alt-svc are not saved: "))
    #expect(try readFile(file) == long)
    #expect(try scenario.run("--alt-svc", "", "https://a.test/").diagnostics == "")
  }
}
