import TestSupport
import Testing

/// Variants from archives that do not tell which requests select them.
@Suite struct ImportVariantTests {
  private static let english = [("ETag", "\"en\""), ("Vary", "Accept-Language"), fresh]

  /// An origin with a page in two languages. One of them has been imported from an archive into the cache.
  private static func scenario(_ fields: String, _ options: String...) throws -> Scenario {
    let scenario = try Scenario { request in
      guard request.value("Accept-Language") == "de" else {
        return validated(request, etag: "\"en\"", fields: Array(english.dropFirst()), text: "english")
      }
      return .response(fields: [("ETag", "\"de\"")] + english.dropFirst(), text: "deutsch")
    }
    let head = "200 OK\r\nCache-Control: max-age=600\r\n" + fields
    let archive = ImportTests.response(scenario.url(), head, "english")
    #expect(try scenario.run(["cache", "import", "-"] + options, input: archive).status == 0)
    return scenario
  }

  private static let vary = "Vary: Accept-Language\r\nLast-Modified: Thu, 01 Jan 2015 00:00:00 GMT"
  private static let german = ["-H", "Accept-Language: de"]

  @Test func `online, a variant from another program's archive does not answer a request for another variant`() throws {
    let scenario = try Self.scenario(Self.vary + "\r\nETag: \"en\"")
    let run = try scenario.run(Self.german + ["-w", " %{cache_status}", scenario.url()])
    #expect(run.text.hasPrefix("deutsch garner; fwd=vary-miss; fwd-status=200; stored"), "\(run)")
    #expect(try scenario.run(Self.german + [scenario.url()]).text == "deutsch" && scenario.asked.count == 1)
  }

  @Test func `a variant from another program's archive is validated by its entity tag alone, each time`() throws {
    let scenario = try Self.scenario(Self.vary + "\r\nETag: \"en\"")
    for number in 1...2 {
      let run = try scenario.run("-w", " %{cache_result}", scenario.url())
      #expect(run.text == "english validated" && scenario.asked.count == number, "\(run)")
    }
    #expect(scenario.origin.requests.allSatisfy { $0.has("If-None-Match") && !$0.has("If-Modified-Since") })
    #expect(try scenario.run(["--offline"] + Self.german + [scenario.url()]).text == "english")
  }

  @Test(arguments: [vary, "Vary: *"])
  func `a variant from another program's archive without an entity tag is fetched anew online`(_ fields: String) throws
  {
    let scenario = try Self.scenario(fields, "--all")
    #expect(try scenario.run(["--offline"] + Self.german + [scenario.url()]).text == "english")
    #expect(try scenario.run(Self.german + [scenario.url()]).text == "deutsch")
    let asked = try #require(scenario.origin.requests.first)
    #expect(!asked.has("If-Modified-Since") && !asked.has("If-None-Match"))
  }

  @Test func `a variant from another program's archive is served offline, and with --prefer-offline`() throws {
    let scenario = try Self.scenario(Self.vary)
    for options in [["--offline"], ["--offline=strict"], ["--prefer-offline"]] {
      #expect(try scenario.run(options + Self.german + [scenario.url()]).text == "english", "\(options)")
    }
    #expect(scenario.asked.isEmpty)
    scenario.origin.stop()
    let run = try scenario.run(Self.german + [scenario.url()])
    #expect(run.status == 0 && run.text == "english", "\(run)")
  }

  @Test func `cache explain says why a variant from another program's archive is validated`() throws {
    let scenario = try Self.scenario(Self.vary + "\r\nETag: \"en\"")
    let text = try scenario.run("cache", "explain", scenario.url()).text
    #expect(
      text.contains("protocol           validate: it varies, but the request that it answered is unknown"), "\(text)")
  }

  // MARK: Archives of garner's

  /// An origin that answers with the value of a field, and its responses in an archive, which is not imported yet.
  private static func exported(_ field: String, _ values: String..., to name: String) throws -> (
    scenario: Scenario, file: String
  ) {
    let scenario = try Scenario { request in
      .response(fields: [("Vary", field), fresh], text: request.value(field) ?? "none")
    }
    for value in values { try scenario.run("-H", "\(field): \(value)", scenario.url()) }
    let file = scenario.directory.path(name)
    #expect(try scenario.run("cache", "export", file).status == 0)
    try scenario.run("cache", "rm", "--all")
    return (scenario, file)
  }

  private static let isAnother = "garner; fwd=vary-miss; fwd-status=200; stored"

  @Test(arguments: ["a.warc", "a.har"])
  func `online, a variant whose selecting value is a digest in the store answers no request after an export and import`(
    _ name: String
  ) throws {
    let (scenario, file) = try Self.exported("X-Version", "one", to: name)
    let skipped = try scenario.run("cache", "import", file)
    #expect(skipped.diagnostics == "garner: imported 0 responses, skipped 1 (1 private)\n")
    #expect(try scenario.run("cache", "import", "--all", file).diagnostics == "garner: imported 1 response\n")
    for options in [[], ["-H", "X-Version: one"]] {
      #expect(try scenario.run(["--offline"] + options + [scenario.url()]).text == "one", "\(options)")
    }
    let run = try scenario.run("-w", " %{cache_status}", scenario.url())
    #expect(run.text.hasPrefix("none \(Self.isAnother)"), "\(run)")
  }

  @Test func `of two variants that an archive does not tell apart, one is imported and the other reported`() throws {
    let (scenario, file) = try Self.exported("X-Version", "one", "two", to: "a.warc")
    let other = "1 with another response in their place"
    let run = try scenario.run("cache", "import", "--all", file)
    #expect(run.diagnostics == "garner: imported 1 response, skipped 1 (\(other))\n")
    let served = try scenario.run("--offline", scenario.url()).text
    #expect(["one", "two"].contains(served))
    let again = try scenario.run("cache", "import", "--all", file)
    #expect(again.diagnostics == "garner: imported 0 responses, skipped 2 (1 already stored, \(other))\n")
  }
}
