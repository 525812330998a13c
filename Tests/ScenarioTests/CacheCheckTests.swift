import TestSupport
import Testing

@Suite struct CacheCheckTests {
  /// /vary is stored for text/a. /moved leads to /there, which is stored; /lost leads to /nowhere, which is not.
  /// /strict is stale and must be revalidated, and /old is stale. Half of /part is stored. /large has several blocks.
  private func scenario() throws -> Scenario {
    let scenario = try Scenario { request in
      switch request.path {
      case "/vary": .response(fields: [("Cache-Control", "max-age=600"), ("Vary", "Accept")], text: "v")
      case "/moved": .response(301, fields: [("Cache-Control", "max-age=600"), ("Location", "/there")], text: "")
      case "/lost": .response(301, fields: [("Cache-Control", "max-age=600"), ("Location", "/nowhere")], text: "")
      case "/nowhere": .response(fields: [("Cache-Control", "no-store")], text: "n")
      case "/gone": .response(404, fields: [("Cache-Control", "max-age=600")], text: "g")
      case "/strict": .response(fields: [("Cache-Control", "max-age=1, must-revalidate")], text: "s")
      case "/old": .response(fields: [("Cache-Control", "max-age=1")], text: "o")
      case "/part":
        OriginAnswer(
          [
            .bytes(OriginAnswer.head(200, nil, fields: [("ETag", #""p""#), ("Content-Length", "10")])),
            .bytes(Array("12345".utf8)),
          ], ending: .close)
      case "/large":
        .response(fields: [("Cache-Control", "max-age=600")], text: String(repeating: "large ", count: 60_000))
      default: .response(fields: [("Cache-Control", "max-age=600")], text: "x")
      }
    }
    for path in ["/a", "/gone", "/moved", "/lost", "/strict", "/old", "/part", "/large"] {
      try scenario.run(scenario.url(path))
    }
    try scenario.run("-H", "Accept: text/a", scenario.url("/vary"))
    scenario.clock.advance(bySeconds: 100)
    return scenario
  }

  @Test(arguments: [
    (["--offline"], ["/a", "/moved", "/strict", "/old", "/large"], []), ([], ["/a"], []),
    ([], ["/x", "/a", "/y"], ["/x", "/y"]),
    (["--offline"], ["/lost", "/part"], ["/lost", "/part"]), ([], ["/gone", "/a"], ["/gone"]),
    (["--no-location"], ["/lost"], []),
    (["--offline=strict"], ["/strict", "/old", "/a"], ["/strict"]),
    (["-H", "Accept: text/a"], ["/vary"], []), (["-H", "Accept: text/b"], ["/vary"], ["/vary"]),
    ([], ["/vary"], ["/vary"]),
    (["-u", "me:secret"], ["/a"], ["/a"]), (["-d", "x"], ["/a"], ["/a"]), (["-I"], ["/a"], []),
  ])
  func `cache check prints each URL without a stored answer, and its status is then 110`(
    _ options: [String], _ paths: [String], _ missing: [String]
  ) throws {
    let scenario = try scenario()
    let asked = scenario.asked
    let run = try scenario.run(["cache", "check"] + options + paths.map { scenario.url($0) })
    #expect(run.text == missing.map { scenario.url($0) + "\n" }.joined())
    #expect(run.status == (missing.isEmpty ? 0 : 110))
    let all = "\(paths.count == 1 ? "1 URL" : "\(paths.count) URLs") \(missing.count == 1 ? "is" : "are")"
    #expect(
      run.diagnostics
        == (missing.isEmpty ? "" : "garner: \(missing.count) of \(all) not answered without the network\n"))
    #expect(scenario.asked == asked)
  }

  @Test func `cache check applies --location-trusted to credentials as a fetch does`() throws {
    let other = try Scenario(.fresh(text: "there"))
    let target = other.url("/there")
    let scenario = try Scenario { _ in .response(301, fields: [fresh, ("Location", target)]) }
    let options = ["--location-trusted", "-H", "Authorization: Bearer t"]
    #expect(try scenario.run(options + [scenario.url()]).text == "there")
    #expect(try scenario.run(["cache", "check", "--offline"] + options + [scenario.url()]).status == 0)
    #expect(try scenario.run(["cache", "check", "--offline"] + options.dropFirst() + [scenario.url()]).status == 110)
  }

  @Test func `cache check reads URLs from a file or standard input, and prints the missing ones line by line`() throws {
    let scenario = try scenario()
    let list = "# what is needed\n\n\(scenario.url("/a"))\r\n  \(scenario.url("/x"))\n\(scenario.url("/y?q=1&r"))"
    try scenario.directory.write(list, to: "urls")
    let path = scenario.directory.path("urls")
    let expected = [scenario.url("/z"), scenario.url("/x"), scenario.url("/y?q=1&r")]
    let run = try scenario.run("cache", "check", "--input-file", path, scenario.url("/z"))
    #expect(run.status == 110 && run.text == expected.map { $0 + "\n" }.joined())
    let piped = try scenario.run("cache", "check", "--offline", "-0", "--input-file", "-", input: list)
    #expect(piped.status == 110 && piped.text == expected.dropFirst().map { $0 + "\0" }.joined())
    #expect(try scenario.run("cache", "check", "--input-file", "/dev/null").status == 0)
    let absent = try scenario.run("cache", "check", "--input-file", "/nothing/here")
    #expect(
      absent.status == 26 && absent.diagnostics == "garner: cannot read /nothing/here: No such file or directory\n")
  }

  @Test func `a damaged entry is no answer to cache check, however large it is`() throws {
    let scenario = try scenario()
    let shown = try scenario.run("cache", "ls", "--jsonl", scenario.url("/large")).text
    let file = try #require(try filesBelow(scenario.cachePath).first { try readFile($0).count > 300_000 })
    #expect(shown.contains(#""size":360000"#))
    var bytes = try readFile(file)
    bytes[250_000] ^= 1
    try writeFile(file, bytes)
    let run = try scenario.run("cache", "check", scenario.url("/large"))
    #expect(run.status == 110 && run.text == scenario.url("/large") + "\n")
    // `cache check` leaves the removal of the damaged entry to a run that fetches.
    #expect(try readFile(file) == bytes)
  }

  @Test func `cache check reports a malformed URL, and looks at the others`() throws {
    let scenario = try scenario()
    let run = try scenario.run("cache", "check", "http://a b/", scenario.url("/x"), scenario.url("/a"))
    #expect(run.status == 110 && run.text == "http://a b/\n" + scenario.url("/x") + "\n")
    #expect(run.diagnostics.hasPrefix("garner: the URL http://a b/ is malformed: "))
    #expect(run.diagnostics.hasSuffix("garner: 2 of 3 URLs are not answered without the network\n"))
    let alone = try scenario.run("cache", "check", scenario.url("/a"), "http://a b/")
    #expect(alone.status == 3 && alone.text == "http://a b/\n")
    #expect(alone.diagnostics.hasPrefix("garner: the URL http://a b/ is malformed: "))
  }

  @Test func `cache check reports on its URLs in their order`() throws {
    let scenario = try scenario()
    let run = try scenario.run("cache", "check", "http://a b/", scenario.url("/x"), "gopher://c/", "http://d e/")
    #expect(run.status == 110 && run.text == "http://a b/\n\(scenario.url("/x"))\ngopher://c/\nhttp://d e/\n")
    let lines = run.diagnostics.split(separator: "\n")
    #expect(lines.map { $0.contains("http://a b/") } == [true, false, false, false])
    #expect(lines.map { $0.contains("gopher://c/") } == [false, true, false, false])
    #expect(lines.map { $0.contains("http://d e/") } == [false, false, true, false])
    #expect(lines.last == "garner: 4 of 4 URLs are not answered without the network")
    let wrong = try scenario.run("cache", "check", "gopher://c/", scenario.url("/a"), "http://d e/")
    #expect(wrong.status == 1 && wrong.text == "gopher://c/\nhttp://d e/\n")
    #expect(wrong.diagnostics.split(separator: "\n").map { $0.contains("gopher://c/") } == [true, false])
  }

  @Test func `cache check is no use of an entry, and counts nothing in the statistics`() throws {
    let scenario = try scenario()
    let before = try scenario.run("cache", "stats").text
    let files = filesBelow(scenario.cachePath)
    try scenario.run("cache", "check", scenario.url("/a"), scenario.url("/old"), scenario.url("/x"))
    #expect(try scenario.run("cache", "stats").text == before)
    #expect(filesBelow(scenario.cachePath) == files)
  }

  @Test func `credentials of a netrc file are for their host alone`() throws {
    let scenario = try Scenario { request in
      let leads = request.path == "/from"
      let fields = [("Cache-Control", "public, max-age=600")]
      guard leads, let host = request.value("Host") else { return .response(fields: fields, text: "x") }
      let there = host.replacing("127.0.0.1", with: "localhost")
      return .response(302, fields: fields + [("Location", "http://\(there)/to")], text: "")
    }
    let file = try scenario.directory.write("machine 127.0.0.1 login me password p", to: "netrc")
    let config = try scenario.directory.write("location-trusted\nnetrc-file = \(file)\n", to: "config")
    let arguments = ["--config", config, scenario.url("/from")]
    #expect(try scenario.run(arguments).text == "x")
    let check = try scenario.run(["cache", "check"] + arguments)
    #expect(check.status == 0, "\(check)")
    #expect(scenario.asked == ["/from", "/to"])
  }

  @Test(
    arguments: [
      ("2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", 0),
      ("a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa", 110),
    ] as [(String, Int32)])
  func `cache check looks for the digest that is set for a site`(_ digest: String, _ status: Int32) throws {
    let scenario = try scenario()
    let file = try scenario.directory.write(
      "[site \"\(scenario.url("/*"))\"]\nsha256 = \(digest)\n", to: "config")
    #expect(try scenario.run("cache", "check", "--config", file, scenario.url("/a")).status == status)
  }
  @Test func `cache check takes a list of artifacts with digests, and finds them under any URL`() throws {
    let scenario = try scenario()
    let stored = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    let other = "a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa"
    let asked = scenario.asked
    #expect(try scenario.run("cache", "check", "--sha256", stored, scenario.url("/mirror")).status == 0)
    let list = """
      remote-name
      url = \(scenario.url("/mirror"))
      sha256 = \(stored)
      next
      output = \(scenario.directory.path("b"))
      url = \(scenario.url("/b"))
      sha256 = \(other)
      """
    let run = try scenario.run("cache", "check", "--offline", "-0", "-K", "-", input: list)
    #expect(run.status == 110 && run.text == scenario.url("/b") + "\0", "\(run)")
    #expect(scenario.asked == asked)
  }
}
