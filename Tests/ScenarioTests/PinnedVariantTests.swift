import TestSupport
import Testing

/// Pinned variants, which are not removed to make room for another one.
@Suite struct PinnedVariantTests {
  @Test func `a variant for which pinned ones make no room is not stored, and the pinned ones stay`() throws {
    let scenario = try Scenario { request in
      let vary = request.number > 8 ? "X-L, X-M" : "X-L"
      return .response(fields: [("Cache-Control", "max-age=0"), ("Vary", vary)], text: request.value("X-L") ?? "-")
    }
    for language in 1...8 { try scenario.run("--pin", "-H", "X-L: \(language)", scenario.url()) }
    let run = try scenario.run("-H", "X-L: 1", "-w", " %{cache_stored} %{cache_reason}", scenario.url())
    #expect(run.text.hasPrefix("1 0 ") && run.text.contains("all are pinned"), "\(run.text)")
    #expect(try scenario.run("cache", "ls", "--pinned", "--jsonl").text.split(separator: "\n").count == 8)
  }

  @Test func `a ninth variant beside eight pinned ones cannot be pinned, and a warning says so`() throws {
    let scenario = try Scenario(.fresh([("Vary", "Accept-Language")], text: "x"))
    for language in 1...8 {
      let run = try scenario.run("--pin", "-H", "Accept-Language: p\(language)", scenario.url())
      #expect(run.diagnostics == "", "\(run)")
    }
    let warning = "garner: warning: --pin has no effect on \(scenario.url()): its key has the maximum number of "
    let request = ["--pin", "-H", "Accept-Language: p9", scenario.url()]
    // In a run with several URLs, memory has the variant instead.
    for requests in [request, request + [scenario.url()]] {
      let run = try scenario.run(requests)
      #expect(run.status == 0 && run.diagnostics == warning + "variants, and all are pinned\n", "\(run)")
    }
    #expect(scenario.origin.requests.count == 10)
  }

  @Test func `a superseded variant is removed, although the request was changed after the look-up`() throws {
    let scenario = try Scenario { request in
      .response(
        fields: [
          ("Content-Encoding", "gzip"), ("Vary", "Range, Accept-Encoding"),
          ("Cache-Control", request.number == 1 ? "max-age=100" : "no-store"),
        ], content: [UInt8](repeating: 1, count: 40))
    }
    let options = ["--compressed", "-r", "0-9", scenario.url()]
    try scenario.run(options)
    try scenario.run(["--reload"] + options)
    #expect(try scenario.run("cache", "ls").text.isEmpty)
  }

  /// An answer from a cache on the way can have an earlier date than the answers that came before it.
  @Test func `a reloaded variant is served, whatever its date and the fields that select it`() throws {
    let scenario = try Scenario { request in
      let date = httpDate(1_735_689_600 - 30 * request.number)
      let fields = [
        ("Cache-Control", "max-age=600"), ("Date", date), ("Vary", request.number % 2 == 1 ? "X-A" : "X-B"),
      ]
      return .response(fields: fields, text: "\(request.number)")
    }
    let request = ["-s", "-H", "X-A: 1", "-H", "X-B: 1", scenario.url()]
    #expect(try scenario.run(["--pin"] + request).text == "1")
    #expect(try scenario.run(["--reload"] + request).text == "2")
    #expect(try scenario.run(request).text == "2" && scenario.run(["--offline"] + request).text == "2")
    #expect(try scenario.run("cache", "ls", "--pinned", "--jsonl").text.split(separator: "\n").count == 1)
    let held = try scenario.run(["--memory-only", "--reload"] + request + ["--next", "--memory-only"] + request)
    #expect(held.text == "33" && scenario.origin.requests.count == 3, "\(held)")
    // A request with another X-B finds nothing, since it is not known which response it would get.
    #expect(try scenario.run("--offline", "-H", "X-A: 1", scenario.url()).status == 110)
  }

  @Test(arguments: [[], ["--store-hook", "exit 10"], ["--retry", "1"]])
  func `a response that supersedes one variant leaves the others`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      guard request.number > 2 else {
        let fields = [("Vary", "Accept-Language"), ("ETag", "\"\(request.number)\"")]
        return .fresh(fields, text: request.value("Accept-Language") ?? "")
      }
      let fields = [("ETag", "\"new\""), ("Cache-Control", options.isEmpty ? "no-store" : "max-age=9")]
      if !options.contains("--retry") { return .response(fields: fields, text: "new and larger") }
      return request.number == 3 ? RetryTests.broken(fields) : RetryTests.rest(from: 4, fields)
    }
    for language in ["de", "en"] { try scenario.run("-H", "Accept-Language: \(language)", "--pin", scenario.url()) }
    let german = ["-H", "Accept-Language: de", scenario.url()]
    #expect(try scenario.run(options + ["--reload"] + german).status == 0)
    #expect(try scenario.run(["--offline"] + german).status == 110)
    #expect(try scenario.run("--offline", "-H", "Accept-Language: en", scenario.url()).text == "en")
  }
}
