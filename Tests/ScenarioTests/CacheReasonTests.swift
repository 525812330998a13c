import TestSupport
import Testing

/// `%{cache_reason}` tells whether the response was stored or served, and why.
@Suite struct CacheReasonTests {
  private static let reason = ["-s", "-o", "/dev/null", "-w", "%{cache_reason}"]

  /// Faults of content that arrives whole.
  static let faults: [(fields: [(String, String)], options: [String])] = [
    ([("Repr-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")], []),
    ([], ["--sha256", String(repeating: "0", count: 64)]), ([("Content-Encoding", "gzip")], ["--compressed"]),
  ]

  @Test(arguments: faults)
  func `content that comes whole but is wrong is not reported as incomplete`(
    _ fields: [(String, String)], _ options: [String]
  ) throws {
    let scenario = try Scenario(.fresh(fields, text: "all of it"))
    let run = try scenario.run(Self.reason + options + [scenario.url()])
    #expect(run.status != 0)
    let words = "; in the end not stored: its content cannot be decoded, or has the wrong digest"
    #expect(run.text.hasSuffix(words), "\(run.text)")
  }

  @Test func `content that breaks off is reported as incomplete`() throws {
    let head = OriginAnswer.head(200, nil, fields: [fresh, ("Content-Length", "9")])
    let scenario = try Scenario(.raw(head + Array("part".utf8)))
    let run = try scenario.run(Self.reason + [scenario.url()])
    #expect(run.status == 18 && run.text.hasSuffix("; in the end not stored: it is incomplete"), "\(run.text)")
  }

  @Test func `a response that a 304 removes is reported as not kept`() throws {
    let scenario = try Scenario { request in
      let fields = [("ETag", "\"a\""), ("Cache-Control", request.number == 1 ? "max-age=0" : "max-age=600, no-store")]
      return request.number == 1 ? .response(fields: fields, text: "x") : .response(304, fields: fields)
    }
    try scenario.run(scenario.url())
    let run = try scenario.run(Self.reason + [scenario.url()])
    let words = ", now fresh for 600 s; the update is not stored: the response says no-store"
    #expect(run.text.hasSuffix(words), "\(run.text)")
    #expect(try scenario.run("cache", "ls").text == "")
  }

  /// The response that was stored before either stays, or is removed without a replacement.
  @Test(arguments: [
    (["--store-hook", "exit 3"], "hook-failed"), (["--store-hook", "exit 10"], "hook"),
    (["--sha256", String(repeating: "0", count: 64)], "broken-content"), (["--max-object-size", "1"], "too-large"),
  ])
  func `a new response that is not stored counts as a miss, and updates nothing`(_ options: [String], _ detail: String)
    throws
  {
    let scenario = try Scenario { request in
      // The response for /chunked does not announce its length; the other one does.
      let head = OriginAnswer.head(
        200, nil, fields: [("Cache-Control", "max-age=0"), ("Transfer-Encoding", "chunked")])
      let body = "\(request.number)".utf8
      return request.path == "/chunked"
        ? .raw(head + Array("2\r\n1".utf8) + body + Array("\r\n0\r\n\r\n".utf8))
        : .response(fields: [("Cache-Control", "max-age=0")], text: "1\(request.number)")
    }
    for path in ["/", "/chunked"] {
      try scenario.run("-s", scenario.url(path))
      let run = try scenario.run(
        ["-s", "-w", "%{stderr}%{cache_result} %{cache_status}"] + options + [scenario.url(path)])
      #expect(run.diagnostics.hasPrefix("miss garner; "), "\(run.diagnostics)")
      #expect(run.diagnostics.contains("detail=\(detail)"), "\(run.diagnostics)")
    }
    #expect(try scenario.run("cache", "stats", "--json").text.contains(#""updated":0"#))
  }

  @Test(arguments: [
    ("exit 3", "hook-failed", "the store hook failed"), ("exit 10", "hook", "the store hook refuses it"),
  ])
  func `the reason is reported when the store hook prevents a validated response from being updated`(
    _ hook: String, _ detail: String, _ words: String
  ) throws {
    for options in [[], ["-I"]] {
      let scenario = try Scenario { validated($0, etag: "\"a\"", fields: [("Cache-Control", "max-age=0")], text: "x") }
      try scenario.run("-s", scenario.url())
      let run = try scenario.run(
        ["-s", "-v", "--store-hook", hook, "-w", "%{stderr}%{cache_status}|%{cache_reason}"] + options + [
          scenario.url()
        ])
      #expect(run.diagnostics.contains("; detail=\(detail)|"), "\(run.diagnostics)")
      #expect(run.diagnostics.contains("; the update is not stored: \(words)"), "\(run.diagnostics)")
      let written = try #require(run.diagnostics.split(separator: "\n").last)
      #expect(!written.contains("; stored;"), "\(run.diagnostics)")
      #expect(!run.diagnostics.contains("was updated"), "\(run.diagnostics)")
    }
  }

  @Test func `a disk that is turned off is reported as neither failing nor full`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    let off = ["--disk-capacity", "0", scenario.url()]
    let run = try scenario.run(Self.reason + off)
    #expect(run.text.hasSuffix("; not stored: storing on disk is turned off"), "\(run.text)")
    #expect(try scenario.run(["-o", "/dev/null", "-w", "%{cache_status}"] + off).text.hasSuffix("; detail=disk-off"))
  }

  @Test func `waiting for an equal request of the same run is not reported as waiting for another run`() throws {
    let gate = Gate()
    let scenario = try Scenario { _ in .late(gate, .fresh(text: "x")) }
    let urls = Array(repeating: scenario.url(), count: 10)
    let run = scenario.start(["-s", "-Z", "-w", " %{cache_reason}\n"] + urls)
    #expect(scenario.origin.hasSeen(requests: 1))
    gate.open()
    let text = try run.finish().text
    #expect(text.contains("; stored, fresh for 60 s by max-age\n") && !text.contains("another run"), "\(text)")
  }

  @Test(arguments: [["--disk-capacity", "0"], ["--max-object-size", "0"], ["--cache-dir", "/dev/null/cache"]])
  func `%{cache_stored} is 0 for a response of which the disk has nothing, however many URLs a run has`(
    _ options: [String]
  ) throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"e\"", fields: [("Cache-Control", "max-age=0")], text: "content")
    }
    let written = options + ["-w", " %{cache_result} %{cache_stored}\n"]
    #expect(try scenario.run(written + [scenario.url()]).text == "content miss 0\n")
    let run = try scenario.run(written + [scenario.url(), scenario.url()])
    #expect(run.text == "content miss 0\ncontent validated 0\n", "\(run)")
    let meant = try scenario.run(["--memory-only"] + written + [scenario.url(), scenario.url()])
    #expect(meant.text == "content miss 1\ncontent validated 1\n", "\(meant)")
  }
}
