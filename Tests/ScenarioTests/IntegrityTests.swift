import TestSupport
import Testing

/// `--sha256` and `--integrity`: only content with the digest is delivered and stored, and stored content with the
/// digest need not be fetched.
@Suite struct IntegrityTests {
  /// The digest of "body".
  private static let sha256 = "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"
  private static let sha512 =
    "sha512-VRDrvaXtTaAHxVpi/XB1xyLsAx8HOY7z6QubUOD+lQmFR2xHRBTSs4bo8IzVBftQa1KABqMKv+nKDrC2e352Cw=="
  private static let wrong = String(repeating: "0", count: 64)

  private static func body() throws -> Scenario { try Scenario(.response(fields: [fresh], text: "body")) }

  // MARK: Delivery

  @Test(arguments: [
    ["--sha256", sha256], ["--integrity", sha512],
    ["--integrity", "sha512-\(String(repeating: "A", count: 86))== \(sha512)"],
  ])
  func `content with the expected digest is delivered and stored`(_ option: [String]) throws {
    let scenario = try Self.body()
    let path = scenario.directory.path("f")
    #expect(try scenario.run(option + [scenario.url()]).text == "body")
    #expect(try scenario.run(option + ["--no-store", "-i", scenario.url()]).text.hasSuffix("\r\n\r\nbody"))
    #expect(try scenario.run(option + ["-o", path, scenario.url()]).status == 0)
    #expect(try readFile(path) == Array("body".utf8))
    #expect(try scenario.run(["--offline", scenario.url()]).text == "body")
  }

  @Test(arguments: [[], ["-i"], ["--no-store"], ["--memory-capacity", "0"]])
  func `content with another digest than expected is neither delivered nor stored`(_ option: [String]) throws {
    let scenario = try Self.body()
    let run = try scenario.run(option + ["--sha256", Self.wrong, scenario.url()])
    #expect(run.status == 111 && run.text == "")
    let words = "does not have the sha256 digest that was asked for, but \(Self.sha256)"
    #expect(run.diagnostics == "garner: the content of \(scenario.url()) \(words)\n")
    let path = try scenario.directory.write("before", to: "f")
    #expect(try scenario.run(option + ["--sha256", Self.wrong, "-o", path, scenario.url()]).status == 111)
    #expect(try readFile(path) == Array("before".utf8))
    #expect(namesInDirectory(scenario.directory.path).filter { $0.contains("garner-") } == [])
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test(arguments: [0, 1, 100_000, 9 << 20])
  func `content of any length is held back until its digest is known`(_ count: Int) throws {
    let scenario = try Scenario(.response(fields: [fresh], patternCount: UInt64(count)))
    let failed = try scenario.run("--sha256", Self.wrong, scenario.url())
    #expect(failed.status == 111 && failed.text == "")
    let digest = String(try #require(failed.diagnostics.split(separator: " ").last).prefix(64))
    #expect(try scenario.run("--sha256", digest, scenario.url()).output == Pattern.bytes(count: count))
    let temporary = try scenario.directory.makeDirectory("tmp")
    scenario.environment = ["TMPDIR": temporary]
    let spilled = try scenario.run("--reload", "--memory-capacity", "0", "--sha256", digest, scenario.url())
    #expect(spilled.output == Pattern.bytes(count: count) && namesInDirectory(temporary) == [])
  }

  @Test func `content that breaks off before its digest is known is not delivered, and is continued`() throws {
    let fields = [("ETag", "\"1\""), fresh]
    let scenario = try Scenario { request in
      request.number == 1
        ? .raw(OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "4")]) + Array("bo".utf8))
        : .response(206, fields: fields + [("Content-Range", "bytes 2-3/4")], text: "dy")
    }
    let broken = try scenario.run("--sha256", Self.sha256, scenario.url())
    #expect(broken.status == 18 && broken.text == "")
    #expect(try scenario.run("--sha256", Self.sha256, scenario.url()).text == "body")
  }

  @Test func `with --sha256, an error's body is not delivered, and is status 22`() throws {
    let scenario = try Scenario(.response(404, text: "body"))
    let run = try scenario.run("--sha256", Self.sha256, scenario.url())
    #expect(run.status == 22 && run.text == "")
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `with --no-fail, an error's body is checked against the expected digest`() throws {
    let scenario = try Scenario(.response(404, fields: [fresh], text: "body"))
    let path = scenario.directory.path("f")
    let wrong = try scenario.run("--no-fail", "--sha256", Self.wrong, "-o", path, scenario.url())
    #expect(wrong.status == 111 && (try? readFile(path)) == nil)
    #expect(try scenario.run("cache", "ls").text == "")
    let right = try scenario.run("--no-fail", "--sha256", Self.sha256, scenario.url())
    #expect(right.status == 0 && right.text == "body")
  }

  @Test func `the expected digest is that of the delivered content, which is decoded`() throws {
    // "body" as a gzip member of one stored block.
    let coded: [UInt8] =
      [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 4, 0, 0xfb, 0xff] + Array("body".utf8)
      + [0xb2, 0x0b, 0xa8, 0xdb, 4, 0, 0, 0]
    let scenario = try Scenario(.fresh([("Content-Encoding", "gzip")], content: coded))
    for _ in 1...2 {
      #expect(try scenario.run("--compressed", "--sha256", Self.sha256, scenario.url()).text == "body")
    }
    #expect(scenario.origin.requests.count == 1)
    #expect(try scenario.run("--sha256", Self.sha256, scenario.url()).status == 111)
  }

  // MARK: Stored content

  @Test func `a stored response with the expected digest is served however old it is`() throws {
    let scenario = try Self.body()
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10_000)
    for option in [[], ["--offline=strict"], ["--prefer-offline"]] {
      let run = try scenario.run(option + ["--sha256", Self.sha256, "-w", " %{cache_result}", scenario.url()])
      #expect(run.text == "body hit")
    }
    #expect(scenario.asked == ["/"])
    #expect(try scenario.run("--reload", "--sha256", Self.sha256, scenario.url()).text == "body")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test(arguments: [
    ("Cache-Control: no-cache", "body validated"), ("Pragma: no-cache", "body validated"),
    ("Cache-Control: no-store", "body bypass"), ("If-Match: \"1\"", "body updated"),
    ("If-Unmodified-Since: Thu, 01 Jan 2026 00:00:00 GMT", "body updated"), ("Cache-Control: max-age=0", "body hit"),
  ])
  func `no-cache, no-store and If-Match send a request to the origin in spite of --sha256`(
    _ line: String, _ result: String
  ) throws {
    let scenario = try Scenario { validated($0, etag: "\"1\"", fields: [fresh], text: "body") }
    try scenario.run("--sha256", Self.sha256, scenario.url())
    scenario.clock.advance(bySeconds: 10)
    let run = try scenario.run("--sha256", Self.sha256, "-H", line, "-w", " %{cache_result}", scenario.url())
    #expect(run.text == result)
    #expect(scenario.origin.requests.count == (result.hasSuffix("hit") ? 1 : 2))
  }

  @Test func `stored content with the expected digest is served for any URL, with a minimal head`() throws {
    let scenario = try Scenario(
      .fresh([("ETag", "\"1\""), ("Note", "mine"), ("Content-Type", "text/plain")], text: "body"))
    try scenario.run("-u", "me:secret", "--sha256", Self.sha256, scenario.url("/one"))
    scenario.clock.advance(bySeconds: 10_000)
    let path = scenario.directory.path("f")
    #expect(try scenario.run("--offline", "--sha256", Self.sha256, "-o", path, scenario.url("/two")).status == 0)
    #expect(try readFile(path) == Array("body".utf8))
    let run = try scenario.run("-i", "--sha256", Self.sha256, "http://example.invalid/three")
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\nbody") && run.field("Content-Type") == "text/plain")
    #expect(run.field("Note") == nil && run.field("ETag") == nil)
    #expect(run.field("Cache-Status")?.hasPrefix("garner; hit; key=") == true)
    #expect(scenario.asked == ["/one"])
  }

  @Test func `stored content is found by its digest even if it was fetched without one`() throws {
    let scenario = try Scenario { request in
      request.path == "/a" ? .fresh(text: "body") : request.path == "/b" ? .fresh(text: "other") : .response(404)
    }
    try scenario.run(scenario.url("/a"), scenario.url("/b"))
    #expect(try scenario.run("--sha256", Self.sha256, scenario.url("/gone")).text == "body")
    // The store keeps the digest for the next run.
    #expect(try !readFile("\(scenario.cachePath)/v1/digests").isEmpty)
    #expect(scenario.asked == ["/a", "/b"])
  }

  @Test func `a large store is searched for a digest as a whole only if the origin cannot be asked`() throws {
    let count = 33 << 20
    let scenario = try Scenario { request in
      request.path == "/a" ? .response(fields: [fresh], patternCount: UInt64(count)) : .response(404)
    }
    let shown = try scenario.run("--sha256", Self.sha256, "--no-store", scenario.url("/a"))
    let digest = String(try #require(shown.diagnostics.split(separator: " ").last).prefix(64))
    try scenario.run("-o", "/dev/null", scenario.url("/a"))
    #expect(try scenario.run("--sha256", digest, scenario.url("/gone")).status == 22)
    #expect(scenario.asked == ["/a", "/a", "/gone"])
    let wrong = try scenario.run("--offline", "--sha256", Self.sha256, scenario.url("/gone"))
    #expect(wrong.status == 110)
    scenario.origin.stop()
    let rescued = try scenario.run(
      "--sha256", digest, "-o", "/dev/null", "-w", "%{size_download}", scenario.url("/gone"))
    let warning = "a stored response with the requested digest is served"
    #expect(rescued.status == 0 && rescued.diagnostics.contains(warning))
    #expect(try scenario.run("--offline", "--sha256", digest, scenario.url("/gone")).output.count == count)
  }

  @Test func `stored content with the expected digest is served under --memory-only`() throws {
    let scenario = try Self.body()
    try scenario.run("--sha256", Self.sha256, scenario.url("/one"))
    let run = try scenario.run("--offline", "--memory-only", "--sha256", Self.sha256, "http://example.invalid/two")
    #expect(run.status == 0 && run.text == "body")
  }

  @Test func `under network-first, stored content with the expected digest stands in for a failed fetch`() throws {
    let scenario = try Scenario { request in
      request.path == "/broken" ? .raw("HTTP/1.1 200 OK\r\n") : .fresh(text: "body")
    }
    try scenario.run("--sha256", Self.sha256, scenario.url("/one"))
    let options = ["--cache-policy", "network-first", "-i", "-w", "\n%{cache_reason}"]
    let run = try scenario.run(options + ["--sha256", Self.sha256, scenario.url("/broken")])
    let reason = "\nthe origin could not be asked: stored, 0 s old, with the requested digest"
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\nbody\(reason)"))
    #expect(run.text.contains("Cache-Status: garner; fwd=uri-miss; "), "\(run.text)")
    #expect(run.diagnostics.hasSuffix("; a stored response with the requested digest is served\n"))
    let fetched = try scenario.run(options + ["--sha256", Self.sha256, scenario.url("/one")])
    #expect(fetched.text.contains("\r\n\r\nbody\n"))
    #expect(scenario.asked == ["/one", "/broken", "/one"])
    let failed = try scenario.run(options + ["--sha256", Self.wrong, scenario.url("/broken")])
    #expect(failed.status != 0 && !failed.text.contains("body"))
  }

  @Test func `a digest hint that leads to no entry, or to other content, is ignored`() throws {
    let scenario = try Scenario { request in
      .fresh(text: request.number < 3 ? "body" : "other")
    }
    try scenario.run("--sha256", Self.sha256, scenario.url("/one"))
    try scenario.run("cache", "rm", scenario.url("/one"))
    #expect(try scenario.run("--offline", "--sha256", Self.sha256, scenario.url("/two")).status == 110)
    try scenario.run("--sha256", Self.sha256, scenario.url("/one"))
    try scenario.run("--reload", scenario.url("/one"))
    #expect(try scenario.run("--offline", "--sha256", Self.sha256, scenario.url("/two")).status == 110)
    #expect(try scenario.run("--sha256", Self.sha256, scenario.url("/two")).status == 111)
  }

  @Test func `a stored response with another digest than expected is fetched anew`() throws {
    let scenario = try Scenario { request in .fresh(text: request.number == 1 ? "old" : "body")
    }
    try scenario.run(scenario.url())
    #expect(try scenario.run("--offline", "--sha256", Self.sha256, scenario.url()).status == 111)
    #expect(try scenario.run("--sha256", Self.sha256, scenario.url()).text == "body")
    #expect(try scenario.run("--offline", scenario.url()).text == "body")
  }

  @Test(arguments: [["-r", "0-3"], ["-H", "Range: bytes=0-3"], ["-H", "If-None-Match: \"zz\""]])
  func `with a range or a condition, a stored response with another digest is fetched anew`(_ options: [String]) throws
  {
    let scenario = try Scenario { request in
      let text = request.number == 1 ? "before" : "body"
      return .response(fields: [fresh, ("ETag", "\"\(request.number)\"")], text: text)
    }
    try scenario.run(scenario.url())
    let asked = options + ["--sha256", Self.sha256, scenario.url()]
    #expect(try scenario.run(["--offline"] + asked).status == 111 && scenario.asked.count == 1)
    let dryRun = try scenario.run(["--dry-run"] + asked).text
    #expect(dryRun.contains("if that does not have the requested digest, it is fetched anew\n"), "\(dryRun)")
    let run = try scenario.run(["-w", "%{stderr}%{cache_result} %{cache_status}"] + asked)
    #expect(run.status == 0 && run.text == "body" && scenario.asked.count == 2, "\(run)")
    #expect(run.diagnostics.hasPrefix("updated garner; fwd=request; "), "\(run)")
    #expect(try scenario.run(asked).text == "body" && scenario.asked.count == 2)
    let wrong = try scenario.run(options + ["--sha256", Self.wrong, scenario.url()])
    #expect(wrong.status == 111 && wrong.text == "" && scenario.asked.count == 3, "\(wrong)")
  }

  @Test func `a stored response's digest is checked even if nothing may be sent, but not for a head alone`()
    throws
  {
    let scenario = try Scenario(.response(fields: [fresh, ("ETag", "\"1\"")], text: "body"))
    try scenario.run(scenario.url())
    let alone = ["-r", "0-2", "-H", "Cache-Control: only-if-cached", "--sha256", Self.sha256, scenario.url()]
    #expect(try scenario.run(["--dry-run"] + alone).text.contains("the requested digest, it is refused with 111\n"))
    #expect(try scenario.run(alone).status == 111)
    let condition = ["-H", "If-None-Match: \"1\""]
    for options in [condition, ["-i"] + condition, ["-I"], ["-I", "-r", "0-1"]] {
      let run = try scenario.run(options + ["--sha256", Self.wrong, scenario.url()])
      #expect(run.status == 0, "\(options): \(run)")
      let dryRun = try scenario.run(["--dry-run"] + options + ["--sha256", Self.wrong, scenario.url()]).text
      #expect(!dryRun.contains("if that does not have"), "\(dryRun)")
    }
    #expect(scenario.asked.count == 1)
  }

  @Test func `a damaged file of digests prevents neither a fetch nor a search by digest`() throws {
    let scenario = try Self.body()
    try scenario.run("--sha256", Self.sha256, scenario.url())
    try writeFile("\(scenario.cachePath)/v1/digests", [UInt8](repeating: 0xff, count: 1 << 20))
    #expect(try scenario.run("--sha256", Self.sha256, scenario.url("/two")).text == "body")
    #expect(try scenario.run("--offline", "--sha256", Self.sha256, scenario.url("/three")).text == "body")
  }

  @Test func `-C and --sha256 contradict each other`() throws {
    let scenario = try Self.body()
    #expect(try scenario.run("-C", "2", "--sha256", Self.sha256, scenario.url()).status == 2)
  }

  // MARK: Several URLs

  private static func two() throws -> Scenario {
    try Scenario { request in .response(fields: [fresh], text: request.target == "/one" ? "body" : "other") }
  }

  private static let other = "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"

  @Test(arguments: [
    ["--sha256", sha256, "/one", "--sha256", other, "/two"], ["--sha256", sha256, "/one", "/two"],
    ["--integrity", sha512, "/one", "/two"], ["--sha256", sha256, "--integrity", sha512, "/one"],
    ["-Z", "--sha256", sha256, "/{one,two}"], ["--sha256", sha256, "/one", "--sha256", other],
    ["/two", "--next", "--sha256", sha256, "/one", "/two"],
  ])
  func `a digest for several URLs is a contradiction, whatever is stored`(_ arguments: [String]) throws {
    let scenario = try Self.two()
    try scenario.run(scenario.url("/{one,two}"))
    let run = try scenario.run(arguments.map { $0.hasPrefix("/") ? scenario.url($0) : $0 })
    #expect((run.status, run.text) == (2, ""))
    #expect(run.diagnostics.hasPrefix("garner: --sha256 and --integrity "))
    #expect(run.diagnostics.contains("hint: --sha256 HEX URL --next --sha256 HEX URL gives each its own"))
    #expect(scenario.asked.count == 2)
  }

  @Test func `one digest for the URLs of a list or of a config section is a contradiction`() throws {
    let scenario = try Self.two()
    let list = try scenario.directory.write("\(scenario.url("/one"))\n\(scenario.url("/two"))\n", to: "list")
    #expect(try scenario.run("--sha256", Self.sha256, "--input-file", list).status == 2)
    let text = "[site \"\(scenario.url("/*"))\"]\nsha256 = \(Self.sha256)\n"
    let config = try scenario.directory.write(text, to: "config")
    #expect(try scenario.run("--config", config, scenario.url("/{one,two}")).status == 2)
    #expect(scenario.asked == [])
    // A typed digest replaces the one of the config file.
    #expect(try scenario.run("--config", config, "--sha256", Self.other, scenario.url("/two")).status == 0)
  }

  @Test func `each set of options has its own digest`() throws {
    let scenario = try Self.two()
    let (one, two) = (scenario.directory.path("one"), scenario.directory.path("two"))
    let sets = ["-o", one, "--sha256", Self.sha256, scenario.url("/one"), "--next", "-o", two, "--sha256", Self.other]
    for option in [[], ["-Z"], ["--offline"]] {
      let run = try scenario.run(option + sets + [scenario.url("/two")])
      #expect((run.status, run.diagnostics) == (0, ""))
      #expect(try readFile(one) == Array("body".utf8) && readFile(two) == Array("other".utf8))
    }
    let sections = """
      [site "\(scenario.url("/one"))"]
      sha256 = \(Self.sha256)
      [site "\(scenario.url("/two"))"]
      sha256 = \(Self.other)

      """
    let config = try scenario.directory.write(sections, to: "config")
    let both = try scenario.run("--config", config, scenario.url("/one"), scenario.url("/two"))
    #expect(both.status == 0 && both.text == "bodyother", "\(both.diagnostics)")
    // The same digest for several mirrors, in sets of options, and for one URL that is given twice.
    let mirrors = ["--sha256", Self.sha256, scenario.url("/one"), "--next", "--sha256", Self.sha256]
    #expect(try scenario.run(mirrors + [scenario.url("/gone")]).text == "bodybody")
    #expect(try scenario.run("--sha256", Self.sha256, scenario.url("/one"), scenario.url("/one")).text == "bodybody")
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest"])
  func `content made of parts is kept only if it has the digest that the first part promised`(_ field: String) throws {
    let digest = "sha-256=:\(Self.digestOfDigits):"
    let scenario = try Scenario { request in
      guard request.has("Range") else {
        let fields = [("ETag", "\"a\""), fresh, (field, digest), ("Content-Length", "10")]
        return .raw(OriginAnswer.head(200, nil, fields: fields) + Array("01234".utf8))
      }
      let content = request.number == 2 ? "xxxxx" : "56789"
      return .response(206, fields: [("ETag", "\"a\""), ("Content-Range", "bytes 5-9/10")], text: content)
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    #expect(try scenario.run(scenario.url()).status == 111)
    // The part is not kept either, because it would be completed in vain again.
    #expect(try scenario.run("cache", "ls").text == "")
    #expect(try scenario.run(scenario.url()).status == 18)
    let third = try scenario.run(scenario.url())
    #expect(third.status == 0 && third.text == "0123456789")
    #expect(try scenario.run("--offline", scenario.url()).text == "0123456789")
  }

  /// An origin of "body", and a stored part that claims to be the beginning of it.
  private static func partlyStored(_ part: String) throws -> Scenario {
    let fields = [("ETag", "\"1\""), fresh]
    let scenario = try Scenario { request in
      if request.number == 1 {
        return .raw(OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "4")]) + Array(part.utf8))
      }
      guard request.has("Range") else { return .response(fields: fields, text: "body") }
      return .response(206, fields: fields + [("Content-Range", "bytes 2-3/4")], text: "dy")
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    return scenario
  }

  @Test(arguments: [["-o"], []])
  func `a stored part that does not make the expected content is dropped, and all is requested once`(
    _ output: [String]
  ) throws {
    let scenario = try Self.partlyStored("xx")
    let path = scenario.directory.path("f")
    let place = output.isEmpty ? [] : output + [path]
    let run = try scenario.run(place + ["--sha256", Self.sha256, scenario.url()])
    #expect(run.status == 0, "\(run)")
    #expect(try (output.isEmpty ? run.output : readFile(path)) == Array("body".utf8))
    #expect(run.diagnostics.hasSuffix("does not belong to the requested content and is dropped\n"), "\(run)")
    #expect(scenario.origin.requests.map { $0.value("Range") } == [nil, "bytes=2-", nil])
    #expect(try scenario.run("--offline", scenario.url()).text == "body")
  }

  @Test func `a run makes no third request when the whole does not have the expected digest either`() throws {
    let scenario = try Self.partlyStored("bo")
    let run = try scenario.run("--sha256", Self.wrong, scenario.url())
    #expect(run.status == 111 && run.text == "")
    #expect(scenario.origin.requests.map { $0.value("Range") } == [nil, "bytes=2-", nil])
    #expect(try scenario.run("cache", "ls").text == "")
  }

  /// The digest of `0123456789` in base 64, as `printf 0123456789 | openssl dgst -sha256 -binary | base64` prints it.
  private static let digestOfDigits = "hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII="
}
