import TestSupport
import Testing

/// `%{cache_reason}` says what became of the response, and why.
@Suite struct CacheReasonTests {
  private static let reason = ["-s", "-o", "/dev/null", "-w", "%{cache_reason}"]

  /// What is wrong with content that comes whole.
  static let faults: [(fields: [(String, String)], options: [String])] = [
    ([("Repr-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")], []),
    ([], ["--sha256", String(repeating: "0", count: 64)]), ([("Content-Encoding", "gzip")], ["--compressed"]),
  ]

  @Test(arguments: faults)
  func `content that came whole and is not what it should be is not said to have come in part`(
    _ fields: [(String, String)], _ options: [String]
  ) throws {
    let scenario = try Scenario(.fresh(fields, text: "all of it"))
    let run = try scenario.run(Self.reason + options + [scenario.url()])
    #expect(run.status != 0)
    #expect(run.text.hasSuffix("; in the end not stored: its content is not what it should be"), "\(run.text)")
  }

  @Test func `content that breaks off did not come whole`() throws {
    let head = OriginAnswer.head(200, nil, fields: [fresh, ("Content-Length", "9")])
    let scenario = try Scenario(.raw(head + Array("part".utf8)))
    let run = try scenario.run(Self.reason + [scenario.url()])
    #expect(run.status == 18 && run.text.hasSuffix("; in the end not stored: it did not come whole"), "\(run.text)")
  }

  @Test func `what a 304 has removed is said not to be kept`() throws {
    let scenario = try Scenario { request in
      let fields = [("ETag", "\"a\""), ("Cache-Control", request.number == 1 ? "max-age=0" : "max-age=600, no-store")]
      return request.number == 1 ? .response(fields: fields, text: "x") : .response(304, fields: fields)
    }
    try scenario.run(scenario.url())
    let run = try scenario.run(Self.reason + [scenario.url()])
    #expect(run.text.hasSuffix(", now fresh for 600 s; that is not kept"), "\(run.text)")
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `a disk that the user has given no room is no store that fails`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    let run = try scenario.run(Self.reason + ["--disk-capacity", "0", scenario.url()])
    #expect(run.text.hasSuffix("; not stored: there is no room for it"), "\(run.text)")
  }

  @Test func `who has waited for an equal request of the same run is not said to have waited for another run`() throws {
    let gate = Gate()
    let scenario = try Scenario { _ in .late(gate, .fresh(text: "x")) }
    let urls = Array(repeating: scenario.url(), count: 10)
    let run = scenario.start(["-s", "-Z", "-w", " %{cache_reason}\n"] + urls)
    #expect(scenario.origin.hasSeen(requests: 1))
    gate.open()
    let text = try run.finish().text
    #expect(text.contains("; stored, fresh for 60 s by max-age\n") && !text.contains("another run"), "\(text)")
  }
}
