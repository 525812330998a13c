import TestSupport
import Testing

/// Archives whose compressed form is damaged, or whose form is unknown from some place on.
@Suite struct ImportDamageTests {
  /// A store with /0 to /9, of 20,000 bytes each, which do not compress.
  private static func scenario() throws -> (Scenario, urls: [String]) {
    let scenario = try Scenario { request in
      var state = UInt64(request.number)
      let content = (0..<20_000).map { (_) -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
      }
      return .response(fields: [fresh, ("Content-Length", "20000")], content: content)
    }
    let urls = (0..<10).map { scenario.url("/\($0)") }
    for url in urls { try scenario.run("-s", url) }
    return (scenario, urls)
  }

  /// Damages the checksum of the last gzip member, which stands before the length at the end of the file.
  private static func breakSum(of file: String) throws {
    var bytes = try readFile(file)
    bytes[bytes.count - 8] ^= 1
    try writeFile(file, bytes)
  }

  private static func kept(in other: String, _ scenario: Scenario) throws -> Int {
    try scenario.run("--cache-dir", other, "cache", "ls").text.split(separator: "\n").count
  }

  @Test func `nothing is imported from a gzip member whose checksum is wrong`() throws {
    let (scenario, _) = try Self.scenario()
    let file = scenario.directory.path("a.har.gz")
    try scenario.run("cache", "export", file)
    let other = scenario.directory.path("other")
    #expect(try scenario.run("--cache-dir", other, "cache", "import", file).status == 0)
    #expect(try Self.kept(in: other, scenario) == 10)
    try Self.breakSum(of: file)
    let third = scenario.directory.path("third")
    let run = try scenario.run("--cache-dir", third, "cache", "import", file)
    #expect(run.status == 26 && run.diagnostics.contains("garner: imported 0 responses\n"), "\(run)")
    #expect(try Self.kept(in: third, scenario) == 0)
  }

  @Test func `responses in gzip members whose checksum is right stay imported`() throws {
    let (scenario, urls) = try Self.scenario()
    let file = scenario.directory.path("a.warc.gz")
    try scenario.run("cache", "export", file)
    try Self.breakSum(of: file)
    let other = scenario.directory.path("other")
    let run = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(run.status == 26, "\(run)")
    let kept = try Self.kept(in: other, scenario)
    #expect(kept == 9 && run.diagnostics.contains("garner: imported 9 responses"), "\(run)")
    for url in urls {
      let served = try scenario.run("-s", "--cache-dir", other, "--offline", url)
      #expect(try served.status == 110 || served.output == scenario.run("-s", "--offline", url).output)
    }
  }

  @Test func `a WARC record of an unknown version ends the import, after the records before it`() throws {
    let scenario = try Scenario(.response(500))
    let known = ImportTests.response("http://a.test/1", "200 OK", "body")
    let unknown = ImportTests.response("http://a.test/2", "200 OK", "body").replacing("WARC/1.0", with: "WARC/\u{1b}9")
    let run = try scenario.run("cache", "import", "-", input: known + unknown + known)
    #expect(run.status == 26 && run.diagnostics.contains("WARC version '\\x1b9' at byte "), "\(run)")
    #expect(try scenario.run("cache", "ls").text.split(separator: "\n").count == 1)
  }
}
