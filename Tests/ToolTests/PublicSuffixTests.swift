import TestSupport
import Testing

/// Tests that a cookie is refused for a domain under which anyone may register (RFC 6265 section 5.3, step 5), by
/// libpsl's list.
@Suite("Public suffixes")
struct PublicSuffixTests {
  @Test(
    "A cookie for a public suffix is refused, and one for a domain below it is accepted",
    arguments: [
      ("www.shop.co.uk", "co.uk", nil), ("www.shop.co.uk", "shop.co.uk", ".shop.co.uk"),
      ("me.github.io", "github.io", nil), ("github.io", "github.io", "github.io"),
      ("www.shop.co.uk.", "co.uk.", nil), ("www.xn--55qx5d.cn", "xn--55qx5d.cn", nil),
      ("www.shop.test", "shop.test", ".shop.test"),
    ] as [(String, String, String?)])
  func scope(_ host: String, _ domain: String, _ kept: String?) throws {
    let result = try run(from: host, setting: "n=v; Domain=\(domain)")
    #expect(result.succeeded && result.errorText.isEmpty, "\(result)")
    #expect(domains(result.outputText) == (kept.map { [Substring($0)] } ?? []))
  }

  @Test("Without garner-psl cookies for a domain other than their host's are refused, with one warning")
  func unknown() throws {
    let home = try TemporaryDirectory("suffixes")
    let copy = try runTool([BuiltTool.path, "\(BuiltTool.path)-transport", home.path("")], home: home) {
      $0.executable = "/bin/cp"
    }
    #expect(copy.succeeded, "\(copy.errorText)")
    let result = try run(from: "www.shop.test", setting: "n=v; Domain=shop.test", "m=w", "l=u; Domain=test") {
      $0.executable = home.path("garner")
    }
    #expect(result.succeeded && domains(result.outputText) == ["www.shop.test"], "\(result)")
    let said = lines(of: result.errorText)
    let start =
      "garner: warning: cookies for a whole domain are not accepted: garner-psl cannot be used: it is not in /"
    #expect(said.count == 2 && said.first?.hasPrefix(start) == true, "\(result.errorText)")
    #expect(said.last?.hasPrefix("hint: garner-psl ") == true)
  }

  private func run(
    from host: String, setting cookies: String..., changing change: (inout ToolRun) -> Void = { _ in }
  ) throws -> ToolResult {
    try withOrigin(answering: { _ in .fresh(cookies.map { ("Set-Cookie", $0) }, text: "") }) { origin in
      let home = try TemporaryDirectory("suffixes")
      var run = ToolRun(
        ["-b", "", "-c", "-", "--connect-to", "::127.0.0.1:\(origin.port)", "http://\(host)/"], home: home)
      change(&run)
      return try run.run()
    }
  }

  /// The domains of a cookie jar, from its first column.
  private func domains(_ jar: String) -> [Substring] {
    lines(of: jar).filter { !$0.hasPrefix("#") && !$0.isEmpty }.map { $0.prefix { $0 != "\t" } }
  }
}
