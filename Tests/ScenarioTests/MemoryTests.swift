import TestSupport
import Testing

/// The memory cache of a run, which is used instead of the disk or in front of it.
@Suite struct MemoryTests {
  /// An origin whose answer is the number of the request.
  private static func counting(_ fields: [(String, String)] = [fresh]) throws -> Scenario {
    try Scenario { .response(fields: fields, text: "\($0.number)") }
  }

  /// The files of the cache with their contents; empty where there is no cache.
  private func snapshot(_ scenario: Scenario) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for path in filesBelow(scenario.directory.path("cache")) { files[path] = try readFile(path) }
    return files
  }

  // MARK: Instead of the disk

  @Test func `with --memory-only, a repeated URL is requested once, and nothing is stored afterwards`() throws {
    let scenario = try Self.counting()
    let run = try scenario.run(
      "--memory-only", "-w", " %{cache_result} %{cache_stored}\n", scenario.url(), scenario.url())
    #expect(run.text == "1 miss 1\n1 hit 0\n")
    #expect(scenario.asked == ["/"])
    #expect(namesInDirectory(scenario.directory.path).isEmpty)
    #expect(try scenario.run("--memory-only", scenario.url()).text == "2")
  }

  @Test func `-v says whether a response is kept in memory only`() throws {
    let scenario = try Self.counting()
    let alone = try scenario.run("-v", "--memory-only", scenario.url(), scenario.url())
    #expect(alone.diagnostics.contains("; to be kept in memory only, fresh for 60 s by max-age\n"))
    #expect(alone.diagnostics.contains("* cache: found in memory\n"))
    #expect(alone.diagnostics.contains("< Cache-Status: garner; fwd=uri-miss; fwd-status=200; stored; ttl=60"))
    let ordinary = try scenario.run("-v", scenario.url(), scenario.url())
    #expect(ordinary.diagnostics.contains("; to be stored, fresh for 60 s by max-age\n"))
    #expect(!ordinary.diagnostics.contains("memory only"))
  }

  @Test func `with --memory-only, responses on the disk are used, and stay as they are`() throws {
    let scenario = try Self.counting()
    try scenario.run(scenario.url())
    let before = try snapshot(scenario)
    scenario.clock.advance(bySeconds: 30)
    #expect(try scenario.run("--memory-only", scenario.url()).text == "1")
    #expect(try scenario.run("--memory-only", "--offline", scenario.url()).text == "1")
    #expect(try scenario.run("--memory-only", "--reload", scenario.url(), scenario.url()).text == "23")
    #expect(try snapshot(scenario) == before && !before.isEmpty)
    #expect(try scenario.run(scenario.url()).text == "1")
  }

  @Test func `with --memory-only, a reloaded response is preferred to the one on the disk, whatever its date`() throws {
    let start = Int(ManualClock().seconds)
    let scenario = try Scenario { request in
      // The clock of the first answer is fast.
      let date = ("Date", httpDate(start + (request.number == 1 ? 30 : 10)))
      return .response(
        fields: [date, ("Cache-Control", "max-age=\(request.number == 1 ? 60 : 0)")], text: "\(request.number)")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    #expect(
      try scenario.run("--memory-only", "--reload", scenario.url(), "--next", "--memory-only", scenario.url()).text
        == "23")
  }

  @Test(arguments: [10, 300_000])
  func `with --memory-only, a 304 for a response on the disk is kept in memory, with the content`(_ count: Int) throws {
    let body = String(repeating: "x", count: count)
    let scenario = try Scenario { validated($0, etag: "\"1\"", fields: [fresh], text: body) }
    try scenario.run(scenario.url())
    let before = try snapshot(scenario)
    scenario.clock.advance(bySeconds: 61)
    let run = try scenario.run(
      "--memory-only", "-v", "-w", " %{cache_result} %{cache_stored} ", scenario.url(), scenario.url())
    #expect(run.text == "\(body) validated 1 \(body) hit 0 ")
    #expect(run.diagnostics.contains("now fresh for 60 s; kept in memory only\n"))
    #expect(scenario.origin.requests.count == 2)
    #expect(try snapshot(scenario) == before)
    // For the next run, the stored response is as stale as before.
    try scenario.run(scenario.url())
    #expect(scenario.origin.requests.count == 3)
    #expect(try snapshot(scenario) != before)
  }

  @Test func `with --memory-only, a 304 for a response that does not fit into memory is not kept`() throws {
    let body = String(repeating: "x", count: 2_000)
    let scenario = try Scenario { validated($0, etag: "\"1\"", fields: [fresh], text: body) }
    try scenario.run(scenario.url())
    let before = try snapshot(scenario)
    scenario.clock.advance(bySeconds: 61)
    let run = try scenario.run(
      "--memory-only", "--memory-capacity", "4K", "-v", "-w", " %{cache_stored} ", scenario.url(), scenario.url())
    #expect(run.text == "\(body) 0 \(body) 0 ")
    #expect(run.diagnostics.contains("; the update is not stored\n"))
    #expect(scenario.origin.requests.count == 3)
    #expect(try snapshot(scenario) == before)
  }

  @Test func `memory for the length that an origin announces is not allocated at once`() throws {
    let head = OriginAnswer.head(200, nil, fields: [fresh, ("Content-Length", "20000000000000")])
    let scenario = try Scenario { _ in .raw(head + Array("a".utf8)) }
    #expect(try scenario.run("--memory-only", "--memory-capacity", "100T", scenario.url()).status == 18)
  }

  @Test(arguments: ["length", "chunked"])
  func `a response too large for the memory capacity is delivered and not kept`(_ framing: String) throws {
    let body = Pattern.bytes(count: 5_000)
    let scenario = try Scenario { _ in
      framing == "length"
        ? .fresh(content: body) : .chunked(fields: [fresh], chunks: [body])
    }
    let run = try scenario.run(
      "--memory-only", "--memory-capacity", "16K", "-w", "%{cache_stored} %{cache_status}", scenario.url(),
      scenario.url())
    #expect(run.output.starts(with: body) && run.text.contains("0 garner; fwd=uri-miss; fwd-status=200"))
    #expect(run.text.contains("detail=too-large"))
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `with --memory-only and a memory capacity of 0, nothing is kept anywhere`() throws {
    let scenario = try Self.counting()
    let run = try scenario.run("--memory-only", "--memory-capacity", "0", scenario.url(), scenario.url())
    #expect(run.text == "12" && run.status == 0)
    #expect(namesInDirectory(scenario.directory.path).isEmpty)
  }

  @Test func `with --memory-only, a redirection is kept for the run`() throws {
    let scenario = try Scenario { request in
      request.target == "/a"
        ? .response(301, fields: [fresh, ("Location", "/b")]) : .fresh(text: "b")
    }
    #expect(try scenario.run("--memory-only", scenario.url("/a"), scenario.url("/b"), scenario.url("/a")).text == "bbb")
    #expect(scenario.asked == ["/a", "/b"])
    #expect(namesInDirectory(scenario.directory.path).isEmpty)
  }

  // MARK: Secrets

  @Test func `with --memory-only, requests are told apart by credentials, without a secret on the disk`() throws {
    let scenario = try Self.counting([fresh, ("Vary", "X-Flavour")])
    let credentials: [[String]] = [["-u", "a:b"], ["-u", "a:c"], []]
    let requests = credentials.map { ["--memory-only"] + $0 + ["-H", "X-Flavour: c", scenario.url()] }
    let run = try scenario.run(Array((requests + requests).joined(separator: ["--next"])))
    #expect(run.text == "123123" && run.diagnostics == "")
    #expect(namesInDirectory(scenario.directory.path).isEmpty)
  }

  @Test func `with --memory-only, the secret on the disk is used if there is one`() throws {
    let scenario = try Self.counting()
    try scenario.run("-u", "a:b", scenario.url())
    let before = try snapshot(scenario)
    #expect(try scenario.run("--memory-only", "-u", "a:b", scenario.url(), scenario.url()).text == "11")
    #expect(try scenario.run("--memory-only", "-u", "a:c", scenario.url(), scenario.url()).text == "22")
    #expect(try snapshot(scenario) == before)
  }

  // MARK: Responses that are removed from the disk all the same

  @Test func `with --memory-only, an unsafe method removes the stored response from the disk`() throws {
    let scenario = try Self.counting()
    try scenario.run(scenario.url())
    try scenario.run("--memory-only", "-X", "POST", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `with --memory-only, a no-store answer removes the stored response from the disk`() throws {
    let scenario = try Scenario { request in
      .response(fields: request.number == 1 ? [fresh] : [("Cache-Control", "no-store")], text: "x")
    }
    try scenario.run(scenario.url())
    try scenario.run("--memory-only", "--reload", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test(arguments: [["--store-hook", "exit 10"], ["--memory-capacity", "16K"]], [true, false])
  func `with --memory-only, a response whose successor is not kept is not served again`(
    _ refusal: [String], _ isOnDisk: Bool
  ) throws {
    let scenario = try Scenario { request in
      request.number == 1 ? .fresh(text: "old") : .fresh(content: Pattern.bytes(count: 5_000))
    }
    let kept = ["--memory-only", "-o", "/dev/null", scenario.url(), "--next"]
    if isOnDisk { try scenario.run(scenario.url()) }
    let again = ["--next", "--memory-only"] + refusal + ["-w", "%{cache_result}", "-o", "/dev/null", scenario.url()]
    let run = try scenario.run(
      (isOnDisk ? [] : kept) + ["--memory-only", "--reload"] + refusal + ["-o", "/dev/null", scenario.url()] + again)
    #expect(run.status == 0 && run.text == "miss" && scenario.asked.count == 3, "\(run)")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  // MARK: Parts, and work in the background

  @Test func `with --memory-only, a transfer that breaks off leaves nothing on the disk`() throws {
    let fields = [fresh, ("ETag", "\"1\""), ("Content-Length", "100")]
    let scenario = try Scenario(.raw(OriginAnswer.head(200, nil, fields: fields) + Pattern.bytes(count: 50)))
    #expect(try scenario.run("--memory-only", scenario.url()).status == 18)
    #expect(namesInDirectory(scenario.directory.path).isEmpty)
  }

  @Test func `with --memory-only, a part on the disk is continued, and stays; the whole is kept in memory`() throws {
    let body = Pattern.bytes(count: 1_000)
    let fields = [fresh, ("ETag", "\"1\"")]
    let scenario = try Scenario { request in
      if request.number == 1 {
        return .raw(OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "1000")]) + body.prefix(600))
      }
      return .response(206, fields: fields + [("Content-Range", "bytes 600-999/1000")], content: Array(body[600...]))
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    let before = try snapshot(scenario)
    #expect(try scenario.run("--memory-only", scenario.url(), scenario.url()).output == body + body)
    #expect(scenario.origin.requests.map { $0.value("Range") } == [nil, "bytes=600-"])
    #expect(try snapshot(scenario) == before)
  }

  @Test func `with --memory-only, a range that is fetched is not kept`() throws {
    let fields = [fresh, ("ETag", "\"1\""), ("Content-Range", "bytes 0-3/10")]
    let scenario = try Scenario(.response(206, fields: fields, text: "part"))
    let run = try scenario.run(
      "--memory-only", "-H", "Range: bytes=0-3", "-w", " %{cache_stored} ", scenario.url(), scenario.url())
    #expect(run.text == "part 0 part 0 " && scenario.asked.count == 2)
    #expect(namesInDirectory(scenario.directory.path).isEmpty)
  }

  @Test func `with --memory-only, a stale-while-revalidate response is updated before it is served`() throws {
    let scenario = try Self.counting([("Cache-Control", "max-age=10, stale-while-revalidate=50")])
    try scenario.run(scenario.url())
    let before = try snapshot(scenario)
    scenario.clock.advance(bySeconds: 20)
    #expect(try scenario.run("--memory-only", scenario.url()).text == "2")
    #expect(scenario.detachedCount == 0)
    #expect(try snapshot(scenario) == before)
    try scenario.run(scenario.url())
    #expect(scenario.detachedCount == 1)
  }

  // MARK: In front of the disk

  /// An origin that runs `act` once, during the first request for `/b`.
  private static func between(
    _ fields: [(String, String)] = [fresh], _ act: @escaping @Sendable (Scenario) throws -> Void
  ) throws -> Scenario {
    let place = Monitor<Scenario?>(nil)
    let scenario = try Scenario { request in
      if request.target == "/b", let scenario = place.withLock({ $0 }) {
        do { try act(scenario) } catch { Issue.record(error) }
        place.withLock { $0 = nil }
      }
      return .response(fields: fields, text: "\(request.number)")
    }
    place.withLock { $0 = scenario }
    return scenario
  }

  private func three(_ scenario: Scenario, _ options: String...) throws -> Scenario.Run {
    try scenario.run(options + [scenario.url("/a"), scenario.url("/b"), scenario.url("/a")])
  }

  @Test(arguments: [(false, ["/a", "/b", "/a"], "121"), (true, ["/a", "/a", "/b", "/a"], "1121")])
  func `a response that a run has stored or found twice is served from memory when the disk loses it`(
    _ wasStored: Bool, _ paths: [String], _ text: String
  ) throws {
    let scenario = try Self.between { scenario in
      let run = try scenario.run("cache", "clear")
      #expect(run.status == 0)
    }
    if wasStored { try scenario.run(scenario.url("/a")) }
    #expect(try scenario.run(paths.map { scenario.url($0) }).text == text)
    #expect(scenario.asked == ["/a", "/b"])
  }

  @Test func `with a memory capacity of 0, a response that the disk loses is fetched again`() throws {
    let scenario = try Self.between { scenario in
      let run = try scenario.run("cache", "clear")
      #expect(run.status == 0)
    }
    #expect(try three(scenario, "--memory-capacity", "0").text == "123")
  }

  @Test func `a stale response in memory does not hide a response that another run has stored`() throws {
    let scenario = try Self.between([("Cache-Control", "max-age=10")]) { scenario in
      scenario.clock.advance(bySeconds: 11)
      let run = try scenario.run("--reload", scenario.url("/a"))
      #expect(run.text == "3")
    }
    #expect(try three(scenario).text == "123")
    #expect(scenario.asked == ["/a", "/b", "/a"])
  }

  @Test func `a response that a run validates is fresh in memory and on the disk`() throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"1\"", fields: [fresh], text: "body")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 61)
    try scenario.run(scenario.url(), scenario.url(), scenario.url())
    #expect(scenario.origin.requests.count == 2)
    #expect(try scenario.run("--offline", "-w", " %{cache_result}", scenario.url()).text == "body hit")
  }

  @Test(arguments: [
    ("max-age=1000", "max-age=1"), ("max-age=0", "max-age=1000"), ("max-age=1000", "no-cache"),
    ("max-age=0", "max-age=0, must-revalidate"),
  ])
  func `a response validated in the second in which it came is updated in memory and on the disk`(
    _ first: String, _ then: String
  ) throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"1\"", fields: [("Cache-Control", request.number == 1 ? first : then)], text: "body")
    }
    let validating = ["--cache-policy", "revalidate", scenario.url()]
    try scenario.run([scenario.url(), "--next"] + validating + ["--next"] + validating)
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true, true])
    let shown = try scenario.run("cache", "show", scenario.url())
    let lines = shown.text.split(whereSeparator: \.isNewline)
    #expect(lines.contains("Cache-Control: \(then)"), "\(shown)")
  }

  @Test(arguments: [true, false])
  func `the answer to a HEAD updates the response in memory and on the disk`(_ isInOneRun: Bool) throws {
    let scenario = try Scenario { request in
      let lifetime = ("Cache-Control", "max-age=\(request.method == "HEAD" ? 0 : 1_000)")
      return validated(request, etag: "\"1\"", fields: [lifetime], text: "body")
    }
    let updating = [scenario.url(), "--next", "-I", "--reload", scenario.url()]
    let reading = ["-w", " %{cache_result}", scenario.url()]
    if !isInOneRun { try scenario.run(updating) }
    let run = try scenario.run(isInOneRun ? updating + ["--next"] + reading : reading)
    #expect(run.text.hasSuffix("body validated"), "\(run)")
  }

  @Test(arguments: [[], ["--memory-only"]])
  func `an unsafe method invalidates the response in memory and on the disk`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      request.method == "POST"
        ? .response(303, fields: [("Location", "/a")]) : .fresh(text: "\(request.number)")
    }
    let run = try scenario.run(options + ["-d", "x", scenario.url("/form"), scenario.url("/form")])
    #expect(run.text == "24")
    #expect(scenario.asked == ["POST /form", "/a", "POST /form", "/a"])
  }

  @Test(arguments: [[], ["--memory-only"]])
  func `a no-store answer removes the response from memory and from the disk`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      request.number == 1
        ? .response(fields: [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")], text: "1")
        : .response(fields: [("Cache-Control", "no-store")], text: "\(request.number)")
    }
    let run = try scenario.run(options + [scenario.url(), scenario.url(), scenario.url()])
    #expect(run.text == "123")
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true, false])
  }

  @Test func `memory is used even if the store on the disk cannot be`() throws {
    let scenario = try Self.counting()
    let place = try scenario.directory.write("no directory", to: "place")
    let run = try scenario.run("--cache-dir", place, "-w", "%{cache_stored}", scenario.url(), scenario.url())
    #expect(run.text == "1010")
    #expect(run.diagnostics.split(separator: "\n").count == 1)
  }

  @Test func `a response that the disk has refused in the end is reported as kept in memory only`() throws {
    let scenario = try Scenario(
      .fresh(text: String(repeating: "x", count: 9_000)))
    let options = ["--disk-capacity", "20K", "--max-object-size", "20K", "-o", scenario.directory.path("out")]
    for path in ["/1", "/2"] { try scenario.run(options + ["--pin", scenario.url(path)]) }
    let more = ["-o", scenario.directory.path("other"), "-w", "%{cache_stored} %{cache_reason}\n"]
    let run = try scenario.run(options + more + [scenario.url("/3"), scenario.url("/4")])
    let line =
      "0 sent to the origin (no response is stored for this request); kept in memory only, fresh for 60 s by max-age\n"
    #expect(run.text == line + line)
  }

  @Test func `variants of a response are told apart in memory, and each is found again`() throws {
    let scenario = try Self.counting([fresh, ("Vary", "Accept-Language")])
    let requests = ["de", "fr", "de", "fr"].map { ["--memory-only", "-H", "Accept-Language: \($0)", scenario.url()] }
    let run = try scenario.run(Array(requests.joined(separator: ["--next"])))
    #expect(run.text == "1212" && scenario.asked.count == 2)
  }

  // MARK: Mistakes

  @Test(arguments: [["--no-store"], ["--cache-policy", "no-store"], ["--cache-policy", "no-cache", "--no-store"]])
  func `--memory-only and no-store are a contradiction`(_ options: [String]) throws {
    let scenario = try Self.counting()
    let run = try scenario.run(["--memory-only"] + options + [scenario.url()])
    #expect(run.status == 2 && run.diagnostics.contains("--memory-only"))
    #expect(scenario.asked.isEmpty)
  }
}
