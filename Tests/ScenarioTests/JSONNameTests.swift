import FoundationEssentials
import TestSupport
import Testing

/// docs/cache-commands.md lists the names of all members of the JSON that garner prints.
@Suite struct JSONNameTests {
  private static let section = Result {
    let page = String(decoding: try readFile(BuiltTool.projectRoot + "/docs/cache-commands.md"), as: UTF8.self)
    return page.components(separatedBy: "## What a listing looks like").last ?? ""
  }

  /// The names before colons, each of them once.
  private func names(in json: String) -> Set<String> {
    let parts = json.split(separator: "\"", omittingEmptySubsequences: false)
    return Set(zip(parts, parts.dropFirst()).filter { $1.hasPrefix(":") }.map { String($0.0) })
  }

  @Test func `every name in the JSON that garner prints is in docs/cache-commands.md`() throws {
    let section = try Self.section.get()
    let scenario = try Scenario { request in
      validated(
        request, etag: "\"1\"", fields: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")], text: "body")
    }
    let config = try scenario.directory.write("max-time = 9\n[site \"a.test\"]\nmax-time = 8\n", to: "config")
    scenario.environment["GARNER_RETRY"] = "1"
    try scenario.run("-H", "Accept-Language: de", scenario.url("/a"))
    try scenario.run("-H", "Accept-Language: de", scenario.url("/b"))
    let entry = try #require(filesBelow(scenario.directory.path("cache/garner/v1")).first { $0.contains("/v1/") })
    let commands = [
      ["cache", "ls"], ["cache", "show", scenario.url("/a")], ["cache", "explain", scenario.url("/a")],
      ["cache", "stats"], ["cache", "verify"], ["network"], ["config", "show", "--config", config, "a.test"],
    ]
    for command in commands {
      if command.contains("verify") { try writeFile(entry, Array("damaged".utf8)) }
      let json = try scenario.run(command + ["--json"]).text
      let names = names(in: json)
      #expect(names.count > 4, "\(command): \(json)")
      for name in names { #expect(section.contains("`\(name)`"), "\(command): \(name)") }
    }
  }
}
