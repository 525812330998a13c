import TestSupport
import Testing

/// Marks (`--pin` and `--tag`) that the user sets with the run that stores, validates or serves a response.
@Suite struct MarkScenarioTests {
  @Test func `typed marks for a response that is not stored are warned of`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("--pin", "--tag", "a=b", "--memory-only", scenario.url())
    let warning = "garner: warning: --tag has no effect with --memory-only\n"
    #expect(run.diagnostics == warning + "garner: warning: --pin has no effect with --memory-only\n")
    let other = try scenario.run("--pin", "--cache-policy", "no-store", scenario.url())
    #expect(other.diagnostics == "garner: warning: --pin has no effect with --cache-policy no-store\n")
    let file = try scenario.directory.write("no-store\n", to: "config")
    let configured = try scenario.run("--config", file, "--pin", scenario.url())
    #expect(configured.diagnostics == "garner: warning: --pin has no effect with no-store (\(file), line 1)\n")
    scenario.environment["GARNER_CACHE_POLICY"] = "no-store"
    let set = try scenario.run("--pin", scenario.url())
    #expect(set.diagnostics == "garner: warning: --pin has no effect with GARNER_CACHE_POLICY\n")
    scenario.environment["GARNER_PIN"] = "1"
    #expect(try scenario.run("--no-store", scenario.url()).diagnostics == "")
  }

  @Test func `marks of a response that is not stored are warned of for each URL, with the reason`() throws {
    let scenario = try Scenario { request in
      switch request.path {
      case "/moved": .response(302, fields: [("Location", "/never")])
      case "/kept": .fresh(text: "x")
      default: .response(fields: [("Cache-Control", "no-store")], text: "x")
      }
    }
    func warning(_ subject: String, _ path: String = "/never") -> String {
      "garner: warning: \(subject) no effect on \(scenario.url(path)): the response says no-store\n"
    }
    let pinned = try scenario.run("--pin", scenario.url("/never"))
    #expect(pinned.status == 0 && pinned.text == "x" && pinned.diagnostics == warning("--pin has"))
    let urls = ["/moved", "/kept", "/other"].map { scenario.url($0) }
    let both = try scenario.run(["--pin", "--tag", "a=b"] + urls)
    let subject = "--tag and --pin have"
    #expect(both.status == 0 && both.diagnostics == warning(subject) + warning(subject, "/other"), "\(both)")
    #expect(try scenario.run("-s", "--pin", scenario.url("/never")).diagnostics == "")
    let file = try scenario.directory.write("pin\n", to: "config")
    let configured = try scenario.run("--config", file, scenario.url("/never"))
    #expect(configured.diagnostics == warning("pin (\(file), line 1) has"))
    scenario.environment["GARNER_TAG"] = "a=b"
    #expect(try scenario.run(scenario.url("/never")).diagnostics == warning("GARNER_TAG has"))
  }

  @Test(arguments: [
    ("exit 10", "the store hook refuses it"), ("echo ':storage: memory-only'", "it is kept in memory only"),
  ])
  func `marks of a response that the store hook keeps from the disk are warned of`(
    _ hook: String, _ reason: String
  ) throws {
    let scenario = try origin()
    let run = try scenario.run("--pin", "--store-hook", hook, scenario.url())
    #expect(run.diagnostics == "garner: warning: --pin has no effect on \(scenario.url()): \(reason)\n")
  }

  private func shown(_ scenario: Scenario) throws -> [String] {
    let text = try scenario.run("cache", "show", scenario.url()).text
    return text.split(separator: "\n").filter { $0.hasPrefix("tag ") || $0.hasPrefix("pinned ") }.map {
      $0.split(separator: " ", maxSplits: 1).last?.trimmingPrefix { $0 == " " }.description ?? ""
    }
  }

  private func origin() throws -> Scenario {
    try Scenario { request in
      validated(request, etag: "\"\(request.path)\"", fields: [("Cache-Control", "max-age=60")], text: "x")
    }
  }

  @Test func `a tag is noted by the run that stores, by one that is served, and by one that validates`() throws {
    let scenario = try origin()
    try scenario.run("--tag", "project=web", "--tag", "by=ci", scenario.url())
    #expect(try shown(scenario) == ["by=ci", "project=web"])
    try scenario.run("--tag", "by=hand", scenario.url())
    #expect(try shown(scenario) == ["by=hand", "project=web"])
    #expect(scenario.origin.requests.count == 1)
    scenario.clock.advance(bySeconds: 61)
    try scenario.run("--tag", "seen=twice", scenario.url())
    #expect(try shown(scenario) == ["by=hand", "project=web", "seen=twice"])
    try scenario.run("--reload", scenario.url())
    #expect(try shown(scenario) == ["by=hand", "project=web", "seen=twice"])
    #expect(
      try scenario.run("cache", "show", "--json", scenario.url()).text
        .contains(#""tags":{"by":"hand","project":"web","seen":"twice"}"#))
  }

  @Test func `a response that is also in memory is marked on the disk`() throws {
    let scenario = try origin()
    let marking = ["--pin", "--tag", "a=b", scenario.url()]
    let run = try scenario.run([scenario.url(), "--next", "-v"] + marking + ["--next", "-v"] + marking)
    #expect(try shown(scenario) == ["yes: pruning does not remove it", "a=b"])
    #expect(scenario.origin.requests.count == 1)
    #expect(!run.diagnostics.contains("found in memory"))
    scenario.clock.advance(bySeconds: 61)
    let validating = ["--cache-policy", "revalidate", scenario.url()]
    try scenario.run([scenario.url(), "--next", "--tag", "c=d", scenario.url(), "--next"] + validating)
    #expect(try shown(scenario) == ["yes: pruning does not remove it", "a=b", "c=d"])
    #expect(try scenario.run("--offline", "-w", "%{cache_result}", scenario.url()).text == "xhit")
  }

  @Test func `--pin pins a response that the run stores, and one that is stored already`() throws {
    let scenario = try origin()
    try scenario.run("--pin", scenario.url())
    #expect(try shown(scenario) == ["yes: pruning does not remove it"])
    try scenario.run("cache", "unpin", scenario.url())
    #expect(try shown(scenario) == [])
    try scenario.run("--pin", scenario.url())
    #expect(try shown(scenario) == ["yes: pruning does not remove it"])
    #expect(scenario.origin.requests.count == 1)
  }

  @Test(arguments: [nil, "bytes=110-119"])
  func `a response or part that replaces a stored part has the marks of the part`(range: String?) throws {
    let body = Pattern.bytes(count: 1_000)
    let scenario = try Scenario { request in
      let fields = [("ETag", "\"1\""), ("Cache-Control", "max-age=60")]
      guard let range = request.value("Range")?.dropFirst("bytes=".count).split(separator: "-").compactMap({ Int($0) }),
        range.count == 2
      else { return .response(fields: fields, content: body) }
      let part = [("Content-Range", "bytes \(range[0])-\(range[1])/1000")]
      return .response(206, fields: fields + part, content: Array(body[range[0]...range[1]]))
    }
    try scenario.run("-r", "100-109", "--pin", "--tag", "a=b", scenario.url())
    try scenario.run((range.map { ["-H", "Range: \($0)"] } ?? []) + [scenario.url()])
    #expect(try shown(scenario) == ["yes: pruning does not remove it", "a=b"])
    #expect(try scenario.run("cache", "ls", "--format", "{state}").text == (range == nil ? "fresh\n" : "partial\n"))
  }

  @Test func `the marks of a stored part can be changed`() throws {
    let scenario = try Scenario(
      .response(206, fields: [("ETag", "\"1\""), ("Content-Range", "bytes 0-3/9")], text: "part"))
    try scenario.run("-r", "0-3", "--pin", scenario.url())
    #expect(try scenario.run("cache", "unpin", "--pinned").text == "unpinned 1 response\n")
    #expect(try scenario.run("cache", "ls", "--pinned").text == "")
    #expect(try scenario.run("cache", "tag", scenario.url(), "a=b").text == "tagged 1 response\n")
    #expect(try shown(scenario) == ["a=b"])
  }

  @Test func `a run with --memory-only marks nothing on the disk`() throws {
    let scenario = try origin()
    try scenario.run(scenario.url())
    try scenario.run("--memory-only", "--tag", "a=b", "--pin", scenario.url())
    #expect(try shown(scenario) == [])
  }

  @Test func `a site's tags join those of the command line, which replaces one of the same key`() throws {
    let scenario = try origin()
    try scenario.directory.write("[site \"\(scenario.url("/*"))\"]\ntag = a=site\ntag = b=site\n", to: "config")
    try scenario.run("--config", scenario.directory.path("config"), "--tag", "a=typed", scenario.url())
    #expect(try shown(scenario) == ["a=typed", "b=site"])
  }
}
