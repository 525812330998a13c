import Glibc
import TestSupport
import Testing

/// A URL that is typed as a listing prints it means the response stored under it, and no other.
@Suite struct StoredURLTests {
  private func scenario(_ targets: [String], _ options: [String] = []) throws -> Scenario {
    let scenario = try Scenario { request in .fresh(text: request.target) }
    for target in targets { try scenario.run(["-g"] + options + [scenario.url(target)]) }
    return scenario
  }

  private func listed(_ scenario: Scenario, _ options: String...) throws -> [String] {
    let text = try scenario.run(["cache", "ls", "--show-secrets", "--format", "{url}"] + options).text
    return text.split(separator: "\n").map { String($0.dropFirst(scenario.url("").count)) }
  }

  @Test(arguments: [false, true])
  func `a response stored under a URL with dot segments is addressed with them`(_ hasScheme: Bool) throws {
    let scenario = try scenario(["/x/../pai", "/pai"], ["--path-as-is"])
    let prefix = hasScheme ? scenario.url("") : String(scenario.url("").dropFirst("http://".count))
    let (dotted, plain) = (prefix + "/x/../pai", prefix + "/pai")
    #expect(try scenario.run("cache", "cat", dotted).text == "/x/../pai")
    #expect(try scenario.run("cache", "cat", plain).text == "/pai")
    #expect(try scenario.run("cache", "show", dotted).text.hasPrefix("url       \(scenario.url("/x/../pai"))\n"))
    #expect(try listed(scenario, dotted) == ["/x/../pai"])
    #expect(try scenario.run("cache", "pin", dotted).text == "pinned 1 response\n")
    #expect(try listed(scenario, "--pinned") == ["/x/../pai"])
    #expect(try scenario.run("cache", "tag", dotted, "k=v").text == "tagged 1 response\n")
    #expect(try listed(scenario, "--tag", "k") == ["/x/../pai"])
    #expect(try scenario.run("cache", "rm", dotted).text.hasPrefix("removed 1 response, "))
    #expect(try listed(scenario) == ["/pai"])
    // Nothing is stored under the dotted URL any longer, so that it means the one a fetch would store.
    #expect(try scenario.run("cache", "cat", dotted).text == "/pai")
    #expect(try scenario.run("cache", "rm", dotted).status == 0)
    #expect(try listed(scenario) == [])
  }

  @Test func `a damaged entry of a URL with dot segments is addressed with them`() throws {
    let scenario = try scenario(["/x/./pai"], ["--path-as-is"])
    try scenario.damageOnlyEntry(at: 8)
    #expect(try scenario.run("cache", "cat", scenario.url("/x/./pai")).status == 113)
    #expect(try scenario.run("cache", "rm", scenario.url("/x/./pai")).status == 0)
    #expect(scenario.entryFiles == [])
  }

  @Test(arguments: ["a.warc", "a.har"])
  func `the dot segments of a URL survive export and import`(_ name: String) throws {
    let scenario = try Scenario { request in .fresh(text: request.target) }
    scenario.environment["GARNER_PATH_AS_IS"] = "1"
    for target in ["/x/../pai", "/pai", "/./b"] { try scenario.run(scenario.url(target)) }
    let stored = try listed(scenario)
    #expect(stored == ["/./b", "/pai", "/x/../pai"])
    let file = scenario.directory.path(name)
    #expect(try scenario.run("cache", "export", file, scenario.url("/x/../pai")).status == 0)
    #expect(try scenario.run("cache", "export", file).status == 0)
    #expect(try scenario.run("cache", "clear").status == 0)
    #expect(try scenario.run("cache", "import", file).status == 0)
    #expect(try listed(scenario) == stored)
    for target in stored { #expect(try scenario.run("--offline", scenario.url(target)).text == target) }
  }

  @Test func `an asterisk in a typed URL stands for itself if that URL is stored`() throws {
    let scenario = try scenario(["/a*b", "/axb", "/a*c", "/a*"])
    #expect(try listed(scenario, scenario.url("/a*b")) == ["/a*b"])
    #expect(try scenario.run("cache", "pin", scenario.url("/a*b")).text == "pinned 1 response\n")
    #expect(try listed(scenario, "--pinned") == ["/a*b"])
    #expect(try scenario.run("cache", "unpin", scenario.url("/a*b")).text == "unpinned 1 response\n")
    #expect(try scenario.run("cache", "rm", scenario.url("/a*")).text.hasPrefix("removed 1 response, "))
    #expect(try listed(scenario) == ["/a*b", "/a*c", "/axb"])
    #expect(try scenario.run("cache", "rm", scenario.url("/a*b")).text.hasPrefix("removed 1 response, "))
    #expect(try listed(scenario) == ["/a*c", "/axb"])
    // Neither URL is stored any longer, so that both are patterns.
    #expect(try listed(scenario, scenario.url("/a*b")) == ["/axb"])
    #expect(try scenario.run("cache", "rm", scenario.url("/a*")).text.hasPrefix("removed 2 responses, "))
  }

  @Test func `a response under --ignore-param does not make a pattern a stored URL`() throws {
    let scenario = try scenario(["/c?x=1"], ["--ignore-param", "x"])
    try scenario.run(scenario.url("/c?x=2"))
    #expect(try listed(scenario, scenario.url("/c?x=*")) == ["/c?x=2"])
  }

  static let changes: [[String]] = [
    ["rm", "URL"], ["rm", "-n", "URL"], ["rm", "--fresh", "URL"], ["pin", "URL"], ["unpin", "URL"],
    ["tag", "URL", "k=v"], ["prune", "--larger-than", "0", "URL"],
  ]

  @Test(arguments: changes)
  func `a masked URL that may mean several stored ones is refused before anything is done`(_ command: [String]) throws {
    let scenario = try scenario(["/x?token=1", "/x?token=2", "/y?token=3", "/z"])
    let masked = try scenario.run("cache", "ls", "-0", "--limit", "1").text.dropLast()
    #expect(masked == scenario.url("/x?token=***"))
    let run = try scenario.run(["cache"] + command.map { $0 == "URL" ? String(masked) : $0 })
    #expect(run.status == 2 && run.text == "", "\(run)")
    #expect(
      run.diagnostics == """
        garner: \(masked) stands for 2 stored URLs that differ in their masked secrets
        hint: 'garner cache ls --show-secrets' tells them apart

        """)
    #expect(
      try listed(scenario).count == 4 && listed(scenario, "--pinned").isEmpty && listed(scenario, "--tag", "k") == [])
    // The operand before it is not touched either.
    if command[0] == "rm" { #expect(try scenario.run("cache", "rm", scenario.url("/z"), String(masked)).status == 2) }
    #expect(try listed(scenario).count == 4)
  }

  @Test func `a masked URL means the stored one that looks exactly so, not one with more behind it`() throws {
    let scenario = try scenario(["/x?token=1", "/x?token=2", "/y?token=3", "/y?token=3&a=1"])
    #expect(try scenario.run("cache", "pin", scenario.url("/y?token=***")).text == "pinned 1 response\n")
    #expect(try listed(scenario, "--pinned") == ["/y?token=3"])
    #expect(try scenario.run("cache", "rm", scenario.url("/y?token=***")).text.hasPrefix("removed 1 response, "))
    #expect(try listed(scenario) == ["/x?token=1", "/x?token=2", "/y?token=3&a=1"])
    // A command that only looks shows all of them.
    #expect(try listed(scenario, scenario.url("/x?token=***")) == ["/x?token=1", "/x?token=2"])
    // An operand that no listing prints is a pattern.
    #expect(try scenario.run("cache", "rm", scenario.url("/*token=***")).text.hasPrefix("removed 3 responses, "))
  }

  @Test func `a typed URL whose secret looks like a mask means the stored URL with that secret`() throws {
    let scenario = try scenario(["/x?token=***", "/x?token=1"])
    #expect(try scenario.run("cache", "rm", scenario.url("/x?token=***")).text.hasPrefix("removed 1 response, "))
    #expect(try listed(scenario) == ["/x?token=1"])
  }
}
