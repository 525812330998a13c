import TestSupport
import Testing

/// Variants of which none may make room for another.
@Suite struct PinnedVariantTests {
  @Test func `a variant for which pinned ones make no room is not stored, and they stay`() throws {
    let scenario = try Scenario { request in
      let vary = request.number > 8 ? "X-L, X-M" : "X-L"
      return .response(fields: [("Cache-Control", "max-age=0"), ("Vary", vary)], text: request.value("X-L") ?? "-")
    }
    for language in 1...8 { try scenario.run("--pin", "-H", "X-L: \(language)", scenario.url()) }
    let run = try scenario.run("-H", "X-L: 1", "-w", " %{cache_stored} %{cache_reason}", scenario.url())
    #expect(run.text.hasPrefix("1 0 ") && run.text.contains("all are pinned"), "\(run.text)")
    #expect(try scenario.run("cache", "ls", "--pinned", "--jsonl").text.split(separator: "\n").count == 8)
  }
}
