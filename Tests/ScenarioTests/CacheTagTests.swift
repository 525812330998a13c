import TestSupport
import Testing

/// `cache tag`, and `pin` and `unpin` with patterns.
@Suite struct CacheTagTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario { request in
      validated(request, etag: "\"1\"", fields: [("Cache-Control", "max-age=60")], text: "body of \(request.path)")
    }
    for path in ["/a", "/b"] { try scenario.run(scenario.url(path)) }
    return scenario
  }

  private func tags(_ scenario: Scenario, _ path: String) throws -> String {
    try scenario.run("cache", "ls", "--format", "{tags}", scenario.url(path)).text
  }

  @Test func `tags are set, changed and taken away, and the others stay`() throws {
    let scenario = try scenario()
    let url = scenario.url("/a")
    let run = try scenario.run("cache", "tag", url, "project=web", "empty=", "x=1=2")
    #expect(run.status == 0 && run.text == "tagged 1 response\n")
    #expect(try tags(scenario, "/a") == "empty=,project=web,x=1=2\n" && tags(scenario, "/b") == "-\n")
    #expect(try scenario.run("cache", "tag", url, "project=app", "--delete", "x", "-d", "absent").status == 0)
    #expect(try tags(scenario, "/a") == "empty=,project=app\n")
    #expect(try scenario.run("cache", "show", url).text.contains("\ntag       project=app\n"))
    #expect(try scenario.run("cache", "ls", "--jsonl", url).text.contains(#""tags":{"empty":"","project":"app"}"#))
    #expect(try scenario.run("cache", "cat", url).text == "body of /a")
  }

  @Test func `pin, unpin and tag tell how many responses they changed, and how many needed no change`() throws {
    let scenario = try scenario()
    let url = scenario.url("/a")
    func said(_ arguments: String...) throws -> String {
      let run = try scenario.run(["cache"] + arguments)
      #expect(run.status == 0 && run.diagnostics == "", "\(run)")
      return run.text
    }
    #expect(try said("unpin", url) == "unpinned 0 responses, 1 unchanged\n")
    #expect(try said("pin", url) == "pinned 1 response\n")
    #expect(try said("pin", scenario.url("/*")) == "pinned 1 response, 1 unchanged\n")
    #expect(try said("tag", url, "--delete", "zz") == "untagged 0 responses, 1 unchanged\n")
    #expect(try said("tag", url, "a=b", "c=d") == "tagged 1 response\n")
    #expect(try said("tag", url, "a=b", "--delete", "c") == "changed the tags of 1 response\n")
    #expect(try said("tag", url, "--delete", "a") == "untagged 1 response\n")
  }

  @Test func `tags stay with a 304 and with a new response`() throws {
    let scenario = try scenario()
    try scenario.run("cache", "tag", scenario.url("/a"), "k=v")
    try scenario.run("--refresh", scenario.url("/a"))
    #expect(try tags(scenario, "/a") == "k=v\n")
    try scenario.run("--reload", scenario.url("/a"))
    #expect(try tags(scenario, "/a") == "k=v\n")
  }

  @Test func `a pattern for tag, pin or unpin means all responses that match it`() throws {
    let scenario = try scenario()
    #expect(try scenario.run("cache", "tag", scenario.url("/*"), "k=v").text == "tagged 2 responses\n")
    #expect(try scenario.run("cache", "pin", "--tag", "k").text == "pinned 2 responses\n")
    #expect(try scenario.run("cache", "ls", "--pinned", "--format", "{state}").text == "fresh\nfresh\n")
    #expect(try scenario.run("cache", "unpin", "*/b", scenario.url("/x")).text == "unpinned 1 response\n")
    #expect(try scenario.run("cache", "ls", "--pinned", "--format", "{url}").text == scenario.url("/a") + "\n")
  }

  @Test func `a key to delete has no value`() throws {
    let run = try scenario().run("cache", "tag", "-d", "k=v", "*")
    #expect(run.status == 2 && run.diagnostics.contains("expected a key, without an equals sign"), "\(run)")
  }

  @Test(arguments: [
    (["tag", "URL/x", "k=v"], 110), (["tag", "URL/x*", "k=v"], 1), (["pin", "URL/x"], 110), (["unpin", "URL/x*"], 1),
    (["pin", "--stale"], 1), (["pin", "URL/x", "URL/y"], 1), (["tag", "http://a:b/", "k=v"], 3),
  ])
  func `tag, pin and unpin fail when no stored response is meant`(_ arguments: [String], _ status: Int) throws {
    let scenario = try scenario()
    let arguments = arguments.map { text in
      text.hasPrefix("URL") ? scenario.url(String(text.dropFirst(3))) : text
    }
    let run = try scenario.run(["cache"] + arguments)
    #expect(run.status == status && run.text == "" && run.diagnostics.hasPrefix("garner: "), "\(run)")
  }

  @Test func `a response has at most 32 tags, and a command that would exceed them sets none`() throws {
    let scenario = try scenario()
    let many = (0..<40).map { "key\($0)=x" }
    let run = try scenario.run(["cache", "tag", scenario.url("/a")] + many)
    let words = "a response can have at most 32 tags: responses that would have more are unchanged"
    #expect(run.status == 2 && run.diagnostics == "garner: \(words)\n")
    #expect(try tags(scenario, "/a") == "-\n")
  }

  @Test func `a fetch warns when the response has no room for its tags`() throws {
    let scenario = try scenario()
    try scenario.run(["cache", "tag", scenario.url("/a")] + (0..<32).map { "key\($0)=x" })
    let warning = "garner: warning: a response has at most 32 tags: some of --tag are not added\n"
    for options in [[], ["--reload"], ["--refresh"]] {
      let run = try scenario.run(options + ["--tag", "key1=y", "--tag", "extra=1", scenario.url("/a")])
      #expect(run.status == 0 && run.diagnostics == warning)
      #expect(try scenario.run(options + ["--tag", "key1=z", scenario.url("/a")]).diagnostics == "")
    }
  }
}
